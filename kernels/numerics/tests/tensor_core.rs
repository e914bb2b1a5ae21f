//! The vector form of a tensor-core step against the integer form, on random operands of every format and level.
//!
//! By default a fixed sample; with `--ignored` more than 10^8 steps:
//! `cargo test --release -p numerics --test tensor_core -- --ignored`.

use numerics::gemm::{Start, Tile, View};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::tensor_core::{Format, Scratch, chain, step};

/// Rows and columns of one product: each of its elements is a step of its own.
const SIDE: usize = 96;

/// Uniform codes of a format within a window of exponents that the seed draws; one in 16 is zero.
fn operands(format: Format, count: usize, stream: Stream) -> Vec<f32> {
    let mut words = vec![0; count];
    stream.fill_words(1, &mut words);
    let (bits, fraction) = match format {
        Format::Bf16 => (16, 7),
        Format::Fp16 => (16, 10),
        Format::Tf32 => (32, 23),
        Format::E4m3 => (8, 3),
        Format::E5m2 => (8, 2),
    };
    let window = stream.word(0);
    let exponents = 1 << (bits - 1 - fraction);
    let (low, span) = (window % exponents, 1 + (window >> 16) % exponents);
    let code = |word: u32| {
        let exponent = (low + (word >> 8) % span) % exponents;
        let sign = (word >> 7 & 1) << (bits - 1);
        let fraction_mask = (1_u32 << fraction) - 1;
        sign | (exponent << fraction) | word.wrapping_mul(0x9E37_79B9) & fraction_mask
    };
    words.into_iter().map(|word| if word % 16 == 5 { 0.0 } else { format.decode(code(word)) }).collect()
}

fn starts(count: usize, stream: Stream) -> Vec<f32> {
    let mut words = vec![0; count];
    stream.fill_words(1, &mut words);
    let (low, span) = (stream.word(0) % 255, 1 + (stream.word(0) >> 16) % 255);
    let value = |word: u32| f32::from_bits(word & 0x807F_FFFF | (((low + (word >> 23 & 0xFF) % span) % 255) << 23));
    words.into_iter().map(|word| if word % 16 == 5 { 0.0 } else { value(word) }).collect()
}

/// Compares `rounds` products of one step in every format, and returns how many steps that were.
fn compare(level: Level, rounds: u32) -> u64 {
    let mut steps = 0;
    for round in 0..rounds {
        for (index, format) in (0_u32..).zip(Format::ALL) {
            let depth = format.parameters().depth;
            let stream = |part: u32| Stream { seed: 0x7E45_0C0E, step: round, stream: 4 * index + part };
            let (a, b) = (operands(format, SIDE * depth, stream(0)), operands(format, SIDE * depth, stream(1)));
            let c = starts(SIDE * SIDE, stream(2));
            let mut out = c.clone();
            let mut tile = Tile::row_major(&mut out, SIDE, SIDE);
            let (left, right) = (View::row_major(&a, SIDE, depth), View::row_major(&b, SIDE, depth).transpose());
            chain(level, format, left, right, &mut tile, Start::Accumulator, &mut Scratch::default());
            for (at, found) in out.iter().enumerate() {
                let (a, b) = (&a[at / SIDE * depth..][..depth], &b[at % SIDE * depth..][..depth]);
                let expected = step(format, a, b, c[at]);
                assert!(
                    found.to_bits() == expected.to_bits(),
                    "{level} {} round {round}: {a:?} · {b:?} + {:?} gives {found:?}, expected {expected:?}",
                    format.name(),
                    c[at]
                );
                steps += 1;
            }
        }
    }
    steps
}

#[test]
fn a_sample_of_steps_agrees_on_every_level() {
    for level in Level::available() {
        assert!(compare(level, 20) >= 900_000);
    }
}

#[test]
#[ignore = "takes minutes: 10^8 steps on each level"]
fn a_hundred_million_steps_agree_on_every_level() {
    for level in Level::available() {
        let steps = compare(level, 2_200);
        println!("{level}: {steps} steps");
        assert!(steps >= 100_000_000);
    }
}
