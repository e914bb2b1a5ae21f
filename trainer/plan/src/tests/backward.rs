use super::*;
use crate::passes::builder::Graph;
use crate::{Phase, PlanError};
use library::tensor::Dtype;

#[test]
fn every_parameter_of_every_part_has_a_gradient_that_is_reduced_and_used() {
    for (name, plan) in many_plans() {
        let parameters: Vec<&str> = plan.state().iter().filter_map(|(leaf, _)| leaf.strip_prefix("params/")).collect();
        for parameter in parameters {
            let leaves = plan.find(&format!("leaves/{parameter}")).expect("leaves");
            let gradient = plan.find(&format!("gradients/{parameter}")).expect("a gradient");
            let once = |template: &str, kernel: &str, of: ValueId| {
                let nodes = &plan.template(template).expect("the template exists").nodes;
                let writes = nodes.iter().filter(|node| node.kernel == kernel && node.outputs.contains(&of));
                assert_eq!(writes.count(), 1, "{name}: {parameter}: {kernel} in {template}");
            };
            let made = if plan.part == Part::Module("optimizer_step".to_owned()) { "boundary" } else { "accumulate" };
            once("body", made, leaves);
            once("reduce", "leaf_reduce", gradient);
            let optimizer = &plan.template("optimizer").expect("optimizer").nodes;
            for kernel in ["adamw", "global_norm_squares"] {
                let reads = optimizer.iter().filter(|node| node.kernel == kernel && node.inputs.contains(&gradient));
                assert_eq!(reads.count(), 1, "{name}: {parameter}: {kernel}");
            }
        }
    }
}

#[test]
fn a_tied_table_sums_the_gradient_of_the_embedding_before_that_of_the_head() {
    let plan = end_to_end(|_| {});
    let nodes = &body(&plan).nodes;
    let sum = nodes.iter().find(|node| node.id == "embedding.table/grad_add/backward").expect("a tied table has a sum");
    let modules: Vec<_> = sum.inputs.iter().map(|input| producer(nodes, *input).module.as_str()).collect();
    assert_eq!(modules, ["embedding", "head.logits"]);
}

#[test]
fn a_table_that_is_not_tied_has_no_sum() {
    let plan = end_to_end(|recipe| recipe.semantics.model.tied_embedding = false);
    assert!(body(&plan).nodes.iter().all(|node| node.id != "embedding.table/grad_add/backward"));
    assert!(plan.find("params/head.logits").is_some());
}

#[test]
fn sums_are_in_the_order_in_which_forward_nodes_read_the_value() {
    let plan = end_to_end(|_| {});
    let nodes = &body(&plan).nodes;
    let order: Vec<&str> =
        nodes.iter().filter(|node| node.phase == Phase::Forward).map(|node| node.module.as_str()).collect();
    let place = |module: &str| order.iter().position(|other| *other == module);
    let sums: Vec<_> = nodes.iter().filter(|node| node.kernel == "grad_add").collect();
    assert_eq!(sums.len(), 9, "two readers of each block's input and of the tied table");
    for sum in sums {
        // The gradient of a residual passes through untouched, so its producer may stand further down.
        let places: Vec<_> = sum.inputs.iter().map(|input| place(&producer(nodes, *input).module)).collect();
        assert!(places.iter().all(Option::is_some), "{}", sum.id);
        let norm_then_residual = places.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(norm_then_residual, "{}: {places:?}", sum.id);
    }
}

#[test]
fn two_names_for_one_random_stream_are_an_error() {
    let registry = Registry::standard();
    let mut graph = Graph::new(&registry, Dtype::F32);
    graph.stream(7, "layers.0.dropout").expect("free");
    graph.stream(7, "layers.0.dropout").expect("the same user may come again");
    let error = graph.stream(7, "init.table").expect_err("taken");
    let text = error.to_string();
    assert!(matches!(error, PlanError::Stream { stream: 7, .. }));
    assert!(text.contains("layers.0.dropout") && text.contains("init.table"), "{text}");
}

#[test]
fn no_two_nodes_of_a_plan_draw_from_one_stream() {
    for (name, plan) in many_plans() {
        let mut streams: Vec<_> = plan.streams.iter().map(|used| used.stream).collect();
        streams.sort_unstable();
        assert!(streams.windows(2).all(|pair| pair[0] != pair[1]), "{name}");
    }
}
