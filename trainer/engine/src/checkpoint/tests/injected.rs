use super::super::{CheckpointError, save};
use super::{Place, failing, recipe, small, state};
use contract::request::{StorageErrorKind, StorageRequest};
use contract::storage::crash::Tree;
use std::process::Command;

const ERRORS: [StorageErrorKind; 4] =
    [StorageErrorKind::Enospc, StorageErrorKind::Eio, StorageErrorKind::Erofs, StorageErrorKind::ShortWrite];

/// Steps 2 and 4 saved, and the number of operations that saving step 6 takes.
fn prepared() -> (Place, u64) {
    let place = Place::new();
    place.save(2);
    place.save(4);
    let other = Place::new();
    copy(&place, &other);
    let mut storage = other.storage();
    save(&mut storage, 6, &recipe(), &state(6), &small()).expect("save");
    (place, storage.operation_count())
}

fn copy(from: &Place, to: &Place) {
    from.tree().write(&to.root()).expect("copy");
}

#[test]
fn any_error_at_any_operation_leaves_a_committed_save_and_names_the_operation() {
    let (before, count) = prepared();
    assert!(count > 60, "the save has {count} operations");
    for error in ERRORS {
        for ordinal in 0..count {
            let place = Place::new();
            copy(&before, &place);
            let mut storage = place.storage_with(&failing(ordinal, error));
            let failure = save(&mut storage, 6, &recipe(), &state(6), &small()).expect_err("an operation failed");
            drop(storage);
            let text = failure.to_string();
            let named = if error == StorageErrorKind::ShortWrite { ordinal..=ordinal + 1 } else { ordinal..=ordinal };
            assert!(named.into_iter().any(|at| text.contains(&format!("operation {at} of the run"))), "{text}");
            let loaded = place.load().expect("still loadable").expect("still committed");
            let step = loaded.pointer.step;
            match failure {
                CheckpointError::Retention { .. } => assert_eq!(step, 6, "{text}"),
                // The rename of the pointer may be visible before it is durable.
                _ => assert!(step == 4 || step == 6, "{text}"),
            }
            assert_eq!(loaded.state, state(step));
            place.save(8);
            assert_eq!(place.load().expect("load").expect("committed").state, state(8), "after {text}");
            assert!(Tree::read(&place.root()).expect("read").directories.len() <= 3);
        }
    }
}

#[test]
fn an_error_in_the_first_save_leaves_a_directory_that_starts_from_step_0() {
    let probe = Place::new();
    let mut storage = probe.storage();
    save(&mut storage, 2, &recipe(), &state(2), &small()).expect("save");
    for ordinal in 0..storage.operation_count() {
        let place = Place::new();
        let mut storage = place.storage_with(&failing(ordinal, StorageErrorKind::Erofs));
        save(&mut storage, 2, &recipe(), &state(2), &small()).expect_err("an operation failed");
        if let Some(loaded) = place.load().expect("loadable") {
            assert_eq!(loaded.state, state(2));
        }
        place.save(2);
    }
}

#[test]
fn a_file_that_cannot_be_made_a_directory_is_an_error_with_advice() {
    let place = Place::new();
    std::fs::write(place.root(), b"a file").expect("write");
    let error = crate::storage::Storage::open(
        &place.root(),
        &StorageRequest::default(),
        &place.run(),
        crate::control::Control::inert(),
    )
    .expect_err("not a directory");
    assert!(error.to_string().contains("do: "), "{error}");
}

/// Set in the child process of the next test: the folder to save to.
const CHILD: &str = "CHECKPOINT_TEST_CHILD";

/// The system itself refuses the write: a limit on the size of files cuts it short and fails the rest. The limit holds
/// for a whole process and its signal must be ignored, so a shell sets both for a child of this test.
#[test]
#[expect(clippy::disallowed_methods, reason = "tells the child of this test from the test")]
fn a_limit_of_the_system_cuts_a_write_short_and_the_previous_save_survives() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return child(folder.as_ref());
    }
    let place = Place::new();
    place.save(2);
    let test = "checkpoint::tests::injected::a_limit_of_the_system_cuts_a_write_short_and_the_previous_save_survives";
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact --nocapture \"$1\""])
        .arg(std::env::current_exe().expect("this test"))
        .arg(test)
        .env(CHILD, place.folder.path())
        .output()
        .expect("sh");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert!(text.contains("the save failed: storage: write .tmp-step-00000004/params.safetensors"), "{text}");
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
}

fn child(folder: &std::path::Path) {
    let request = StorageRequest::default();
    let control = crate::control::Control::inert();
    let mut storage =
        crate::storage::Storage::open(&folder.join("checkpoints"), &request, folder, control).expect("open");
    let mut large = state(4);
    large.leaves[0].tensor = library::tensor::Tensor::zeros(library::tensor::Spec::f32(&[1 << 14]));
    let options = super::SaveOptions::default();
    let error = save(&mut storage, 4, &recipe(), &large, &options).expect_err("the limit is 4 or 8 KiB");
    println!("the save failed: {error}");
    let storage_error = matches!(error, CheckpointError::Storage(_));
    assert!(storage_error);
}
