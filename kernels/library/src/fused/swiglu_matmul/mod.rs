//! SwiGLU and the down projection in one kernel: `y = (silu(gate)·up)·wᵀ`.
//!
//! **Computes.** `gate_up_usf` [units, rows, 2·F] (F gate columns, then F up columns), `w_nf` [N, F] → `h_usf` (dtype of
//! gate_up), `y_usn`. Attributes are `{"first": {}, "second": {"output": dtype of y}}`.
//!
//! **Order of operations.** That of `swiglu` followed by `matmul`: h = RN(silu(gate)·up) with
//! silu(x) = RN(x·RN(1 / RN(1 + exp(−x)))), rounded to the dtype of gate_up; y is one `chain` over F, ascending, of the
//! rounded h. h is an output because the gradient of w reads it.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_simd`: a task makes some rows of h and multiplies them
//! while they are in its cache.
//!
//! **Not promised.** A gradient for an h that something else reads too: such an h must not be fused.

pub(crate) mod cases;
pub(crate) mod cpu;
pub(crate) mod oracle;
pub(crate) mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::ops::matmul;
use crate::room::{Builder, Forward, Fusion, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::Spec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Of `swiglu`.
    pub first: matmul::NoAttributes,
    /// Of `matmul`.
    pub second: matmul::Attributes,
}

pub struct SwigluMatmul;

const KERNELS: &[Kernel] = &[Kernel {
    name: "swiglu_matmul",
    contract: "swiglu_matmul.chain.v1",
    inputs: &["gate_up", "w"],
    outputs: &["h", "y"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs,
}];

impl Room for SwigluMatmul {
    fn name(&self) -> &'static str {
        "swiglu_matmul"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        backward_by(&matmul::Matmul, forward, builder)
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn fusion(&self) -> Option<Fusion> {
        Some(Fusion { kernel: "swiglu_matmul", first: "swiglu", second: "matmul", joint: (0, 0), drops_joint: false })
    }
}

/// The nodes of the chain's gradient: those of the product, then those of `swiglu`.
pub(crate) fn backward_by(
    product: &dyn Room,
    forward: &Forward<'_>,
    builder: &mut dyn Builder,
) -> Result<Vec<Option<ValueId>>, RoomError> {
    let ([gate_up, w], [h, y]) = (forward.inputs, forward.outputs) else {
        unreachable!("a fused product has two inputs and two outputs")
    };
    if forward.gradients[0].is_some() {
        return Err(RoomError::new(forward.kernel, "an h that only the product reads", "a gradient of h"));
    }
    let of_product = Forward {
        kernel: product.name(),
        attributes: &forward.attributes["second"],
        inputs: &[*h, *w],
        outputs: &[*y],
        gradients: &forward.gradients[1..],
    };
    let [dh, dw] = product.backward(&of_product, builder)?[..] else { unreachable!("a product has two inputs") };
    let Some(dh) = dh else { return Ok(vec![None, dw]) };
    let dgate_up = builder.node("swiglu_backward", json!({}), &[*gate_up, dh])?;
    Ok(vec![Some(dgate_up[0]), dw])
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    inferred("swiglu_matmul", attributes, inputs)
}

pub(crate) fn inferred(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { second, .. } = decode(kernel, attributes)?;
    match inputs {
        [gate_up, w]
            if second.output.is_float()
                && gate_up.dtype.is_float()
                && w.dtype.is_float()
                && gate_up.shape.len() == 3
                && w.shape.len() == 2
                && w.shape[1] > 0
                && gate_up.shape[2] == 2 * w.shape[1] =>
        {
            let (units, rows) = (gate_up.shape[0], gate_up.shape[1]);
            Ok(vec![
                Spec::new(gate_up.dtype, &[units, rows, w.shape[1]]),
                Spec::new(second.output, &[units, rows, w.shape[0]]),
            ])
        }
        _ => {
            let expected = "floats gate_up [units, rows, 2·F], w [N, F ≥ 1], and a float output";
            Err(RoomError::new(kernel, expected, format!("{attributes}, {inputs:?}")))
        }
    }
}

/// An element of h is worth about eight multiply-adds.
pub(crate) fn macs(specs: &[Spec]) -> u64 {
    (specs[0].elements() * (specs[1].shape[0] + 8) / 2) as u64
}
