use super::Init;
use crate::context::Context;
use crate::eager::run;
use crate::room::Room;
use crate::testing;
use numerics::simd::Level;
use serde_json::{Value, json};

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Init);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Init);
}

fn draw(shape: &[usize], kind: &Value) -> Vec<f32> {
    let kernel = &Init.kernels()[0];
    let attributes = json!({"shape": shape, "kind": kind});
    let context = Context::new(2, Level::detect());
    run(kernel, kernel.fastest(), &attributes, &[], 0xA5, &context).expect("valid attributes")[0].to_f32()
}

#[test]
fn a_larger_tensor_begins_with_the_values_of_a_smaller_one() {
    let kind = json!({"normal": {"seed": 3, "stream": 1, "std": 1.0}});
    assert_eq!(draw(&[20_000], &kind)[..100], draw(&[10, 10], &kind));
}

#[test]
fn normal_values_have_the_mean_and_deviation_asked_for() {
    let values = draw(&[1 << 16], &json!({"normal": {"seed": 9, "stream": 4, "std": 2.0}}));
    let (mut sum, mut squares) = (0.0, 0.0);
    for value in &values {
        sum += f64::from(*value);
        squares += f64::from(*value) * f64::from(*value);
    }
    let count = values.len() as f64;
    // Five standard errors of each.
    assert!((sum / count).abs() < 5.0 * 2.0 / count.sqrt());
    assert!((squares / count - 4.0).abs() < 5.0 * 4.0 * (2.0 / count).sqrt());
}

#[test]
fn streams_and_seeds_do_not_share_values() {
    let kind = |seed: u64, stream: u32| json!({"normal": {"seed": seed, "stream": stream, "std": 1.0}});
    let first = draw(&[64], &kind(1, 1));
    assert_ne!(first, draw(&[64], &kind(2, 1)));
    assert_ne!(first, draw(&[64], &kind(1, 2)));
    assert_ne!(first, draw(&[64], &kind(1 + (1 << 32), 1)));
}

#[test]
fn a_deviation_that_is_negative_or_unknown_kinds_are_refused() {
    let infer = Init.kernels()[0].infer;
    let kind = |std: f32| json!({"shape": [2], "kind": {"normal": {"seed": 1, "stream": 1, "std": std}}});
    assert!(infer(&kind(0.1), &[]).is_ok());
    assert!(infer(&kind(-0.1), &[]).is_err());
    assert!(infer(&json!({"shape": [2], "kind": "twos"}), &[]).is_err());
}
