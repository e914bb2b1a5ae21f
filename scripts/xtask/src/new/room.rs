//! The skeleton of a room: it copies its input, with everything around that a room has.

use super::{NewError, Tree, check_name, type_name};
use minijinja::{Environment, context};

const LIBRARY: &str = "kernels/library/src";
/// File and template.
const FILES: &[(&str, &str)] = &[
    ("mod.rs", include_str!("room/mod.rs.jinja")),
    ("reference.rs", include_str!("room/reference.rs.jinja")),
    ("cpu.rs", include_str!("room/cpu.rs.jinja")),
    ("cases.rs", include_str!("room/cases.rs.jinja")),
    ("oracle.rs", include_str!("room/oracle.rs.jinja")),
    ("tests.rs", include_str!("room/tests.rs.jinja")),
];

pub(super) fn write(tree: &mut Tree, group: &str, name: &str) -> Result<String, NewError> {
    check_name(name, '_')?;
    let parent = format!("{LIBRARY}/{group}/mod.rs");
    if !tree.exists(&parent) {
        return Err(NewError::Form { path: parent, expected: "a group of rooms, such as ops".to_owned() });
    }
    let (kind, folder) = (type_name(name), format!("{LIBRARY}/{group}/{name}"));
    for (file, template) in FILES {
        tree.create(&format!("{folder}/{file}"), render(file, template, name, &kind)?)?;
    }
    tree.insert_line(&parent, "pub mod ", &format!("pub mod {name};"), "")?;
    let registry = format!("{LIBRARY}/registry.rs");
    tree.insert_line(&registry, &format!("    &{group}::"), &format!("    &{group}::{name}::{kind},"), "];")?;
    Ok(format!(
        "  1. write the contract in {folder}/mod.rs, then reference.rs, oracle.rs and cases.rs\n  \
         2. cargo test --package library {name}\n  \
         3. let a recipe use it, then: cargo xtask bless {name} --reason \"…\""
    ))
}

fn render(file: &'static str, template: &str, name: &str, kind: &str) -> Result<String, NewError> {
    let failed = |source| NewError::Template { name: file, source };
    let mut environment = Environment::new();
    environment.set_keep_trailing_newline(true);
    environment.render_str(template, context! { name, kind }).map_err(failed)
}
