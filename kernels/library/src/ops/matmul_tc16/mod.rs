//! Matrix products of a linear layer with the arithmetic of Hopper's tensor cores: `y = x·wᵀ`.
//!
//! **Computes.** `matmul_tc16`: `x_usk` [units, rows, K], `w_nk` [N, K] → `y_usn`. `matmul_tc16_dgrad`: `dy_usn`,
//! `w_nk` → `dx_usk`. `matmul_tc16_wgrad`: `dy_usn`, `x_usk` → `dw_unk` f32, one slice for each unit. Operands are bf16
//! or fp16, both of one dtype; the attribute `output` is the dtype of `y` and of `dx`: f32, bf16 or fp16.
//! `matmul_tc16_batched`: `a_bmk` [batch, M, K], `b_bkn` [batch, K, N] → `y_bmn` (dtype `output`), y = a·b for each
//! matrix of the batch. With `transpose_a` a is stored as [batch, K, M], with `transpose_b` b as [batch, N, K]. This is
//! what an optimizer that orthogonalises needs: X·Xᵀ, Xᵀ·X and B·X on a stack of matrices of one shape.
//!
//! **Order of operations.** Every output element is one `tc16`: steps of 16 products as [`numerics::tensor_core`]
//! describes them, from +0, and one rounding to the dtype of the output. The steps run over K in `matmul_tc16` and in
//! `matmul_tc16_batched`, over N in `matmul_tc16_dgrad`, and over the rows of the unit in `matmul_tc16_wgrad`, always
//! ascending. How an operand is stored, and the rest of the batch, move no bit. A last short step is filled up with
//! zeros, which move no bit. Nothing gives +0.
//!
//! **Variants.** `cpu_reference`: one step after the other, in integers. `cpu_simd`: the exact float form of a step in
//! register tiles; tasks own rows of the output, or columns where rows are few.
//!
//! **Gradient.** Of `matmul_tc16` alone: nothing that an optimizer computes is differentiated.
//!
//! **Not promised.** Nothing about the order of the two factors of a product, nor of the 16 products of a step: they
//! move no bit.

mod batched;
mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use oracle::roundings_of;
pub(crate) use reference::{dot, steps};

use crate::case::Case;
use crate::check::Oracle;
use crate::ops::matmul::{Attributes, NoAttributes};
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde_json::{Value, json};

pub struct MatmulTc16;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "matmul_tc16",
        contract: "matmul.tc16.v1",
        inputs: &["x", "w"],
        outputs: &["y"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs: |specs| macs(&specs[0], specs[1].shape[0]),
    },
    Kernel {
        name: "matmul_tc16_dgrad",
        contract: "matmul_dgrad.tc16.v1",
        inputs: &["dy", "w"],
        outputs: &["dx"],
        in_place: 0,
        infer: infer_dgrad,
        variants: &[Variant { name: REFERENCE, run: reference::dgrad }, Variant { name: "cpu_simd", run: cpu::dgrad }],
        macs: |specs| macs(&specs[0], specs[1].shape[1]),
    },
    Kernel {
        name: "matmul_tc16_wgrad",
        contract: "matmul_wgrad.tc16.v1",
        inputs: &["dy", "x"],
        outputs: &["dw"],
        in_place: 0,
        infer: infer_wgrad,
        variants: &[Variant { name: REFERENCE, run: reference::wgrad }, Variant { name: "cpu_simd", run: cpu::wgrad }],
        macs: |specs| macs(&specs[0], specs[1].shape[2]),
    },
    Kernel {
        name: "matmul_tc16_batched",
        contract: "matmul_batched.tc16.v1",
        inputs: &["a", "b"],
        outputs: &["y"],
        in_place: 0,
        infer: batched::infer,
        variants: &[
            Variant { name: REFERENCE, run: reference::batched },
            Variant { name: "cpu_simd", run: cpu::batched },
        ],
        macs: batched::macs,
    },
];

impl Room for MatmulTc16 {
    fn name(&self) -> &'static str {
        "matmul_tc16"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let (Some(mut dy), [x, w]) = (forward.gradients[0], forward.inputs) else {
            return Ok(vec![None, None]);
        };
        if forward.kernel != "matmul_tc16" {
            return Err(RoomError::new(forward.kernel, "a kernel with a gradient: matmul_tc16", forward.kernel));
        }
        let operand = builder.spec(*x).dtype;
        if builder.spec(dy).dtype != operand {
            dy = builder.node("cast", json!({"dtype": operand}), &[dy])?[0];
        }
        let dx = builder.node("matmul_tc16_dgrad", json!({"output": operand}), &[dy, *w])?;
        let dw = builder.node("matmul_tc16_wgrad", json!({}), &[dy, *x])?;
        Ok(vec![Some(dx[0]), Some(dw[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let output = output_of("matmul_tc16", attributes)?;
    match inputs {
        [x, w] if operands(x, w) && x.shape.len() == 3 && w.shape.len() == 2 && x.shape[2] == w.shape[1] => {
            Ok(vec![Spec::new(output, &[x.shape[0], x.shape[1], w.shape[0]])])
        }
        _ => Err(refused("matmul_tc16", "x [units, rows, K], w [N, K]", inputs)),
    }
}

fn infer_dgrad(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let output = output_of("matmul_tc16_dgrad", attributes)?;
    match inputs {
        [dy, w] if operands(dy, w) && dy.shape.len() == 3 && w.shape.len() == 2 && dy.shape[2] == w.shape[0] => {
            Ok(vec![Spec::new(output, &[dy.shape[0], dy.shape[1], w.shape[1]])])
        }
        _ => Err(refused("matmul_tc16_dgrad", "dy [units, rows, N], w [N, K]", inputs)),
    }
}

fn infer_wgrad(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<NoAttributes>("matmul_tc16_wgrad", attributes)?;
    match inputs {
        [dy, x] if operands(dy, x) && dy.shape.len() == 3 && x.shape.len() == 3 && dy.shape[..2] == x.shape[..2] => {
            Ok(vec![Spec::f32(&[dy.shape[0], dy.shape[2], x.shape[2]])])
        }
        _ => Err(refused("matmul_tc16_wgrad", "dy [units, rows, N], x [units, rows, K]", inputs)),
    }
}

/// Both in one format that a tensor core multiplies.
pub(crate) fn operands(a: &Spec, b: &Spec) -> bool {
    a.dtype.tensor_core_format().is_some() && a.dtype == b.dtype
}

fn refused(kernel: &str, shapes: &str, inputs: &[Spec]) -> RoomError {
    RoomError::new(kernel, format!("{shapes}, both bf16 or both fp16"), format!("{inputs:?}"))
}

fn output_of(kernel: &str, attributes: &Value) -> Result<Dtype, RoomError> {
    let attributes: Attributes = decode(kernel, attributes)?;
    output(kernel, attributes.output)
}

fn output(kernel: &str, output: Dtype) -> Result<Dtype, RoomError> {
    if output.is_float() {
        Ok(output)
    } else {
        Err(RoomError::new(kernel, "an output dtype of f32, bf16 or fp16", output.name()))
    }
}

fn macs(first: &Spec, other: usize) -> u64 {
    first.elements() as u64 * other as u64
}
