use super::*;
use library::registry::Registry;

/// Runs a part at once, and again stopped after `stop` and resumed.
fn both(part: &str, stop: u64) -> (Vec<Record>, Vec<Record>) {
    let room = Room::new();
    let whole = records(&plain(&room.request("whole", part)));
    let mut stopped = room.request("stopped", part);
    (stopped.checkpoint_directory, stopped.stop_after) = (room.checkpoints(), Some(stop));
    plain(&stopped);
    let mut resumed = room.request("resumed", part);
    resumed.checkpoint_directory = room.checkpoints();
    let run = run(&resumed, true, &Policies::standard());
    assert!(run.join("loaded.json").exists(), "it went on from a checkpoint");
    (whole, records(&run))
}

fn after(records: &[Record], stop: u64) -> Vec<(u64, String, Body)> {
    let later = records.iter().filter(|record| record.step > stop);
    later.map(|record| (record.step, record.phase.clone(), record.body.clone())).collect()
}

fn resumed_is_whole(part: &str, stop: u64) {
    let (whole, resumed) = both(part, stop);
    assert_eq!(state(&resumed, stop, "restored"), state(&whole, stop, "state"), "{part}: what was restored");
    assert!(!state(&whole, stop, "state").is_empty());
    let (left, right) = (after(&whole, stop), after(&resumed, stop));
    assert!(left == right, "{part}: {} and {} records after step {stop}", left.len(), right.len());
    assert!(left.len() > 10 && matches!(left.last(), Some((_, _, Body::End { .. }))));
    let first = resumed.iter().find(|record| record.phase != "restored").expect("it goes on");
    assert_eq!(first.step, stop + 1, "{part}: the first step after the load");
}

#[test]
fn an_optimizer_that_is_stopped_and_resumed_equals_one_that_never_was() {
    resumed_is_whole("module/optimizer_step", 3);
}

#[test]
fn the_walk_of_a_kernel_that_is_stopped_and_resumed_equals_one_that_never_was() {
    let room = Registry::standard().room("adamw").expect("the room");
    let steps = room.walk().expect("it has state").steps;
    resumed_is_whole("kernel/adamw", room.cases().len() as u64 + steps / 2);
}

#[test]
fn the_data_pipeline_goes_on_at_the_next_batch() {
    resumed_is_whole("module/data_pipeline", 4);
}

#[test]
fn a_resume_without_a_checkpoint_starts_from_the_seed() {
    let room = Room::new();
    let whole = plain(&room.request("whole", "module/data_pipeline"));
    let mut request = room.request("resumed", "module/data_pipeline");
    request.checkpoint_directory = room.checkpoints();
    let resumed = run(&request, true, &Policies::standard());
    assert!(!resumed.join("loaded.json").exists());
    assert_eq!(records(&whole), records(&resumed));
}

#[test]
fn a_wrong_cursor_is_not_the_run_that_never_stopped() {
    #[derive(Debug)]
    struct OneAhead;
    impl engine::data::CursorPolicy for OneAhead {
        fn save(&self, progress: engine::data::Progress) -> u64 {
            progress.consumer
        }

        fn resume(&self, place: engine::data::Place) -> u64 {
            place.step + 1
        }
    }
    let room = Room::new();
    let part = "module/data_pipeline";
    let whole = records(&plain(&room.request("whole", part)));
    let mut stopped = room.request("stopped", part);
    (stopped.checkpoint_directory, stopped.stop_after) = (room.checkpoints(), Some(4));
    plain(&stopped);
    let mut resumed = room.request("resumed", part);
    resumed.checkpoint_directory = room.checkpoints();
    let policies = Policies { cursor: std::sync::Arc::new(OneAhead), ..Policies::standard() };
    let resumed = records(&run(&resumed, true, &policies));
    assert_ne!(after(&whole, 4), after(&resumed, 4));
}
