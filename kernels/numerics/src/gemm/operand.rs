//! How a register tile reads A: from packed panels, or from the rows where they are.

use super::View;
use super::unit::Unit;

/// Products of a row that are read together.
const RUN: usize = 8;

/// A block of A, in tiles of `MR` rows.
pub(super) trait Operand<const MR: usize>: Copy {
    /// Products of a chain in this block.
    fn depth(self) -> usize;

    /// The chains of the tile that starts at row `i` of the block: one fma per product, k ascending, continuing
    /// `sums`. Sums of rows beyond the last one mean nothing.
    fn chains<U: Unit, const NV: usize>(
        self,
        unit: U,
        i: usize,
        b: &[f32],
        sums: [[U::Register; NV]; MR],
    ) -> [[U::Register; NV]; MR];
}

/// Panels as [`super::pack::pack`] leaves them.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    pub panels: &'a [f32],
    pub depth: usize,
}

impl<const MR: usize> Operand<MR> for Packed<'_> {
    #[inline(always)]
    fn depth(self) -> usize {
        self.depth
    }

    #[inline(always)]
    fn chains<U: Unit, const NV: usize>(
        self,
        unit: U,
        i: usize,
        b: &[f32],
        mut sums: [[U::Register; NV]; MR],
    ) -> [[U::Register; NV]; MR] {
        let (a, _) = self.panels[i * self.depth..][..MR * self.depth].as_chunks::<MR>();
        for (a, b) in a.iter().zip(U::registers(b).as_chunks::<NV>().0) {
            advance(unit, *a, b, &mut sums);
        }
        sums
    }
}

/// Rows of a row-major matrix, read where they are.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    pub view: View<'a>,
    /// First row of the block, and how many it has.
    pub first: usize,
    pub rows: usize,
    /// First product of the block, and how many it has.
    pub k0: usize,
    pub depth: usize,
}

impl<const MR: usize> Operand<MR> for Lines<'_> {
    #[inline(always)]
    fn depth(self) -> usize {
        self.depth
    }

    #[inline(always)]
    fn chains<U: Unit, const NV: usize>(
        self,
        unit: U,
        i: usize,
        b: &[f32],
        mut sums: [[U::Register; NV]; MR],
    ) -> [[U::Register; NV]; MR] {
        let row = |row: usize| self.first + (i + row).min(self.rows - 1);
        let lines: [&[f32]; MR] = std::array::from_fn(|at| self.view.line(row(at), self.k0, self.depth));
        let parts = lines.map(|line| line.as_chunks::<RUN>());
        let (b, b_tail) = U::registers(b).as_chunks::<NV>().0.as_chunks::<RUN>();
        for (at, b) in b.iter().enumerate() {
            let runs: [&[f32; RUN]; MR] = std::array::from_fn(|row| &parts[row].0[at]);
            for (k, b) in b.iter().enumerate() {
                let values: [f32; MR] = std::array::from_fn(|row| runs[row][k]);
                advance(unit, values, b, &mut sums);
            }
        }
        for (k, b) in b_tail.iter().enumerate() {
            let values: [f32; MR] = std::array::from_fn(|row| parts[row].1[k]);
            advance(unit, values, b, &mut sums);
        }
        sums
    }
}

/// One product of every chain of a tile.
#[inline(always)]
fn advance<U: Unit, const MR: usize, const NV: usize>(
    unit: U,
    a: [f32; MR],
    b: &[U::Register; NV],
    sums: &mut [[U::Register; NV]; MR],
) {
    for (row, value) in sums.iter_mut().zip(a) {
        let value = unit.splat(value);
        for (sum, &b) in row.iter_mut().zip(b) {
            *sum = unit.fma(value, b, *sum);
        }
    }
}
