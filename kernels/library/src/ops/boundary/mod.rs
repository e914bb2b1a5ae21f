//! Boundary: values drawn from a seed at the border of a module that is tried alone.
//!
//! **Computes.** `position` u64 [2] = [step, first unit] → `y` of the given shape and dtype: normal values.
//!
//! **Order of operations.** Element i of the unit u (u counted from the first unit of the step) is draw
//! `u · per_unit + i` of the stream at the step, times `scale`, rounded once to the dtype. With `per_unit` 0 the first
//! unit does not matter.
//!
//! **Variants.** `cpu_reference` draws one element at a time. `cpu_fill` draws whole tensors.
//!
//! **Not promised.** Nothing beyond the generator's 2^64 draws.

#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::{Array, Expected, Oracle};
use crate::room::{Call, Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::{Dtype, Spec, Tensor};
use numerics::philox::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    pub shape: Vec<usize>,
    pub dtype: Dtype,
    pub seed: u64,
    pub stream: u32,
    pub scale: f32,
    /// Elements of one unit.
    pub per_unit: u64,
}

pub struct Boundary;

const KERNELS: &[Kernel] = &[Kernel {
    name: "boundary",
    contract: "boundary.philox.v1",
    inputs: &["position"],
    outputs: &["y"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference }, Variant { name: "cpu_fill", run: fill }],
    macs: |_| 0,
}];

impl Room for Boundary {
    fn name(&self) -> &'static str {
        "boundary"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        let case = |name: &str, prevents, shape: &[usize], dtype: &str, per_unit: u64, position: [u64; 2]| {
            let attributes = json!({
                "shape": shape, "dtype": dtype, "seed": 77, "stream": 12288, "scale": 0.5, "per_unit": per_unit,
            });
            let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&position));
            Case::new(name, "boundary", prevents, attributes, vec![position])
        };
        vec![
            case("empty", "a draw for nothing", &[0, 4, 4], "f32", 16, [0, 0]),
            case("one", "an odd tail of a pair of draws", &[1, 1, 1], "f32", 1, [3, 0]),
            case("prime", "blocks of four words that only work when they divide", &[3, 7, 5], "f32", 35, [2, 1]),
            case("later_unit", "units drawn by their place in the micro-batch", &[1, 7, 5], "f32", 35, [2, 3]),
            case("bf16", "rounding before scaling", &[2, 8, 6], "bf16", 48, [5, 4]),
            case("fp16", "rounding as bf16", &[2, 8, 6], "fp16", 48, [5, 4]),
        ]
    }

    fn oracle(&self, _: &str) -> Option<Oracle> {
        Some(Oracle { compute: oracle, roundings: |_, _| 2.0, differentiable: &[], carries: &[] })
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { shape, dtype, .. } = decode("boundary", attributes)?;
    match inputs {
        [position] if *position == Spec::new(Dtype::U64, &[2]) && dtype.is_float() => Ok(vec![Spec { dtype, shape }]),
        _ => Err(RoomError::new("boundary", "position u64[2] and a float dtype", format!("{inputs:?}"))),
    }
}

fn start(attributes: &Attributes, position: &[u64]) -> (Stream, u64) {
    let stream = Stream { seed: attributes.seed, step: position[0] as u32, stream: attributes.stream };
    (stream, position[1] * attributes.per_unit)
}

fn reference(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let (stream, first) = start(&attributes, call.inputs[0].typed());
    let mut y = call.outputs[0].reborrow().into_floats();
    for index in 0..attributes.shape.iter().product() {
        let mut one = [0.0];
        stream.fill_normal(first + index as u64, &mut one, attributes.scale);
        y.set(index, one[0]);
    }
}

fn fill(call: &mut Call<'_, '_>) {
    const TASK: usize = 1 << 14;
    let attributes: Attributes = call.attributes();
    let (stream, first) = start(&attributes, call.inputs[0].typed());
    let total: usize = attributes.shape.iter().product();
    let chunks = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(chunks, |task, mut chunk| {
        let mut values = vec![0.0; TASK.min(total - task * TASK)];
        stream.fill_normal(first + (task * TASK) as u64, &mut values, attributes.scale);
        chunk.store(0, &values);
    });
}

/// Box–Muller in f64 on the same words.
fn oracle(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let attributes = Attributes::deserialize(attributes).expect("attributes of a case");
    let position: Vec<u64> = inputs[0].values.iter().map(|value| *value as u64).collect();
    let (stream, first) = start(&attributes, &position);
    let count: usize = attributes.shape.iter().product();
    let values: Vec<f64> = (first..first + count as u64)
        .map(|index| {
            let u1 = f64::from((stream.word(2 * index) >> 8) + 1) / f64::from(1 << 24);
            let u2 = f64::from(stream.word(2 * index + 1) >> 8) / f64::from(1 << 24);
            let z = (-2.0 * f64_log(u1)).sqrt() * f64_cos(std::f64::consts::TAU * u2);
            z * f64::from(attributes.scale)
        })
        .collect();
    // The angle's rounding is relative to the radius, not to a cosine near zero.
    let magnitudes = vec![8.0 * f64::from(attributes.scale); values.len()];
    vec![Expected { values, magnitudes }]
}

#[expect(clippy::disallowed_methods, reason = "an oracle is compared within a bound and makes no bits")]
fn f64_log(x: f64) -> f64 {
    x.ln()
}

#[expect(clippy::disallowed_methods, reason = "an oracle is compared within a bound and makes no bits")]
fn f64_cos(x: f64) -> f64 {
    x.cos()
}
