//! From gradients of units to updated parameters: accumulate units into leaves, reduce leaves bucket by bucket, norm
//! and clip, AdamW, EMA, loss scale.
//!
//! A step whose gradients are not finite is skipped: parameters, moments, averages and the count of applied steps stay,
//! and so the schedule does not advance; the loss scale halves. Data and random streams advance with the attempted
//! step in any case.

use crate::graph::{Phase, PlanError, ValueKind};
use crate::model::Host;
use crate::passes::builder::{Graph, Parameter};
use crate::passes::precision::{Owned, Shared, store};
use crate::semantics::{ScheduleKind, Semantics};
use library::room::ValueId;
use library::tensor::Spec;
use serde_json::{Value, json};

/// Sums of the loss over a step, as leaves and reduced.
#[derive(Clone, Copy, Debug)]
pub struct LossLeaves {
    pub loss: ValueId,
    pub z: ValueId,
}

/// Adds `accumulate` nodes for the losses of a body's units.
///
/// # Errors
/// When a room refuses a node.
pub fn accumulate_losses(
    graph: &mut Graph<'_>,
    host: &Host,
    outputs: &[ValueId],
    leaves: (usize, usize),
    prefix: &str,
) -> Result<LossLeaves, PlanError> {
    let mut add = |name: &str, unit| -> Result<ValueId, PlanError> {
        let spec = Spec::f32(&[leaves.0]);
        let value = graph.value(format!("{prefix}leaves/{name}"), spec, ValueKind::Persistent);
        let attributes = json!({"units_per_leaf": leaves.1});
        graph.call_into(&format!("{prefix}{name}"), "accumulate", attributes, &[unit, host.position], &[value], &[])?;
        Ok(value)
    };
    Ok(LossLeaves { loss: add("loss", outputs[0])?, z: add("z", outputs[1])? })
}

/// Adds `accumulate` nodes for the gradients of a body's units; returns the leaves of each parameter.
///
/// # Errors
/// When a room refuses a node.
pub fn accumulate_gradients(
    graph: &mut Graph<'_>,
    semantics: &Semantics,
    host: &Host,
    gradients: &[(Parameter, ValueId)],
) -> Result<Vec<ValueId>, PlanError> {
    let data = &semantics.data;
    gradients
        .iter()
        .map(|(parameter, gradient)| {
            let mut shape = vec![data.leaves];
            shape.extend(&parameter.shape);
            let leaves = graph.value(format!("leaves/{}", parameter.name), Spec::f32(&shape), ValueKind::Persistent);
            let attributes = json!({"units_per_leaf": data.units_per_leaf});
            graph.call_into(&parameter.name, "accumulate", attributes, &[*gradient, host.position], &[leaves], &[])?;
            Ok(leaves)
        })
        .collect()
}

/// Adds the reduction of leaves, in buckets of neighbouring parameters with about equal bytes.
///
/// # Errors
/// When a room refuses a node.
pub fn reduce(
    graph: &mut Graph<'_>,
    semantics: &Semantics,
    leaves: &[(Parameter, ValueId)],
    buckets: usize,
) -> Result<Vec<ValueId>, PlanError> {
    graph.phase = Phase::Reduce;
    let sizes: Vec<usize> = leaves.iter().map(|(parameter, _)| parameter.shape.iter().product()).collect();
    let total: usize = sizes.iter().sum();
    let mut before = 0;
    let mut gradients = Vec::with_capacity(leaves.len());
    for ((parameter, leaves), size) in leaves.iter().zip(sizes) {
        let spec = Spec::f32(&parameter.shape);
        let gradient = graph.value(format!("gradients/{}", parameter.name), spec, ValueKind::Persistent);
        let attributes = json!({"wire": semantics.precision.wire.name()});
        graph.call_into(&parameter.name, "leaf_reduce", attributes, &[*leaves], &[], &[gradient])?;
        graph.set_bucket(before * buckets / total.max(1));
        before += size;
        gradients.push(gradient);
    }
    Ok(gradients)
}

