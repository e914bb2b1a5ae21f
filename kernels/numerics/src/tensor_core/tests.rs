use super::*;
use crate::format::NAN_BITS;
use crate::gemm::{Start, Tile, View};
use crate::philox::Stream;
use crate::simd::Level;

/// Recorded from `wgmma` on an H200: tiles of 8 rows by 8 columns of bf16, E4M3, fp16 and E5M2 in ten regimes of
/// operands, one step and four. Each is three u32 (format, regime, steps), A and B as rows of 32·steps bytes along K,
/// then C and D as fp32.
const VECTORS: &[u8] = include_bytes!("../../vectors/hopper-wgmma.bin");
const VECTOR_FORMATS: [Format; 4] = [Format::Bf16, Format::E4m3, Format::Fp16, Format::E5m2];
const SIDE: usize = 8;

struct Recorded {
    format: Format,
    regime: u32,
    k: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
    d: Vec<f32>,
}

fn recorded() -> Vec<Recorded> {
    let mut rest = VECTORS;
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at_checked(count)?;
        rest = left;
        Some(taken)
    };
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let floats = |bytes: &[u8]| -> Vec<f32> { bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect() };
    let mut all = Vec::new();
    while let Some(head) = take(12) {
        let format = VECTOR_FORMATS[word(&head[..4]) as usize];
        let row = 32 * word(&head[8..]) as usize;
        let wide = format.parameters().depth == 16;
        let codes = |bytes: &[u8]| -> Vec<f32> {
            let size = if wide { 2 } else { 1 };
            let code = |code: &[u8]| code.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
            bytes.chunks(size).map(|bytes| format.decode(code(bytes))).collect()
        };
        let mut next = |count| take(count).expect("a whole record");
        let (a, b) = (codes(next(SIDE * row)), codes(next(SIDE * row)));
        let (c, d) = (floats(next(4 * SIDE * SIDE)), floats(next(4 * SIDE * SIDE)));
        all.push(Recorded { format, regime: word(&head[4..8]), k: a.len() / SIDE, a, b, c, d });
    }
    all
}

/// The definition: one step after the other, for each element.
fn by_steps(format: Format, (m, n, k): (usize, usize, usize), a: &[f32], b_rows: &[f32], c: &[f32]) -> Vec<u32> {
    let depth = format.parameters().depth;
    let element = |at: usize| {
        let (a, b) = (&a[at / n * k..][..k], &b_rows[at % n * k..][..k]);
        a.chunks(depth).zip(b.chunks(depth)).fold(c[at], |c, (a, b)| step(format, a, b, c)).to_bits()
    };
    (0..m * n).map(element).collect()
}

