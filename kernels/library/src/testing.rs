//! The tests that every room runs.

mod fusion;

pub use fusion::fusion_gradient_equals_composition;

use crate::case::Case;
use crate::check;
use crate::context::{Context, Pool};
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Call, REFERENCE, Room, Variant};
use crate::tensor::Tensor;
use numerics::simd::Level;

/// Contexts that must not matter: threads, instruction sets, seeded task orders.
fn contexts() -> Vec<(String, Context)> {
    let mut contexts = Vec::new();
    for level in Level::available() {
        for (threads, seed) in [(1, None), (2, None), (1, Some(1)), (3, Some(2))] {
            let name = format!("{} threads, {}, perturbation {seed:?}", threads, level.name());
            contexts.push((name, Context { pool: Pool::new(threads, seed), level }));
        }
    }
    contexts
}

/// A case makes sense only if the kernel accepts it and it is the only one of its name.
fn cases(room: &dyn Room) -> Vec<Case> {
    let cases = room.cases();
    assert!(!cases.is_empty(), "{} has no cases", room.name());
    for (index, case) in cases.iter().enumerate() {
        assert!(cases[..index].iter().all(|other| other.name != case.name), "two cases are called {}", case.name);
    }
    for kernel in room.kernels() {
        assert!(kernel.name.starts_with(room.name()), "{} does not start with its room's name", kernel.name);
        assert_eq!(kernel.variants[0].name, REFERENCE);
        assert!(cases.iter().any(|case| case.kernel == kernel.name), "{} has no case", kernel.name);
    }
    cases
}

/// Every variant, in every context and over two poison patterns, gives the bits of the reference.
pub fn variants_agree(room: &dyn Room) {
    let registry = Registry::standard();
    let contexts = contexts();
    for case in cases(room) {
        let kernel = registry.kernel(case.kernel).expect("a case names a kernel");
        let single = Context::new(1, Level::Scalar);
        let execute = |variant, poison, context: &Context| {
            run(kernel, variant, &case.attributes, &case.inputs, poison, context).expect("a case is accepted")
        };
        let expected = execute(kernel.reference(), 0xA5, &single);
        for variant in kernel.variants {
            for (name, context) in &contexts {
                for poison in [0xA5, 0x3C] {
                    let found = execute(variant, poison, context);
                    compare(
                        &format!("{} case {} variant {} ({name})", kernel.name, case.name, variant.name),
                        &found,
                        &expected,
                    );
                }
            }
        }
    }
}

fn compare(what: &str, found: &[Tensor], expected: &[Tensor]) {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let size = expected.spec.dtype.bytes();
        let first = (0..expected.spec.elements())
            .find(|element| found.bytes()[element * size..][..size] != expected.bytes()[element * size..][..size]);
        assert_eq!(first, None, "{what}: output {index} differs at this element");
    }
}

/// A wrong implementation of a kernel is caught: its bits differ from the reference's on at least one case.
pub fn bits_catch(room: &dyn Room, kernel: &str, wrong: fn(&mut Call<'_, '_>)) {
    let registry = Registry::standard();
    let kernel = registry.kernel(kernel).expect("the kernel exists");
    let context = Context::new(1, Level::Scalar);
    let execute = |variant: &Variant, case: &Case| {
        run(kernel, variant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted")
    };
    let wrong = Variant { name: "wrong", run: wrong };
    let caught = cases(room)
        .iter()
        .filter(|case| case.kernel == kernel.name)
        .any(|case| execute(&wrong, case) != execute(kernel.reference(), case));
    assert!(caught, "no case of {} sees this mistake", kernel.name);
}

/// Every variant is within the oracle's bound.
pub fn outputs_are_right(room: &dyn Room) {
    let registry = Registry::standard();
    let context = Context::new(2, Level::detect());
    let mut compared = 0;
    for case in cases(room).iter().filter(|case| !case.bits_only) {
        let kernel = registry.kernel(case.kernel).expect("a case names a kernel");
        let oracle = room.oracle(kernel.name).unwrap_or_else(|| panic!("{} has no oracle", kernel.name));
        for variant in kernel.variants {
            for checked in check::outputs(kernel, variant, &oracle, case, &context).expect("a case is accepted") {
                assert!(checked.right(), "{} case {} variant {}: {checked:?}", kernel.name, case.name, variant.name);
                compared += checked.elements;
            }
        }
    }
    assert!(compared > 0, "{}: nothing was compared with the oracle", room.name());
}

/// Gradients agree with finite differences of the oracle.
pub fn gradients_are_right(room: &dyn Room) {
    let registry = Registry::standard();
    let context = Context::new(2, Level::detect());
    let mut compared = 0;
    for case in cases(room).iter().filter(|case| !case.bits_only) {
        for checked in check::gradients(&registry, room, case, REFERENCE, &context).expect("a case is accepted") {
            assert!(checked.right(), "{} case {}: {checked:?}", case.kernel, case.name);
            compared += checked.elements;
        }
    }
    assert!(compared > 0, "{}: no gradient was compared", room.name());
}

/// A fused kernel gives the bits of the chain of two that it replaces, on every case and variant.
pub fn fusion_equals_composition(room: &dyn Room) {
    let registry = Registry::standard();
    let fusion = room.fusion().expect("the room is a fusion");
    let context = Context::new(2, Level::detect());
    let fused = registry.kernel(fusion.kernel).expect("the fused kernel exists");
    let mut compared = 0;
    for case in cases(room).iter().filter(|case| case.kernel == fusion.kernel) {
        let expected = check::composition(&registry, &fusion, case, &context).expect("a case is accepted");
        for variant in fused.variants {
            let found =
                run(fused, variant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted");
            assert_eq!(found.len(), expected.len());
            compare(&format!("{} case {} variant {}", fused.name, case.name, variant.name), &found, &expected);
            compared += 1;
        }
    }
    assert!(compared > 0, "{}: nothing was compared", room.name());
}
