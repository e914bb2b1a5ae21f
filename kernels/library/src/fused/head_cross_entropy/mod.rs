//! The output head and its cross-entropy in one: the logits of all columns never exist at once.
//!
//! **Computes.** Forward: `x_usd` [units, positions, width], `w_vd` [columns, width], `targets_us` u32,
//! `weights` f32 [2] → `loss_u`, `z_u`, `lse_us` f32: the outputs of `cross_entropy` on the logits `x·wᵀ`, which are
//! f32. Backward: `x`, `w`, `targets`, `lse`, `weights` → `dx_usd` (dtype of x), `dw_uvd` f32, one slice for each unit:
//! the outputs of `matmul_dgrad` and `matmul_wgrad` on the gradient of `cross_entropy_backward`.
//!
//! **Order of operations.** A logit is one `chain` over the width. Losses as in the room `cross_entropy`, whose blocks
//! of 1,024 columns are also the blocks of this kernel. Backward: logits again, block by block, with the same bits;
//! dlogits as in `cross_entropy_backward`, rounded to the second `output`; dx = one `chain` over the columns ascending,
//! which goes on from block to block, rounded once at its end; dw of a unit = one `chain` over its positions ascending.
//! Every chain ends with RN(acc + (+0)).
//!
//! **Gradient.** A root, like `cross_entropy`: no incoming gradient is read.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_threads`: rows of logits, then columns of dw, spread
//! over the pool; logits of one block of columns exist at a time.
//!
//! **Not promised.** As for `cross_entropy`. Logits of another dtype than f32 are refused.

pub(crate) mod cases;
pub(crate) mod cpu;
pub(crate) mod oracle;
pub(crate) mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::{Array, Oracle};
use crate::ops::cross_entropy::{self, check_output};
use crate::room::{Builder, Forward, Fusion, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Those of `matmul`: the dtype of the logits, which is f32.
    pub first: cross_entropy::Attributes,
    /// Those of `cross_entropy`: the dtype to which dlogits are rounded.
    pub second: cross_entropy::Attributes,
}

pub struct HeadCrossEntropy;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "head_cross_entropy",
        contract: "head_cross_entropy.chain_lanes32_tree.v1",
        inputs: &["x", "w", "targets", "weights"],
        outputs: &["loss", "z", "lse"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_threads", run: cpu::forward },
        ],
        macs: |specs| macs(specs),
    },
    Kernel {
        name: "head_cross_entropy_backward",
        contract: "head_cross_entropy_backward.chain.v1",
        inputs: &["x", "w", "targets", "lse", "weights"],
        outputs: &["dx", "dw"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_threads", run: cpu::backward },
        ],
        macs: |specs| 3 * macs(specs),
    },
];

impl Room for HeadCrossEntropy {
    fn name(&self) -> &'static str {
        "head_cross_entropy"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        backward_by("head_cross_entropy_backward", forward, builder)
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn root_weights(&self, _: &str, output: usize, inputs: &[Array]) -> Option<Vec<f64>> {
        Some(cross_entropy::root_weights(output, inputs[0].shape[0], &inputs[3].values))
    }

    fn fusion(&self) -> Option<Fusion> {
        Some(Fusion {
            kernel: "head_cross_entropy",
            first: "matmul",
            second: "cross_entropy",
            joint: (0, 0),
            drops_joint: true,
        })
    }
}

pub(crate) fn backward_by(
    kernel: &str,
    forward: &Forward<'_>,
    builder: &mut dyn Builder,
) -> Result<Vec<Option<ValueId>>, RoomError> {
    let [x, w, targets, weights] = forward.inputs else { unreachable!("a head with its loss has four inputs") };
    let inputs = [*x, *w, *targets, forward.outputs[2], *weights];
    let gradients = builder.node(kernel, forward.attributes.clone(), &inputs)?;
    Ok(vec![Some(gradients[0]), Some(gradients[1]), None, None])
}

fn attributes(kernel: &str, attributes: &Value) -> Result<(), RoomError> {
    let attributes: Attributes = decode(kernel, attributes)?;
    if attributes.first.output != Dtype::F32 {
        return Err(RoomError::new(kernel, "logits (first output) in f32", attributes.first.output.name()));
    }
    check_output(kernel, attributes.second)
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    inferred("head_cross_entropy", attributes, inputs)
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    inferred_backward("head_cross_entropy_backward", attributes, inputs)
}

pub(crate) fn inferred(kernel: &str, value: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    attributes(kernel, value)?;
    match inputs {
        [x, w, targets, weights] if valid(x, w, targets, weights) => {
            let units = Spec::f32(&x.shape[..1]);
            Ok(vec![units.clone(), units, Spec::f32(&x.shape[..2])])
        }
        _ => Err(refusal(kernel, inputs)),
    }
}

pub(crate) fn inferred_backward(kernel: &str, value: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    attributes(kernel, value)?;
    match inputs {
        [x, w, targets, lse, weights] if valid(x, w, targets, weights) && *lse == Spec::f32(&x.shape[..2]) => {
            Ok(vec![x.clone(), Spec::f32(&[x.shape[0], w.shape[0], w.shape[1]])])
        }
        _ => Err(refusal(kernel, inputs)),
    }
}

fn valid(x: &Spec, w: &Spec, targets: &Spec, weights: &Spec) -> bool {
    x.shape.len() == 3
        && x.dtype.is_float()
        && w.dtype.is_float()
        && w.shape.len() == 2
        && w.shape[0] > 0
        && w.shape[1] > 0
        && w.shape[1] == x.shape[2]
        && *targets == Spec::new(Dtype::U32, &x.shape[..2])
        && *weights == Spec::f32(&[2])
}

fn refusal(kernel: &str, inputs: &[Spec]) -> RoomError {
    let expected = "x [units, positions, width ≥ 1], w [columns ≥ 1, width], targets u32 [units, positions], \
                    (backward: lse f32 [units, positions],) weights f32 [2]";
    RoomError::new(kernel, expected, format!("{inputs:?}"))
}

pub(crate) fn macs(specs: &[Spec]) -> u64 {
    specs[0].elements() as u64 * specs[1].shape[0] as u64
}
