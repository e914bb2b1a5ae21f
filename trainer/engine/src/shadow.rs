//! The f64 shadow of a run: the same plan, carried out in f64 along with it, from the same parameters.
//!
//! Every value of the plan has a second, f64 value. A node's shadow outputs are what the oracle of its room computes
//! from its shadow inputs, so errors add up in the shadow's comparison as they add up in the run: over nodes, over
//! micro-batches, and through the parameters over steps. No value of the shadow is rounded to a storage format.
//!
//! Taken from the run as it is: what the host stages (tokens, masks, the rotary table), what a node without inputs
//! writes (initial values), integers and flags (whether a step is skipped), and outputs of kernels without an oracle,
//! which the file names. The shadow changes nothing in the run: a run with it has the bits of a run without.

use crate::buffers::Buffers;
use crate::error::EngineError;
use crate::progress::StepReport;
use contract::SCHEMA;
use contract::shadow::{Place, SHADOW, ShadowFile, ShadowStep, TensorError};
use library::check::{Array, Distance, Oracle};
use library::registry::Registry;
use library::room::ValueId;
use library::tensor::{Dtype, Spec};
use plan::graph::{Node, Phase, Plan, ValueKind};
use plan::semantics::Wire;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub struct Shadow {
    oracles: BTreeMap<String, Oracle>,
    values: BTreeMap<ValueId, Array>,
    rows: Vec<Row>,
    /// By node and output.
    row_of: BTreeMap<(String, usize), usize>,
    /// Errors of the step that is running, by row: a step that turns out to be skipped is left out.
    running: BTreeMap<usize, Distance>,
    steps: Vec<ShadowStep>,
    not_shadowed: Vec<String>,
}

struct Row {
    place: Place,
    op: String,
    contract: String,
    spec: Spec,
    total: Distance,
    by_step: Vec<(u64, Option<f64>)>,
}

const fn is_float(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::F32 | Dtype::Bf16 | Dtype::Fp16)
}

impl Shadow {
    /// A shadow that has seen nothing yet, with the oracles that `registry` has for the kernels of `plan`.
    #[must_use]
    pub fn new(plan: &Plan, registry: &Registry) -> Self {
        let (mut oracles, mut not_shadowed) = (BTreeMap::new(), Vec::new());
        let (mut rows, mut row_of) = (Vec::new(), BTreeMap::new());
        let mut seen: BTreeMap<(Phase, &str, &str), u64> = BTreeMap::new();
        for (_, node) in plan.nodes().filter(|(_, node)| node.host.is_none()) {
            match registry.room_of(&node.kernel).and_then(|room| room.oracle(&node.kernel)) {
                Some(oracle) => drop(oracles.insert(node.kernel.clone(), oracle)),
                None if not_shadowed.contains(&node.kernel) => {}
                None => not_shadowed.push(node.kernel.clone()),
            }
            for (output, value) in node.outputs.iter().enumerate() {
                let value = plan.value(*value);
                let occurrence = seen.entry((node.phase, &node.module, &value.name)).or_default();
                let place = Place {
                    phase: node.phase.name().to_owned(),
                    module: node.module.clone(),
                    tensor: value.name.clone(),
                    occurrence: *occurrence,
                };
                *occurrence += 1;
                if is_float(value.spec.dtype) && oracles.contains_key(&node.kernel) && !node.inputs.is_empty() {
                    row_of.insert((node.id.clone(), output), rows.len());
                    let (op, contract, spec) = (node.kernel.clone(), node.contract.clone(), value.spec.clone());
                    rows.push(Row { place, op, contract, spec, total: Distance::default(), by_step: Vec::new() });
                }
            }
        }
        let (values, running) = (BTreeMap::new(), BTreeMap::new());
        Self { oracles, values, rows, row_of, running, steps: Vec::new(), not_shadowed }
    }

    /// Forgets the sums of the last step, as the buffers do.
    pub fn begin_step(&mut self, plan: &Plan) {
        for (_, node) in plan.nodes() {
            for value in &node.outputs[..node.in_place] {
                if plan.value(*value).kind == ValueKind::Persistent {
                    self.values.remove(value);
                }
            }
        }
        self.running.clear();
    }

