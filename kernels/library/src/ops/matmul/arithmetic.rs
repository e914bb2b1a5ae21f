//! What one output element of a product is: a chain in fp32, or steps of a tensor core.

use crate::tensor::{Dtype, FloatsMut};
use numerics::gemm;
use numerics::gemm::{Finish, Start, Tile, View, gemm_chain};
use numerics::simd::Level;
use numerics::tensor_core::{self, Format};
use std::cell::RefCell;

/// The arithmetic of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// One fma after the other.
    Chain,
    /// One tensor-core step after the other, operands in this format.
    TensorCore(Format),
}

/// Ends of a product that one call computes.
const WHOLE: (Start, Finish) = (Start::Zero, Finish::Closed);

/// Packing buffers of both kinds.
#[derive(Default)]
pub(crate) struct Scratch {
    chain: gemm::Scratch,
    tensor_core: tensor_core::Scratch,
}

thread_local! {
    /// Packing buffers of a worker. Every product overwrites what it reads.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Arithmetic {
    /// Steps of a tensor core on operands of this dtype, which `infer` has accepted.
    pub fn of_tensor_core(dtype: Dtype) -> Self {
        Self::TensorCore(dtype.tensor_core_format().expect("infer has accepted the dtype"))
    }

    /// C = A·B, or C + A·B from the values in C. With `Finish::Open` a later call may go on.
    pub fn product(
        self,
        level: Level,
        a: View<'_>,
        b: View<'_>,
        c: &mut Tile<'_>,
        ends: (Start, Finish),
        scratch: &mut Scratch,
    ) {
        match self {
            Self::Chain => gemm_chain(level, a, b, c, ends, &mut scratch.chain),
            // A step gives no negative zero, so that the end of the chain has nothing to do.
            Self::TensorCore(format) => {
                tensor_core::chain(level, format, a, b, c, ends.0, &mut scratch.tensor_core);
            }
        }
    }

    /// [`Self::product`] on whole rows of C, with the buffers of this thread.
    pub fn rows(self, level: Level, a: View<'_>, b: View<'_>, c: &mut [f32], ends: (Start, Finish)) {
        let mut tile = Tile::row_major(c, a.rows(), b.cols());
        SCRATCH.with_borrow_mut(|scratch| self.product(level, a, b, &mut tile, ends, scratch));
    }

    /// Whole rows of C = A·B on this thread, rounded to the dtype of `out`.
    pub fn tiled(self, level: Level, a: View<'_>, b: View<'_>, mut out: FloatsMut<'_>) {
        match &mut out {
            FloatsMut::F32(values) => self.rows(level, a, b, values, WHOLE),
            FloatsMut::Bf16(_) | FloatsMut::Fp16(_) => {
                let mut sums = vec![0.0; a.rows() * b.cols()];
                self.rows(level, a, b, &mut sums, WHOLE);
                out.store(0, &sums);
            }
        }
    }
}
