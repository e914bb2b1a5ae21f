//! Right through the plan: one micro-batch against an f64 evaluation of the same forward nodes.
//!
//! Every forward node of the plan has an oracle in its room. Chained together they give the loss in f64 as a function
//! of the parameters. The plan's gradient must agree with finite differences of that function along random directions,
//! and its loss with that loss. This sees what no room can see alone: a gradient that is lost, doubled, or added to
//! the wrong tensor between rooms.

use crate::error::EngineError;
use crate::session::Session;
use library::check::Array;
use library::registry::Registry;
use library::room::ValueId;
use library::tensor::Tensor;
use numerics::philox::Stream;
use plan::graph::{Node, Phase, Plan, ValueKind};
use std::collections::BTreeMap;

/// Directions that move all parameters, and directions that move one.
const GLOBAL: usize = 1;
const SINGLE: usize = 3;
/// Size of a move, about the standard deviation of an initial matrix.
const SIZE: f32 = 0.05;
/// Relative step along a direction.
const STEP: f64 = 1e-3;
/// Roundings that may pile up in a directional derivative, in units of the storage's ε and relative to the sum of
/// absolute terms. Chains are up to the vocabulary long, but their roundings have both signs; storage in 16 bits
/// rounds at every edge and not inside a chain.
const ROUNDINGS_F32: f64 = 64.0;
const ROUNDINGS_16_BITS: f64 = 4.0;

/// Runs the first micro-batch, and records one check for the loss and one for each direction.
///
/// # Errors
/// When the micro-batch cannot run or the trace cannot be written.
pub fn check(session: &mut Session<'_>) -> Result<(), EngineError> {
    let batch = session.dataset.batch(0)?;
    session.stage.begin(0, batch);
    session.pass("body", 1)?;
    let forward = Forward::new(session);
    let base = forward.loss(&BTreeMap::new());
    let mut checks = Vec::new();
    if let Some((found, magnitude)) = found_loss(session) {
        let bound = forward.epsilon * magnitude.max(base.abs());
        checks.push(("loss".to_owned(), 1, thousandths((found - base).abs(), bound)));
    }
    let gradients = gradients(session);
    let directions = directions(&gradients);
    let mut results = vec![(0, 0); directions.len()];
    let tasks: Vec<_> = directions.iter().zip(&mut results).collect();
    session.context.pool.run(tasks, |_, ((_, moves), result)| *result = forward.along(moves, &gradients));
    checks.extend(directions.into_iter().zip(results).map(|((name, _), (elements, worst))| (name, elements, worst)));
    for (name, elements, worst) in checks {
        session.recorder.check(0, "backward", name, (elements, worst))?;
    }
    session.recorder.end_step(0)
}

fn thousandths(error: f64, bound: f64) -> u64 {
    if error == 0.0 {
        0
    } else if error.is_finite() && bound > 0.0 {
        (error / bound * 1000.0).ceil().min(1e15) as u64
    } else {
        u64::MAX
    }
}

/// Gradient of one parameter over the units of the micro-batch.
struct Gradient {
    name: String,
    parameter: ValueId,
    values: Vec<f64>,
}

fn touched_leaves(session: &Session<'_>) -> usize {
    let data = &session.recipe.semantics.data;
    session.program.plan.micro_batch_units.div_ceil(data.units_per_leaf)
}

fn gradients(session: &Session<'_>) -> Vec<Gradient> {
    let plan = &session.program.plan;
    let touched = touched_leaves(session);
    let mut gradients = Vec::new();
    for (leaf, parameter) in plan.state() {
        let Some(name) = leaf.strip_prefix("params/") else { continue };
        let leaves = plan.find(&format!("leaves/{name}")).expect("every parameter of a part has leaves");
        let view = session.buffers.view(plan, leaves);
        let elements = plan.value(parameter).spec.elements();
        let mut values = vec![0.0; elements];
        for (index, value) in view.f32()[..touched * elements].iter().enumerate() {
            values[index % elements] += f64::from(*value);
        }
        gradients.push(Gradient { name: name.to_owned(), parameter, values });
    }
    gradients
}

/// The plan's own sums of losses, weighted as the gradient is: value and magnitude.
fn found_loss(session: &Session<'_>) -> Option<(f64, f64)> {
    let plan = &session.program.plan;
    let read = |name: &str| plan.find(name).map(|value| session.buffers.view(plan, value).f32().to_vec());
    let (loss, z, weights) = (read("leaves/loss")?, read("leaves/z")?, read("loss.weights")?);
    let touched = touched_leaves(session);
    let sum = |values: &[f32]| values[..touched].iter().fold(0.0, |sum, value| sum + f64::from(*value));
    let value = f64::from(weights[0]) * sum(&loss) + f64::from(weights[1]) / 2.0 * sum(&z);
    Some((value, value.abs()))
}

type Moves = BTreeMap<ValueId, Vec<f64>>;

