//! Every unary function against CORE-MATH, bit for bit.
//!
//! By default a fixed sample of inputs; with `--ignored` all 2^32 of them:
//! `cargo test --release -p numerics --test exhaustive -- --ignored`.

use numerics::format::{self, canonical};
use numerics::math;
use numerics::simd::Level;
use numerics::vectorised;
use std::sync::atomic::{AtomicU32, Ordering};

/// Inputs that a worker takes at a time.
const CHUNK: u32 = 1 << 16;

/// Distance of the sample's bit patterns: a prime, so that a million inputs
/// meet every sign and exponent with all kinds of significands.
const SAMPLE_STRIDE: u32 = 4093;

type Unary = fn(f32) -> f32;

struct Case {
    name: &'static str,
    ours: fn(&[f32], &mut [f32]),
    oracle: Unary,
}

macro_rules! case {
    ($name:ident, $oracle:expr) => {
        Case {
            name: stringify!($name),
            ours: |x, out| x.iter().zip(out).for_each(|(x, slot)| *slot = math::$name(*x)),
            oracle: $oracle,
        }
    };
}

vectorised! {
    fn exp_kernel<'a>(x: &'a [f32], out: &'a mut [f32]) {
        math::exp_slice(x, out);
    }
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        case!(exp, core_math::expf),
        case!(log, core_math::logf),
        case!(log1p, core_math::log1pf),
        case!(tanh, core_math::tanhf),
        case!(sin, core_math::sinf),
        case!(cos, core_math::cosf),
        case!(rsqrt, core_math::rsqrtf),
        case!(erf, core_math::erff),
        Case { name: "exp_slice", ours: |x, out| exp_kernel(Level::detect(), x, out), oracle: core_math::expf },
    ];
    if Level::Avx2.is_available() {
        cases.push(Case {
            name: "exp_slice avx2",
            ours: |x, out| exp_kernel(Level::Avx2, x, out),
            oracle: core_math::expf,
        });
    }
    cases
}

/// The first input whose result differs, over inputs first, first + stride, …
#[expect(clippy::disallowed_methods, reason = "threads only share the work; the answer does not depend on them")]
fn first_difference(case: &Case, stride: u32) -> Option<String> {
    let next = AtomicU32::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let differences: Vec<Option<(u32, u32, u32)>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(case, stride, &next))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    differences
        .into_iter()
        .flatten()
        .min()
        .map(|(input, ours, oracle)| format!("{} of {input:08x}: expected {oracle:08x}, found {ours:08x}", case.name))
}

fn work(case: &Case, stride: u32, next: &AtomicU32) -> Option<(u32, u32, u32)> {
    let chunks = (1_u64 << 32).div_ceil(u64::from(CHUNK) * u64::from(stride)) as u32;
    let mut first = None;
    let mut inputs = Vec::new();
    let mut outputs = Vec::new();
    loop {
        let chunk = next.fetch_add(1, Ordering::Relaxed);
        if chunk >= chunks {
            return first;
        }
        inputs.clear();
        let start = u64::from(chunk) * u64::from(CHUNK);
        let words = (start..start + u64::from(CHUNK)).map(|i| i * u64::from(stride));
        inputs.extend(words.take_while(|&word| word < 1 << 32).map(|word| f32::from_bits(word as u32)));
        outputs.resize(inputs.len(), 0.0);
        (case.ours)(&inputs, &mut outputs[..inputs.len()]);
        for (x, y) in inputs.iter().zip(&outputs) {
            let oracle = canonical((case.oracle)(*x)).to_bits();
            if y.to_bits() != oracle {
                let difference = Some((x.to_bits(), y.to_bits(), oracle));
                first = if first.is_none() { difference } else { first.min(difference) };
            }
        }
    }
}

#[test]
fn a_fixed_sample_of_every_function_equals_core_math() {
    for case in cases() {
        assert_eq!(first_difference(&case, SAMPLE_STRIDE), None);
    }
}

#[test]
#[ignore = "2^32 inputs a function: minutes"]
fn all_inputs_of_every_function_equal_core_math() {
    for case in cases() {
        assert_eq!(first_difference(&case, 1), None);
        println!("{}: all inputs equal", case.name);
    }
}

