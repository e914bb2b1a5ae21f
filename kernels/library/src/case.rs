//! Inputs of a room's trials, drawn from Philox so that they are the same everywhere.

use crate::tensor::{Dtype, Spec, Tensor};
use numerics::philox::Stream;
use serde_json::Value;

/// One experiment on one kernel. It runs on every variant.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique in the room.
    pub name: String,
    pub kernel: &'static str,
    /// The false pass that this case prevents.
    pub prevents: &'static str,
    pub attributes: Value,
    /// Inputs in the kernel's order, followed by the start values of the outputs that it updates in place.
    pub inputs: Vec<Tensor>,
    /// Only bits are compared: values so extreme that no bound of an oracle means anything.
    pub bits_only: bool,
}

impl Case {
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        kernel: &'static str,
        prevents: &'static str,
        attributes: Value,
        inputs: Vec<Tensor>,
    ) -> Self {
        Self { name: name.into(), kernel, prevents, attributes, inputs, bits_only: false }
    }

    /// Leaves this case out of comparisons with the oracle.
    #[must_use]
    pub fn bits_only(mut self) -> Self {
        self.bits_only = true;
        self
    }
}

/// A room's state taken through several steps, so that it can be killed and resumed between them.
#[derive(Clone, Copy)]
pub struct Walk {
    pub steps: u64,
    pub kernel: &'static str,
    /// Named leaves of the state before the first step.
    pub initial: fn() -> Vec<(&'static str, Tensor)>,
    /// Attributes and operands (inputs, then start values of in-place outputs) of a step.
    pub operands: fn(step: u64, state: &[Tensor]) -> (Value, Vec<Tensor>),
    /// The state after a step from the state before it and the outputs.
    pub advance: fn(step: u64, state: Vec<Tensor>, outputs: Vec<Tensor>) -> Vec<Tensor>,
}

/// Source of the values of one tensor: draws of equal `seed` are equal everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    stream: Stream,
}

impl Draw {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { stream: Stream { seed, step: 0, stream: 0xCA5E } }
    }

    /// Normal values with standard deviation `scale`.
    #[must_use]
    pub fn normal(self, dtype: Dtype, shape: &[usize], scale: f32) -> Tensor {
        let mut values = vec![0.0; shape.iter().product()];
        self.stream.fill_normal(0, &mut values, scale);
        Tensor::from_f32_as(dtype, shape, &values)
    }

    /// Integers in `0..bound`.
    #[must_use]
    pub fn below(self, shape: &[usize], bound: u32) -> Tensor {
        let mut words = vec![0; shape.iter().product()];
        self.stream.fill_words(0, &mut words);
        let reduced: Vec<u32> = words.iter().map(|word| ((u64::from(*word) * u64::from(bound)) >> 32) as u32).collect();
        Tensor::from_bytes(Spec::new(Dtype::U32, shape), bytemuck::cast_slice(&reduced))
    }

    /// Every exponent, subnormals, zeros of both signs and huge values: finite and in no order. `limit` bounds the
    /// magnitude.
    #[must_use]
    pub fn wild(self, dtype: Dtype, shape: &[usize], limit: f32) -> Tensor {
        let mut words = vec![0; shape.iter().product()];
        self.stream.fill_words(0, &mut words);
        let values: Vec<f32> = words
            .iter()
            .map(|word| {
                let value = f32::from_bits(*word);
                if value.is_finite() && value.abs() <= limit { value } else { f32::from_bits(*word & 0x807F_FFFF) }
            })
            .collect();
        Tensor::from_f32_as(dtype, shape, &values)
    }
}
