//! The judge's battery: the comparer of the suite misses nothing, and every comparer with a fault misses what it must.

use judge::Exact;
use judge::battery::faulty::faulty;
use judge::battery::self_test;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct HarnessFault {
    pub id: String,
    pub title: String,
    /// Cases that it must get wrong, and how many it got wrong in all.
    pub cases: Vec<String>,
    pub missed: usize,
    pub caught: bool,
}

pub fn run() -> Result<Vec<HarnessFault>, String> {
    let missed_by = |comparer| {
        let scratch = tempfile::tempdir().map_err(|error| format!("no scratch folder: {error}"))?;
        self_test(comparer, scratch.path()).map_err(|error| format!("the battery cannot be written: {error}"))
    };
    let exact = missed_by(&Exact)?;
    let mut found = vec![HarnessFault {
        id: "exact".to_owned(),
        title: "the comparer of the suite misses nothing".to_owned(),
        cases: exact.iter().map(|missed| missed.case.to_owned()).collect(),
        missed: exact.len(),
        caught: exact.is_empty(),
    }];
    for faulty in faulty() {
        let missed = missed_by(faulty.comparer)?;
        let noticed = |case: &&str| missed.iter().any(|missed| missed.case == *case);
        found.push(HarnessFault {
            id: faulty.id.to_owned(),
            title: faulty.title.to_owned(),
            cases: faulty.misses.iter().map(|case| (*case).to_owned()).collect(),
            missed: missed.len(),
            caught: faulty.misses.iter().all(noticed),
        });
    }
    Ok(found)
}
