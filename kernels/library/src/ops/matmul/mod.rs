//! Matrix products of a linear layer without bias: `y = x·wᵀ`.
//!
//! **Computes.** `matmul`: `x_usk` [units, rows, K], `w_nk` [N, K] → `y_usn`. `matmul_dgrad`: `dy_usn`, `w_nk` →
//! `dx_usk`. `matmul_wgrad`: `dy_usn`, `x_usk` → `dw_unk` f32, one slice for each unit. Operands are f32, bf16 or fp16,
//! in any mixture; the attribute `output` is the dtype of `y` and of `dx`.
//!
//! **Order of operations.** Every output element is one `chain`: `acc ← fma(a, b, acc)` from +0, then RN(acc + 0), then
//! one rounding to the dtype of the output. The chain runs over K in `matmul`, over N in `matmul_dgrad`, and over the
//! rows of the unit in `matmul_wgrad`, always ascending. bf16 operands are widened, which is exact. A chain over nothing
//! gives +0.
//!
//! **Variants.** `cpu_reference`: three loops. `cpu_simd`: packed panels and register tiles of the context's level;
//! tasks own rows of the output, or columns where rows are few.
//!
//! **Not promised.** Nothing about the order of the two factors of a product; it moves no bit.

mod arithmetic;
mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::{Arithmetic, Scratch};
pub(crate) use cpu::{dgrad_by, forward_by, piece, products, wgrad_by, widened};
pub(crate) use oracle::{nothing, oracle, rows_by_rows, transposed};

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Attributes of `matmul` and `matmul_dgrad`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Dtype of the output: f32, bf16 or fp16.
    pub output: Dtype,
}

/// `matmul_wgrad` has none: its output is always f32.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoAttributes {}

pub struct Matmul;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "matmul",
        contract: "matmul.chain.v1",
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
        name: "matmul_dgrad",
        contract: "matmul_dgrad.chain.v1",
        inputs: &["dy", "w"],
        outputs: &["dx"],
        in_place: 0,
        infer: infer_dgrad,
        variants: &[Variant { name: REFERENCE, run: reference::dgrad }, Variant { name: "cpu_simd", run: cpu::dgrad }],
        macs: |specs| macs(&specs[0], specs[1].shape[1]),
    },
    Kernel {
        name: "matmul_wgrad",
        contract: "matmul_wgrad.chain.v1",
        inputs: &["dy", "x"],
        outputs: &["dw"],
        in_place: 0,
        infer: infer_wgrad,
        variants: &[Variant { name: REFERENCE, run: reference::wgrad }, Variant { name: "cpu_simd", run: cpu::wgrad }],
        macs: |specs| macs(&specs[0], specs[1].shape[2]),
    },
];

impl Room for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let (Some(dy), [x, w]) = (forward.gradients[0], forward.inputs) else {
            return Ok(vec![None, None]);
        };
        let output = json!({"output": builder.spec(*x).dtype});
        let dx = builder.node("matmul_dgrad", output, &[dy, *w])?;
        let dw = builder.node("matmul_wgrad", json!({}), &[dy, *x])?;
        Ok(vec![Some(dx[0]), Some(dw[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { output } = output("matmul", attributes)?;
    match inputs {
        [x, w] if activations(x) && weights(w) && x.shape[2] == w.shape[1] => {
            Ok(vec![Spec::new(output, &[x.shape[0], x.shape[1], w.shape[0]])])
        }
        _ => Err(RoomError::new("matmul", "floats x [units, rows, K], w [N, K]", format!("{inputs:?}"))),
    }
}

fn infer_dgrad(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { output } = output("matmul_dgrad", attributes)?;
    match inputs {
        [dy, w] if activations(dy) && weights(w) && dy.shape[2] == w.shape[0] => {
            Ok(vec![Spec::new(output, &[dy.shape[0], dy.shape[1], w.shape[1]])])
        }
        _ => Err(RoomError::new("matmul_dgrad", "floats dy [units, rows, N], w [N, K]", format!("{inputs:?}"))),
    }
}

fn infer_wgrad(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<NoAttributes>("matmul_wgrad", attributes)?;
    match inputs {
        [dy, x] if activations(dy) && activations(x) && dy.shape[..2] == x.shape[..2] => {
            Ok(vec![Spec::f32(&[dy.shape[0], dy.shape[2], x.shape[2]])])
        }
        _ => {
            let expected = "floats dy [units, rows, N], x [units, rows, K]";
            Err(RoomError::new("matmul_wgrad", expected, format!("{inputs:?}")))
        }
    }
}

fn output(kernel: &str, attributes: &Value) -> Result<Attributes, RoomError> {
    let attributes: Attributes = decode(kernel, attributes)?;
    if attributes.output.is_float() {
        Ok(attributes)
    } else {
        Err(RoomError::new(kernel, "an output dtype of f32, bf16 or fp16", attributes.output.name()))
    }
}

fn activations(spec: &Spec) -> bool {
    spec.shape.len() == 3 && spec.dtype.is_float()
}

fn weights(spec: &Spec) -> bool {
    spec.shape.len() == 2 && spec.dtype.is_float()
}

fn macs(first: &Spec, other: usize) -> u64 {
    first.elements() as u64 * other as u64
}
