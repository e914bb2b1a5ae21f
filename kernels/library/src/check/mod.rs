//! Right, not only repeatable: kernels against an independent f64 oracle, and gradients against finite differences of
//! that oracle.
//!
//! The oracle shares no code with the kernels and follows no contract: it computes in f64 in whatever order is most
//! obvious. The bound of an element is `roundings · ε · magnitude`, where ε belongs to the dtype of the output and the
//! magnitude is the sum of the absolute terms that the element was made of. It says nothing about bits.

mod distance;

pub use distance::Distance;

use crate::case::Case;
use crate::context::Context;
use crate::eager::{Tape, run};
use crate::registry::Registry;
use crate::room::{Builder, Forward, Fusion, Kernel, Room, RoomError, Variant};
use crate::tensor::{Dtype, Spec, Tensor, View};
use numerics::format::{bf16_from_f32, bf16_to_f32};
use numerics::philox::Stream;
use serde_json::Value;

/// An f64 tensor. Integers are exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    #[must_use]
    pub fn of(tensor: &Tensor) -> Self {
        Self::of_view(&tensor.view())
    }

    /// The same of a tensor that lies in a buffer.
    #[must_use]
    pub fn of_view(view: &View<'_>) -> Self {
        let values = match view.spec.dtype {
            Dtype::F32 | Dtype::Bf16 | Dtype::Fp16 => {
                let floats = view.floats();
                (0..floats.len()).map(|index| f64::from(floats.get(index))).collect()
            }
            Dtype::I32 => view.typed::<i32>().iter().map(|value| f64::from(*value)).collect(),
            Dtype::U32 => view.typed::<u32>().iter().map(|value| f64::from(*value)).collect(),
            Dtype::U64 => view.typed::<u64>().iter().map(|value| *value as f64).collect(),
            Dtype::U8 => view.typed::<u8>().iter().map(|value| f64::from(*value)).collect(),
        };
        Self { shape: view.spec.shape.clone(), values }
    }
}

/// What an output should be.
#[derive(Clone, Debug)]
pub struct Expected {
    pub values: Vec<f64>,
    /// Sum of the absolute terms of each value: what rounding errors are relative to.
    pub magnitudes: Vec<f64>,
}

impl Expected {
    /// Values whose magnitude is their own absolute value.
    #[must_use]
    pub fn exact(values: Vec<f64>) -> Self {
        let magnitudes = values.iter().map(|value| value.abs()).collect();
        Self { values, magnitudes }
    }
}

/// An independent computation of a kernel.
#[derive(Clone, Copy)]
pub struct Oracle {
    /// Outputs from attributes and operands (inputs, then start values of in-place outputs).
    pub compute: fn(&Value, &[Array]) -> Vec<Expected>,
    /// Roundings that may pile up in one output element.
    pub roundings: fn(&Value, &[Spec]) -> f64,
    /// Inputs to differentiate by; empty for kernels without a gradient.
    pub differentiable: &'static [usize],
    /// Outputs that carry a gradient.
    pub carries: &'static [usize],
}

/// The comparison of one tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub tensor: String,
    pub elements: u64,
    /// Largest error in thousandths of its bound; 1000 or less is right.
    pub worst_thousandths: u64,
    pub worst_index: usize,
}

impl Checked {
    #[must_use]
    pub fn right(&self) -> bool {
        self.worst_thousandths <= 1000
    }
}

/// Coordinates of one input that finite differences are taken at.
const COORDINATES: usize = 40;
/// Relative step of a finite difference; with four points its error is far below f32's.
const STEP: f64 = 1e-3;

/// Compares one variant with the oracle on one case.
///
/// # Errors
/// When the kernel refuses the case.
pub fn outputs(
    kernel: &Kernel,
    variant: &Variant,
    oracle: &Oracle,
    case: &Case,
    context: &Context,
) -> Result<Vec<Checked>, RoomError> {
    let found = run(kernel, variant, &case.attributes, &case.inputs, 0xA5, context)?;
    let arrays: Vec<Array> = case.inputs.iter().map(Array::of).collect();
    let specs: Vec<Spec> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let roundings = (oracle.roundings)(&case.attributes, &specs);
    let expected = (oracle.compute)(&case.attributes, &arrays);
    Ok(found
        .iter()
        .zip(&expected)
        .enumerate()
        .map(|(index, (tensor, expected))| compare(kernel.outputs[index], tensor, expected, roundings))
        .collect())
}

