use super::{Kind, NewError, Tree, check_name, claim, recipe, room, run, type_name};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const REGISTRY: &str = "const ROOMS: &[&dyn Room] = &[\n    &ops::cast::Cast,\n    &ops::rope::Rope,\n    \
                        &optim::clip::Clip,\n];\n";

/// A temporary tree with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    root
}

fn library() -> TempDir {
    folder(&[
        ("kernels/library/src/registry.rs", REGISTRY),
        ("kernels/library/src/ops/mod.rs", "//! Operations.\n\npub mod cast;\npub mod rope;\n"),
        ("kernels/library/src/optim/mod.rs", "//! Optimizers.\n\npub mod clip;\n"),
    ])
}

fn read(root: &TempDir, path: &str) -> String {
    fs::read_to_string(root.path().join(path)).expect("a file")
}

#[test]
fn a_room_is_written_declared_and_registered_in_order() {
    let root = library();
    let kind = Kind::Room { name: "my_gelu".to_owned(), group: "ops".to_owned() };
    run(root.path(), &super::Arguments { kind }).expect("a room");
    assert!(
        read(&root, "kernels/library/src/ops/mod.rs").ends_with("pub mod cast;\npub mod my_gelu;\npub mod rope;\n")
    );
    let registry = read(&root, "kernels/library/src/registry.rs");
    assert!(registry.contains("&ops::cast::Cast,\n    &ops::my_gelu::MyGelu,\n    &ops::rope::Rope,\n"), "{registry}");
    for file in ["mod.rs", "reference.rs", "cpu.rs", "cases.rs", "oracle.rs", "tests.rs"] {
        let text = read(&root, &format!("kernels/library/src/ops/my_gelu/{file}"));
        assert!(!text.contains("{{") && text.ends_with('\n'), "{file}: {text}");
    }
    assert!(read(&root, "kernels/library/src/ops/my_gelu/mod.rs").contains("pub struct MyGelu;"));
}

#[test]
fn a_room_may_be_the_first_or_the_last_of_its_group() {
    let root = library();
    let mut tree = Tree::new(root.path());
    room::write(&mut tree, "optim", "adam").expect("a room");
    room::write(&mut tree, "optim", "zeta").expect("a room");
    let registry = tree.read("kernels/library/src/registry.rs").expect("a file");
    let expected = "    &optim::adam::Adam,\n    &optim::clip::Clip,\n    &optim::zeta::Zeta,\n];";
    assert!(registry.contains(expected), "{registry}");
}

#[test]
fn a_room_that_exists_and_a_group_that_does_not_are_refused_and_nothing_is_written() {
    let root = library();
    let mut tree = Tree::new(root.path());
    room::write(&mut tree, "ops", "gelu").expect("a room");
    assert!(matches!(room::write(&mut tree, "ops", "gelu"), Err(NewError::Exists { .. })));
    assert!(matches!(room::write(&mut tree, "shapes", "gelu"), Err(NewError::Form { .. })));
    assert!(!root.path().join("kernels/library/src/ops/gelu").exists());
}

#[test]
fn names_are_checked_and_turned_into_types() {
    for name in ["gelu", "residual_add", "exp2", "a_2_b"] {
        check_name(name, '_').expect(name);
    }
    for name in ["", "Gelu", "2d", "a__b", "a-b", "_a", "../a"] {
        assert!(check_name(name, '_').is_err(), "{name}");
    }
    assert_eq!(type_name("residual_add"), "ResidualAdd");
}

#[test]
fn a_recipe_is_a_copy_under_another_name() {
    let list = "const BUILT_IN: &[(&str, &str)] = &[\n    (\"dense-ieee\", include_str!(\"a.yaml\")),\n];\n";
    let root = folder(&[
        ("suite/recipes/dense-ieee.yaml", "name: dense-ieee\nabout: Old.\n\nclaims: [repeat]\n"),
        ("trainer/plan/src/recipe.rs", list),
    ]);
    let mut tree = Tree::new(root.path());
    recipe::write(&mut tree, "dense-2", "dense-ieee").expect("a recipe");
    let text = tree.read("suite/recipes/dense-2.yaml").expect("a file");
    assert_eq!(text, "name: dense-2\nabout: As dense-ieee.\n\nclaims: [repeat]\n");
    let list = tree.read("trainer/plan/src/recipe.rs").expect("a file");
    assert!(
        list.contains(
            "[\n    (\"dense-2\", include_str!(\"../../../suite/recipes/dense-2.yaml\")),\n    (\"dense-ieee\""
        )
    );
    assert!(matches!(recipe::write(&mut tree, "dense-2", "dense-ieee"), Err(NewError::Exists { .. })));
    assert!(matches!(recipe::write(&mut tree, "other", "nowhere"), Err(NewError::Io { .. })));
}

#[test]
fn a_claim_joins_the_list_of_the_tree_and_levels_stay_as_they_are() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut tree = Tree::new(root);
    let old = tree.read("suite/contract/src/claim.rs").expect("a file");
    claim::write(&mut tree, "overlap").expect("a claim");
    let new = tree.read("suite/contract/src/claim.rs").expect("a file");
    let added: Vec<&str> = new.lines().filter(|line| !old.lines().any(|other| other == *line)).collect();
    let length = old.lines().find_map(|line| line.trim().strip_prefix("pub const ALL: [Self; ")?.split(']').next());
    let length: usize = length.expect("a length").parse().expect("a number");
    assert_eq!(
        added,
        [
            "    /// Says what `overlap` promises.".to_owned(),
            "    Overlap,".to_owned(),
            format!("    pub const ALL: [Self; {}] = [", length + 1),
            "        Self::Overlap,".to_owned(),
            "            Self::Overlap => \"overlap\",".to_owned(),
        ]
    );
    assert!(matches!(claim::write(&mut tree, "overlap"), Err(NewError::Exists { .. })));
}
