//! Gradients of a fusion against the gradients of the chain that it replaces.

use super::{cases, compare, contexts};
use crate::case::{Case, Draw};
use crate::context::Context;
use crate::eager::Tape;
use crate::registry::Registry;
use crate::room::{Builder, Forward, Fusion, REFERENCE, Room, RoomError, ValueId};
use crate::tensor::Tensor;
use numerics::simd::Level;
use serde_json::json;

/// Gradients of the inputs of a fused kernel; `None` for an input without one.
type Gradients = Result<Vec<Option<ValueId>>, RoomError>;

/// The gradient of a fused kernel has the bits of the gradient of the chain, for every variant and in every context.
pub fn fusion_gradient_equals_composition(room: &dyn Room) {
    let registry = Registry::standard();
    let fusion = room.fusion().expect("the room is a fusion");
    let fused = registry.kernel(fusion.kernel).expect("the fused kernel exists");
    let single = Context::new(1, Level::Scalar);
    let mut compared = 0;
    for case in cases(room).iter().filter(|case| case.kernel == fusion.kernel) {
        let mut tape = Tape::new(&registry, &single, REFERENCE);
        let gradients = of_chain(&registry, room, &fusion, &mut tape, case).expect("a case is accepted");
        let expected = tensors(&tape, &gradients);
        for (name, context) in contexts() {
            for variant in fused.variants.iter().map(|variant| variant.name) {
                let mut tape = Tape::new(&registry, &context, variant);
                let gradients = of_fused(room, &mut tape, case).expect("a case is accepted");
                let found = tensors(&tape, &gradients);
                assert_eq!(found.len(), expected.len(), "{}: inputs with a gradient", case.name);
                compare(
                    &format!("gradients of {} case {} variant {variant} ({name})", fused.name, case.name),
                    &found,
                    &expected,
                );
                compared += found.len();
            }
        }
    }
    assert!(compared > 0, "{}: nothing was compared", room.name());
}

fn tensors(tape: &Tape<'_>, gradients: &[Option<ValueId>]) -> Vec<Tensor> {
    gradients.iter().flatten().map(|gradient| tape.tensor(*gradient).clone()).collect()
}

fn of_fused(room: &dyn Room, tape: &mut Tape<'_>, case: &Case) -> Gradients {
    let inputs: Vec<ValueId> = case.inputs.iter().map(|tensor| tape.input(tensor.clone())).collect();
    let outputs = tape.node(case.kernel, case.attributes.clone(), &inputs)?;
    let gradients = upstream(room, tape, case, &outputs);
    let attributes = &case.attributes;
    let forward =
        Forward { kernel: case.kernel, attributes, inputs: &inputs, outputs: &outputs, gradients: &gradients };
    room.backward(&forward, tape)
}

fn of_chain(registry: &Registry, room: &dyn Room, fusion: &Fusion, tape: &mut Tape<'_>, case: &Case) -> Gradients {
    let rooms = [fusion.first, fusion.second].map(|kernel| registry.room_of(kernel).expect("a kernel of a room"));
    let [first, second] = ["first", "second"].map(|which| &case.attributes[which]);
    let inputs: Vec<ValueId> = case.inputs.iter().map(|tensor| tape.input(tensor.clone())).collect();
    let kernel = registry.kernel(fusion.first).expect("a fusion names kernels of the registry");
    let (of_first, rest) = inputs.split_at(kernel.inputs.len());
    let outputs = tape.node(fusion.first, first.clone(), of_first)?;
    let mut of_second = rest.to_vec();
    of_second.insert(fusion.joint.1, outputs[fusion.joint.0]);
    let last = tape.node(fusion.second, second.clone(), &of_second)?;
    let mut kept = outputs.clone();
    if fusion.drops_joint {
        kept.remove(fusion.joint.0);
    }
    let mut gradients = upstream(room, tape, case, &[&kept[..], &last[..]].concat());
    let of_last = gradients.split_off(kept.len());
    if fusion.drops_joint {
        gradients.insert(fusion.joint.0, None);
    }
    let forward =
        Forward { kernel: fusion.second, attributes: second, inputs: &of_second, outputs: &last, gradients: &of_last };
    let mut found = rooms[1].backward(&forward, tape)?;
    // The second kernel is the first that reads the joint value; what else reads it comes later.
    let joint = &mut gradients[fusion.joint.0];
    *joint = match (found.remove(fusion.joint.1), *joint) {
        (Some(second), Some(later)) => Some(tape.node("grad_add", json!({}), &[second, later])?[0]),
        (second, later) => second.or(later),
    };
    let forward =
        Forward { kernel: fusion.first, attributes: first, inputs: of_first, outputs: &outputs, gradients: &gradients };
    let mut all = rooms[0].backward(&forward, tape)?;
    all.append(&mut found);
    Ok(all)
}

/// A drawn gradient for each output that carries one and is no root.
fn upstream(room: &dyn Room, tape: &mut Tape<'_>, case: &Case, outputs: &[ValueId]) -> Vec<Option<ValueId>> {
    let carries = room.oracle(case.kernel).expect("a fusion has an oracle").carries;
    let arrays: Vec<_> = case.inputs.iter().map(crate::check::Array::of).collect();
    let mut gradients = Vec::new();
    for (index, output) in outputs.iter().enumerate() {
        let drawn = carries.contains(&index) && room.root_weights(case.kernel, index, &arrays).is_none();
        let spec = tape.spec(*output);
        gradients.push(drawn.then(|| tape.input(Draw::new(0xD0 + index as u64).normal(spec.dtype, &spec.shape, 1.0))));
    }
    gradients
}
