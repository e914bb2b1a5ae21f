//! The graph under construction: values, parameters, streams and the nodes of the current template.

use crate::graph::{HostAction, Node, Phase, PlanError, StreamUse, Value, ValueKind};
use library::registry::Registry;
use library::room::{Builder, RoomError, ValueId};
use library::tensor::{Dtype, Spec};

/// How a parameter starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    Ones,
    /// Normal with this standard deviation.
    Normal {
        std: f32,
    },
}

/// A parameter and what belongs to it.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    pub initial: Initial,
    /// Whether weight decay applies.
    pub decay: bool,
    /// The value that the model reads, in storage precision.
    pub value: ValueId,
}

pub struct Graph<'r> {
    pub registry: &'r Registry,
    pub values: Vec<Value>,
    pub parameters: Vec<Parameter>,
    pub streams: Vec<StreamUse>,
    /// Storage dtype of parameters.
    pub storage: Dtype,
    /// Names that a parameter is bound to instead of its own value: evaluation reads averaged weights.
    pub bound: std::collections::BTreeMap<String, ValueId>,
    pub phase: Phase,
    nodes: Vec<Node>,
    module: String,
}

impl<'r> Graph<'r> {
    #[must_use]
    pub fn new(registry: &'r Registry, storage: Dtype) -> Self {
        Self {
            registry,
            values: Vec::new(),
            parameters: Vec::new(),
            streams: Vec::new(),
            storage,
            bound: std::collections::BTreeMap::new(),
            phase: Phase::Forward,
            nodes: Vec::new(),
            module: String::new(),
        }
    }

