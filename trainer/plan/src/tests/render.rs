use super::*;
use crate::render::render;

#[test]
fn the_whole_recipe_prints_as_committed() {
    insta::assert_snapshot!("dense_ieee_end_to_end", render(&end_to_end(|_| {})));
}

#[test]
fn a_module_prints_as_committed() {
    let part = Part::Module("attention_block".to_owned());
    insta::assert_snapshot!("dense_ieee_attention_block", render(&plan(&recipe("dense-ieee"), &part)));
}

#[test]
fn a_printed_plan_stays_under_400_lines_however_it_is_carried_out() {
    for (name, plan) in many_plans() {
        let lines = render(&plan).lines().count();
        assert!(lines < 400, "{name}: {lines} lines");
    }
}

#[test]
fn every_node_is_printed() {
    let plan = end_to_end(|_| {});
    let text = render(&plan);
    for (template, node) in plan.nodes() {
        let operands = format!("{} [{}]", node.id, node.variant);
        assert!(text.contains(&operands), "{operands} of {} is not printed", template.name);
    }
    let printed = text.matches(" → ").count();
    assert_eq!(printed, plan.nodes().count(), "one arrow a node");
}
