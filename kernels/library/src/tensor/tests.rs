use super::{Dtype, Tensor};

#[test]
fn a_rounded_value_is_the_one_that_a_tensor_of_the_dtype_holds() {
    let values = [0.1, -0.0, 1e-7, -3e-8, 65_519.0, 65_520.0, 1e38, f32::MAX, f32::INFINITY, f32::NAN];
    for dtype in [Dtype::F32, Dtype::Bf16, Dtype::Fp16] {
        let stored = Tensor::from_f32_as(dtype, &[values.len()], &values).to_f32();
        for (value, stored) in values.into_iter().zip(stored) {
            let found = dtype.rounded(value);
            assert!(found.to_bits() == stored.to_bits() || found.is_nan() && stored.is_nan(), "{value} in {dtype:?}");
        }
    }
    assert_ne!(Dtype::Bf16.rounded(0.1), Dtype::Fp16.rounded(0.1));
}

#[test]
fn half_a_step_is_the_largest_relative_change_by_rounding() {
    let halfway = |bits: u32| 1.0 + f32::from_bits((127 - bits) << 23);
    for (dtype, fraction_bits) in [(Dtype::Bf16, 7), (Dtype::Fp16, 10)] {
        let value = halfway(fraction_bits + 1);
        assert_eq!(f64::from(value - dtype.rounded(value)), dtype.half_step() * f64::from(f32::EPSILON), "{dtype:?}");
    }
}
