//! Sizes, states and flags at which a wrong AdamW would look right elsewhere.

use crate::case::{Case, Draw, Walk};
use crate::optim::schedule;
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::{Value, json};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let sizes: [(&str, &[usize], &'static str); 7] = [
        ("empty", &[0, 5], "a step of nothing"),
        ("one", &[1], "a vector loop without a tail"),
        ("prime", &[7, 13], "a tail that is skipped"),
        ("less_one", &[4095], "a tail that is done twice"),
        ("whole", &[4096], "a tail of nothing"),
        ("and_one", &[4097], "a tail of one"),
        ("two_chunks_and_one", &[32_769], "chunks whose m or v belong to another one"),
    ];
    for (index, (name, shape, prevents)) in sizes.into_iter().enumerate() {
        cases.push(case(name, state(shape, 10 * index as u64), 0, index as u64, index % 2 == 0, prevents));
    }
    let plain = || state(&[3, 67], 100);
    cases.push(case("late", plain(), 0, 5000, true, "corrections that are not 1 when their powers are gone"));
    cases.push(case("no_decay", plain(), 0, 3, false, "a parameter that decays though it should not"));
    cases.push(case("skipped", plain(), 1, 3, true, "a step that is applied though a gradient is not finite"));
    let mut fresh = plain();
    fresh[2] = Tensor::zeros(Spec::f32(&[3, 67]));
    fresh[3] = Tensor::zeros(Spec::f32(&[3, 67]));
    cases.push(case("zero_moments", fresh.clone(), 0, 0, true, "0 / 0 at the first step"));
    fresh[0] = Tensor::zeros(Spec::f32(&[3, 67]));
    cases.push(case("zero_gradient", fresh, 0, 0, true, "a parameter without a gradient that moves"));
    let mut small = plain();
    small[0] = Draw::new(200).normal(Dtype::F32, &[3, 67], 1e-38);
    cases.push(case("subnormal_gradient", small, 0, 2, true, "flushed gradients, and squares that vanish"));
    cases.extend(wild(plain));
    cases
}

fn wild(plain: impl Fn() -> [Tensor; 4]) -> Vec<Case> {
    let mut wild = plain();
    wild[0] = Draw::new(201).wild(Dtype::F32, &[3, 67], f32::MAX);
    wild[1] = Draw::new(202).wild(Dtype::F32, &[3, 67], f32::MAX);
    wild[2] = Draw::new(203).wild(Dtype::F32, &[3, 67], f32::MAX);
    let mut odd = plain();
    let values = [f32::INFINITY, f32::NAN, -0.0, f32::NEG_INFINITY, f32::from_bits(0xFFC0_1234), 1.0];
    odd[0] = Tensor::from_f32(&[3, 67], &values.iter().copied().cycle().take(201).collect::<Vec<f32>>());
    vec![
        case("wild", wild.clone(), 0, 2, true, "contracted roundings, and overflow at another place").bits_only(),
        case("wild_skipped", wild, 7, 2, true, "a flag that is compared with 1").bits_only(),
        case("not_finite", odd.clone(), 0, 2, true, "NaN payloads that differ between processors").bits_only(),
        case("not_finite_skipped", odd, 1, 2, true, "Inf or NaN that reaches a skipped state").bits_only(),
    ]
}

/// Gradient, parameter and moments of a shape.
fn state(shape: &[usize], seed: u64) -> [Tensor; 4] {
    let normal = |offset, scale| Draw::new(seed + offset).normal(Dtype::F32, shape, scale);
    let squares: Vec<f32> = normal(3, 1e-3).to_f32().iter().map(|value| value * value).collect();
    [normal(0, 1e-2), normal(1, 1.0), normal(2, 1e-3), Tensor::from_f32(shape, &squares)]
}

fn scalars(applied: u64) -> Tensor {
    let attributes = schedule::Attributes {
        kind: schedule::Kind::WarmupCosine,
        peak: 1e-2,
        floor: 1e-3,
        warmup: 3,
        total: 10_000,
        decay: 0,
        beta1: 0.9,
        beta2: 0.95,
        weight_decay: 0.1,
    };
    Tensor::from_f32(&[8], &schedule::scalars(&attributes, applied))
}

fn flag(nonfinite: u32) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U32, &[1]), bytemuck::bytes_of(&nonfinite))
}

fn case(
    name: &str,
    [g, p, m, v]: [Tensor; 4],
    nonfinite: u32,
    applied: u64,
    decay: bool,
    prevents: &'static str,
) -> Case {
    let coefficient = Tensor::from_f32(&[1], &[0.37]);
    let inputs = vec![g, coefficient, scalars(applied), flag(nonfinite), p, m, v];
    Case::new(name, "adamw", prevents, json!({"epsilon": 1e-8, "decay": decay}), inputs)
}

const WALKED: [usize; 2] = [5, 29];

/// Eight steps of one parameter.
pub fn walk() -> Walk {
    Walk { steps: 8, kernel: "adamw", initial, operands, advance: |_, _, outputs| outputs }
}

fn initial() -> Vec<(&'static str, Tensor)> {
    let zeros = || Tensor::zeros(Spec::f32(&WALKED));
    vec![("p", Draw::new(300).normal(Dtype::F32, &WALKED, 0.1)), ("m", zeros()), ("v", zeros())]
}

fn operands(step: u64, state: &[Tensor]) -> (Value, Vec<Tensor>) {
    let g = Draw::new(301 + step).normal(Dtype::F32, &WALKED, 1.0);
    let coefficient = Tensor::from_f32(&[1], &[0.5]);
    let mut operands = vec![g, coefficient, scalars(step), flag(0)];
    operands.extend(state.iter().cloned());
    (json!({"epsilon": 1e-8, "decay": true}), operands)
}
