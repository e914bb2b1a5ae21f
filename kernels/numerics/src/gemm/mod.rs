//! Matrix product by `chain`: C = A·B with one fma chain per output element.
//!
//! Order: c ← fma(a_ik, b_kj, c), k ascending, from +0 or from the value already
//! in C, then on request RN(c + 0). Nothing else is added, so the bits of an
//! element never depend on m, n, the tile, the vector width, or how a caller
//! splits the rows of C between threads.
//!
//! Panels of B, and of A where it is read often enough, are packed so that the
//! inner loop reads memory in order. Results of rows and columns beyond the edge
//! are dropped; K is never padded. A block of K ends by writing its accumulators to
//! C, and the next one starts by reading them: a round trip that moves no bit.
//!
//! It does not start threads, allocate after its scratch has grown, or convert
//! storage formats.

mod block;
mod operand;
mod pack;
mod unit;
mod view;

pub(crate) use pack::pack;
pub use view::{Tile, View};

use crate::simd::Level;

/// Where the chains start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// From +0; what C held before is not read.
    Zero,
    /// From the values in C.
    Accumulator,
}

/// Where the chains end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// C holds raw accumulators, to be continued by a later call.
    Open,
    /// C holds canonical RN(c + 0): the result of the contract.
    Closed,
}

/// Packing buffers, kept between calls. Contents mean nothing to the caller.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    a: Vec<f32>,
    b: Vec<f32>,
}

/// C[m, n] = chain over k of A[m, k]·B[k, n], on the calling thread.
///
/// m, n and k are taken from the views; K = 0 leaves the start values.
///
/// # Panics
/// When the views disagree about m, n or k, or the machine lacks `level`.
pub fn gemm_chain(
    level: Level,
    a: View<'_>,
    b: View<'_>,
    c: &mut Tile<'_>,
    ends: (Start, Finish),
    scratch: &mut Scratch,
) {
    assert_eq!(a.rows(), c.rows(), "rows of A and C");
    assert_eq!(b.cols(), c.cols(), "columns of B and C");
    assert_eq!(a.cols(), b.rows(), "columns of A and rows of B");
    let product = block::Product { a, b: b.transpose(), c, start: ends.0, finish: ends.1, scratch };
    block::run(level, product);
}

#[cfg(test)]
mod tests;
