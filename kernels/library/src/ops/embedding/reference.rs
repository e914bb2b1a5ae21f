//! The bits of the contract, as plainly as they can be written.

use super::PARTIAL_RECORDS;
use crate::room::Call;
use numerics::sum;

pub fn forward(call: &mut Call<'_, '_>) {
    let (tokens, table) = (call.inputs[0].typed::<u32>(), call.inputs[1]);
    let (vocabulary, width) = (table.shape()[0], table.shape()[1]);
    let mut y = call.outputs[0].reborrow().into_floats();
    for (position, token) in tokens.iter().enumerate() {
        for column in 0..width {
            let inside = (*token as usize) < vocabulary;
            let value = if inside { table.floats().get(*token as usize * width + column) } else { f32::NAN };
            y.set(position * width + column, value);
        }
    }
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [units, vocabulary, width] = call.outputs[0].spec.shape[..] else { unreachable!("dtable has three axes") };
    let (tokens, dy) = (call.inputs[0].typed::<u32>(), call.inputs[1].floats());
    let positions = call.inputs[0].shape()[1];
    let mut dtable = call.outputs[0].reborrow().into_floats();
    for unit in 0..units {
        for row in 0..vocabulary {
            // Positions ascending: what a stable sort by token leaves in the row's run.
            let run: Vec<usize> = (unit * positions..(unit + 1) * positions)
                .filter(|position| tokens[*position] as usize == row)
                .collect();
            for column in 0..width {
                let mut partials = Vec::new();
                for records in run.chunks(PARTIAL_RECORDS) {
                    let mut accumulator = 0.0;
                    for position in records {
                        accumulator += dy.get(position * width + column);
                    }
                    partials.push(accumulator);
                }
                dtable.set((unit * vocabulary + row) * width + column, sum::tree(&mut partials));
            }
        }
    }
}
