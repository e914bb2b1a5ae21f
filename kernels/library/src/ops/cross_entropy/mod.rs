//! Cross-entropy of logits against target columns, with z-loss.
//!
//! **Computes.** Forward: `logits_usv` f32 [units, positions, columns], `targets_us` u32 (0xFFFFFFFF: not counted),
//! `weights` f32 [2] = [w, wz] → `loss_u` f32, `z_u` f32, `lse_us` f32. Losses are sums, not means: the weights are
//! read by the backward kernel only, where they carry the loss scale, the token count and the z-loss coefficient.
//! Backward: `logits`, `targets`, `lse`, `weights` → `dlogits_usv` (dtype `output`).
//!
//! **Order of operations.** Columns in blocks of 1,024. In block b: m_b is the largest logit by integer order key, and
//! s_b = `lanes32` of exp(RN(x − m_b)). M = max m_b; S = `tree` over blocks of RN(s_b·exp(RN(m_b − M)));
//! lse = RN(M + log S). `loss` of a unit = `blocked` over its positions of RN(lse − logit of the target); `z` =
//! `blocked` of RN(lse·lse). An uncounted position adds +0 at its place in both, and its lse is +0.
//! Backward: p = exp(RN(x − lse)); t = RN(w·RN(p − onehot)); dlogit = RN(t + RN(RN(wz·lse)·p)), one cast. When wz is
//! zero, dlogit = t: nothing is added, so a −0 stays −0 (adding +0 would make it +0) and an infinite lse adds no NaN.
//! Every column of an uncounted position is +0. exp and log are correctly rounded.
//!
//! **Gradient.** The loss is a root of the graph: its gradient is 1 by definition and its scale is in `weights`, so
//! the backward rule reads no incoming gradient and always adds its node. wz holds 2·λz·scale/N: the 2 comes from the
//! square.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_threads`: rows spread over the pool, columns side by
//! side.
//!
//! **Not promised.** A target that is no column and not 0xFFFFFFFF makes the loss of its unit NaN and matches no column
//! in the backward kernel. A block of columns that are all −Inf, or any NaN or +Inf, makes its row's lse NaN.

pub(crate) mod cases;
pub(crate) mod cpu;
pub(crate) mod oracle;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use reference::logsumexp;

use crate::case::Case;
use crate::check::{Array, Oracle};
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Columns of one block.
pub(crate) const COLUMNS: usize = 1024;

/// The target of a position that does not count.
pub const UNCOUNTED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Dtype of dlogits: f32, bf16 or fp16.
    pub output: Dtype,
}

pub struct CrossEntropy;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "cross_entropy",
        contract: "cross_entropy.lanes32_tree.v1",
        inputs: &["logits", "targets", "weights"],
        outputs: &["loss", "z", "lse"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_threads", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "cross_entropy_backward",
        contract: "cross_entropy_backward.elementwise.v1",
        inputs: &["logits", "targets", "lse", "weights"],
        outputs: &["dlogits"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_threads", run: cpu::backward },
        ],
        macs,
    },
];

impl Room for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross_entropy"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let [logits, targets, weights] = forward.inputs else { unreachable!("cross_entropy has three inputs") };
        let inputs = [*logits, *targets, forward.outputs[2], *weights];
        let gradients = builder.node("cross_entropy_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0]), None, None])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn root_weights(&self, _: &str, output: usize, inputs: &[Array]) -> Option<Vec<f64>> {
        Some(root_weights(output, inputs[0].shape[0], &inputs[2].values))
    }
}

/// The scalar that the backward kernel differentiates is Σ w·loss + Σ (wz / 2)·z.
pub(crate) fn root_weights(output: usize, units: usize, weights: &[f64]) -> Vec<f64> {
    match output {
        0 => vec![weights[0]; units],
        _ => vec![weights[1] / 2.0; units],
    }
}

pub(crate) fn check_output(kernel: &str, attributes: Attributes) -> Result<(), RoomError> {
    if attributes.output.is_float() {
        return Ok(());
    }
    Err(RoomError::new(kernel, "output f32, bf16 or fp16", attributes.output.name()))
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    check_output("cross_entropy", decode("cross_entropy", attributes)?)?;
    match inputs {
        [logits, targets, weights] if valid(logits, targets, weights) => {
            let units = Spec::f32(&logits.shape[..1]);
            Ok(vec![units.clone(), units, Spec::f32(&logits.shape[..2])])
        }
        _ => Err(RoomError::new(
            "cross_entropy",
            "logits f32 [units, positions, columns ≥ 1], targets u32 [units, positions], weights f32 [2]",
            format!("{inputs:?}"),
        )),
    }
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let attributes: Attributes = decode("cross_entropy_backward", attributes)?;
    check_output("cross_entropy_backward", attributes)?;
    match inputs {
        [logits, targets, lse, weights] if valid(logits, targets, weights) && *lse == Spec::f32(&logits.shape[..2]) => {
            Ok(vec![Spec::new(attributes.output, &logits.shape)])
        }
        _ => Err(RoomError::new(
            "cross_entropy_backward",
            "logits f32 [units, positions, columns ≥ 1], targets u32 and lse f32 [units, positions], weights f32 [2]",
            format!("{inputs:?}"),
        )),
    }
}

fn valid(logits: &Spec, targets: &Spec, weights: &Spec) -> bool {
    logits.shape.len() == 3
        && logits.dtype == Dtype::F32
        && logits.shape[2] > 0
        && *targets == Spec::new(Dtype::U32, &logits.shape[..2])
        && *weights == Spec::f32(&[2])
}

/// An exponential is worth about eight multiply-adds.
fn macs(specs: &[Spec]) -> u64 {
    10 * specs[0].elements() as u64
}
