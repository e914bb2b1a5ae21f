use super::*;
use crate::battery::craft::{Craft, fingerprint};
use crate::divergence::Kind;
use contract::record::{Role, TensorRecord};
use contract::request::Part;

/// Two crafted runs of two recipes, the second bent.
fn part(bend: impl Fn(&mut Craft)) -> Result<Parting, EvidenceError> {
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    Craft::training("a", 4, 1).write(&a).unwrap();
    let mut other = Craft::training("b", 4, 1);
    "another recipe".clone_into(&mut other.run.recipe_digest);
    bend(&mut other);
    other.write(&b).unwrap();
    parting(&a, &b)
}

/// Bends the tensors that nodes wrote in one step, the second node of the step onwards.
fn written(craft: &mut Craft, step: u64, bend: impl Fn(&mut TensorRecord)) {
    let mut seen = 0;
    craft.bend(0, step, |body| {
        if let Body::Tensor(tensor) = body
            && tensor.role == Role::Out
        {
            seen += 1;
            if seen > 1 {
                bend(tensor);
            }
        }
    });
}

#[test]
fn equal_bits_of_two_recipes_do_not_part_whatever_the_kernels_are_called() {
    let found = part(|craft| {
        (0..4).for_each(|step| {
            craft.bend(0, step, |body| {
                if let Body::Tensor(tensor) = body {
                    tensor.node.push_str("_tc16");
                    "matmul_tc16.v1".clone_into(&mut tensor.contract);
                }
            });
        });
    });
    let found = found.unwrap();
    assert_eq!((found.first, found.counts.steps), (None, 4));
    assert!(found.counts.items > 0);
}

#[test]
fn the_first_tensor_that_differs_is_named_with_what_tells_it_apart() {
    let found = part(|craft| {
        written(craft, 2, |tensor| {
            tensor.fingerprint = fingerprint("other");
            tensor.node.push_str("_tc16");
            "other.tc16.v1".clone_into(&mut tensor.contract);
        });
    });
    let first = found.unwrap().first.unwrap();
    assert_eq!((first.step, first.kind), (2, Kind::Output));
    assert_eq!(first.contract.as_deref(), Some("other.tc16.v1"));
    assert!(first.cause.contains("another contract") && first.cause.contains("other.tc16.v1"), "{}", first.cause);
    assert_eq!(first.inputs_equal, Some(true));
}

#[test]
fn another_dtype_at_one_place_is_a_difference() {
    let found = part(|craft| {
        written(craft, 1, |tensor| {
            tensor.fingerprint = fingerprint("rounded");
            "bf16".clone_into(&mut tensor.dtype);
        });
    });
    let first = found.unwrap().first.unwrap();
    assert_eq!(first.step, 1);
    assert!(first.cause.contains("another dtype: `f32` and `bf16`"), "{}", first.cause);
}

#[test]
fn one_run_twice_other_parts_and_runs_without_tensors_are_refused() {
    let message = |bend: &dyn Fn(&mut Craft)| part(bend).unwrap_err().to_string();
    assert!(message(&|craft| "a".clone_into(&mut craft.run.nonce)).contains("one run"));
    assert!(message(&|craft| craft.run.part = Part::Module("head".to_owned())).contains("the parts differ"));
    let silent = message(&|craft| {
        for (_, records) in &mut craft.ranks[0] {
            records.retain(|(_, body)| !matches!(body, Body::Tensor(_)));
        }
    });
    assert!(silent.contains("--observe op"), "{silent}");
}
