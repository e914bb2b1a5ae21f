//! SwiGLU and the down projection in one kernel, with the arithmetic of Hopper's tensor cores: `y = (silu(gate)·up)·wᵀ`.
//!
//! **Computes.** `swiglu_matmul_tc16` has the operands, outputs and attributes of `swiglu_matmul`, with `gate_up`, `w`
//! and `h` in bf16 or all in fp16; `y` is f32, bf16 or fp16.
//!
//! **Order of operations.** That of `swiglu` followed by `matmul_tc16`: h as in `swiglu_matmul`, rounded to the dtype of
//! gate_up; an element of y is one `tc16` over F, ascending, of the rounded h, from +0.
//!
//! **Variants.** `cpu_reference`: one step after the other, in integers. `cpu_simd`: the tasks of `swiglu_matmul` with
//! steps in vector registers.
//!
//! **Not promised.** As for `swiglu_matmul`.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::fused::swiglu_matmul::{backward_by, inferred, macs};
use crate::ops::matmul_tc16::{MatmulTc16, operands};
use crate::room::{Builder, Forward, Fusion, Kernel, REFERENCE, Room, RoomError, ValueId, Variant};
use crate::tensor::Spec;
use serde_json::Value;

pub struct SwigluMatmulTc16;

const KERNELS: &[Kernel] = &[Kernel {
    name: "swiglu_matmul_tc16",
    contract: "swiglu_matmul.tc16.v1",
    inputs: &["gate_up", "w"],
    outputs: &["h", "y"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs,
}];

impl Room for SwigluMatmulTc16 {
    fn name(&self) -> &'static str {
        "swiglu_matmul_tc16"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        backward_by(&MatmulTc16, forward, builder)
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn fusion(&self) -> Option<Fusion> {
        Some(Fusion {
            kernel: "swiglu_matmul_tc16",
            first: "swiglu",
            second: "matmul_tc16",
            joint: (0, 0),
            drops_joint: false,
        })
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    match inputs {
        [gate_up, w] if !operands(gate_up, w) => {
            let expected = "gate_up and w both bf16 or both fp16";
            Err(RoomError::new("swiglu_matmul_tc16", expected, format!("{inputs:?}")))
        }
        _ => inferred("swiglu_matmul_tc16", attributes, inputs),
    }
}
