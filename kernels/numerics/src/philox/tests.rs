use super::*;
use crate::math::{cos, log};
use crate::simd::Level;
use crate::vectorised;

const STREAM: Stream = Stream { seed: 0x0123_4567_89AB_CDEF, step: 17, stream: 5 };

vectorised! {
    fn draw<'a>(stream: Stream, start: u64, out: &'a mut [u32]) {
        stream.fill_words(start, out);
    }

    fn draw_normal<'a>(stream: Stream, start: u64, out: &'a mut [f32]) {
        stream.fill_normal(start, out, 0.02);
    }
}

#[test]
fn known_answers_of_random123_hold() {
    let answers = [
        ([0; 4], [0; 2], [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]),
        (
            [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344],
            [0xA409_3822, 0x299F_31D0],
            [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1],
        ),
    ];
    for (counter, key, expected) in answers {
        assert_eq!(philox4x32_10(counter, key), expected);
        let mut altered = counter;
        altered[0] ^= 1;
        assert_ne!(philox4x32_10(altered, key), expected);
    }
}

#[test]
fn the_counter_is_block_step_and_stream_and_the_key_is_the_seed() {
    let index = (3_u64 << 32) + 9;
    let words = philox4x32_10([9, 3, 17, 5], [0x89AB_CDEF, 0x0123_4567]);
    assert_eq!(STREAM.block(index), words);
    for (i, word) in (0..).zip(words) {
        assert_eq!(STREAM.word(4 * index + i), word);
    }
}

#[test]
fn bytes_are_sixteen_to_a_block_little_endian() {
    for index in 0..64 {
        let word = STREAM.block(index / 16)[(index % 16 / 4) as usize];
        assert_eq!(STREAM.byte(index), (word >> (8 * (index % 4))) as u8);
    }
}

#[test]
fn filled_words_are_the_single_words_at_any_start_length_and_level() {
    for level in Level::available() {
        // The second start crosses from block 2^32 − 1 to block 2^32.
        for start in [0, 1, 2, 3, 4, 5, (4 << 32) - 70] {
            for len in [0, 1, 2, 3, 4, 5, 63, 64, 65, 131, 200] {
                let mut out = vec![0; len];
                draw(level, STREAM, start, &mut out);
                let expected: Vec<u32> = (start..start + len as u64).map(|i| STREAM.word(i)).collect();
                assert_eq!(out, expected, "{level} {start} {len}");
            }
        }
    }
}

#[test]
fn seed_step_stream_and_index_all_matter() {
    let word = STREAM.word(0);
    assert_ne!(word, STREAM.word(1));
    assert_ne!(word, Stream { seed: STREAM.seed + 1, ..STREAM }.word(0));
    assert_ne!(word, Stream { seed: STREAM.seed ^ 1 << 63, ..STREAM }.word(0));
    assert_ne!(word, Stream { step: 18, ..STREAM }.word(0));
    assert_ne!(word, Stream { stream: 6, ..STREAM }.word(0));
}

#[test]
fn element_i_of_a_normal_fill_uses_words_2i_and_2i_plus_1() {
    for level in Level::available() {
        for (start, len) in [(0, 1), (3, 127), (5, 128), (1000, 300)] {
            let mut out = vec![0.0; len];
            draw_normal(level, STREAM, start, &mut out);
            for (i, value) in (start..).zip(out) {
                let (r0, r1) = (STREAM.word(2 * i), STREAM.word(2 * i + 1));
                let u1 = (f64::from(r0 >> 8) + 1.0) / f64::from(1 << 24);
                let u2 = f64::from(r1 >> 8) / f64::from(1 << 24);
                let radius = (-2.0_f32 * log(u1 as f32)).sqrt();
                let z = radius * cos(6.283_185_5_f32 * u2 as f32);
                assert_eq!(value.to_bits(), (0.02_f32 * z).to_bits(), "{level} {i}");
            }
        }
    }
}

#[test]
fn normal_values_are_finite_at_both_ends_of_the_words() {
    assert_eq!(normal([u32::MAX, 0]), 0.0);
    assert_eq!(normal([0, 0]).to_bits(), (-2.0_f32 * log(1.0 / 16_777_216.0)).sqrt().to_bits());
    assert!(normal([0, u32::MAX]).is_finite());
}

#[test]
fn a_large_normal_sample_has_the_moments_of_a_normal() {
    let mut values = vec![0.0; 1 << 16];
    STREAM.fill_normal(0, &mut values, 1.0);
    let moment = |power: i32| {
        let mut sum = 0.0;
        for value in &values {
            sum += (0..power).fold(1.0, |product, _| product * f64::from(*value));
        }
        sum / values.len() as f64
    };
    // Four standard errors of each moment.
    assert!(moment(1).abs() < 4.0 / 256.0);
    assert!((moment(2) - 1.0).abs() < 4.0 * 1.42 / 256.0);
    assert!((moment(4) - 3.0).abs() < 4.0 * 9.8 / 256.0);
}