fn by_chain(level: Level, format: Format, sides: (usize, usize, usize), a: &[f32], b: &[f32], c: &[f32]) -> Vec<u32> {
    let (m, n, k) = sides;
    let mut out = c.to_vec();
    let (a, b) = (View::row_major(a, m, k), View::row_major(b, n, k).transpose());
    let mut tile = Tile::row_major(&mut out, m, n);
    chain(level, format, a, b, &mut tile, Start::Accumulator, &mut Scratch::default());
    out.iter().map(|x| x.to_bits()).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_output_of_the_hardware_is_met_by_the_step_and_by_every_level() {
    let recorded = recorded();
    assert_eq!(recorded.len(), 320);
    for format in VECTOR_FORMATS {
        let regimes = recorded.iter().filter(|tile| tile.format == format).map(|tile| tile.regime);
        assert_eq!(regimes.collect::<std::collections::BTreeSet<_>>().len(), 10, "regimes of {}", format.name());
    }
    for tile in &recorded {
        let sides = (SIDE, SIDE, tile.k);
        let name = format!("{} regime {}, K = {}", tile.format.name(), tile.regime, tile.k);
        assert!(by_steps(tile.format, sides, &tile.a, &tile.b, &tile.c) == bits(&tile.d), "{name}");
        for level in Level::available() {
            let found = by_chain(level, tile.format, sides, &tile.a, &tile.b, &tile.c);
            assert!(found == bits(&tile.d), "{level}: {name}");
        }
    }
}

/// Codes of a format whose exponents lie in a window that the regime draws.
fn operands(format: Format, count: usize, regime: u32, stream: u32) -> Vec<f32> {
    let mut words = vec![0; count];
    Stream { seed: 11, step: regime, stream }.fill_words(0, &mut words);
    let value = |word: u32| match format {
        // The high half of the word: sign, exponent and fraction.
        Format::Bf16 | Format::Tf32 => {
            let (low, span) =
                [(120, 12), (60, 130), (126, 3), (0, 70), (185, 12), (0, 255), (0, 3)][regime as usize % 7];
            let code = word & 0x807F_FFFF | (low + (word >> 23 & 0xFF) % span) << 23;
            let kept = if format == Format::Bf16 { code >> 16 } else { code };
            format.decode(if word.is_multiple_of(19) { kept & 0x7FFF } else { kept })
        }
        Format::Fp16 => {
            let (low, span) = [(12, 6), (0, 31), (14, 3), (0, 3), (28, 3), (0, 32), (0, 2)][regime as usize % 7];
            format.decode(word & 0x83FF | (low + (word >> 20) % span) << 10)
        }
        Format::E4m3 | Format::E5m2 => {
            let (low, span) = [(48, 16), (0, 127), (56, 8), (0, 16), (112, 15), (0, 128), (0, 8)][regime as usize % 7];
            format.decode(word & 0x80 | (low + (word >> 8) % span))
        }
    };
    words.into_iter().map(|word| if word % 23 == 7 { 0.0 } else { value(word) }).collect()
}

fn starts(count: usize, regime: u32) -> Vec<f32> {
    let mut words = vec![0; count];
    Stream { seed: 12, step: regime, stream: 1 }.fill_words(0, &mut words);
    let (low, span) = [(115, 25), (40, 200), (120, 10), (0, 30), (235, 20), (0, 256), (90, 30)][regime as usize % 7];
    let value = |word: u32| f32::from_bits(word & 0x807F_FFFF | (low + (word >> 23 & 0xFF) % span) << 23);
    words.into_iter().map(|word| if word % 11 == 3 { 0.0 } else { crate::format::canonical(value(word)) }).collect()
}

const SHAPES: [(usize, usize, usize); 14] = [
    (0, 5, 16),
    (5, 0, 16),
    (5, 7, 0),
    (1, 1, 1),
    (1, 33, 17),
    (4, 32, 16),
    (3, 8, 32),
    (5, 31, 33),
    (9, 47, 65),
    (97, 3, 16),
    (2, 259, 31),
    (6, 17, chain::BLOCK_K),
    (5, 19, chain::BLOCK_K + 1),
    (3, 9, 2 * chain::BLOCK_K + 24),
];

#[test]
fn every_shape_regime_format_and_level_equals_one_step_after_the_other() {
    for format in Format::ALL {
        for (at, (m, n, k)) in SHAPES.into_iter().enumerate() {
            for regime in 0..7 {
                let (stream, sides) = (100 * at as u32, (m, n, k));
                let (a, b) = (operands(format, m * k, regime, stream), operands(format, n * k, regime, stream + 1));
                let c = starts(m * n, regime);
                let expected = by_steps(format, sides, &a, &b, &c);
                for level in Level::available() {
                    let found = by_chain(level, format, sides, &a, &b, &c);
                    assert!(found == expected, "{level} {} {m}x{n}x{k} regime {regime}", format.name());
                }
            }
        }
    }
}

#[test]
fn layouts_and_windows_of_the_operands_change_nothing() {
    let (m, n, k) = (13, 37, 50);
    let (a, b) = (operands(Format::Bf16, m * k, 0, 1), operands(Format::Bf16, n * k, 0, 2));
    let expected = by_steps(Format::Bf16, (m, n, k), &a, &b, &vec![0.0; m * n]);
    let transposed = |data: &[f32], rows: usize, cols: usize| -> Vec<f32> {
        (0..rows * cols).map(|i| data[i % rows * cols + i / rows]).collect()
    };
    let (at, bt) = (transposed(&a, m, k), transposed(&b, n, k));
    let a_views = [View::row_major(&a, m, k), View::row_major(&at, k, m).transpose()];
    let b_views = [View::row_major(&b, n, k).transpose(), View::row_major(&bt, k, n)];
    for level in Level::available() {
        for a in a_views {
            for b in b_views {
                let mut out = vec![f32::NAN; m * n];
                for first in (0..m).step_by(5) {
                    let rows = 5.min(m - first);
                    let mut tile = Tile::row_major(&mut out[first * n..(first + rows) * n], rows, n);
                    let scratch = &mut Scratch::default();
                    chain(level, Format::Bf16, a.rows_at(first, rows), b, &mut tile, Start::Zero, scratch);
                }
                assert!(bits(&out) == expected, "{level}");
            }
        }
    }
}

#[test]
fn specials_follow_the_rules() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let cases: [(&[f32], &[f32], f32, u32); 10] = [
        (&[nan], &[0.0], 0.0, NAN_BITS),
        (&[inf], &[0.0], 0.0, NAN_BITS),
        (&[inf], &[-2.0], 1.0, (-inf).to_bits()),
        (&[inf, -inf], &[1.0, 1.0], 0.0, NAN_BITS),
        (&[inf], &[1.0], -inf, NAN_BITS),
        (&[1.0], &[1.0], -inf, (-inf).to_bits()),
        (&[1.0], &[1.0], f32::from_bits(0xFFC0_0001), NAN_BITS),
        (&[1.0, -1.0], &[1.0, 1.0], 0.0, 0),
        (&[-0.0], &[1.0], -0.0, 0),
        (&[f32::from_bits(0x7F00_0000)], &[4.0], 0.0, inf.to_bits()),
    ];
    for (a, b, c, expected) in cases {
        assert_eq!(step(Format::Bf16, a, b, c).to_bits(), expected, "{a:?} {b:?} {c}");
        for level in Level::available() {
            assert_eq!(by_chain(level, Format::Bf16, (1, 1, a.len()), a, b, &[c]), [expected], "{level} {a:?} {b:?}");
        }
    }
}

