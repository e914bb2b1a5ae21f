//! Writes what a run does to its trace, as much as the request asks for.
//!
//! Recording reads tensors and changes nothing. What is recorded at a low level is the same at every higher one.

use crate::buffers::Buffers;
use crate::error::EngineError;
use contract::execution::{Observe, ObserveLevel};
use contract::record::{Body, Role, TensorRecord};
use contract::trace::{TraceWriter, element_file, elements_path};
use fingerprint::Fingerprint;
use library::room::ValueId;
use library::tensor::{Spec, Tensor, View};
use plan::graph::{Node, Phase, Plan};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub struct Recorder {
    writer: TraceWriter,
    observe: Observe,
    directory: PathBuf,
    records: u64,
    /// Tensors of this step whose bytes were written, by node and role.
    seen: BTreeMap<(String, Role), u64>,
}

impl Recorder {
    /// Creates the trace files of rank 0 in `directory`.
    ///
    /// # Errors
    /// When they exist or cannot be created.
    pub fn create(directory: &Path, observe: Observe) -> Result<Self, EngineError> {
        let writer = TraceWriter::create(directory, 0).map_err(|source| EngineError::trace(directory, source))?;
        Ok(Self { writer, observe, directory: directory.to_owned(), records: 0, seen: BTreeMap::new() })
    }

    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    fn write(&mut self, step: u64, phase: &str, body: Body) -> Result<(), EngineError> {
        self.records += 1;
        self.writer.record(step, phase, body).map_err(|source| EngineError::trace(&self.directory, source))
    }

    /// A number of the step, by its bits.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn scalar(&mut self, step: u64, phase: &str, name: &str, value: f32) -> Result<(), EngineError> {
        self.write(step, phase, Body::Scalar { name: name.to_owned(), bits: format!("{:08x}", value.to_bits()) })
    }

    /// An act whose order is part of the contract.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn event(&mut self, step: u64, phase: &str, name: &str, detail: &str) -> Result<(), EngineError> {
        if self.observe.at(step) < ObserveLevel::Step {
            return Ok(());
        }
        self.write(step, phase, Body::Event { name: name.to_owned(), detail: detail.to_owned() })
    }

    /// A comparison with an independent reference.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn check(&mut self, step: u64, phase: &str, name: String, checked: (u64, u64)) -> Result<(), EngineError> {
        self.write(step, phase, Body::Check { name, elements: checked.0, worst_thousandths: checked.1 })
    }

    /// Leaves of the state, in the order given.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn state<'a>(
        &mut self,
        step: u64,
        phase: &str,
        leaves: impl Iterator<Item = (&'a str, View<'a>)>,
    ) -> Result<(), EngineError> {
        if self.observe.at(step) < ObserveLevel::Step {
            return Ok(());
        }
        for (leaf, view) in leaves {
            let body = Body::State {
                leaf: leaf.to_owned(),
                dtype: view.spec.dtype.name().to_owned(),
                shape: view.spec.dimensions(),
                fingerprint: Fingerprint::of_bytes(view.bytes),
            };
            self.write(step, phase, body)?;
        }
        Ok(())
    }

    /// Operands of a node before it runs, or results after it ran.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn node(
        &mut self,
        plan: &Plan,
        node: &Node,
        role: Role,
        buffers: &Buffers,
        step: u64,
    ) -> Result<(), EngineError> {
        let level = self.observe.at(step);
        let wanted = match role {
            _ if level >= ObserveLevel::Op => true,
            Role::In => false,
            Role::Out => {
                (level >= ObserveLevel::Phase && node.phase == Phase::Reduce)
                    || (level >= ObserveLevel::Module && crosses(plan, node))
            }
        };
        if !wanted {
            return Ok(());
        }
        let read_in_place = &node.outputs[..node.in_place];
        let operands: Vec<ValueId> = match role {
            Role::In => node.inputs.iter().chain(read_in_place).copied().collect(),
            Role::Out => node.outputs.clone(),
        };
        for value in operands {
            let view = buffers.view(plan, value);
            let record = TensorRecord {
                node: node.id.clone(),
                module: node.module.clone(),
                op: node.kernel.clone(),
                contract: node.contract.clone(),
                variant: node.variant.clone(),
                tensor: plan.value(value).name.clone(),
                dtype: view.spec.dtype.name().to_owned(),
                shape: view.spec.dimensions(),
                role,
                version: buffers.version(plan, value),
                fingerprint: Fingerprint::of_bytes(view.bytes),
            };
            self.elements(step, &record, view.bytes)?;
            self.write(step, node.phase.name(), Body::Tensor(record))?;
        }
        Ok(())
    }

    /// An operand of a case of a kernel part.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn operand(&mut self, step: u64, case: &str, record: TensorRecord, bytes: &[u8]) -> Result<(), EngineError> {
        self.elements(step, &record, bytes)?;
        self.write(step, case, Body::Tensor(record))
    }

    fn elements(&mut self, step: u64, record: &TensorRecord, bytes: &[u8]) -> Result<(), EngineError> {
        if self.observe.at(step) < ObserveLevel::Element {
            return Ok(());
        }
        // A node runs several times in a step, once for each micro-batch.
        let seen = self.seen.entry((record.node.clone(), record.role)).or_default();
        let index = *seen;
        *seen += 1;
        let directory = elements_path(&self.directory);
        let path = directory.join(element_file(step, &record.node, record.role, index, &record.tensor));
        std::fs::create_dir_all(&directory)
            .and_then(|()| std::fs::write(&path, bytes))
            .map_err(|source| EngineError::trace(&path, source))
    }

    /// Closes the frame of a step.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn end_step(&mut self, step: u64) -> Result<(), EngineError> {
        self.seen.clear();
        self.writer.end_step(step).map_err(|source| EngineError::trace(&self.directory, source))
    }

    /// Ends a complete trace.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn finish(self, steps: u64) -> Result<(), EngineError> {
        self.writer.finish(steps).map_err(|source| EngineError::trace(&self.directory, source))
    }
}

/// Whether another module reads an output of `node` in the same template.
fn crosses(plan: &Plan, node: &Node) -> bool {
    plan.nodes().any(|(_, reader)| {
        reader.module != node.module && reader.inputs.iter().any(|input| node.outputs.contains(input))
    })
}

/// A record of a tensor that belongs to no plan.
#[must_use]
pub fn tensor_record(
    node: &str,
    op: &str,
    contract: &str,
    variant: &str,
    tensor: &str,
    role: Role,
    value: &Tensor,
) -> TensorRecord {
    let spec: &Spec = &value.spec;
    TensorRecord {
        node: node.to_owned(),
        module: op.to_owned(),
        op: op.to_owned(),
        contract: contract.to_owned(),
        variant: variant.to_owned(),
        tensor: tensor.to_owned(),
        dtype: spec.dtype.name().to_owned(),
        shape: spec.dimensions(),
        role,
        version: 0,
        fingerprint: Fingerprint::of_bytes(value.bytes()),
    }
}
