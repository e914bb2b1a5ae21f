//! Causal softmax attention inside documents, with grouped key and value heads.
//!
//! **Computes.** `attention`: `qkv_usw` [units, positions, (Hq + 2·Hkv)·h] (all query heads, then all key heads, then
//! all value heads; f32, bf16 or fp16), `document_start_us` i32 → `o_usw` [units, positions, Hq·h] (dtype of qkv) and
//! `lse2_uqs` f32 [units, Hq, positions], the base-2 logarithm of the softmax's denominator.
//! `attention_backward`: `qkv`, `o`, `lse2`, `do` (spec of o), `document_start` → `dqkv` (spec of qkv).
//!
//! **Who sees whom.** Positions of a unit are packed rows of `row_tokens`, one after the other. Position i sees j when
//! both lie in one packed row and `document_start[i] ≤ j ≤ i`; `document_start` counts from the start of the unit.
//! Query head q reads key and value head q / (Hq / Hkv). A packed row is cut into blocks of 128 keys from its own start;
//! the last one may be short. What cannot be seen is skipped: it enters no maximum, sum or chain, whatever it holds.
//! For finite operands that equals multiplying it by a weight of +0, since all chains end with RN(x + 0).
//!
//! **Order of operations, forward.** c = f32(log2 e / √h), computed in f64. For each query row, over the blocks in which
//! it sees something, ascending:
//! - S = `chain` over the channels, fma(q, k, ·), for each visible key; RN(S + 0).
//! - m = the larger of m and the largest S, by integer keys; μ = RN(m·c).
//! - p = `exp2.poly5.v1`(fma(S, c, −μ)); α = `exp2.poly5.v1`(RN(μ_old − μ)).
//! - l = fma(l, α, s), s = `lanes32` of p over the 128 columns of the block, invisible ones +0.
//! - O = RN(O·α), then for each channel O ← fma(P, v, O) over the visible keys, ascending.
//! - In the first visible block l = s, and the chains of O start from +0.
//!
//! At the end o = RN(RN(O + 0)·RN(1/l)), then the dtype; lse2 = fma(log l, f32(log2 e), μ), log correctly rounded.
//! P is p, rounded to the dtype of qkv; l always adds the unrounded p.
//!
//! **Order of operations, backward.** S as above; p = `exp2.poly5.v1`(fma(S, c, −lse2)); P as above;
//! D = `lanes32` over the channels of RN(do·o); dP = `chain` over the channels, fma(do, v, ·), RN(dP + 0);
//! dS = RN(p·RN(dP − D)) with the unrounded p, rounded to the dtype of qkv.
//! - dv: one chain, fma(P, do, ·); dk: one chain, fma(dS, q, ·). Both run over the query heads of the group, and
//!   inside over the query rows that see the key, ascending, from +0.
//! - dq: in each block in which the row sees something one chain, fma(dS, k, ·), from +0 over the visible keys; blocks
//!   are added by RN, ascending, from +0.
//! - RN(x + 0) ends each chain. dq and dk are then multiplied by f32(1/√h), computed in f64, by RN.
//!
//! A position that sees nothing (`document_start` behind it) has o = +0, lse2 = −∞ and dq = +0; a key that nobody sees
//! has dk = dv = +0.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_simd`: tiles of scores by the library's matrix product,
//! blocks without visible keys left out, one task for each unit, packed row and head.
//!
//! **Not promised.** Scores beyond 2^30 / c: the residue of RN(m·c) leaves the domain of `exp2.poly5.v1`. The bits are
//! still those of the reference, but they mean nothing.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use cases::cases;
pub(crate) use cpu::{backward_by, forward_by};
pub(crate) use oracle::oracle;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Keys of one block.
pub(crate) const BLOCK: usize = 128;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Hq.
    pub query_heads: usize,
    /// Hkv, a divisor of Hq.
    pub kv_heads: usize,
    /// h, channels of one head.
    pub head_width: usize,
    /// Positions of a packed row, a divisor of the unit's positions.
    pub row_tokens: usize,
}

