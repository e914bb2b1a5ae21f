//! Steps at which a wrong schedule would look right elsewhere.

use super::Kind;
use crate::case::Case;
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::{Value, json};

pub(super) fn attributes(kind: Kind) -> Value {
    json!({
        "kind": kind, "peak": 3e-4, "floor": 3e-5, "warmup": 10, "total": 100, "decay": 20,
        "beta1": 0.9, "beta2": 0.95, "weight_decay": 0.1,
    })
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let steps: [(&str, u64, &'static str); 9] = [
        ("first", 0, "a first step without a learning rate, or corrections for t = 0"),
        ("second", 1, "a learning rate that does not move"),
        ("end_of_warmup", 9, "a warm-up that ends one step early"),
        ("after_warmup", 10, "a warm-up that ends one step late"),
        ("middle", 54, "a phase by fractions of the wrong length"),
        ("before_decay", 79, "a decay that begins one step early"),
        ("decay", 80, "a decay that begins one step late"),
        ("last", 99, "a last step above the floor"),
        ("after_the_end", 100_000, "a cosine that rises again, and powers that take subnormals for zero"),
    ];
    for (name, applied, prevents) in steps {
        for (kind, suffix) in [(Kind::WarmupCosine, "cosine"), (Kind::Wsd, "wsd")] {
            let name = format!("{name}_{suffix}");
            cases.push(case(name, attributes(kind), applied, prevents));
        }
    }
    let mut plain = attributes(Kind::WarmupCosine);
    for (key, value) in [("warmup", json!(0)), ("beta1", json!(0.0)), ("weight_decay", json!(0.0))] {
        plain[key] = value;
    }
    cases.push(case("no_warmup".to_owned(), plain, 0, "0 / 0 without a warm-up, or without momentum"));
    cases
}

fn case(name: String, attributes: Value, applied: u64, prevents: &'static str) -> Case {
    let applied = Tensor::from_bytes(Spec::new(Dtype::U64, &[1]), bytemuck::bytes_of(&applied));
    Case::new(name, "schedule", prevents, attributes, vec![applied])
}
