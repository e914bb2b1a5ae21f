//! Flips the lowest bit of the first element of a tensor: the smallest change that there is.
//!
//! **Computes.** No inputs; one output of any dtype and shape, changed in place. A tensor without elements stays.

use library::case::Case;
use library::check::Oracle;
use library::room::{Call, Kernel, REFERENCE, Room, RoomError, Variant};
use library::tensor::{Spec, Tensor};
use serde_json::{Value, json};

/// The room of the flip.
pub struct FlipLowestBit;

const NAME: &str = "flip_lowest_bit";

const KERNELS: &[Kernel] = &[Kernel {
    name: NAME,
    contract: "flip_lowest_bit.first_element.v1",
    inputs: &[],
    outputs: &["flipped"],
    in_place: 1,
    infer,
    variants: &[Variant { name: REFERENCE, run }],
    macs: |_| 0,
}];

impl Room for FlipLowestBit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        let values = Tensor::from_f32(&[3], &[1.0, 2.0, 3.0]);
        vec![Case::new("three_values", NAME, "a flip that flips nothing", json!({}), vec![values]).bits_only()]
    }

    fn oracle(&self, _: &str) -> Option<Oracle> {
        None
    }
}

fn infer(_: &Value, operands: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    match operands {
        [spec] => Ok(vec![spec.clone()]),
        _ => Err(RoomError::new(NAME, "one tensor, changed in place", format!("{operands:?}"))),
    }
}

fn run(call: &mut Call<'_, '_>) {
    // Every dtype is stored little-endian, so the first byte holds the lowest bit.
    if let Some(byte) = call.outputs[0].bytes.first_mut() {
        *byte ^= 1;
        crate::activated(1);
    }
}
