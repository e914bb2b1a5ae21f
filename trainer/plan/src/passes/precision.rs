//! Precision: where parameters are stored in 16 bits, the optimizer keeps fp32 masters and each new value is cast once.
//! Also the initial values of everything that the optimizer owns.

use crate::graph::{Phase, PlanError, ValueKind};
use crate::model::INIT_STREAM;
use crate::passes::builder::{Graph, Initial, Parameter};
use crate::semantics::Semantics;
use library::room::ValueId;
use library::tensor::{Dtype, Spec};
use serde_json::json;

/// State that the optimizer keeps for one parameter, all fp32.
#[derive(Clone, Copy, Debug)]
pub struct Owned {
    /// Equal to the parameter itself in fp32 storage.
    pub master: ValueId,
    pub first_moment: ValueId,
    pub second_moment: ValueId,
    pub average: ValueId,
}

/// State of the optimizer that belongs to no parameter.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    pub scale: ValueId,
    pub good_steps: ValueId,
    pub applied_steps: ValueId,
}

/// Declares the optimizer's state and returns it: one entry for each parameter, in registry order.
pub fn declare(graph: &mut Graph<'_>) -> (Vec<Owned>, Shared) {
    let parameters = graph.parameters.clone();
    let owned = parameters.iter().map(|parameter| own(graph, parameter)).collect();
    let mut state = |leaf: &str, dtype| {
        let leaf = format!("optimizer/{leaf}");
        graph.value(leaf.clone(), Spec::new(dtype, &[1]), ValueKind::State(leaf))
    };
    let shared = Shared {
        scale: state("scale", Dtype::F32),
        good_steps: state("good_steps", Dtype::U32),
        applied_steps: state("applied_steps", Dtype::U64),
    };
    (owned, shared)
}

fn own(graph: &mut Graph<'_>, parameter: &Parameter) -> Owned {
    let mut state = |kind: &str| {
        let leaf = format!("optimizer/{kind}/{}", parameter.name);
        graph.value(leaf.clone(), Spec::f32(&parameter.shape), ValueKind::State(leaf))
    };
    let (first_moment, second_moment, average) = (state("first_moment"), state("second_moment"), state("average"));
    let master = match graph.storage {
        Dtype::F32 => parameter.value,
        _ => {
            let leaf = format!("optimizer/master/{}", parameter.name);
            graph.value(leaf.clone(), Spec::f32(&parameter.shape), ValueKind::State(leaf))
        }
    };
    Owned { master, first_moment, second_moment, average }
}

/// Adds the nodes of the `init` template. Counters start at zero, as every state buffer does.
///
/// # Errors
/// When a room refuses a node.
pub fn initialise(
    graph: &mut Graph<'_>,
    semantics: &Semantics,
    owned: &[Owned],
    shared: Shared,
) -> Result<(), PlanError> {
    graph.phase = Phase::Init;
    for (index, parameter) in graph.parameters.clone().into_iter().enumerate() {
        let module = &parameter.name;
        let kind = match parameter.initial {
            Initial::Ones => json!("ones"),
            Initial::Normal { std } => {
                let stream = INIT_STREAM + u32::try_from(index).expect("parameters are few");
                graph.stream(stream, &format!("init.{module}"))?;
                json!({"normal": {"seed": semantics.seed, "stream": stream, "std": std}})
            }
        };
        let owned = owned[index];
        let attributes = |kind| json!({"shape": parameter.shape, "kind": kind});
        graph.call_into(module, "init", attributes(kind), &[], &[], &[owned.master])?;
        let zeros = attributes(json!("zeros"));
        graph.call_into(&format!("{module}.first_moment"), "init", zeros.clone(), &[], &[], &[owned.first_moment])?;
        graph.call_into(&format!("{module}.second_moment"), "init", zeros, &[], &[], &[owned.second_moment])?;
        store(graph, &parameter, owned)?;
        let average = format!("{module}.average");
        graph.call_into(&average, "cast", json!({"dtype": "f32"}), &[owned.master], &[], &[owned.average])?;
    }
    let scale = json!({"shape": [1], "kind": {"constant": {"value": semantics.optimizer.scaler.initial}}});
    graph.call_into("optimizer.scale", "init", scale, &[], &[], &[shared.scale])?;
    Ok(())
}

/// Casts a master to the storage dtype; nothing to do in fp32.
///
/// # Errors
/// When a room refuses the node.
pub fn store(graph: &mut Graph<'_>, parameter: &Parameter, owned: Owned) -> Result<(), PlanError> {
    if owned.master != parameter.value {
        let attributes = json!({"dtype": graph.storage.name()});
        graph.call_into(&parameter.name, "cast", attributes, &[owned.master], &[], &[parameter.value])?;
    }
    Ok(())
}
