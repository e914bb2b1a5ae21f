use crate::{VARIANTS, activations, register};
use library::context::{Context, Pool};
use library::eager;
use library::registry::Registry;
use library::tensor::{Dtype, Spec, Tensor};
use numerics::simd::Level;
use serde_json::json;

fn outputs(kernel: &str, variant: &str, context: &Context, fill: u8) -> Vec<Vec<u8>> {
    let registry = register(Registry::standard());
    let known = registry.kernel(kernel).expect("a kernel of the library");
    let chosen = registry.variant(kernel, variant).expect("a variant of the registry");
    let room = registry.room_of(kernel).expect("every kernel has a room");
    let mut bytes = Vec::new();
    for case in room.cases().into_iter().filter(|case| case.kernel == kernel) {
        let tensors = eager::run(known, &chosen, &case.attributes, &case.inputs, fill, context).expect("accepted");
        bytes.extend(tensors.iter().map(|tensor| tensor.bytes().to_vec()));
    }
    bytes
}

fn one_thread() -> Context {
    Context::new(1, Level::detect())
}

fn shuffled() -> Context {
    Context { pool: Pool::new(1, Some(11)), level: Level::detect() }
}

#[test]
fn every_mutant_differs_from_the_reference_of_its_kernel_somewhere() {
    for (kernel, variant) in VARIANTS {
        let wrong = outputs(kernel, variant.name, &Context::new(3, Level::detect()), 0x3c);
        assert_ne!(wrong, outputs(kernel, "cpu_reference", &one_thread(), 0), "{kernel} {}", variant.name);
    }
    assert!(activations() > 0);
}

#[test]
fn a_sum_in_the_order_of_completion_hides_until_the_order_changes() {
    for kernel in ["embedding_backward", "cross_entropy"] {
        let plain = outputs(kernel, "completion_order", &one_thread(), 0);
        assert_eq!(plain, outputs(kernel, "completion_order", &one_thread(), 0), "{kernel}");
        assert_ne!(plain, outputs(kernel, "completion_order", &shuffled(), 0), "{kernel}");
    }
}

#[test]
fn a_read_of_scratch_hides_until_memory_is_poisoned() {
    let plain = outputs("rmsnorm", "reads_scratch", &one_thread(), 0);
    assert_eq!(plain, outputs("rmsnorm", "reads_scratch", &shuffled(), 0));
    assert_ne!(plain, outputs("rmsnorm", "reads_scratch", &one_thread(), 0x7f));
}

#[test]
fn the_flip_changes_the_lowest_bit_of_the_first_element_and_nothing_else() {
    let registry = register(Registry::standard());
    let kernel = registry.kernel(plan_name()).expect("the mutant's registry has the flip");
    for dtype in [Dtype::F32, Dtype::Bf16, Dtype::I32, Dtype::U32, Dtype::U64, Dtype::U8] {
        let before = Tensor::zeros(Spec::new(dtype, &[3]));
        let run = |tensor: Tensor| {
            eager::run(kernel, kernel.reference(), &json!({}), &[tensor], 0, &one_thread()).expect("accepted").remove(0)
        };
        let after = run(before.clone());
        assert_eq!(after.bytes()[0], 1);
        assert!(after.bytes()[1..].iter().all(|byte| *byte == 0));
        assert_eq!(run(after), before, "two flips are none");
        let empty = Tensor::zeros(Spec::new(dtype, &[0]));
        assert_eq!(run(empty.clone()), empty);
    }
}

/// The name by which the plan's mutate pass asks for the flip.
fn plan_name() -> &'static str {
    "flip_lowest_bit"
}