fn compare(name: &str, tensor: &Tensor, expected: &Expected, roundings: f64) -> Checked {
    let found = Array::of(tensor);
    assert_eq!(found.values.len(), expected.values.len(), "the oracle of {name} has another shape than the kernel");
    let mut checked = Checked { tensor: name.to_owned(), elements: 0, worst_thousandths: 0, worst_index: 0 };
    for (index, value) in found.values.iter().enumerate() {
        let bound = bound(tensor.spec.dtype, roundings, expected.magnitudes[index]);
        note(&mut checked, index, (value - expected.values[index]).abs(), bound);
    }
    checked
}

fn bound(dtype: Dtype, roundings: f64, magnitude: f64) -> f64 {
    let smallest = match dtype {
        Dtype::F32 | Dtype::Bf16 => f64::from(f32::MIN_POSITIVE),
        // Subnormal numbers of fp16 are 2^-24 apart.
        Dtype::Fp16 => 1.0 / f64::from(1 << 24),
        _ => return 0.0,
    };
    (roundings + dtype.half_step()) * f64::from(f32::EPSILON) * magnitude + smallest
}

fn note(checked: &mut Checked, index: usize, error: f64, bound: f64) {
    checked.elements += 1;
    let thousandths = if error == 0.0 {
        0
    } else if error.is_finite() && bound > 0.0 {
        (error / bound * 1000.0).ceil().min(1e15) as u64
    } else {
        u64::MAX
    };
    if thousandths > checked.worst_thousandths {
        checked.worst_thousandths = thousandths;
        checked.worst_index = index;
    }
}