    pub fn value(&mut self, name: String, spec: Spec, kind: ValueKind) -> ValueId {
        self.values.push(Value { name, spec, kind, slot: usize::MAX });
        ValueId(self.values.len() - 1)
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<ValueId> {
        self.values.iter().position(|value| value.name == name).map(ValueId)
    }

    /// A parameter by name; declared at its first use, so that a tied parameter is one parameter.
    pub fn parameter(&mut self, name: &str, shape: &[usize], initial: Initial, decay: bool) -> ValueId {
        if let Some(bound) = self.bound.get(name) {
            return *bound;
        }
        if let Some(known) = self.parameters.iter().find(|parameter| parameter.name == name) {
            return known.value;
        }
        let spec = Spec::new(self.storage, shape);
        let value = self.value(format!("params/{name}"), spec, ValueKind::State(format!("params/{name}")));
        self.parameters.push(Parameter { name: name.to_owned(), shape: shape.to_vec(), initial, decay, value });
        value
    }

    /// Registers a random stream; two users of one stream are an error.
    ///
    /// # Errors
    /// When another name uses the stream.
    pub fn stream(&mut self, stream: u32, name: &str) -> Result<(), PlanError> {
        match self.streams.iter().find(|used| used.stream == stream) {
            Some(used) if used.name != name => {
                Err(PlanError::Stream { stream, first: used.name.clone(), second: name.to_owned() })
            }
            Some(_) => Ok(()),
            None => {
                self.streams.push(StreamUse { stream, name: name.to_owned() });
                Ok(())
            }
        }
    }

    /// Adds a node in `module` with fresh outputs.
    ///
    /// # Errors
    /// When the room refuses the operands.
    pub fn call(
        &mut self,
        module: &str,
        kernel: &str,
        attributes: serde_json::Value,
        inputs: &[ValueId],
    ) -> Result<Vec<ValueId>, PlanError> {
        self.call_into(module, kernel, attributes, inputs, &[], &[])
    }

    /// Adds a node that updates `in_place` and writes its other outputs to `targets`, or to fresh values where
    /// `targets` is shorter.
    ///
    /// # Errors
    /// When the room refuses the operands.
    pub fn call_into(
        &mut self,
        module: &str,
        kernel_name: &str,
        attributes: serde_json::Value,
        inputs: &[ValueId],
        in_place: &[ValueId],
        targets: &[ValueId],
    ) -> Result<Vec<ValueId>, PlanError> {
        let id = format!("{module}/{kernel_name}/{}", self.phase.name());
        let failed = |source| PlanError::Room { node: id.clone(), source };
        let kernel = self
            .registry
            .kernel(kernel_name)
            .ok_or_else(|| failed(RoomError::new(kernel_name, "a kernel of the registry", "no such kernel")))?;
        let specs: Vec<Spec> = inputs.iter().chain(in_place).map(|value| self.values[value.0].spec.clone()).collect();
        let inferred = (kernel.infer)(&attributes, &specs).map_err(failed)?;
        let mut outputs = in_place.to_vec();
        for (index, spec) in inferred.into_iter().enumerate().skip(in_place.len()) {
            outputs.push(match targets.get(index - in_place.len()) {
                Some(target) if self.values[target.0].spec.bytes() == spec.bytes() => *target,
                Some(target) => {
                    let found = format!("{}", self.values[target.0].spec);
                    return Err(PlanError::Room {
                        node: id,
                        source: RoomError::new(kernel_name, spec.to_string(), found),
                    });
                }
                None => {
                    let name = format!("{module}/{}", kernel.outputs[index.min(kernel.outputs.len() - 1)]);
                    self.value(name, spec, ValueKind::Transient)
                }
            });
        }
        self.nodes.push(Node {
            id,
            module: module.to_owned(),
            kernel: kernel_name.to_owned(),
            contract: kernel.contract.to_owned(),
            variant: kernel.reference().name.to_owned(),
            attributes,
            inputs: inputs.to_vec(),
            outputs: outputs.clone(),
            in_place: in_place.len(),
            phase: self.phase,
            recomputed: false,
            bucket: None,
            host: None,
            releases: Vec::new(),
        });
        Ok(outputs)
    }

    /// Adds a node of the host.
    pub fn host(&mut self, module: &str, action: HostAction, outputs: &[ValueId]) {
        let name = serde_json::to_value(action).ok().and_then(|name| name.as_str().map(str::to_owned));
        let kernel = name.expect("an action's name is a string");
        self.nodes.push(Node {
            id: format!("{module}/{kernel}/{}", self.phase.name()),
            module: module.to_owned(),
            contract: "host".to_owned(),
            variant: "host".to_owned(),
            kernel,
            attributes: serde_json::json!({}),
            inputs: Vec::new(),
            outputs: outputs.to_vec(),
            in_place: 0,
            phase: self.phase,
            recomputed: false,
            bucket: None,
            host: Some(action),
            releases: Vec::new(),
        });
    }

    /// Module that nodes of the next gradient belong to.
    pub fn enter(&mut self, module: &str) {
        module.clone_into(&mut self.module);
    }

    /// Puts the last node into a bucket.
    pub fn set_bucket(&mut self, bucket: usize) {
        if let Some(node) = self.nodes.last_mut() {
            node.bucket = Some(bucket);
        }
    }

    /// Takes the nodes built so far.
    pub fn take(&mut self) -> Vec<Node> {
        std::mem::take(&mut self.nodes)
    }

    /// Puts nodes at the front of those to come.
    pub fn put(&mut self, nodes: Vec<Node>) {
        self.nodes.extend(nodes);
    }
}

impl Builder for Graph<'_> {
    fn node(
        &mut self,
        kernel: &str,
        attributes: serde_json::Value,
        inputs: &[ValueId],
    ) -> Result<Vec<ValueId>, RoomError> {
        let module = self.module.clone();
        self.call(&module, kernel, attributes, inputs).map_err(|error| match error {
            PlanError::Room { source, .. } => source,
            other => RoomError::new(kernel, "a node of the plan", other.to_string()),
        })
    }

    fn spec(&self, value: ValueId) -> Spec {
        self.values[value.0].spec.clone()
    }
}
