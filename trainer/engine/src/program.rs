//! A plan bound to functions: every node knows what to call before the first step.

use crate::buffers::Buffers;
use crate::counters::Counters;
use crate::error::EngineError;
use crate::observe::Recorder;
use crate::shadow::Shadow;
use contract::record::Role;
use library::context::Context;
use library::registry::Registry;
use library::room::{Call, REFERENCE, Variant};
use library::tensor::{View, ViewMut};
use plan::graph::{HostAction, Node, Phase, Plan};

pub struct Program {
    pub plan: Plan,
    /// One entry for each node of each template, in order; `None` for nodes of the host.
    calls: Vec<Vec<Option<Variant>>>,
}

/// What the nodes of one pass through a template share.
pub struct Pass<'a> {
    pub buffers: &'a mut Buffers,
    pub context: &'a Context,
    pub recorder: &'a mut Recorder,
    pub counters: &'a mut Counters,
    pub shadow: Option<&'a mut Shadow>,
    pub step: u64,
}

/// Does what the nodes of the host stand for, and hears of each new phase.
pub trait Host {
    /// # Errors
    /// When data cannot be had.
    fn act(&mut self, action: HostAction, program: &Program, buffers: &mut Buffers) -> Result<(), EngineError>;

    /// # Errors
    /// When the control socket is gone.
    fn phase(&mut self, phase: Phase) -> Result<(), EngineError>;
}

impl Program {
    /// Finds the function of every node.
    ///
    /// # Errors
    /// When the registry lacks a variant that the plan names.
    pub fn bind(plan: Plan, registry: &Registry) -> Result<Self, EngineError> {
        let find = |node: &Node| match node.host {
            Some(_) => Ok(None),
            None => registry
                .variant(&node.kernel, &node.variant)
                .map(Some)
                .ok_or_else(|| EngineError::Variant { kernel: node.kernel.clone(), variant: node.variant.clone() }),
        };
        let calls = plan
            .templates
            .iter()
            .map(|template| template.nodes.iter().map(find).collect::<Result<Vec<_>, _>>())
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { plan, calls })
    }

    /// Runs one pass of the template called `name`; does nothing when the plan has none.
    ///
    /// # Errors
    /// What the host's acts give, and errors of the trace.
    pub fn run(&self, name: &str, pass: &mut Pass<'_>, host: &mut dyn Host) -> Result<(), EngineError> {
        let Some(index) = self.plan.templates.iter().position(|template| template.name == name) else {
            return Ok(());
        };
        let mut phase = None;
        for (node, variant) in self.plan.templates[index].nodes.iter().zip(&self.calls[index]) {
            if phase != Some(node.phase) {
                phase = Some(node.phase);
                host.phase(node.phase)?;
            }
            match (node.host, variant) {
                (Some(action), _) => {
                    host.act(action, self, pass.buffers)?;
                    if let Some(shadow) = &mut pass.shadow {
                        shadow.host(&self.plan, node, pass.buffers);
                    }
                    pass.recorder.node(&self.plan, node, Role::Out, pass.buffers, pass.step)?;
                }
                (None, Some(variant)) => self.call(node, variant, pass)?,
                (None, None) => unreachable!("bind gives every kernel node a variant"),
            }
            if let Some(bucket) = node.bucket {
                pass.counters.add("leaves_reduced", 1);
                pass.recorder.event(pass.step, node.phase.name(), &format!("reduce bucket {bucket}"), &node.module)?;
            }
            for value in &node.releases {
                pass.buffers.release(&self.plan, *value);
            }
        }
        Ok(())
    }

    fn call(&self, node: &Node, variant: &Variant, pass: &mut Pass<'_>) -> Result<(), EngineError> {
        let plan = &self.plan;
        pass.recorder.node(plan, node, Role::In, pass.buffers, pass.step)?;
        if let Some(shadow) = &mut pass.shadow {
            shadow.before(plan, node, pass.buffers);
        }
        let mut taken = pass.buffers.take(plan, &node.outputs);
        {
            let inputs: Vec<View<'_>> = node.inputs.iter().map(|input| pass.buffers.view(plan, *input)).collect();
            let mut outputs: Vec<ViewMut<'_>> = taken
                .iter_mut()
                .zip(&node.outputs)
                .map(|(buffer, output)| {
                    let spec = &plan.value(*output).spec;
                    let bytes = &mut bytemuck::cast_slice_mut(buffer)[..spec.bytes()];
                    ViewMut { spec, bytes }
                })
                .collect();
            let attributes = &node.attributes;
            (variant.run)(&mut Call { attributes, inputs: &inputs, outputs: &mut outputs, context: pass.context });
        }
        pass.buffers.put(plan, &node.outputs, taken);
        if let Some(shadow) = &mut pass.shadow {
            shadow.after(plan, node, pass.buffers);
        }
        pass.counters.add("calls", 1);
        pass.counters.add("reference_calls", u64::from(node.variant == REFERENCE));
        pass.counters.add("nodes_recomputed", u64::from(node.recomputed));
        pass.counters.add("fused_calls", u64::from(node.attributes.get("first").is_some()));
        pass.recorder.node(plan, node, Role::Out, pass.buffers, pass.step)
    }
}