/// Compares the gradient that the room's backward nodes give with finite differences of the oracle.
///
/// # Errors
/// When a kernel refuses the case.
pub fn gradients(
    registry: &Registry,
    room: &dyn Room,
    case: &Case,
    variant: &str,
    context: &Context,
) -> Result<Vec<Checked>, RoomError> {
    let kernel = registry.kernel(case.kernel).expect("a case names a kernel of its room");
    let Some(oracle) = room.oracle(case.kernel).filter(|oracle| !oracle.differentiable.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut tape = Tape::new(registry, context, variant);
    let inputs: Vec<_> = case.inputs.iter().map(|tensor| tape.input(tensor.clone())).collect();
    let outputs = tape.node(case.kernel, case.attributes.clone(), &inputs)?;
    let mut gradients = vec![None; outputs.len()];
    let mut upstream = vec![Vec::new(); outputs.len()];
    let arrays: Vec<Array> = case.inputs.iter().map(Array::of).collect();
    for output in oracle.carries {
        if let Some(weights) = room.root_weights(case.kernel, *output, &arrays) {
            upstream[*output] = weights;
            continue;
        }
        let spec = tape.spec(outputs[*output]);
        let mut values = vec![0.0; spec.elements()];
        Stream { seed: 0x6AAD, step: *output as u32, stream: 1 }.fill_normal(0, &mut values, 1.0);
        // Values that bf16 has: a room that casts its gradient loses nothing.
        values.iter_mut().for_each(|value| *value = bf16_to_f32(bf16_from_f32(*value)));
        let tensor = Tensor::from_f32_as(spec.dtype, &spec.shape, &values);
        upstream[*output] = Array::of(&tensor).values;
        gradients[*output] = Some(tape.input(tensor));
    }
    let forward = Forward {
        kernel: case.kernel,
        attributes: &case.attributes,
        inputs: &inputs,
        outputs: &outputs,
        gradients: &gradients,
    };
    let found = room.backward(&forward, &mut tape)?;
    let specs: Vec<Spec> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let roundings = (oracle.roundings)(&case.attributes, &specs) * 4.0 + 64.0;
    let mut results = Vec::new();
    for input in oracle.differentiable {
        let gradient = found[*input]
            .ok_or_else(|| RoomError::new(case.kernel, format!("a gradient of `{}`", kernel.inputs[*input]), "none"))?;
        let tensor = tape.tensor(gradient);
        let name = format!("d{}", kernel.inputs[*input]);
        results.push(against_differences(
            &oracle,
            &case.attributes,
            &arrays,
            *input,
            &upstream,
            tensor,
            roundings,
            name,
        ));
    }
    Ok(results)
}

#[expect(clippy::too_many_arguments, reason = "one private call site; a struct would only rename the arguments")]
fn against_differences(
    oracle: &Oracle,
    attributes: &Value,
    inputs: &[Array],
    input: usize,
    upstream: &[Vec<f64>],
    gradient: &Tensor,
    roundings: f64,
    name: String,
) -> Checked {
    let elements = inputs[input].values.len();
    let total = sum_units(&Array::of(gradient), elements);
    let mut checked = Checked { tensor: name, elements: 0, worst_thousandths: 0, worst_index: 0 };
    for index in coordinates(elements) {
        let at = inputs[input].values[index];
        let step = STEP * at.abs().max(0.1);
        let moved = |offset: f64| {
            let mut inputs = inputs.to_vec();
            inputs[input].values[index] = at + offset;
            (oracle.compute)(attributes, &inputs)
        };
        let points = [moved(-2.0 * step), moved(-step), moved(step), moved(2.0 * step)];
        let (mut slope, mut magnitude) = (0.0, 0.0);
        for output in oracle.carries {
            for (element, weight) in upstream[*output].iter().enumerate() {
                let value = |point: usize| points[point][*output].values[element];
                let term = weight * (8.0 * (value(2) - value(1)) - (value(3) - value(0))) / (12.0 * step);
                slope += term;
                magnitude += term.abs();
                if term != 0.0 {
                    // A gradient is a difference of terms as large as weight · value / coordinate, which may cancel.
                    magnitude += (weight * value(1)).abs() / at.abs().max(0.1);
                }
            }
        }
        let bound = bound(gradient.spec.dtype, roundings, magnitude) + 1e-9 * (1.0 + magnitude);
        note(&mut checked, index, (total[index] - slope).abs(), bound);
    }
    checked
}

/// Gradients of parameters have a leading axis of units: their sum is what a difference sees.
fn sum_units(gradient: &Array, elements: usize) -> Vec<f64> {
    let mut total = vec![0.0; elements];
    for (index, value) in gradient.values.iter().enumerate() {
        total[index % elements.max(1)] += value;
    }
    total
}

fn coordinates(elements: usize) -> Vec<usize> {
    if elements <= COORDINATES {
        return (0..elements).collect();
    }
    let stream = Stream { seed: 0xC00D, step: 0, stream: 2 };
    let mut chosen: Vec<usize> = (0..COORDINATES as u64).map(|index| stream.word(index) as usize % elements).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Runs the chain of two kernels that a fusion replaces, by their references. Outputs of the first (without the joint one
/// where the fusion drops it), then the second.
///
/// # Errors
/// When a kernel refuses the case.
pub fn composition(
    registry: &Registry,
    fusion: &Fusion,
    case: &Case,
    context: &Context,
) -> Result<Vec<Tensor>, RoomError> {
    let kernel = |name: &str| registry.kernel(name).expect("a fusion names kernels of the registry");
    let (first, second) = (kernel(fusion.first), kernel(fusion.second));
    let (of_first, rest) = case.inputs.split_at(first.inputs.len());
    let mut outputs = run(first, first.reference(), &case.attributes["first"], of_first, 0xA5, context)?;
    let mut of_second = rest.to_vec();
    of_second.insert(fusion.joint.1, outputs[fusion.joint.0].clone());
    if fusion.drops_joint {
        outputs.remove(fusion.joint.0);
    }
    outputs.extend(run(second, second.reference(), &case.attributes["second"], &of_second, 0xA5, context)?);
    Ok(outputs)
}