#[test]
fn one_wrong_last_place_at_one_input_is_found_and_named() {
    let planted = Case {
        name: "planted",
        ours: |x, out| {
            for (x, slot) in x.iter().zip(out) {
                let y = math::exp(*x);
                *slot = if x.to_bits() == SAMPLE_STRIDE * 200_000 { f32::from_bits(y.to_bits() ^ 1) } else { y };
            }
        },
        oracle: core_math::expf,
    };
    let message = first_difference(&planted, SAMPLE_STRIDE).expect("the planted difference");
    assert!(message.starts_with(&format!("planted of {:08x}", SAMPLE_STRIDE * 200_000)), "{message}");
}

/// Inputs near which the exact result is within 2^-47 of a midpoint or an fp32
/// value: the ones where a single f64 evaluation is not enough.
#[test]
fn tiny_exponentials_beside_midpoints_equal_core_math() {
    for exponent in 90..110_u32 {
        for low in 0..4096_u32 {
            for sign in [0, 1 << 31] {
                let x = f32::from_bits(sign | exponent << 23 | low);
                assert_eq!(math::exp(x).to_bits(), core_math::expf(x).to_bits(), "{:08x}", x.to_bits());
            }
        }
    }
}

#[test]
fn pow_equals_core_math_on_rotary_frequencies() {
    for theta in [10_000.0_f32, 100_000.0, 500_000.0, 1.0e6, 1.0e7] {
        for width in (2..=512_u32).step_by(2) {
            for i in 0..width / 2 {
                let exponent = 2.0 * i as f32 / width as f32;
                assert_eq!(math::pow(theta, exponent).to_bits(), core_math::powf(theta, exponent).to_bits());
            }
        }
    }
}

#[test]
fn pow_equals_core_math_on_scattered_pairs() {
    let mut word = 1_u32;
    let mut draw = || {
        word = word.wrapping_mul(0x915F_77F5).wrapping_add(0x2545_F491);
        f32::from_bits(word ^ word >> 15)
    };
    for _ in 0..300_000 {
        let (x, y) = (draw(), draw());
        // Pairs whose power is neither zero nor infinite, and any pair.
        let (near, modest) = (1.0 + (x.to_bits() >> 8) as f32 / 16_777_216.0, (y.to_bits() >> 20) as f32 / 64.0);
        for (x, y) in [(x, y), (near, modest)] {
            let expected = canonical(core_math::powf(x, y)).to_bits();
            assert_eq!(math::pow(x, y).to_bits(), expected, "{:08x} {:08x}", x.to_bits(), y.to_bits());
        }
    }
}

#[test]
fn exact_powers_and_midpoints_round_to_even() {
    for base in 1..5000_u32 {
        for (exponent, x) in [(2.0, base as f32), (0.5, (base * base) as f32), (3.0, (base % 300) as f32)] {
            assert_eq!(math::pow(x, exponent).to_bits(), core_math::powf(x, exponent).to_bits(), "{x}^{exponent}");
        }
    }
}

#[test]
#[ignore = "2^32 inputs a format: minutes"]
fn all_inputs_narrow_to_a_neighbour_that_is_nearest() {
    for bits in 0..=u32::MAX {
        let x = f32::from_bits(bits);
        if x.is_nan() {
            assert_eq!(format::bf16_from_f32(x), format::NAN_BITS_16);
            assert_eq!(format::fp16_from_f32(x), format::NAN_BITS_16);
            continue;
        }
        assert_nearest(x, format::bf16_from_f32(x), 0x7F80, f64::from_bits((1023 + 128) << 52), format::bf16_to_f32);
        assert_nearest(x, format::fp16_from_f32(x), 0x7C00, 65_536.0, format::fp16_to_f32);
    }
}

/// No neighbour is nearer, and at equal distance the pattern is even.
fn assert_nearest(x: f32, bits: u16, infinity: u16, beyond: f64, widen: fn(u16) -> f32) {
    let value = |magnitude: u16| if magnitude == infinity { beyond } else { f64::from(widen(magnitude)) };
    let exact = f64::from(x.abs()).min(beyond);
    let magnitude = bits & 0x7FFF;
    assert!(magnitude <= infinity && (bits >> 15 == 1) == x.is_sign_negative(), "{:08x}", x.to_bits());
    let distance = (value(magnitude) - exact).abs();
    for neighbour in [magnitude.checked_sub(1), (magnitude < infinity).then_some(magnitude + 1)].into_iter().flatten() {
        let other = (value(neighbour) - exact).abs();
        assert!(distance < other || (distance == other && magnitude.is_multiple_of(2)), "{:08x}", x.to_bits());
    }
}
