//! A tape that runs every node at once: gradients of rooms and fusions can be tried without a plan.

use crate::context::Context;
use crate::registry::Registry;
use crate::room::{Builder, Call, Kernel, RoomError, ValueId, Variant};
use crate::tensor::{Spec, Tensor, View, ViewMut};
use serde_json::Value;

/// Runs one variant of one kernel on owned tensors. `operands` are the inputs, followed by the start values of the
/// outputs that are updated in place. Other outputs start as `poison`, so that an unwritten element shows.
///
/// # Errors
/// When the kernel refuses the operands.
pub fn run(
    kernel: &Kernel,
    variant: &Variant,
    attributes: &Value,
    operands: &[Tensor],
    poison: u8,
    context: &Context,
) -> Result<Vec<Tensor>, RoomError> {
    let specs: Vec<Spec> = operands.iter().map(|tensor| tensor.spec.clone()).collect();
    let output_specs = (kernel.infer)(attributes, &specs)?;
    let (inputs, in_place) = operands.split_at(operands.len() - kernel.in_place);
    let mut outputs: Vec<Tensor> = output_specs
        .into_iter()
        .enumerate()
        .map(|(index, spec)| match in_place.get(index) {
            Some(start) => start.clone(),
            None => {
                let mut tensor = Tensor::zeros(spec);
                tensor.bytes_mut().fill(poison);
                tensor
            }
        })
        .collect();
    let views: Vec<View<'_>> = inputs.iter().map(Tensor::view).collect();
    let mut views_mut: Vec<ViewMut<'_>> = outputs.iter_mut().map(Tensor::view_mut).collect();
    (variant.run)(&mut Call { attributes, inputs: &views, outputs: &mut views_mut, context });
    Ok(outputs)
}

/// Values of a graph, computed as it is built.
pub struct Tape<'a> {
    registry: &'a Registry,
    context: &'a Context,
    /// Name of the variant to run where a kernel has it; otherwise its reference runs.
    variant: &'a str,
    values: Vec<Tensor>,
}

impl<'a> Tape<'a> {
    #[must_use]
    pub fn new(registry: &'a Registry, context: &'a Context, variant: &'a str) -> Self {
        Self { registry, context, variant, values: Vec::new() }
    }

    pub fn input(&mut self, tensor: Tensor) -> ValueId {
        self.values.push(tensor);
        ValueId(self.values.len() - 1)
    }

    #[must_use]
    pub fn tensor(&self, value: ValueId) -> &Tensor {
        &self.values[value.0]
    }
}

impl Builder for Tape<'_> {
    fn node(&mut self, kernel: &str, attributes: Value, inputs: &[ValueId]) -> Result<Vec<ValueId>, RoomError> {
        let kernel = self
            .registry
            .kernel(kernel)
            .ok_or_else(|| RoomError::new(kernel, "a kernel of the registry", "no such kernel"))?;
        let operands: Vec<Tensor> = inputs.iter().map(|value| self.tensor(*value).clone()).collect();
        let variant = kernel.variant(self.variant).unwrap_or(kernel.reference());
        let outputs = run(kernel, variant, &attributes, &operands, 0xA5, self.context)?;
        Ok(outputs.into_iter().map(|tensor| self.input(tensor)).collect())
    }

    fn spec(&self, value: ValueId) -> Spec {
        self.tensor(value).spec.clone()
    }
}
