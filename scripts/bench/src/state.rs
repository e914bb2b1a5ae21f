//! Fingerprints: of bytes, and of the whole state of a recipe as each step takes it.

use crate::Work;
use contract::request::Part;
use fingerprint::Fingerprint;
use library::registry::Registry;
use library::tensor::Tensor;
use plan::passes::mutate::Mutations;
use std::hint::black_box;

pub fn bytes(count: u32) -> Work {
    let bytes: Vec<u8> = (0..count / 4).flat_map(|index| index.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect();
    Box::new(move || {
        black_box(Fingerprint::of_bytes(black_box(&bytes)));
    })
}

/// Every leaf of the state of `dense-ieee`, with dtype and shape.
pub fn whole() -> Work {
    let recipe = plan::recipe::load("dense-ieee").expect("a shipped recipe");
    let plan = plan::assemble(&recipe, &Part::EndToEnd, &Registry::standard(), &Mutations::default());
    let plan = plan.expect("a shipped recipe has a plan");
    let leaves: Vec<Tensor> =
        plan.state().iter().map(|(_, value)| Tensor::zeros(plan.value(*value).spec.clone())).collect();
    Box::new(move || {
        for leaf in &leaves {
            let fingerprint = Fingerprint::of_bytes(black_box(leaf.bytes()));
            black_box(fingerprint.with_meta(leaf.spec.dtype.name(), &leaf.spec.dimensions()));
        }
    })
}