    /// Takes what the host wrote.
    pub(crate) fn host(&mut self, plan: &Plan, node: &Node, buffers: &Buffers) {
        for value in &node.outputs {
            self.values.insert(*value, Array::of_view(&buffers.view(plan, *value)));
        }
    }

    /// Before a node runs: takes operands that nothing has written yet.
    pub(crate) fn before(&mut self, plan: &Plan, node: &Node, buffers: &Buffers) {
        for value in node.inputs.iter().chain(&node.outputs[..node.in_place]) {
            self.values.entry(*value).or_insert_with(|| Array::of_view(&buffers.view(plan, *value)));
        }
    }

    /// After a node has run: computes its outputs in f64 and compares.
    pub(crate) fn after(&mut self, plan: &Plan, node: &Node, buffers: &Buffers) {
        let oracle = self.oracles.get(&node.kernel).filter(|_| !node.inputs.is_empty());
        let Some(oracle) = oracle else { return self.host(plan, node, buffers) };
        let operands = node.inputs.iter().chain(&node.outputs[..node.in_place]);
        let operands: Vec<Array> = operands.map(|value| self.values[value].clone()).collect();
        let expected = (oracle.compute)(&unrounded(&node.attributes), &operands);
        for (output, (value, expected)) in node.outputs.iter().zip(expected).enumerate() {
            let view = buffers.view(plan, *value);
            if !is_float(view.spec.dtype) {
                self.values.insert(*value, Array::of_view(&view));
                continue;
            }
            let row = self.row_of[&(node.id.clone(), output)];
            self.running.entry(row).or_default().add(&view, &expected.values);
            self.values.insert(*value, Array { shape: view.spec.shape.clone(), values: expected.values });
        }
        for value in &node.releases {
            self.values.remove(value);
        }
    }

    /// Closes a step: keeps its errors, unless it was skipped, and its losses.
    pub fn end_step(&mut self, plan: &Plan, report: &StepReport) {
        let read = |name: &str| Some(self.values.get(&plan.find(name)?)?.values[1]);
        let loss = plan.find("report").map(|_| f64::from(report.loss[1]));
        let held_out = report.evaluation.map(f64::from);
        self.steps.push(ShadowStep {
            step: report.step,
            skipped: report.skipped,
            loss,
            shadow_loss: read("report"),
            held_out,
            shadow_held_out: held_out.and_then(|_| read("eval.report")),
        });
        let running = std::mem::take(&mut self.running);
        if report.skipped {
            return;
        }
        for (row, distance) in running {
            let row = &mut self.rows[row];
            row.total.merge(&distance);
            row.by_step.push((report.step, distance.relative_rms()));
        }
    }

    /// Writes `shadow.json`: every tensor that a step compared.
    ///
    /// # Errors
    /// When the run directory cannot be written.
    pub fn write(self, directory: &Path) -> Result<(), EngineError> {
        let compared = self.rows.into_iter().filter(|row| !row.by_step.is_empty());
        let tensors = compared.map(Row::error).collect();
        let (steps, not_shadowed) = (self.steps, self.not_shadowed);
        let file = ShadowFile { schema: SCHEMA, steps, tensors, not_shadowed };
        crate::environment::write_json(&directory.join(SHADOW), &file)
    }
}

impl Row {
    fn error(self) -> TensorError {
        let Distance { elements, not_finite, max_abs, max_ulp, .. } = self.total;
        TensorError {
            place: self.place,
            op: self.op,
            contract: self.contract,
            dtype: self.spec.dtype.name().to_owned(),
            shape: self.spec.dimensions(),
            elements,
            not_finite,
            max_abs,
            relative_rms: self.total.relative_rms(),
            max_ulp,
            rms_ulp: self.total.rms_ulp(self.spec.dtype),
            by_step: self.by_step,
        }
    }
}

/// The attributes without the one rounding that an oracle repeats: that of the wire.
fn unrounded(attributes: &Value) -> Value {
    let mut attributes = attributes.clone();
    if let Some(wire) = attributes.get_mut("wire") {
        *wire = Wire::Fp32Leaf.name().into();
    }
    attributes
}
