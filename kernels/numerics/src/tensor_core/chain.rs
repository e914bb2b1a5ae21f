//! Whole matrices: cache blocks, packed panels and register tiles around [`tile`](super::tile).

use super::Format;
use super::lanes::{Lanes, Portable, Wide};
use super::tile::{Side, tile};
use crate::gemm::{Start, Tile, View, pack};
use crate::simd::Level;
use pulp::NullaryFnOnce;

/// Rows of C between two packings of A; a multiple of every tile's rows.
const BLOCK_M: usize = 96;
/// Columns of C between two packings of B.
const BLOCK_N: usize = 256;
/// Products of a chain between two visits to C; a multiple of every format's depth.
pub(super) const BLOCK_K: usize = 256;

/// Packing buffers, kept between calls. Contents mean nothing to the caller.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    a: Packed,
    b: Packed,
}

#[derive(Clone, Debug, Default)]
struct Packed {
    values: Vec<f32>,
    exponents: Vec<i32>,
}

/// C[m, n] = tensor-core steps of A[m, k]·B[k, n], k ascending, on the calling thread. The last step may be short: what
/// is missing counts as zeros. K = 0 leaves the start values.
///
/// Operands hold values of `format`, widened to fp32; nobody looks whether they do, see [`Format::holds`]. The bits of an
/// element depend on its row, its column and its start value alone.
///
/// # Panics
/// When the views disagree about m, n or k, or the machine lacks `level`.
pub fn chain(
    level: Level,
    format: Format,
    a: View<'_>,
    b: View<'_>,
    c: &mut Tile<'_>,
    start: Start,
    scratch: &mut Scratch,
) {
    assert_eq!(a.rows(), c.rows(), "rows of A and C");
    assert_eq!(b.cols(), c.cols(), "columns of B and C");
    assert_eq!(a.cols(), b.rows(), "columns of A and rows of B");
    let product = Product { format, a, b: b.transpose(), c, start, scratch };
    match level {
        Level::Scalar => product.blocks::<_, 2, 1>(Portable),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            let simd = pulp::x86::V3::try_new().expect("the machine has AVX2 and FMA");
            simd.vectorize(Tiled::<_, 4, 1>(Wide(simd), product));
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            let simd = pulp::x86::V4::try_new().expect("the machine has AVX-512");
            simd.vectorize(Tiled::<_, 4, 1>(Wide(simd), product));
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => panic!("level {level} is not available on this target"),
    }
}

/// `b` is the transposed B, so both operands have the chain along their columns.
struct Product<'a, 'c> {
    format: Format,
    a: View<'a>,
    b: View<'a>,
    c: &'a mut Tile<'c>,
    start: Start,
    scratch: &'a mut Scratch,
}

/// A product with its vector unit and register tile: `MR` rows by `NV` vectors.
struct Tiled<'a, 'c, L, const MR: usize, const NV: usize>(L, Product<'a, 'c>);

impl<L: Lanes, const MR: usize, const NV: usize> NullaryFnOnce for Tiled<'_, '_, L, MR, NV> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.blocks::<L, MR, NV>(self.0);
    }
}

impl Product<'_, '_> {
    #[inline(always)]
    fn blocks<L: Lanes, const MR: usize, const NV: usize>(self, lanes: L) {
        let Self { format, a, b, c, start, scratch } = self;
        let (m, n, k) = (a.rows(), b.rows(), a.cols());
        let width = NV * L::COUNT;
        // With K = 0 one empty block still writes the start values.
        for k0 in (0..k.max(1)).step_by(BLOCK_K) {
            let depth = BLOCK_K.min(k - k0);
            let zero = k0 == 0 && start == Start::Zero;
            for j0 in (0..n).step_by(BLOCK_N) {
                let cols = BLOCK_N.min(n - j0);
                scratch.b.pack(format, b, (j0, cols), (k0, depth), width);
                for i0 in (0..m).step_by(BLOCK_M) {
                    let rows = BLOCK_M.min(m - i0);
                    scratch.a.pack(format, a, (i0, rows), (k0, depth), MR);
                    for j in (0..cols).step_by(width) {
                        let b = scratch.b.side(j, width, depth);
                        for i in (0..rows).step_by(MR) {
                            let a = scratch.a.side(i, MR, depth);
                            let window = (i0 + i, MR.min(rows - i), j0 + j, width.min(cols - j));
                            tile::<L, MR, NV>(lanes, format, (a, b), c, window, zero);
                        }
                    }
                }
            }
        }
    }
}

impl Packed {
    /// Panels of `width` lines with the chain index outermost, as `pack` leaves them, and the exponent of each value.
    #[inline(always)]
    fn pack(&mut self, format: Format, view: View<'_>, lines: (usize, usize), window: (usize, usize), width: usize) {
        let values = pack(&mut self.values, view, lines, window, width);
        let min_exponent = format.parameters().min_exponent;
        if self.exponents.len() < values.len() {
            self.exponents.resize(values.len(), 0);
        }
        // A loop and not `extend`: it is compiled for the unit's instructions.
        for (slot, value) in self.exponents.iter_mut().zip(values) {
            *slot = exponent(*value, min_exponent);
        }
    }

    fn side(&self, first: usize, width: usize, depth: usize) -> Side<'_> {
        let window = first * depth..(first + width) * depth;
        Side { values: &self.values[window.clone()], exponents: &self.exponents[window] }
    }
}

/// Exponent of a zero: with any other it stays below every exponent.
pub(super) const ZERO: i32 = -20_000;
/// Exponent of what is not finite: with any other it stays above every exponent.
pub(super) const SPECIAL: i32 = 100_000;

#[inline(always)]
fn exponent(value: f32, min_exponent: i32) -> i32 {
    let magnitude = value.to_bits() & 0x7FFF_FFFF;
    let field = (magnitude >> 23) as i32;
    let finite = if magnitude == 0 { ZERO } else { (field.max(1) - 127).max(min_exponent) };
    if field == 0xFF { SPECIAL } else { finite }
}
