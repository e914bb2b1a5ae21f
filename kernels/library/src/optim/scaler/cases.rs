//! States at which a wrong scaler would look right elsewhere.

use crate::case::{Case, Walk};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::{Value, json};

fn attributes() -> Value {
    json!({"growth_interval": 3, "max_scale": 65536.0, "min_scale": 1.0})
}

pub fn cases() -> Vec<Case> {
    let case = |name: &str, nonfinite, state, prevents| {
        Case::new(name, "scaler", prevents, attributes(), operands(nonfinite, state))
    };
    let constant = json!({"growth_interval": 1, "max_scale": 1.0, "min_scale": 1.0});
    let prevents = "a constant scale that moves";
    vec![
        case("applied", 0, (1024.0, 0, 7), "a step that does not count"),
        case("one_before_growth", 0, (1024.0, 1, 7), "growth one step early"),
        case("growth", 0, (1024.0, 2, 7), "growth one step late, or a streak that goes on"),
        case("growth_at_the_limit", 0, (65536.0, 2, 7), "a scale above its limit"),
        case("overflow", 1, (1024.0, 2, 7), "a skipped step that counts"),
        case("overflow_at_the_limit", 1, (1.0, 0, 7), "a scale below its limit"),
        case("any_flag", 1 << 31, (8.0, 1, 0), "a flag that is compared with 1"),
        case("long_run", 0, (2.0, 0, u64::from(u32::MAX)), "a count of applied steps in 32 bits"),
        Case::new("constant", "scaler", prevents, constant.clone(), operands(0, (1.0, 0, 3))),
        Case::new("constant_overflow", "scaler", prevents, constant, operands(1, (1.0, 0, 3))),
    ]
}

fn word(value: u32) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U32, &[1]), bytemuck::bytes_of(&value))
}

fn operands(nonfinite: u32, (scale, good, applied): (f32, u32, u64)) -> Vec<Tensor> {
    let applied = Tensor::from_bytes(Spec::new(Dtype::U64, &[1]), bytemuck::bytes_of(&applied));
    vec![word(nonfinite), Tensor::from_f32(&[1], &[scale]), word(good), applied]
}

/// Ten steps with two overflows, one of them in the middle of a streak.
pub fn walk() -> Walk {
    Walk { steps: 10, kernel: "scaler", initial, operands: walked, advance: |_, _, outputs| outputs }
}

fn initial() -> Vec<(&'static str, Tensor)> {
    let state = operands(0, (256.0, 0, 0)).into_iter().skip(1);
    ["scale", "good", "applied"].into_iter().zip(state).collect()
}

fn walked(step: u64, state: &[Tensor]) -> (Value, Vec<Tensor>) {
    let mut operands = vec![word(u32::from(step == 1 || step == 5))];
    operands.extend(state.iter().cloned());
    (attributes(), operands)
}
