//! Cache blocks and the register tile.
//!
//! A tile is `MR` rows by `NV` vectors of accumulators. Tile shapes fill the
//! register file: 8 × 3 of 16 lanes for AVX-512's 32 registers, 6 × 2 of 8 lanes
//! for AVX2's 16. Blocks of A and B fit the second-level cache. None of these
//! numbers reaches a result.

use super::pack::pack;
use super::{Finish, Scratch, Start, Tile, View};
use crate::format::canonical;
use crate::simd::Level;
use pulp::{Scalar, Simd, WithSimd};

/// Rows of C between two packings of A.
static BLOCK_M: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| std::env::var("M").map_or(96, |x| x.parse().unwrap()));
/// Columns of C between two packings of B.
static BLOCK_N: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| std::env::var("N").map_or(768, |x| x.parse().unwrap()));
/// Products of a chain between two visits to C.
static BLOCK_K: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| std::env::var("K").map_or(256, |x| x.parse().unwrap()));
/// Widest tile, in columns.
const MAX_COLS: usize = 64;

/// One call of `gemm_chain`. `b` is the transposed B, so both operands have
/// the chain along their columns.
pub(super) struct Product<'a, 'c> {
    pub a: View<'a>,
    pub b: View<'a>,
    pub c: &'a mut Tile<'c>,
    pub start: Start,
    pub finish: Finish,
    pub scratch: &'a mut Scratch,
}

/// A product with its register tile.
struct Tiled<'a, 'c, const MR: usize, const NV: usize>(Product<'a, 'c>);

#[cfg(target_arch = "x86_64")]
pub(super) fn run(level: Level, product: Product<'_, '_>) {
    match level {
        Level::Scalar => Simd::vectorize(Scalar, Tiled::<4, 4>(product)),
        Level::Avx2 => {
            let simd = pulp::x86::V3::try_new().expect("the machine has AVX2 and FMA");
            match std::env::var("T").as_deref() { Ok("4x3") => Simd::vectorize(simd, Tiled::<4, 3>(product)), Ok("5x2") => Simd::vectorize(simd, Tiled::<5, 2>(product)), Ok("4x2") => Simd::vectorize(simd, Tiled::<4, 2>(product)),
            _=>Simd::vectorize(simd, Tiled::<6, 2>(product))};
        }
        Level::Avx512 => {
            let simd = pulp::x86::V4::try_new().expect("the machine has AVX-512");
            match std::env::var("T").as_deref() { Ok("6x4") => Simd::vectorize(simd, Tiled::<6, 4>(product)), Ok("12x2") => Simd::vectorize(simd, Tiled::<12, 2>(product)), Ok("14x2") => Simd::vectorize(simd, Tiled::<14, 2>(product)),Ok("8x2") => Simd::vectorize(simd, Tiled::<8, 2>(product)),
            _=>Simd::vectorize(simd, Tiled::<8, 3>(product))};
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn run(level: Level, product: Product<'_, '_>) {
    assert!(level.is_available(), "level {level} is not available here");
    Simd::vectorize(Scalar, Tiled::<8, 8>(product));
}

impl<const MR: usize, const NV: usize> WithSimd for Tiled<'_, '_, MR, NV> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Product { a, b, c, start, finish, scratch } = self.0;
        let (m, n, k) = (a.rows(), b.rows(), a.cols());
        let width = NV * S::F32_LANES;
        // With K = 0 one empty block still writes the start values.
        for k0 in (0..k.max(1)).step_by(*BLOCK_K) {
            let depth = (*BLOCK_K).min(k - k0);
            let edge = Edge {
                zero: k0 == 0 && start == Start::Zero,
                close: k0 + depth == k && finish == Finish::Closed,
            };
            for j0 in (0..n).step_by(*BLOCK_N) {
                let cols = (*BLOCK_N).min(n - j0);
                let b_panels = pack(&mut scratch.b, b, (j0, cols), (k0, depth), width);
                for i0 in (0..m).step_by(*BLOCK_M) {
                    let rows = (*BLOCK_M).min(m - i0);
                    let a_panels = pack(&mut scratch.a, a, (i0, rows), (k0, depth), MR);
                    block::<S, MR, NV>(simd, (a_panels, b_panels), depth, c, ((i0, rows), (j0, cols)), edge);
                }
            }
        }
    }
}

/// What happens to the accumulators at the two ends of a block of K.
#[derive(Clone, Copy)]
struct Edge {
    zero: bool,
    close: bool,
}

type Span = (usize, usize);

#[inline(always)]
fn block<S: Simd, const MR: usize, const NV: usize>(
    simd: S,
    (a, b): (&[f32], &[f32]),
    depth: usize,
    c: &mut Tile<'_>,
    ((i0, rows), (j0, cols)): (Span, Span),
    edge: Edge,
) {
    let width = NV * S::F32_LANES;
    for j in (0..cols).step_by(width) {
        let b_panel = &b[j * depth..][..width * depth];
        let tile_cols = width.min(cols - j);
        for i in (0..rows).step_by(MR) {
            let a_panel = &a[i * depth..][..MR * depth];
            let tile_rows = MR.min(rows - i);
            let mut sums = [[simd.splat_f32s(0.0); NV]; MR];
            if !edge.zero {
                for (row, sums) in sums.iter_mut().enumerate().take(tile_rows) {
                    load(sums, &c.row_mut(i0 + i + row)[j0 + j..][..tile_cols], simd);
                }
            }
            let sums = tile(simd, a_panel, b_panel, sums);
            for (row, sums) in sums.iter().enumerate().take(tile_rows) {
                let out = &mut c.row_mut(i0 + i + row)[j0 + j..][..tile_cols];
                store(sums, out, simd);
                if edge.close {
                    out.iter_mut().for_each(|x| *x = canonical(*x + 0.0));
                }
            }
        }
    }
}

/// The chain itself: one fma per product, k ascending.
#[inline(always)]
fn tile<S: Simd, const MR: usize, const NV: usize>(
    simd: S,
    a: &[f32],
    b: &[f32],
    mut sums: [[S::f32s; NV]; MR],
) -> [[S::f32s; NV]; MR] {
    let (a, _) = a.as_chunks::<MR>();
    let (b, _) = S::as_simd_f32s(b).0.as_chunks::<NV>();
    for (a, b) in a.iter().zip(b) {
        for (row, &value) in sums.iter_mut().zip(a) {
            let value = simd.splat_f32s(value);
            for (sum, &b) in row.iter_mut().zip(b) {
                *sum = simd.mul_add_f32s(value, b, *sum);
            }
        }
    }
    sums
}

#[inline(always)]
fn load<S: Simd, const NV: usize>(sums: &mut [S::f32s; NV], row: &[f32], _simd: S) {
    let mut padded = [0.0; MAX_COLS];
    let full = if row.len() == NV * S::F32_LANES {
        row
    } else {
        padded[..row.len()].copy_from_slice(row);
        &padded[..NV * S::F32_LANES]
    };
    sums.copy_from_slice(S::as_simd_f32s(full).0);
}

#[inline(always)]
fn store<S: Simd, const NV: usize>(sums: &[S::f32s; NV], row: &mut [f32], _simd: S) {
    if row.len() == NV * S::F32_LANES {
        S::as_mut_simd_f32s(row).0.copy_from_slice(sums);
    } else {
        let mut padded = [0.0; MAX_COLS];
        S::as_mut_simd_f32s(&mut padded[..NV * S::F32_LANES]).0.copy_from_slice(sums);
        row.copy_from_slice(&padded[..row.len()]);
    }
}
