//! Backward: the gradient of a list of forward nodes, in reverse order.
//!
//! A value with several consumers gets the sum of their contributions in forward consumer order, as one `grad_add`
//! node. Each sum is a node, so its order is written down.

use crate::graph::{Node, Phase, PlanError};
use crate::passes::builder::Graph;
use library::room::{Builder, Forward, ValueId};
use std::collections::BTreeMap;

/// Contributions to the gradient of one value: (index of the forward consumer, gradient).
type Contributions = BTreeMap<ValueId, Vec<(usize, ValueId)>>;

/// Appends the gradient of `forward` to the graph. `roots` are gradients given from outside. Returns the gradient of
/// every value that has one and that no forward node produced: parameters and boundary inputs.
///
/// # Errors
/// When a room refuses a node.
pub fn backward(
    graph: &mut Graph<'_>,
    forward: &[Node],
    roots: &[(ValueId, ValueId)],
) -> Result<BTreeMap<ValueId, ValueId>, PlanError> {
    graph.phase = Phase::Backward;
    let mut contributions = Contributions::new();
    for (value, gradient) in roots {
        contributions.entry(*value).or_default().push((forward.len(), *gradient));
    }
    for (index, node) in forward.iter().enumerate().rev() {
        graph.enter(&node.module);
        let mut gradients = Vec::with_capacity(node.outputs.len());
        for output in &node.outputs {
            gradients.push(sum(graph, &mut contributions, *output, &node.module)?);
        }
        let room = graph.registry.room_of(&node.kernel).expect("a forward node names a kernel of the registry");
        let asked = Forward {
            kernel: &node.kernel,
            attributes: &node.attributes,
            inputs: &node.inputs,
            outputs: &node.outputs,
            gradients: &gradients,
        };
        let given = room.backward(&asked, graph).map_err(|source| PlanError::Room { node: node.id.clone(), source })?;
        for (input, gradient) in node.inputs.iter().zip(given) {
            if let Some(gradient) = gradient {
                contributions.entry(*input).or_default().push((index, gradient));
            }
        }
    }
    let outer: Vec<ValueId> = contributions.keys().copied().collect();
    let mut result = BTreeMap::new();
    for value in outer {
        let module = graph.values[value.0].name.trim_start_matches("params/").to_owned();
        if let Some(gradient) = sum(graph, &mut contributions, value, &module)? {
            result.insert(value, gradient);
        }
    }
    Ok(result)
}

fn sum(
    graph: &mut Graph<'_>,
    contributions: &mut Contributions,
    value: ValueId,
    module: &str,
) -> Result<Option<ValueId>, PlanError> {
    let Some(mut list) = contributions.remove(&value) else {
        return Ok(None);
    };
    list.sort_by_key(|(consumer, _)| *consumer);
    let gradients: Vec<ValueId> = list.into_iter().map(|(_, gradient)| gradient).collect();
    if let [only] = gradients[..] {
        return Ok(Some(only));
    }
    graph.enter(module);
    let sum = graph
        .node("grad_add", serde_json::json!({}), &gradients)
        .map_err(|source| PlanError::Room { node: format!("{module}/grad_add"), source })?;
    Ok(Some(sum[0]))
}
