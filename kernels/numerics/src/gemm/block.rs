//! Cache blocks and the register tile.
//!
//! A tile is `MR` rows by `NV` vectors of accumulators, chosen for each vector
//! width so that the accumulators, one row of B and one value of A fit the
//! register file. Blocks of A and B fit the second-level cache. None of these
//! numbers reaches a result.

use super::operand::{Lines, Operand, Packed};
use super::pack::pack;
use super::unit::{Portable, Unit, Wide};
use super::{Finish, Scratch, Start, Tile, View};
use crate::simd::Level;
use pulp::{Simd, WithSimd};

/// Rows of C between two packings of A; a multiple of every tile's rows.
const BLOCK_M: usize = 96;
/// Columns of C between two packings of B.
const BLOCK_N: usize = 512;
/// Products of a chain between two visits to C.
pub(super) const BLOCK_K: usize = 384;
/// Widest tile, in columns.
const MAX_COLS: usize = 32;

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

pub(super) fn run(level: Level, product: Product<'_, '_>) {
    match level {
        Level::Scalar => product.tiled::<_, 2, 1>(Portable),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            let simd = pulp::x86::V3::try_new().expect("the machine has AVX2 and FMA");
            Simd::vectorize(simd, Tiled::<6, 2, 12>(product));
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            let simd = pulp::x86::V4::try_new().expect("the machine has AVX-512");
            Simd::vectorize(simd, Tiled::<8, 2, 16>(product));
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => panic!("level {level} is not available on this target"),
    }
}

/// A product with its register tile, and the rows of the tile of one vector that serves narrow products.
struct Tiled<'a, 'c, const MR: usize, const NV: usize, const NARROW: usize>(Product<'a, 'c>);

impl<const MR: usize, const NV: usize, const NARROW: usize> WithSimd for Tiled<'_, '_, MR, NV, NARROW> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if self.0.b.rows() <= S::F32_LANES {
            self.0.tiled::<_, NARROW, 1>(Wide(simd));
        } else {
            self.0.tiled::<_, MR, NV>(Wide(simd));
        }
    }
}

impl Product<'_, '_> {
    #[inline(always)]
    fn tiled<U: Unit, const MR: usize, const NV: usize>(self, unit: U) {
        let Self { a, b, c, start, finish, scratch } = self;
        let (m, n, k) = (a.rows(), b.rows(), a.cols());
        // With K = 0 one empty block still writes the start values.
        for k0 in (0..k.max(1)).step_by(BLOCK_K) {
            let depth = BLOCK_K.min(k - k0);
            let edge =
                Edge { zero: k0 == 0 && start == Start::Zero, close: k0 + depth == k && finish == Finish::Closed };
            for j0 in (0..n).step_by(BLOCK_N) {
                let cols = BLOCK_N.min(n - j0);
                let b_panels = pack(&mut scratch.b, b, (j0, cols), (k0, depth), NV * U::LANES);
                for i0 in (0..m).step_by(BLOCK_M) {
                    let rows = BLOCK_M.min(m - i0);
                    let window = ((i0, rows), (j0, cols));
                    if a.is_transposed() {
                        let panels = pack(&mut scratch.a, a, (i0, rows), (k0, depth), MR);
                        block::<_, U, MR, NV>(unit, Packed { panels, depth }, b_panels, c, window, edge);
                    } else {
                        let lines = Lines { view: a, first: i0, rows, k0, depth };
                        block::<_, U, MR, NV>(unit, lines, b_panels, c, window, edge);
                    }
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

/// First index and count.
type Span = (usize, usize);

#[inline(always)]
fn block<A: Operand<MR>, U: Unit, const MR: usize, const NV: usize>(
    unit: U,
    a: A,
    b: &[f32],
    c: &mut Tile<'_>,
    ((i0, rows), (j0, cols)): (Span, Span),
    edge: Edge,
) {
    let (width, depth) = (NV * U::LANES, a.depth());
    // Along the rows of C: rows may lie a page apart, and walking down them would miss at each.
    for i in (0..rows).step_by(MR) {
        let tile_rows = MR.min(rows - i);
        for j in (0..cols).step_by(width) {
            let b_panel = &b[j * depth..][..width * depth];
            let tile_cols = width.min(cols - j);
            let mut sums = [[unit.splat(0.0); NV]; MR];
            if !edge.zero {
                for (row, sums) in sums.iter_mut().enumerate().take(tile_rows) {
                    load::<U, NV>(sums, &c.row_mut(i0 + i + row)[j0 + j..][..tile_cols]);
                }
            }
            let mut sums = a.chains::<U, NV>(unit, i, b_panel, sums);
            for (row, sums) in sums.iter_mut().enumerate().take(tile_rows) {
                if edge.close {
                    sums.iter_mut().for_each(|sum| *sum = unit.closed(*sum));
                }
                store::<U, NV>(sums, &mut c.row_mut(i0 + i + row)[j0 + j..][..tile_cols]);
            }
        }
    }
}

#[inline(always)]
fn load<U: Unit, const NV: usize>(sums: &mut [U::Register; NV], row: &[f32]) {
    let width = NV * U::LANES;
    if row.len() == width {
        *sums = U::registers(row).as_chunks().0[0];
    } else {
        let mut padded = [0.0; MAX_COLS];
        padded[..row.len()].copy_from_slice(row);
        *sums = U::registers(&padded[..width]).as_chunks().0[0];
    }
}

#[inline(always)]
fn store<U: Unit, const NV: usize>(sums: &[U::Register; NV], row: &mut [f32]) {
    let width = NV * U::LANES;
    if row.len() == width {
        // Of a known length, so that it is stores and not a call.
        U::registers_mut(row).as_chunks_mut().0[0] = *sums;
    } else {
        let mut padded = [0.0; MAX_COLS];
        U::registers_mut(&mut padded[..width]).as_chunks_mut().0[0] = *sums;
        row.copy_from_slice(&padded[..row.len()]);
    }
}
