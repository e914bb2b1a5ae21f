use super::*;
use crate::tensor::Tensor;

fn of(dtype: Dtype, found: &[f32], expected: &[f64]) -> Distance {
    let tensor = Tensor::from_f32_as(dtype, &[found.len()], found);
    let mut distance = Distance::default();
    distance.add(&tensor.view(), expected);
    distance
}

#[test]
fn an_ulp_is_the_step_of_the_format_at_the_value() {
    for (dtype, value, step) in [
        (Dtype::F32, 1.0, 1.0 / f64::from(1 << 23)),
        (Dtype::F32, -3.9, 2.0 / f64::from(1 << 23)),
        (Dtype::Bf16, 1.0, 1.0 / 128.0),
        (Dtype::Bf16, 0.75, 1.0 / 256.0),
        (Dtype::Fp16, 1.0, 1.0 / 1024.0),
        (Dtype::Fp16, 0.0, 1.0 / f64::from(1 << 24)),
        (Dtype::F32, 0.0, f64::from(f32::from_bits(1))),
    ] {
        assert_eq!(ulp(dtype, value), step, "{dtype:?} at {value}");
    }
}

#[test]
fn one_step_of_the_format_is_one_ulp_and_relative_to_the_tensor() {
    let up = f32::from_bits(1.0_f32.to_bits() + 1);
    let distance = of(Dtype::F32, &[up, 1.0, -1.0, 1.0], &[1.0, 1.0, -1.0, 1.0]);
    assert_eq!((distance.elements, distance.max_ulp, distance.max_abs), (4, 1.0, f64::from(f32::EPSILON)));
    assert_eq!(distance.relative_rms(), Some(f64::from(f32::EPSILON) / 2.0));
    assert_eq!(distance.rms_ulp(Dtype::F32), 0.5);
    let distance = of(Dtype::Bf16, &[1.0078125], &[1.0]);
    assert_eq!((distance.max_ulp, distance.rms_ulp(Dtype::Bf16)), (1.0, 1.0));
}

#[test]
fn merging_calls_is_adding_their_elements() {
    let (found, expected) = ([1.5, 2.0, -3.0], [1.0, 2.0, -3.5]);
    let mut parts = of(Dtype::F32, &found[..1], &expected[..1]);
    parts.merge(&of(Dtype::F32, &found[1..], &expected[1..]));
    assert_eq!(parts, of(Dtype::F32, &found, &expected));
    assert_ne!(parts, of(Dtype::F32, &found[..2], &expected[..2]));
}

#[test]
fn what_is_not_finite_is_counted_and_enters_no_error() {
    let distance =
        of(Dtype::F32, &[f32::INFINITY, f32::NAN, f32::NEG_INFINITY, 2.0], &[1.0, 1.0, f64::NEG_INFINITY, 1.0]);
    assert_eq!((distance.elements, distance.not_finite, distance.max_abs), (1, 2, 1.0));
}

#[test]
fn an_error_where_all_should_be_zero_has_no_relative_size() {
    assert_eq!(of(Dtype::F32, &[0.0], &[0.0]).relative_rms(), Some(0.0));
    let distance = of(Dtype::F32, &[1.0], &[0.0]);
    assert_eq!(distance.relative_rms(), None);
    assert!(distance.rms_ulp(Dtype::F32).is_finite() && distance.max_ulp.is_finite());
}
