//! A recipe that starts as a copy of another one.

use super::{NewError, Tree, check_name};

/// The list of recipes that the trainer carries.
const LIST: &str = "trainer/plan/src/recipe.rs";

pub(super) fn write(tree: &mut Tree, name: &str, from: &str) -> Result<String, NewError> {
    check_name(name, '-')?;
    let source = format!("suite/recipes/{from}.yaml");
    let text = tree.read(&source)?;
    let head = format!("name: {from}");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let about = lines.iter().position(|line| line.starts_with("about: "));
    let (Some(about), Some(first)) = (about, lines.iter().position(|line| *line == head)) else {
        return Err(NewError::Form { path: source, expected: format!("the lines `{head}` and `about: …`") });
    };
    lines[first] = format!("name: {name}");
    lines[about] = format!("about: As {from}.");
    tree.create(&format!("suite/recipes/{name}.yaml"), lines.join("\n") + "\n")?;
    let line = format!("    (\"{name}\", include_str!(\"../../../suite/recipes/{name}.yaml\")),");
    tree.insert_line(LIST, "    (\"", &line, "];")?;
    Ok(format!(
        "  1. edit suite/recipes/{name}.yaml and look at the plan: cargo run --bin lockstep -- plan --recipe {name}\n  \
         2. commit its list of trials as suite/mustpass/{name}.txt:\n     \
         cargo test --test determinism -- --recipe {name} --list\n  \
         3. cargo xtask bless {name} --reason \"…\""
    ))
}
