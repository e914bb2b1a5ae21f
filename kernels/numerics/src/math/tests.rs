use super::activation::*;
use super::*;
use crate::format::NAN_BITS;
use crate::simd::Level;
use crate::vectorised;

/// Every exponent and sign, specials, and values that kernels meet.
fn inputs() -> Vec<f32> {
    let significands = [0, 1, 2, 0x1234, 0x3F_FFFF, 0x40_0000, 0x55_5555, 0x7F_FFFE, 0x7F_FFFF];
    let mut inputs: Vec<f32> =
        (0..512_u32).flat_map(|top| significands.map(|low| f32::from_bits(top << 23 | low))).collect();
    inputs.extend((-3000..3000).map(|i| i as f32 / 23.0));
    inputs
}

vectorised! {
    fn slices<'a>(x: &'a [f32], out: &'a mut [Vec<f32>; 5]) {
        exp_slice(x, &mut out[0]);
        exp2_poly5_slice(x, &mut out[1]);
        sigmoid_slice(x, &mut out[2]);
        silu_slice(x, &mut out[3]);
        silu_grad_slice(x, &mut out[4]);
    }
}

#[test]
fn slices_equal_single_values_at_every_length_and_level() {
    let all = inputs();
    for level in Level::available() {
        for x in [&all[..], &all[..0], &all[700..701], &all[4000..4031], &all[5000..5033]] {
            let mut out = [(); 5].map(|()| vec![0.0; x.len()]);
            slices(level, x, &mut out);
            for (function, out) in [exp, exp2_poly5, sigmoid, silu, silu_grad].iter().zip(&out) {
                for (x, y) in x.iter().zip(out) {
                    assert_eq!(y.to_bits(), function(*x).to_bits(), "{level} {:08x}", x.to_bits());
                }
            }
        }
    }
}

#[test]
fn every_nan_result_is_canonical() {
    let signalling = f32::from_bits(0xFF80_0001);
    let functions = [exp, log, log1p, tanh, sin, cos, rsqrt, erf, exp2_poly5, sigmoid, silu, silu_grad, softplus];
    for function in functions {
        assert_eq!(function(signalling).to_bits(), NAN_BITS);
    }
    let results = [log(-1.0), log1p(-2.0), sin(f32::INFINITY), cos(f32::NEG_INFINITY), rsqrt(-1.0), pow(-1.0, 0.5)];
    assert!(results.iter().all(|y| y.to_bits() == NAN_BITS));
}

#[test]
fn special_values_are_exact() {
    let infinity = f32::INFINITY;
    assert_eq!([exp(0.0), exp(-0.0), exp(-infinity), exp(infinity)], [1.0, 1.0, 0.0, infinity]);
    assert_eq!([log(1.0), log(0.0), log1p(-1.0), rsqrt(4.0)], [0.0, -infinity, -infinity, 0.5]);
    assert_eq!([tanh(infinity), erf(-infinity), cos(0.0)], [1.0, -1.0, 1.0]);
    assert_eq!([sin(-0.0).to_bits(), tanh(-0.0).to_bits()], [0x8000_0000; 2]);
    assert_eq!([sigmoid(0.0), silu(0.0), silu_grad(0.0), sigmoid(-infinity)], [0.5, 0.0, 0.5, 0.0]);
    assert_eq!(softplus(-infinity).to_bits(), 0);
    assert_eq!(
        [pow(2.0, 10.0), pow(10_000.0, 0.5), pow(5.0, 0.0), pow(4097.0, 2.0)],
        [1024.0, 100.0, 1.0, 16_785_408.0]
    );
}

#[test]
fn exponentials_end_where_the_format_ends() {
    // The largest input below overflow, and the smallest above underflow.
    assert_eq!(exp(f32::from_bits(0x42B1_7217)).to_bits(), 0x7F7F_FF84);
    assert_eq!(exp(f32::from_bits(0x42B1_7218)), f32::INFINITY);
    assert_eq!(exp(f32::from_bits(0xC2CF_F1B4)).to_bits(), 1);
    assert_eq!(exp(f32::from_bits(0xC2CF_F1B5)).to_bits(), 0);
}

