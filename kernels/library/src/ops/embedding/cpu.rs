//! Forward: rows spread over the pool. Backward: the records of a unit are sorted once; ranges of the table are spread
//! over the pool, and each finds its runs in the sorted records.

use super::PARTIAL_RECORDS;
use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};
use numerics::format::canonicalise;
use numerics::sum;

/// Elements of one task: enough to pay for its start.
const TASK: usize = 16 * 1024;

pub fn forward(call: &mut Call<'_, '_>) {
    let (tokens, table) = (call.inputs[0].typed::<u32>(), call.inputs[1]);
    let (width, level) = (table.shape()[1], call.context.level);
    let rows = (TASK / width).max(1);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(rows * width);
    let tasks = tokens.chunks(rows).zip(pieces).collect();
    call.context.pool.run(tasks, |_, (tokens, y)| gather(level, tokens, table.floats(), width, y));
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [units, vocabulary, width] = call.outputs[0].spec.shape[..] else { unreachable!("dtable has three axes") };
    let (tokens, dy) = (call.inputs[0].typed::<u32>(), call.inputs[1].floats());
    let (positions, level) = (call.inputs[0].shape()[1], call.context.level);
    let sorted: Vec<Vec<u64>> = (0..units).map(|unit| records(tokens, unit * positions, positions)).collect();
    let rows = (TASK / width).clamp(1, vocabulary);
    let mut tasks = Vec::new();
    let dtable = call.outputs[0].reborrow().into_typed::<f32>();
    for (unit, slice) in dtable.chunks_mut(vocabulary * width).enumerate() {
        for (index, piece) in slice.chunks_mut(rows * width).enumerate() {
            let first = index * rows;
            let before = |row: usize| sorted[unit].partition_point(|record| token(*record) < row);
            let records = &sorted[unit][before(first)..before(first + piece.len() / width)];
            tasks.push((first, records, piece));
        }
    }
    call.context.pool.run(tasks, |_, (first, records, piece)| scatter(level, records, first, width, dy, piece));
}

/// (token, index in the whole batch) of every position of a unit, ascending.
fn records(tokens: &[u32], start: usize, positions: usize) -> Vec<u64> {
    let mut records: Vec<u64> =
        (start..start + positions).map(|index| u64::from(tokens[index]) << 32 | index as u64).collect();
    records.sort_unstable();
    records
}

fn token(record: u64) -> usize {
    (record >> 32) as usize
}

numerics::vectorised! {
    fn gather<'a>(tokens: &'a [u32], table: Floats<'a>, width: usize, y: FloatsMut<'a>) {
        let mut y = y;
        let mut row = vec![0.0; width];
        for (position, token) in tokens.iter().enumerate() {
            let start = *token as usize * width;
            if start < table.len() {
                table.load(start, &mut row);
            } else {
                row.fill(f32::NAN);
            }
            y.store(position * width, &row);
        }
    }

    fn scatter<'a>(records: &'a [u64], first: usize, width: usize, dy: Floats<'a>, out: &'a mut [f32]) {
        out.fill(0.0);
        let (mut row, mut partials) = (vec![0.0; width], Vec::new());
        let mut rest = records;
        while let Some(record) = rest.first() {
            let same = rest.iter().take_while(|other| **other >> 32 == *record >> 32).count();
            let (run, after) = rest.split_at(same);
            rest = after;
            let slot = &mut out[((*record >> 32) as usize - first) * width..][..width];
            if run.len() <= PARTIAL_RECORDS {
                add_rows(run, dy, &mut row, slot);
            } else {
                partials.clear();
                partials.resize(run.len().div_ceil(PARTIAL_RECORDS) * width, 0.0);
                for (records, partial) in run.chunks(PARTIAL_RECORDS).zip(partials.chunks_mut(width)) {
                    add_rows(records, dy, &mut row, partial);
                }
                let partials: Vec<&[f32]> = partials.chunks(width).collect();
                sum::tree_slices(&partials, slot);
            }
            canonicalise(slot);
        }
    }
}

#[inline(always)]
fn add_rows(records: &[u64], dy: Floats<'_>, row: &mut [f32], accumulators: &mut [f32]) {
    for record in records {
        dy.load((*record & u64::from(u32::MAX)) as usize * row.len(), row);
        for (accumulator, value) in accumulators.iter_mut().zip(&*row) {
            *accumulator += *value;
        }
    }
}