/// Adds the reduction of the losses and their report: [total, lm, z].
///
/// # Errors
/// When a room refuses a node.
pub fn report_losses(
    graph: &mut Graph<'_>,
    semantics: &Semantics,
    host: &Host,
    leaves: LossLeaves,
    prefix: &str,
) -> Result<ValueId, PlanError> {
    let mut sum = |name: &str, leaves| -> Result<ValueId, PlanError> {
        let target = graph.value(format!("{prefix}sums/{name}"), Spec::f32(&[1]), ValueKind::Persistent);
        let module = format!("{prefix}{name}");
        graph.call_into(&module, "leaf_reduce", json!({"wire": "fp32_leaf"}), &[leaves], &[], &[target])?;
        Ok(target)
    };
    let inputs = [sum("loss", leaves.loss)?, sum("z", leaves.z)?, host.target_count];
    let report = graph.value(format!("{prefix}report"), Spec::f32(&[3]), ValueKind::Persistent);
    let attributes = json!({"z_loss": semantics.model.z_loss});
    graph.call_into(&format!("{prefix}loss"), "loss_weights_report", attributes, &inputs, &[], &[report])?;
    Ok(report)
}

/// Adds the optimizer's nodes.
///
/// # Errors
/// When a room refuses a node.
pub fn optimizer(
    graph: &mut Graph<'_>,
    semantics: &Semantics,
    gradients: &[(Parameter, ValueId)],
    owned: &[Owned],
    shared: Shared,
) -> Result<(), PlanError> {
    graph.phase = Phase::Optimizer;
    let o = &semantics.optimizer;
    let mut keep = |name: &str, spec: Spec| graph.value(name.to_owned(), spec, ValueKind::Persistent);
    let scalars = keep("optimizer.scalars", Spec::f32(&[8]));
    let norm = keep("optimizer.norm", Spec::f32(&[1]));
    let nonfinite = keep("optimizer.nonfinite", Spec::new(library::tensor::Dtype::U32, &[1]));
    graph.call_into("optimizer.schedule", "schedule", schedule(semantics), &[shared.applied_steps], &[], &[scalars])?;
    let (mut squares, mut flags) = (Vec::new(), Vec::new());
    for (parameter, gradient) in gradients {
        let outputs = graph.call(&parameter.name, "global_norm_squares", json!({}), &[*gradient])?;
        squares.push(outputs[0]);
        flags.push(outputs[1]);
    }
    let inputs: Vec<ValueId> = squares.into_iter().chain(flags).chain([shared.scale]).collect();
    graph.call_into("optimizer.norm", "global_norm", json!({}), &inputs, &[], &[norm, nonfinite])?;
    let coefficient = graph.call("optimizer.clip", "clip", json!({"max_norm": o.clip}), &[norm, shared.scale])?[0];
    for ((parameter, gradient), owned) in gradients.iter().zip(owned) {
        let attributes = json!({"epsilon": o.epsilon, "decay": parameter.decay && o.weight_decay > 0.0});
        let inputs = [*gradient, coefficient, scalars, nonfinite];
        let updated = [owned.master, owned.first_moment, owned.second_moment];
        graph.call_into(&parameter.name, "adamw", attributes, &inputs, &updated, &[])?;
        store(graph, parameter, *owned)?;
        let attributes = json!({"decay": o.ema_decay});
        graph.call_into(&parameter.name, "ema", attributes, &[owned.master, nonfinite], &[owned.average], &[])?;
    }
    let attributes = json!({
        "growth_interval": o.scaler.growth_interval, "max_scale": o.scaler.maximum, "min_scale": o.scaler.minimum,
    });
    let state = [shared.scale, shared.good_steps, shared.applied_steps];
    graph.call_into("optimizer.scaler", "scaler", attributes, &[nonfinite], &state, &[])?;
    Ok(())
}

fn schedule(semantics: &Semantics) -> Value {
    let o = &semantics.optimizer;
    let kind = match o.schedule.kind {
        ScheduleKind::WarmupCosine => "warmup_cosine",
        ScheduleKind::Wsd => "wsd",
    };
    json!({
        "kind": kind, "peak": o.schedule.peak, "floor": o.schedule.floor, "warmup": o.schedule.warmup,
        "total": o.schedule.total, "decay": o.schedule.decay, "beta1": o.beta1, "beta2": o.beta2,
        "weight_decay": o.weight_decay,
    })
}