/// The steps of `exp2.poly5.v1` with the integer and the scaling spelled out.
fn poly5_reference(x: f32) -> f32 {
    let x = if x < -126.0 { -126.0 } else { x };
    let n = x.round_ties_even();
    let f = x - n;
    let coefficients: [u32; 6] = [0x3AAD_DD0A, 0x3C1E_7544, 0x3D63_5BA9, 0x3E75_FCDE, 0x3F31_7215, 0x3F80_0000];
    let p = coefficients.map(f32::from_bits).into_iter().reduce(|p, c| p.mul_add(f, c)).expect("six coefficients");
    let scale = f64::from_bits(((1023 + n as i64) as u64) << 52);
    (f64::from(p) * scale) as f32
}

/// The last bit of the highest coefficient shows in few inputs, so all fractions that are large enough are tried.
#[test]
fn poly5_equals_its_steps_at_every_fraction_from_a_quarter_to_a_half() {
    for bits in 0.25_f32.to_bits()..=0.5_f32.to_bits() {
        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
            assert_eq!(exp2_poly5(x).to_bits(), poly5_reference(x).to_bits(), "{x}");
        }
    }
}

#[test]
fn poly5_equals_its_steps_wherever_the_result_is_normal() {
    for i in 0..2_000_000_u32 {
        let x = 127.0 - i as f32 / 7_800.0;
        let y = poly5_reference(x);
        if y.is_normal() {
            assert_eq!(exp2_poly5(x).to_bits(), y.to_bits(), "{x}");
        }
    }
}

#[test]
fn poly5_is_one_at_zero_and_stops_at_minus_126() {
    assert_eq!(exp2_poly5(0.0), 1.0);
    assert_eq!(exp2_poly5(-0.0), 1.0);
    for x in [-126.0, -126.5, -1.0e30, f32::NEG_INFINITY] {
        assert_eq!(exp2_poly5(x), f32::MIN_POSITIVE);
    }
    for n in -126..=127 {
        assert_eq!(exp2_poly5(n as f32).to_bits(), ((n + 127) as u32) << 23);
    }
}

#[test]
fn poly5_is_within_three_units_of_the_correctly_rounded_power() {
    let worst = (0..1_000_000_u32)
        .map(|i| -(i as f32) / 8_000.0)
        .map(|x| exp2_poly5(x).to_bits().abs_diff(metallic::exp2f(x).to_bits()))
        .max();
    assert!(worst <= Some(3), "{worst:?}");
}

#[test]
fn activations_follow_their_written_steps() {
    for x in inputs().into_iter().filter(|x| x.is_finite()) {
        let s = 1.0 / (1.0 + exp(-x));
        assert_eq!(sigmoid(x).to_bits(), s.to_bits());
        assert_eq!(silu(x).to_bits(), (x * s).to_bits());
        let inner = x * (1.0 - s);
        assert_eq!(silu_grad(x).to_bits(), (s * (1.0 + inner)).to_bits());
        let positive = if x > 0.0 { x } else { 0.0 };
        assert_eq!(softplus(x).to_bits(), (positive + log1p(exp(-x.abs()))).to_bits());
    }
}

#[test]
fn silu_grad_is_the_derivative_of_silu() {
    let silu64 = |x: f64| x / (1.0 + metallic::exp(-x));
    for i in -4000..4000 {
        let x = f64::from(i) / 200.0;
        let step = 1.0e-5;
        let slope = (silu64(x + step) - silu64(x - step)) / (2.0 * step);
        // Seven fp32 roundings of terms below 20, and the difference's own error.
        assert!((f64::from(silu_grad(x as f32)) - slope).abs() < 3.0e-6, "{x}");
    }
}
