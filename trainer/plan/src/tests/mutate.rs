use super::*;
use crate::PlanError;

fn refused(mutations: &Mutations) -> String {
    let error = assemble(&recipe("dense-ieee"), &Part::EndToEnd, &Registry::standard(), mutations);
    let error = error.expect_err("a mutation that matches nothing");
    assert!(matches!(error, PlanError::Mutation { .. }), "{error}");
    error.to_string()
}

fn variants(kernel: &str, variant: &str) -> Mutations {
    Mutations { variants: vec![(kernel.to_owned(), variant.to_owned())], ..Mutations::default() }
}

#[test]
fn a_mutation_that_matches_nothing_is_an_error() {
    assert!(refused(&variants("no_such_kernel", "cpu_reference")).contains("no_such_kernel → cpu_reference"));
    assert!(refused(&variants("rmsnorm", "no_such_variant")).contains("rmsnorm → no_such_variant"));
    assert!(refused(&variants("swiglu_matmul", "cpu_reference")).contains("swiglu_matmul"), "not fused, so not there");
    let nothing: fn(&mut Plan) -> usize = |_| 0;
    refused(&Mutations { rewrites: vec![nothing], ..Mutations::default() });
    let flip = Mutations { flip: Some(("no_such_kernel".to_owned(), 0)), ..Mutations::default() };
    assert!(refused(&flip).contains("flip no_such_kernel output 0"));
}

#[test]
fn one_mutation_that_matches_does_not_excuse_another() {
    let mut mutations = variants("rmsnorm", "cpu_reference");
    mutations.variants.push(("rmsnorm".to_owned(), "no_such_variant".to_owned()));
    refused(&mutations);
}

#[test]
fn a_variant_is_planted_in_every_node_of_its_kernel_and_in_no_other() {
    let plain = end_to_end(|_| {});
    let registry = Registry::standard();
    let planted = assemble(&recipe("dense-ieee"), &Part::EndToEnd, &registry, &variants("rmsnorm", "cpu_reference"));
    let planted = planted.expect("it matches");
    for ((_, before), (_, after)) in plain.nodes().zip(planted.nodes()) {
        let expected = if after.kernel == "rmsnorm" { "cpu_reference" } else { before.variant.as_str() };
        assert_eq!(after.variant, expected, "{}", after.id);
    }
    assert_ne!(plain, planted);
}