#[test]
fn a_sum_beyond_an_integer_is_still_exact() {
    let a = [f32::from_bits(0x3FFF_0000); 16];
    for c in [1.999_999_9, 0.0, -1.999_999_9] {
        let expected = step(Format::Bf16, &a, &a, c).to_bits();
        for level in Level::available() {
            assert_eq!(by_chain(level, Format::Bf16, (1, 1, 16), &a, &a, &[c]), [expected], "{level} {c}");
        }
    }
}

#[test]
fn terms_are_truncated_to_25_bits_and_not_to_24_or_26() {
    // 2^-25 of the largest term stays, 2^-26 is lost; 16 of the smaller would make a difference together.
    let small = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
    let with = |tiny: f32| step(Format::Fp16, &[1.0, tiny, tiny], &[1.0, small(-13), small(-13)], -1.0);
    assert_eq!(with(small(-12)), small(-24));
    assert_eq!(with(small(-13)), 0.0);
}

#[test]
fn every_code_of_16_and_8_bits_is_held_and_nothing_between() {
    for format in [Format::Bf16, Format::Fp16, Format::E4m3, Format::E5m2] {
        let codes = if format.parameters().depth == 16 { 1 << 16 } else { 1 << 8 };
        for code in 0..codes {
            let value = format.decode(code);
            assert!(format.holds(value), "{} {code:#x}", format.name());
            let between = f32::from_bits(value.to_bits() ^ 1);
            assert!(!between.is_finite() || between == 0.0 || !format.holds(between), "{} {code:#x}", format.name());
        }
    }
    assert_eq!(Format::E4m3.decode(0x7E), 448.0);
    assert_eq!(Format::E5m2.decode(0x7B), 57_344.0);
    assert_eq!(Format::Fp16.decode(0x8001), -f32::from_bits((127 - 24) << 23));
    assert!(!Format::E4m3.holds(f32::INFINITY) && !Format::Fp16.holds(65_536.0) && !Format::Tf32.holds(1.000_000_1));
}