fn directions(gradients: &[Gradient]) -> Vec<(String, Moves)> {
    let draw = |gradient: &Gradient, index: usize, stream: u32| {
        let mut values = vec![0.0_f32; gradient.values.len()];
        let step = u32::try_from(index).expect("parameters are few");
        Stream { seed: 0xD1FF, step, stream }.fill_normal(0, &mut values, SIZE);
        (gradient.parameter, values.into_iter().map(f64::from).collect())
    };
    let mut directions = Vec::new();
    for global in 0..GLOBAL {
        let moves =
            gradients.iter().enumerate().map(|(index, gradient)| draw(gradient, index, global as u32)).collect();
        directions.push((format!("direction {global} of all parameters"), moves));
    }
    let stride = gradients.len().div_ceil(SINGLE).max(1);
    for (index, gradient) in gradients.iter().enumerate().step_by(stride) {
        let moves = Moves::from([draw(gradient, index, 99)]);
        directions.push((format!("direction of {}", gradient.name), moves));
    }
    directions
}

/// The loss as a function of the parameters, in f64.
struct Forward<'a> {
    plan: &'a Plan,
    registry: &'a Registry,
    nodes: Vec<&'a Node>,
    /// Values that no forward node writes: parameters, state and what the host staged.
    given: BTreeMap<ValueId, Array>,
    root: Root,
    /// Relative bound of a derivative.
    epsilon: f64,
}

enum Root {
    /// Σ w·loss + wz/2·z over the units.
    Loss { loss: ValueId, z: ValueId, weights: ValueId },
    /// Σ y·gradient at the border of a module.
    Boundary { y: ValueId, gradient: ValueId },
}

impl<'a> Forward<'a> {
    fn new(session: &'a Session<'_>) -> Self {
        let plan = &session.program.plan;
        let body = plan.template("body").expect("a part that computes has a body");
        let nodes: Vec<&Node> = body
            .nodes
            .iter()
            .filter(|node| node.phase == Phase::Forward && node.host.is_none() && node.kernel != "accumulate")
            .collect();
        let mut given = BTreeMap::new();
        for value in nodes.iter().flat_map(|node| &node.inputs) {
            if matches!(plan.value(*value).kind, ValueKind::State(_) | ValueKind::Host) {
                let view = session.buffers.view(plan, *value);
                given.insert(*value, Array::of(&Tensor::from_bytes(view.spec.clone(), view.bytes)));
            }
        }
        let loss = nodes.iter().find(|node| node.kernel.contains("cross_entropy"));
        let root = match loss {
            Some(node) => {
                let offset = node.outputs.len() - 3;
                let weights = *node.inputs.last().expect("the loss reads its weights");
                Root::Loss { loss: node.outputs[offset], z: node.outputs[offset + 1], weights }
            }
            None => {
                let of = |name: &str| nodes.iter().find(|node| node.module == name).map(|node| node.outputs[0]);
                let last = nodes.last().expect("a block has nodes");
                let gradient = of("boundary.gradient").expect("a block has a boundary");
                Root::Boundary { y: last.outputs[0], gradient }
            }
        };
        let half_step = plan.values.iter().map(|value| value.spec.dtype.half_step()).fold(0.0, f64::max);
        let roundings = (ROUNDINGS_16_BITS * half_step).max(ROUNDINGS_F32);
        let epsilon = roundings * f64::from(f32::EPSILON);
        Self { plan, registry: &session.policies.registry, nodes, given, root, epsilon }
    }

    /// The loss with some parameters moved.
    fn loss(&self, moved: &Moves) -> f64 {
        let mut values = self.given.clone();
        for (parameter, offset) in moved {
            let array = values.get_mut(parameter).expect("a parameter is read by a forward node");
            array.values.iter_mut().zip(offset).for_each(|(value, offset)| *value += offset);
        }
        for node in &self.nodes {
            let room = self.registry.room_of(&node.kernel).expect("the plan names kernels of the registry");
            let oracle = room.oracle(&node.kernel).expect("every forward kernel has an oracle");
            let inputs: Vec<Array> = node.inputs.iter().map(|input| values[input].clone()).collect();
            let outputs = (oracle.compute)(&node.attributes, &inputs);
            for (output, expected) in node.outputs.iter().zip(outputs) {
                let shape = self.plan.value(*output).spec.shape.clone();
                values.insert(*output, Array { shape, values: expected.values });
            }
        }
        let sum = |value: &ValueId| values[value].values.iter().fold(0.0, |sum, value| sum + value);
        match &self.root {
            Root::Loss { loss, z, weights } => {
                let weights = &values[weights].values;
                weights[0] * sum(loss) + weights[1] / 2.0 * sum(z)
            }
            Root::Boundary { y, gradient } => {
                let pairs = values[y].values.iter().zip(&values[gradient].values);
                pairs.fold(0.0, |sum, (y, gradient)| sum + y * gradient)
            }
        }
    }

    /// Elements moved, and the error of the derivative along `moves` in thousandths of its bound.
    fn along(&self, moves: &Moves, gradients: &[Gradient]) -> (u64, u64) {
        let at = |factor: f64| {
            let scaled = |offsets: &Vec<f64>| offsets.iter().map(|offset| offset * factor * STEP).collect();
            self.loss(&moves.iter().map(|(parameter, offsets)| (*parameter, scaled(offsets))).collect())
        };
        let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * STEP);
        let (mut expected, mut magnitude, mut elements) = (0.0, 0.0, 0);
        for gradient in gradients {
            let Some(offsets) = moves.get(&gradient.parameter) else { continue };
            for (value, offset) in gradient.values.iter().zip(offsets) {
                expected += value * offset;
                magnitude += (value * offset).abs();
                elements += 1;
            }
        }
        (elements, thousandths((slope - expected).abs(), self.epsilon * magnitude))
    }
}
