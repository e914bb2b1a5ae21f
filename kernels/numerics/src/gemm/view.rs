//! Borrowed matrices: what `gemm_chain` reads and writes.

/// A read-only matrix of logical shape [rows, cols], stored row-major or
/// transposed, possibly as a window of a larger one.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    stride: usize,
    transposed: bool,
}

impl<'a> View<'a> {
    /// A [rows, cols] matrix stored row-major: element (r, c) at r·cols + c.
    ///
    /// # Panics
    /// When `data` does not hold rows·cols elements.
    #[must_use]
    pub fn row_major(data: &'a [f32], rows: usize, cols: usize) -> Self {
        assert_eq!(data.len(), rows * cols, "elements of a [{rows}, {cols}] matrix");
        Self { data, rows, cols, stride: cols, transposed: false }
    }

    /// The same matrix seen with rows and columns exchanged.
    #[must_use]
    pub fn transpose(self) -> Self {
        Self { rows: self.cols, cols: self.rows, transposed: !self.transposed, ..self }
    }

    /// Rows `start..start + count`.
    ///
    /// # Panics
    /// When the range leaves the matrix.
    #[must_use]
    pub fn rows_at(self, start: usize, count: usize) -> Self {
        assert!(start + count <= self.rows, "rows {start} + {count} of {}", self.rows);
        let offset = if self.transposed { start } else { start * self.stride };
        // An empty window may start behind the last element.
        let data = &self.data[offset.min(self.data.len())..];
        Self { data, rows: count, ..self }
    }

    /// Columns `start..start + count`.
    ///
    /// # Panics
    /// When the range leaves the matrix.
    #[must_use]
    pub fn cols_at(self, start: usize, count: usize) -> Self {
        self.transpose().rows_at(start, count).transpose()
    }

    /// Logical row count.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Logical column count.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Element (row, col).
    #[inline(always)]
    #[must_use]
    pub fn at(&self, row: usize, col: usize) -> f32 {
        if self.transposed { self.data[col * self.stride + row] } else { self.data[row * self.stride + col] }
    }

    /// The part of stored line `line` (a row, or a column when transposed)
    /// from `start` on, `count` elements.
    #[inline(always)]
    pub(super) fn line(&self, line: usize, start: usize, count: usize) -> &'a [f32] {
        &self.data[line * self.stride + start..][..count]
    }

    /// Whether stored lines are columns.
    pub(super) fn is_transposed(&self) -> bool {
        self.transposed
    }
}

/// A writable row-major matrix, possibly a window of a larger one.
#[derive(Debug)]
pub struct Tile<'a> {
    data: &'a mut [f32],
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<'a> Tile<'a> {
    /// A [rows, cols] matrix: element (r, c) at r·cols + c.
    ///
    /// # Panics
    /// When `data` does not hold rows·cols elements.
    #[must_use]
    pub fn row_major(data: &'a mut [f32], rows: usize, cols: usize) -> Self {
        assert_eq!(data.len(), rows * cols, "elements of a [{rows}, {cols}] matrix");
        Self { data, rows, cols, stride: cols }
    }

    /// A [rows, cols] window whose rows start `stride` elements apart.
    ///
    /// # Panics
    /// When `stride` is below `cols` or `data` ends before the last element.
    #[must_use]
    pub fn strided(data: &'a mut [f32], rows: usize, cols: usize, stride: usize) -> Self {
        assert!(stride >= cols, "row stride {stride} of {cols} columns");
        let needed = rows.checked_sub(1).map_or(0, |last| last * stride + cols);
        assert!(data.len() >= needed, "{} elements, {needed} needed", data.len());
        Self { data, rows, cols, stride }
    }

    /// Row count.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Column count.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One row.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.data[row * self.stride..][..self.cols]
    }
}