impl Attributes {
    /// Channels of one position of `qkv`.
    pub(crate) fn width(&self) -> usize {
        (self.query_heads + 2 * self.kv_heads) * self.head_width
    }

    /// Query heads that share a key and value head.
    pub(crate) fn group(&self) -> usize {
        self.query_heads / self.kv_heads
    }

    /// f32(log2 e / √h): turns a score into an exponent of two.
    pub(crate) fn exponent_scale(&self) -> f32 {
        (std::f64::consts::LOG2_E / (self.head_width as f64).sqrt()) as f32
    }

    /// f32(1/√h).
    pub(crate) fn gradient_scale(&self) -> f32 {
        (1.0 / (self.head_width as f64).sqrt()) as f32
    }

    fn valid(&self, qkv: &Spec, document_start: &Spec) -> bool {
        self.kv_heads > 0
            && self.query_heads > 0
            && self.query_heads.is_multiple_of(self.kv_heads)
            && self.head_width > 0
            && self.row_tokens > 0
            && qkv.dtype.is_float()
            && qkv.shape.len() == 3
            && qkv.shape[1].is_multiple_of(self.row_tokens)
            && qkv.shape[2] == self.width()
            && *document_start == Spec::new(Dtype::I32, &qkv.shape[..2])
    }

    fn o(&self, qkv: &Spec) -> Spec {
        Spec::new(qkv.dtype, &[qkv.shape[0], qkv.shape[1], self.query_heads * self.head_width])
    }

    fn lse2(&self, qkv: &Spec) -> Spec {
        Spec::f32(&[qkv.shape[0], self.query_heads, qkv.shape[1]])
    }
}

pub struct Attention;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "attention",
        contract: "attention.chain_blocks128.v1",
        inputs: &["qkv", "document_start"],
        outputs: &["o", "lse2"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs: |specs| macs(&specs[0]),
    },
    Kernel {
        name: "attention_backward",
        contract: "attention_backward.chain_blocks128.v1",
        inputs: &["qkv", "o", "lse2", "do", "document_start"],
        outputs: &["dqkv"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs: |specs| macs(&specs[0]) / 2 * 5,
    },
];

impl Room for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let (Some(gradient), [qkv, document_start]) = (forward.gradients[0], forward.inputs) else {
            return Ok(vec![None, None]);
        };
        let inputs = [*qkv, forward.outputs[0], forward.outputs[1], gradient, *document_start];
        let gradients = builder.node("attention_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0]), None])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle(kernel)
    }
}

const EXPECTED: &str = "heads, a head width and row tokens of 1 or more, kv heads that divide the query heads, row \
                        tokens that divide the positions, qkv [units, positions, (query + 2·kv heads)·head width], \
                        document_start i32 [units, positions]";

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    inferred("attention", attributes, inputs)
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    inferred_backward("attention_backward", attributes, inputs)
}

pub(crate) fn inferred(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let decoded: Attributes = decode(kernel, attributes)?;
    match inputs {
        [qkv, document_start] if decoded.valid(qkv, document_start) => Ok(vec![decoded.o(qkv), decoded.lse2(qkv)]),
        _ => Err(RoomError::new(kernel, EXPECTED, format!("{attributes}, {inputs:?}"))),
    }
}

pub(crate) fn inferred_backward(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let decoded: Attributes = decode(kernel, attributes)?;
    match inputs {
        [qkv, o, lse2, gradient, document_start]
            if decoded.valid(qkv, document_start)
                && *o == decoded.o(qkv)
                && gradient == o
                && *lse2 == decoded.lse2(qkv) =>
        {
            Ok(vec![qkv.clone()])
        }
        _ => {
            let expected = format!("{EXPECTED}; o, lse2 as `attention` gives them, do like o");
            Err(RoomError::new(kernel, expected, format!("{attributes}, {inputs:?}")))
        }
    }
}

/// Two products over half of the pairs of positions; heads and rows are not known here, so a third of the width counts.
pub(crate) fn macs(qkv: &Spec) -> u64 {
    (qkv.elements() * qkv.shape[1] / 3) as u64
}
