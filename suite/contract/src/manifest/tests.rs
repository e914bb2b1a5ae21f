use super::*;
use std::fs;

fn save(manifest: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let pointer = r#"{"schema":1,"step":4,"directory":"step-4","manifest_digest":"00"}"#;
    fs::write(directory.path().join(LATEST), pointer).unwrap();
    fs::create_dir(directory.path().join("step-4")).unwrap();
    fs::write(directory.path().join("step-4").join(MANIFEST), manifest).unwrap();
    directory
}

fn leaf(name: &str) -> String {
    let print = fingerprint::Fingerprint::of_bytes(&[1, 2, 3, 4]);
    format!(r#"{{"name":"{name}","dtype":"f32","shape":[1],"fingerprint":"{print}","file":"a","offset":0}}"#)
}

#[test]
fn the_newest_save_is_read_and_fields_of_the_trainer_are_passed_over() {
    let directory = save(&format!(r#"{{"schema":1,"format":"ours","leaves":[{}]}}"#, leaf("params/w")));
    let save = newest(directory.path()).unwrap();
    assert_eq!(save.pointer.step, 4);
    assert_eq!(save.manifest.leaves[0].name, "params/w");
    assert!(save.folder.ends_with("step-4"));
}

#[test]
fn a_missing_pointer_a_missing_field_and_a_leaf_named_twice_are_refused_by_name() {
    let empty = tempfile::tempdir().unwrap();
    assert!(newest(empty.path()).unwrap_err().contains("nothing was saved"));
    assert!(newest(save(r#"{"leaves":[{"name":"a"}]}"#).path()).unwrap_err().contains("is no manifest"));
    let twice = format!(r#"{{"leaves":[{},{}]}}"#, leaf("params/w"), leaf("params/w"));
    assert!(newest(save(&twice).path()).unwrap_err().contains("`params/w` twice"));
}
