//! Shapes, positions and probabilities at which a wrong mask would look right elsewhere.

use super::Attributes;
use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use numerics::philox::Stream;
use serde_json::json;

/// Name, shape, dtype, position, probability, what the case prevents.
type Row = (&'static str, [usize; 3], Dtype, [u64; 2], f32, &'static str);

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let attributes = |probability| Attributes { seed: 0x0123_4567_89AB_CDEF, stream: 7, probability };
    let shapes: [Row; 14] = [
        ("no_units", [0, 3, 8], Dtype::F32, [0, 0], 0.1, "a launch over nothing that reads something"),
        ("one", [1, 1, 1], Dtype::F32, [0, 0], 0.5, "a vector loop without its tail"),
        ("prime", [3, 7, 37], Dtype::F32, [5, 0], 0.1, "blocks that start anew with each row or unit"),
        ("later_unit", [2, 3, 7], Dtype::F32, [5, 3], 0.3, "an index that starts at 0 in each micro-batch"),
        ("high_index", [1, 2, 3], Dtype::F32, [1, 1 << 40], 0.5, "the high half of the index left out"),
        ("late_step", [1, 3, 9], Dtype::F32, [u32::MAX as u64, 1], 0.5, "a step that is truncated"),
        ("none", [2, 5, 17], Dtype::F32, [2, 0], 0.0, "a first word that is dropped although p is 0"),
        ("tiny", [2, 50, 50], Dtype::F32, [2, 0], 1e-12, "a threshold that is rounded up"),
        ("almost_all", [1, 40, 50], Dtype::F32, [2, 0], 0.999_999_94, "a scale computed in f32"),
        ("tile_and_one", [1, 1, 257], Dtype::F32, [3, 1], 0.1, "a second tile with one element"),
        ("task_and_one", [1, 3, 2731], Dtype::F32, [3, 1], 0.1, "a second task with one element"),
        ("unaligned", [1, 5, 51], Dtype::Bf16, [3, 3], 0.1, "words of a block that begins before the tensor"),
        ("bf16", [2, 33, 96], Dtype::Bf16, [9, 2], 0.2, "a scale that is rounded to bf16"),
        ("fp16", [2, 17, 48], Dtype::Fp16, [9, 2], 0.2, "a scaled value that is rounded as bf16"),
    ];
    for (index, (name, shape, dtype, position, probability, prevents)) in shapes.into_iter().enumerate() {
        let x = Draw::new(1600 + index as u64).normal(dtype, &shape, 1.5);
        cases.extend(pair(name, prevents, attributes(probability), x, position, false));
    }
    // A word below 2^24 is a multiple of 2^-32 that f32 holds: as a probability it is its own threshold.
    let Attributes { seed, stream, .. } = attributes(0.0);
    let stream = Stream { seed, step: 4, stream };
    let word = (0..4096).map(|index| stream.word(index)).find(|word| *word < 1 << 24);
    let probability = word.expect("one word in 256 is that small") as f32 / 4_294_967_296.0;
    let x = Draw::new(1679).normal(Dtype::F32, &[1, 64, 64], 1.5);
    let prevents = "an element whose word equals the threshold, which is kept";
    cases.extend(pair("threshold", prevents, attributes(probability), x, [4, 0], false));
    let wild = Draw::new(1680).wild(Dtype::F32, &[2, 9, 64], f32::MAX);
    cases.extend(pair("wild", "flushed subnormals, an overflow at another place", attributes(0.5), wild, [1, 1], true));
    let special: Vec<f32> = [f32::NAN, f32::INFINITY, f32::from_bits(0xFFC0_0001), -0.0].repeat(8);
    let special = Tensor::from_f32(&[1, 2, 16], &special);
    let prevents = "a mask that is multiplied in: a dropped NaN or Inf must be +0, a dropped −0 too";
    cases.extend(pair("special", prevents, attributes(0.5), special, [1, 1], true));
    cases
}

fn pair(
    name: &str,
    prevents: &'static str,
    attributes: Attributes,
    x: Tensor,
    position: [u64; 2],
    bits_only: bool,
) -> [Case; 2] {
    let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&position));
    let inputs = vec![x, position];
    let forward = Case::new(name, "dropout", prevents, json!(attributes), inputs.clone());
    let backward = Case::new(format!("{name}_backward"), "dropout_backward", prevents, json!(attributes), inputs);
    [forward, backward].map(|case| if bits_only { case.bits_only() } else { case })
}
