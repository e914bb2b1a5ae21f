//! Kills runs at every point that matters, and resumes them.
//!
//! | module | what it tries |
//! | --- | --- |
//! | [`points`] | lists the points of a run and arranges them into chains |
//! | [`walk`] | kills at one point after the other, each time resuming what the kill before left |
//! | [`random`] | kills at seeded times, without any handshake |
//! | [`storage`] | makes each operation of a save fail, then resumes |
//! | [`full_disk`] | fills a real file system, then resumes |
//!
//! Here runs are made and evidence is collected; whether a resumed run has the bits of one that was never killed is
//! the judge's question. States after a loss of power are not tried here: SIGKILL keeps what the kernel has cached.

pub mod full_disk;
mod judged;
mod kinds;
pub mod points;
pub mod random;
pub mod storage;
pub mod walk;

pub use full_disk::{FullDisk, FullDiskTrial, NotCompared, full_disk};
pub use points::{Chain, Listing, Place, Target, list_points};
pub use random::random_kills;
pub use storage::{Selection, StorageTrial, storage_errors};
pub use walk::{Broken, Counts, Segment, WalkOutput, walk};
