//! Sizes and flags at which a wrong average would look right elsewhere.

use crate::case::{Case, Draw, Walk};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::{Value, json};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let sizes: [(&str, &[usize], &'static str); 7] = [
        ("empty", &[0], "a step of nothing"),
        ("one", &[1], "a vector loop without a tail"),
        ("prime", &[7, 13], "a tail that is skipped"),
        ("less_one", &[4095], "a tail that is done twice"),
        ("whole", &[4096], "a tail of nothing"),
        ("and_one", &[4097], "a tail of one"),
        ("two_chunks_and_one", &[32_769], "chunks that belong to another one"),
    ];
    for (index, (name, shape, prevents)) in sizes.into_iter().enumerate() {
        let normal = |offset| Draw::new(10 * index as u64 + offset).normal(Dtype::F32, shape, 1.0);
        cases.push(case(name, normal(0), normal(1), 0, 0.999, prevents));
    }
    let normal = |seed| Draw::new(seed).normal(Dtype::F32, &[67], 1.0);
    let wild = |seed| Draw::new(seed).wild(Dtype::F32, &[130], f32::MAX);
    cases.push(case("skipped", normal(100), normal(101), 1, 0.9, "an average that follows a skipped step"));
    cases.push(case("any_flag", normal(100), normal(101), 256, 0.9, "a flag that is compared with 1"));
    cases.push(case("no_decay", normal(102), normal(103), 0, 0.0, "a share that is not 1 − d"));
    cases.push(case("near_one", normal(104), normal(105), 0, 0.999_999_99, "1 − d from a d rounded to f32"));
    cases.push(
        case("wild", wild(106), wild(107), 0, 0.9, "a contracted difference, and flushed subnormals").bits_only(),
    );
    let odd = Tensor::from_f32(&[4], &[f32::NAN, f32::INFINITY, -0.0, f32::from_bits(0xFFC0_1234)]);
    let even = Tensor::from_f32(&[4], &[1.0, f32::INFINITY, -0.0, 1.0]);
    cases.push(case("not_finite", odd, even, 0, 0.9, "NaN payloads that differ between processors").bits_only());
    cases
}

fn flag(nonfinite: u32) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U32, &[1]), bytemuck::bytes_of(&nonfinite))
}

fn case(name: &str, p: Tensor, e: Tensor, nonfinite: u32, decay: f64, prevents: &'static str) -> Case {
    Case::new(name, "ema", prevents, json!({ "decay": decay }), vec![p, flag(nonfinite), e])
}

/// Six steps of an average of parameters that move.
pub fn walk() -> Walk {
    Walk { steps: 6, kernel: "ema", initial, operands, advance: |_, _, outputs| outputs }
}

fn initial() -> Vec<(&'static str, Tensor)> {
    vec![("e", Draw::new(200).normal(Dtype::F32, &[41], 1.0))]
}

fn operands(step: u64, state: &[Tensor]) -> (Value, Vec<Tensor>) {
    let p = Draw::new(201 + step).normal(Dtype::F32, &[41], 1.0);
    (json!({"decay": 0.75}), vec![p, flag(0), state[0].clone()])
}
