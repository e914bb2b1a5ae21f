//! The pattern that differing elements make: it often names the fault (a tile, a lane, a row).

/// Gathers indices in ascending order; the tensor is seen as rows of `columns` elements.
pub struct Pattern {
    columns: u64,
    count: u64,
    first: u64,
    last: u64,
    /// Greatest common divisor of the gaps between neighbours.
    gap: u64,
    rows: (u64, u64),
    column_range: (u64, u64),
}

impl Pattern {
    pub fn new(columns: u64) -> Self {
        let empty = (u64::MAX, 0);
        Self { columns: columns.max(1), count: 0, first: 0, last: 0, gap: 0, rows: empty, column_range: empty }
    }

    pub fn add(&mut self, index: u64) {
        if self.count == 0 {
            self.first = index;
        } else {
            self.gap = gcd(self.gap, index - self.last);
        }
        self.last = index;
        self.count += 1;
        let widen = |range: (u64, u64), value: u64| (range.0.min(value), range.1.max(value));
        self.rows = widen(self.rows, index / self.columns);
        self.column_range = widen(self.column_range, index % self.columns);
    }

    pub const fn count(&self) -> u64 {
        self.count
    }

    pub fn describe(&self, total: u64) -> String {
        let (top, bottom) = self.rows;
        let (left, right) = self.column_range;
        if self.count == 1 {
            return "one element".to_owned();
        }
        if self.count == total {
            return "everything".to_owned();
        }
        if top == bottom {
            return format!("row {top}");
        }
        if left == right {
            return format!("column {left}");
        }
        if self.count == (bottom - top + 1) * (right - left + 1) {
            return format!("tile rows {top}..{} columns {left}..{}", bottom + 1, right + 1);
        }
        if self.gap > 1 && self.count == (self.last - self.first) / self.gap + 1 {
            return format!("stripe: every {}th element from {}", self.gap, self.first);
        }
        format!("scattered over rows {top}..{} columns {left}..{}", bottom + 1, right + 1)
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
