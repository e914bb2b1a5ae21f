//! Norms at which a wrong coefficient would look right elsewhere.

use crate::case::Case;
use crate::tensor::Tensor;
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let case = |name: &str, norm: f32, scale: f32, prevents| {
        let inputs = vec![Tensor::from_f32(&[1], &[norm]), Tensor::from_f32(&[1], &[scale])];
        Case::new(name, "clip", prevents, json!({"max_norm": 0.75}), inputs)
    };
    vec![
        case("below", 0.1, 1.0, "a small gradient that is made larger"),
        case("above", 3.0, 1.0, "a large gradient that is kept"),
        case("scaled", 3.0, 65536.0, "a coefficient that keeps the loss scale"),
        case("at_limit", 0.75, 1.0, "a missing 1e-6, which is what makes this one less than 1"),
        case("zero", 0.0, 8.0, "an infinite coefficient of a zero gradient"),
        case("prime", 7.0, 8.0, "a reciprocal in place of a division"),
        case("huge", 3e38, 1.0, "a subnormal quotient that is flushed").bits_only(),
        case("infinite", f32::INFINITY, 2.0, "a zero that is negative").bits_only(),
        case("not_a_number", f32::NAN, 2.0, "a NaN that differs between processors").bits_only(),
    ]
}
