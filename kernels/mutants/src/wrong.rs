//! Kernels that are wrong in the same way every time: two runs agree, and both are wrong.

use library::ops::{dropout, rmsnorm};
use library::optim::{adamw, ema};
use library::room::{Call, Variant};
use library::tensor::{Tensor, View};
use numerics::format::{bf16_from_f32, bf16_to_f32};

/// Runs the reference of a kernel, with other inputs or attributes.
fn reference(kernel: &str, call: &mut Call<'_, '_>) {
    let registry = library::registry::Registry::standard();
    let kernel = registry.kernel(kernel).expect("the mutant belongs to a kernel of the library");
    let Variant { run, .. } = kernel.reference();
    run(call);
}

/// Replaces input `index` for the reference of `kernel`.
fn with_input(kernel: &str, call: &mut Call<'_, '_>, index: usize, tensor: &Tensor) {
    let mut inputs: Vec<View<'_>> = call.inputs.to_vec();
    inputs[index] = tensor.view();
    let (attributes, context) = (call.attributes, call.context);
    reference(kernel, &mut Call { attributes, inputs: &inputs, outputs: call.outputs, context });
}

/// Adds the gradient of each unit twice.
pub fn accumulate_twice(call: &mut Call<'_, '_>) {
    let mut twice = Tensor::from_bytes(call.inputs[0].spec.clone(), call.inputs[0].bytes);
    for value in twice.view_mut().into_typed::<f32>() {
        *value *= 2.0;
    }
    crate::activated(u64::from(twice.spec.elements() > 0));
    with_input("accumulate", call, 0, &twice);
}

/// Updates parameters and moments in a step that must be skipped.
pub fn adamw_ignores_skip(call: &mut Call<'_, '_>) {
    ignore_skip("adamw", 3, call);
}

/// Moves the average in a step that must be skipped.
pub fn ema_ignores_skip(call: &mut Call<'_, '_>) {
    let ema::Attributes { decay } = call.attributes();
    debug_assert!(decay < 1.0, "an average that never moves hides the fault");
    ignore_skip("ema", 1, call);
}

fn ignore_skip(kernel: &str, flag: usize, call: &mut Call<'_, '_>) {
    let skipped = call.inputs[flag].typed::<u32>()[0] != 0;
    crate::activated(u64::from(skipped));
    let applied = Tensor::zeros(call.inputs[flag].spec.clone());
    with_input(kernel, call, flag, &applied);
}

/// Scales the gradient and forgets which elements were dropped.
pub fn dropout_backward_without_mask(call: &mut Call<'_, '_>) {
    let dropout::Attributes { probability, .. } = call.attributes();
    crate::activated(u64::from(probability > 0.0));
    let scale = (1.0 / (1.0 - f64::from(probability))) as f32;
    let dy = call.inputs[0].floats();
    let mut dx = call.outputs[0].reborrow().into_floats();
    for index in 0..dy.len() {
        dx.set(index, dy.get(index) * scale);
    }
}

/// Adds the float after ε.
pub fn rmsnorm_epsilon_plus_one_ulp(call: &mut Call<'_, '_>) {
    let rmsnorm::Attributes { epsilon } = call.attributes();
    let attributes = serde_json::to_value(rmsnorm::Attributes { epsilon: epsilon.next_up() }).expect("plain data");
    crate::activated(1);
    let (inputs, context) = (call.inputs, call.context);
    reference("rmsnorm", &mut Call { attributes: &attributes, inputs, outputs: call.outputs, context });
}

/// Rotates by the angle of the next position.
pub fn rope_next_position(call: &mut Call<'_, '_>) {
    let mut next = Tensor::from_bytes(call.inputs[1].spec.clone(), call.inputs[1].bytes);
    for position in next.view_mut().into_typed::<i32>() {
        *position = position.saturating_add(1);
    }
    crate::activated(u64::from(next.spec.elements() > 0));
    with_input("rope", call, 1, &next);
}

/// Rotates by angles whose sine and cosine were cast to bf16 with the rest of the model.
pub fn rope_table_in_bf16(call: &mut Call<'_, '_>) {
    let mut table = Tensor::from_bytes(call.inputs[2].spec.clone(), call.inputs[2].bytes);
    for value in table.view_mut().into_typed::<f32>() {
        *value = bf16_to_f32(bf16_from_f32(*value));
    }
    crate::activated(u64::from(table.bytes() != call.inputs[2].bytes));
    with_input("rope", call, 2, &table);
}

/// Gives every parameter the weight decay of the first group.
pub fn adamw_first_group(call: &mut Call<'_, '_>) {
    let adamw::Attributes { epsilon, decay } = call.attributes();
    let attributes = serde_json::to_value(adamw::Attributes { epsilon, decay: true }).expect("plain data");
    crate::activated(u64::from(!decay));
    let (inputs, context) = (call.inputs, call.context);
    reference("adamw", &mut Call { attributes: &attributes, inputs, outputs: call.outputs, context });
}
