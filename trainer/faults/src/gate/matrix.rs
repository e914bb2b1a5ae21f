//! Which perturbation exposes which fault. Every perturbation must expose one that an unperturbed repeat misses.

use library::context::{Context, Pool};
use library::eager;
use library::room::{Kernel, Variant};
use numerics::simd::Level;
use serde::Serialize;

/// A repeat with one thing changed, on one thread and zeroed memory otherwise.
const COLUMNS: [&str; 5] = ["none", "threads", "task order", "delays", "poison"];

/// Mutants that only a perturbation shows, with the column that must show them.
const ROWS: [(&str, &str, &str, usize); 5] = [
    ("L009", "global_norm_squares", "partials_per_thread", 1),
    ("F001", "embedding_backward", "completion_order", 2),
    ("F013", "cross_entropy", "completion_order", 2),
    ("F017", "rmsnorm", "timed_blocks", 3),
    ("F022", "rmsnorm", "reads_scratch", 4),
];

/// Seed of the two seeded perturbations.
const SEED: u64 = 7;
/// Neither zero nor NaN in any format, so that a comparison stays one of numbers.
const POISON: u8 = 0x3c;

/// One row of the matrix.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub id: String,
    pub variant: String,
    /// Whether the repeat differed, by column.
    pub differs: Vec<(String, bool)>,
    /// The column that must differ.
    pub exposed_by: String,
    pub passed: bool,
}

pub fn run() -> Vec<Row> {
    ROWS.iter().map(|(id, kernel, variant, needed)| row(id, kernel, variant, *needed)).collect()
}

fn row(id: &str, kernel: &str, variant: &str, needed: usize) -> Row {
    let registry = crate::standard().registry;
    let known = registry.kernel(kernel).expect("a kernel of the library");
    let chosen = registry.variant(kernel, variant).expect("a variant of the mutant's registry");
    let room = registry.room_of(kernel).expect("every kernel has a room");
    let cases: Vec<_> = room.cases().into_iter().filter(|case| case.kernel == kernel).collect();
    let outputs = |(context, fill): (Context, u8)| -> Vec<Vec<u8>> {
        let run = |case: &library::case::Case| run_case(known, &chosen, case, fill, &context);
        cases.iter().flat_map(run).collect()
    };
    let plain = outputs(surroundings(0));
    let differs: Vec<bool> = (0..COLUMNS.len()).map(|column| outputs(surroundings(column)) != plain).collect();
    Row {
        id: id.to_owned(),
        variant: format!("{kernel} {variant}"),
        passed: !differs[0] && differs[needed],
        differs: COLUMNS.iter().map(|column| (*column).to_owned()).zip(differs).collect(),
        exposed_by: COLUMNS[needed].to_owned(),
    }
}

fn run_case(
    kernel: &Kernel,
    variant: &Variant,
    case: &library::case::Case,
    fill: u8,
    context: &Context,
) -> Vec<Vec<u8>> {
    let outputs = eager::run(kernel, variant, &case.attributes, &case.inputs, fill, context);
    outputs.expect("a case of the room is accepted").iter().map(|tensor| tensor.bytes().to_vec()).collect()
}

fn surroundings(column: usize) -> (Context, u8) {
    let pool = match column {
        1 => Pool::new(3, None),
        2 => Pool::perturbed(1, Some(SEED), None),
        3 => Pool::perturbed(1, None, Some(SEED)),
        _ => Pool::new(1, None),
    };
    (Context { pool, level: Level::detect() }, if column == 4 { POISON } else { 0 })
}
