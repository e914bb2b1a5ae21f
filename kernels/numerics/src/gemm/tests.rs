use super::block::BLOCK_K;
use super::unit::{fma, fma_by_f64};
use super::*;
use crate::format::{NAN_BITS, canonical};
use crate::philox::Stream;
use crate::sum;

fn values(n: usize, stream: u32) -> Vec<f32> {
    let mut values = vec![0.0; n];
    Stream { seed: 3, step: 0, stream }.fill_normal(0, &mut values, 1.0);
    values
}

fn transposed(data: &[f32], rows: usize, cols: usize) -> Vec<f32> {
    (0..rows * cols).map(|i| data[i % rows * cols + i / rows]).collect()
}

/// The definition, one chain after another.
fn reference(a: View<'_>, b: View<'_>, c: &[f32], ends: (Start, Finish)) -> Vec<u32> {
    let (m, n) = (a.rows(), b.cols());
    let element = |index: usize| {
        let row: Vec<f32> = (0..a.cols()).map(|k| a.at(index / n, k)).collect();
        let column: Vec<f32> = (0..a.cols()).map(|k| b.at(k, index % n)).collect();
        let first = if ends.0 == Start::Zero { 0.0 } else { c[index] };
        let acc = sum::chain_from(first, &row, &column);
        if ends.1 == Finish::Closed { canonical(acc + 0.0) } else { acc }
    };
    (0..m * n).map(|index| element(index).to_bits()).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

const SHAPES: [(usize, usize, usize); 17] = [
    (0, 5, 3),
    (5, 0, 3),
    (5, 7, 0),
    (1, 1, 1),
    (1, 33, 17),
    (7, 1, 5),
    (8, 32, 16),
    (6, 16, 8),
    (9, 33, 31),
    (13, 47, 65),
    (97, 31, 9),
    (3, 515, 11),
    (17, 65, BLOCK_K - 1),
    (5, 19, BLOCK_K),
    (11, 35, BLOCK_K + 1),
    (64, 64, 64),
    (2, 3, 2 * BLOCK_K + 7),
];

const ENDS: [(Start, Finish); 3] =
    [(Start::Zero, Finish::Closed), (Start::Accumulator, Finish::Closed), (Start::Accumulator, Finish::Open)];

#[test]
fn every_shape_layout_end_and_level_equals_the_plain_chain() {
    let mut scratch = Scratch::default();
    for (m, n, k) in SHAPES {
        let (a, b, c) = (values(m * k, 1), values(k * n, 2), values(m * n, 3));
        let (at, bt) = (transposed(&a, m, k), transposed(&b, k, n));
        let a_views = [View::row_major(&a, m, k), View::row_major(&at, k, m).transpose()];
        let b_views = [View::row_major(&b, k, n), View::row_major(&bt, n, k).transpose()];
        for ends in ENDS {
            let expected = reference(a_views[0], b_views[0], &c, ends);
            for level in Level::available() {
                for (layout, (a, b)) in a_views.iter().flat_map(|a| b_views.iter().map(move |b| (a, b))).enumerate() {
                    let mut out = c.clone();
                    let mut tile = Tile::row_major(&mut out, m, n);
                    gemm_chain(level, *a, *b, &mut tile, ends, &mut scratch);
                    assert!(bits(&out) == expected, "{level} {m}x{n}x{k} layout {layout} {ends:?}");
                }
            }
        }
    }
}

#[test]
fn a_wrong_element_does_not_pass_for_the_chain() {
    let (m, n, k) = (9, 33, 31);
    let (a, b) = (values(m * k, 1), values(k * n, 2));
    let expected = reference(View::row_major(&a, m, k), View::row_major(&b, k, n), &[], ENDS[0]);
    let mut altered = a.clone();
    altered[40] = f32::from_bits(altered[40].to_bits() ^ 1 << 16);
    let mut out = vec![0.0; m * n];
    let mut tile = Tile::row_major(&mut out, m, n);
    let (a, b) = (View::row_major(&altered, m, k), View::row_major(&b, k, n));
    gemm_chain(Level::detect(), a, b, &mut tile, ENDS[0], &mut Scratch::default());
    let differing: Vec<usize> = (0..m * n).filter(|&i| out[i].to_bits() != expected[i]).collect();
    assert!(!differing.is_empty() && differing.iter().all(|i| i / n == 40 / k), "{differing:?}");
}

#[test]
fn a_split_into_row_blocks_and_column_windows_changes_no_bit() {
    let (m, n, k) = (29, 70, 40);
    let (a, b) = (values(k * m, 1), values(k * n, 2));
    let (a, b) = (View::row_major(&a, k, m).transpose(), View::row_major(&b, k, n));
    let expected = reference(a, b, &[], ENDS[0]);
    let mut scratch = Scratch::default();
    for level in Level::available() {
        let mut out = vec![f32::NAN; m * n];
        for (i, rows) in [(0, 3), (3, 16), (19, 10)] {
            for (j, cols) in [(0, 31), (31, 39)] {
                let mut tile = Tile::strided(&mut out[i * n + j..], rows, cols, n);
                gemm_chain(level, a.rows_at(i, rows), b.cols_at(j, cols), &mut tile, ENDS[0], &mut scratch);
            }
        }
        assert_eq!(bits(&out), expected, "{level}");
    }
}

#[test]
fn a_chain_continued_over_two_calls_is_one_chain() {
    let (m, n, k) = (10, 20, 50);
    let (a, b) = (values(m * k, 1), values(k * n, 2));
    let (a, b) = (View::row_major(&a, m, k), View::row_major(&b, k, n));
    for level in Level::available() {
        let mut out = vec![f32::NAN; m * n];
        let mut scratch = Scratch::default();
        let mut tile = Tile::row_major(&mut out, m, n);
        let (first, last) = ((Start::Zero, Finish::Open), (Start::Accumulator, Finish::Closed));
        gemm_chain(level, a.cols_at(0, 23), b.rows_at(0, 23), &mut tile, first, &mut scratch);
        gemm_chain(level, a.cols_at(23, 27), b.rows_at(23, 27), &mut tile, last, &mut scratch);
        assert_eq!(bits(&out), reference(a, b, &[], ENDS[0]), "{level}");
    }
}

#[test]
fn infinities_subnormals_and_negative_zero_follow_the_chain_and_nan_is_canonical() {
    let pool =
        [f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 1.0e-40, -1.0e-38, f32::MAX, 1.0, f32::from_bits(0xFFC0_0001)];
    let pick = |n: usize, step: usize| -> Vec<f32> { (0..n).map(|i| pool[(i * step + i / 7) % pool.len()]).collect() };
    for (m, n, k) in [(9, 33, 1), (16, 64, 2), (7, 20, 5)] {
        let (a, b) = (pick(m * k, 5), pick(k * n, 7));
        let (a, b) = (View::row_major(&a, m, k), View::row_major(&b, k, n));
        let expected = reference(a, b, &[], ENDS[0]);
        assert!(expected.contains(&NAN_BITS) && expected.iter().any(|&x| x != NAN_BITS));
        for level in Level::available() {
            let mut out = vec![0.0; m * n];
            let mut tile = Tile::row_major(&mut out, m, n);
            gemm_chain(level, a, b, &mut tile, ENDS[0], &mut Scratch::default());
            assert_eq!(bits(&out), expected, "{level} {m}x{n}x{k}");
        }
    }
}

#[test]
fn stale_scratch_contents_do_not_reach_a_result() {
    let mut scratch = Scratch { a: vec![f32::NAN; 1 << 16], b: vec![f32::NAN; 1 << 16] };
    let (a, b) = (values(9 * 5, 1), values(5 * 21, 2));
    let (a, b) = (View::row_major(&a, 9, 5), View::row_major(&b, 5, 21));
    let mut out = vec![0.0; 9 * 21];
    gemm_chain(Level::detect(), a, b, &mut Tile::row_major(&mut out, 9, 21), ENDS[0], &mut scratch);
    assert_eq!(bits(&out), reference(a, b, &[], ENDS[0]));
}

#[test]
fn scratch_does_not_grow_on_a_second_call() {
    let (a, b) = (values(64 * 64, 1), values(64 * 64, 2));
    let (a, b) = (View::row_major(&a, 64, 64), View::row_major(&b, 64, 64));
    let mut out = vec![0.0; 64 * 64];
    let mut scratch = Scratch::default();
    let mut call = |scratch: &mut Scratch| {
        gemm_chain(Level::detect(), a, b, &mut Tile::row_major(&mut out, 64, 64), ENDS[0], scratch);
        (scratch.a.as_ptr(), scratch.b.as_ptr())
    };
    assert_eq!(call(&mut scratch), call(&mut scratch));
}

#[test]
fn the_f64_route_rounds_a_fused_multiply_add_once() {
    let check = |[a, b, c]: [f32; 3]| {
        let (ours, fused) = (fma_by_f64(a, b, c), a.mul_add(b, c));
        assert_eq!(canonical(ours).to_bits(), canonical(fused).to_bits(), "{a:e} * {b:e} + {c:e}");
        // One lane in doubt must not change the others.
        let lanes = fma([a, a, 1.0, 3.0], [b, -b, 1.0, 5.0], [c, c, 1.0, 7.0]);
        let expected = [fused, a.mul_add(-b, c), 2.0, 22.0];
        assert_eq!(
            lanes.map(|x| canonical(x).to_bits()),
            expected.map(|x| canonical(x).to_bits()),
            "{a:e} {b:e} {c:e}"
        );
    };
    let mut words = vec![0; 3 << 18];
    Stream { seed: 11, step: 0, stream: 0 }.fill_words(0, &mut words);
    for triple in words.as_chunks::<3>().0 {
        check(triple.map(f32::from_bits));
        // Exponents close enough for carries and cancellation.
        check(triple.map(|w| f32::from_bits(w & 0x807F_FFFF | (115 + (w >> 23) % 24) << 23)));
        // Products and sums near and below the smallest normal number.
        check(triple.map(|w| f32::from_bits(w & 0x807F_FFFF | (50 + (w >> 23) % 24) << 23)));
        let [a, b, c] = triple.map(|w| f32::from_bits(w & 0x807F_FFFF | (50 + (w >> 23) % 24) << 23));
        check([a, b, c * f32::MIN_POSITIVE]);
    }
}

#[test]
fn rounding_an_f64_sum_twice_would_be_wrong_and_is_not_done() {
    // The exact value lies 2^-70 below the midpoint of two fp32 values.
    let (a, b, c) = (f32::from_bits(0x3380_0001), f32::from_bits(0x3F7F_FFFE), f32::from_bits(0x3F80_0001));
    let twice = (f64::from(a) * f64::from(b) + f64::from(c)) as f32;
    assert_eq!(twice.to_bits(), 0x3F80_0002);
    assert_eq!(fma_by_f64(a, b, c).to_bits(), 0x3F80_0001);
    assert_eq!(fma([1.0, 1.0, a, 1.0], [1.0, 1.0, b, 1.0], [0.0, 0.0, c, 0.0])[2].to_bits(), 0x3F80_0001);
    assert_eq!(a.mul_add(b, c).to_bits(), 0x3F80_0001);
}

#[test]
#[should_panic(expected = "columns of A and rows of B")]
fn views_that_disagree_about_k_are_refused() {
    let (a, b, mut c) = (values(6, 1), values(6, 2), vec![0.0; 4]);
    let mut tile = Tile::row_major(&mut c, 2, 2);
    let (a, b) = (View::row_major(&a, 2, 3), View::row_major(&b[..4], 2, 2));
    gemm_chain(Level::Scalar, a, b, &mut tile, ENDS[0], &mut Scratch::default());
}
