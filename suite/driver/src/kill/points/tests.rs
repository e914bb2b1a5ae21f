use super::*;

fn announced(save: u64, operation: &str, path: &str) -> Announcement {
    let (operation, path) = (operation.to_owned(), path.to_owned());
    Announcement {
        rank: 0,
        wait: true,
        point: Point::Storage { save, ordinal: 0, operation, path, asynchronous: false },
    }
}

/// A save of three operations, after `before`.
fn save(number: u64, before: &[(&str, &str)]) -> Vec<Announcement> {
    let folder = format!(".tmp-step-{number:08}");
    let mut heard: Vec<_> = before.iter().map(|(operation, path)| announced(number, operation, path)).collect();
    heard.push(announced(number, "create_directory", &folder));
    heard.push(announced(number, "write", &format!("{folder}/params at 1048576")));
    heard.push(announced(number, "remove_file", ".tmp-removed-step-00000001/params"));
    heard
}

fn operations(heard: &[Announcement]) -> Vec<Operation> {
    (0..heard.len()).map(|at| Operation::of(&heard[at], &heard[..=at]).expect("an operation")).collect()
}

#[test]
fn an_operation_is_found_again_in_a_later_save_that_cleans_up_first() {
    let (plain, cleaning) = (save(3, &[]), save(4, &[("remove_file", ".tmp-removed-step-00000002/params")]));
    let (plain, cleaning) = (operations(&plain), operations(&cleaning));
    assert_eq!(plain, cleaning[1..], "the same operations after the clean-up");
    assert_ne!(plain[2], cleaning[0], "a removal before the save has begun is another operation");
}

#[test]
fn equal_operations_of_a_save_are_counted_and_those_of_another_save_are_not() {
    let mut heard = save(3, &[]);
    heard.extend(save(4, &[]));
    heard.push(announced(4, "write", ".tmp-step-00000004/params at 1048576"));
    heard.push(announced(4, "write", ".tmp-step-00000004/params at 0"));
    let found = operations(&heard);
    assert_eq!(found[4].occurrence, 0);
    assert_eq!((found[6].occurrence, &found[6].path), (1, &".tmp-step-#/params at 1048576".to_owned()));
    assert_eq!(found[7].occurrence, 0, "another offset is another operation");
}

#[test]
fn an_announcement_that_was_held_is_found_behind_others() {
    let mut heard = save(3, &[]);
    let held = heard[1].clone();
    let before = Operation::of(&held, &heard[..2]);
    heard.push(Announcement { rank: 0, wait: true, point: Point::StepEnd { step: 3 } });
    assert_eq!(Operation::of(&held, &heard), before);
}
