//! Sizes and values at which a wrong norm would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let sizes: [(&str, &[usize], &'static str); 9] = [
        ("empty", &[0, 3], "a sum over nothing that is left as garbage"),
        ("one", &[1], "lanes that hold nothing"),
        ("prime", &[7, 11, 13], "rows that are summed one by one"),
        ("block_less_one", &[4095], "padding that enters the sum"),
        ("block", &[64, 64], "an empty second block"),
        ("block_and_one", &[4097], "a second block with one element"),
        ("three_blocks", &[12_288], "an odd tail of the tree over blocks"),
        ("task", &[8 * 4096], "task borders that are no block borders"),
        ("task_and_one", &[5, 4096 * 2 + 1], "blocks that start again at every row"),
    ];
    for (index, (name, shape, prevents)) in sizes.into_iter().enumerate() {
        let g = Draw::new(index as u64).normal(Dtype::F32, shape, 1e-2);
        cases.push(Case::new(name, "global_norm_squares", prevents, json!({}), vec![g]));
    }
    let mut last = vec![0.5; 4099];
    let mut bits = |name, value: f32, prevents| {
        last[4098] = value;
        let g = Tensor::from_f32(&[4099], &last);
        cases.push(Case::new(name, "global_norm_squares", prevents, json!({}), vec![g]).bits_only());
    };
    bits("last_is_infinite", f32::NEG_INFINITY, "an Inf at the end of the last block that no flag sees");
    bits("last_is_nan", f32::NAN, "a NaN that no flag sees");
    bits("last_overflows", 1e30, "a finite gradient that is called not finite because its square is");
    let wild = Draw::new(40).wild(Dtype::F32, &[4100], 1e18);
    let prevents = "flushed subnormals, and squares rounded before they are added";
    cases.push(Case::new("wild", "global_norm_squares", prevents, json!({}), vec![wild]).bits_only());
    let subnormal = Draw::new(41).normal(Dtype::F32, &[100], 1e-39);
    let prevents = "subnormal gradients that raise the flag";
    cases.push(Case::new("subnormal", "global_norm_squares", prevents, json!({}), vec![subnormal]));
    cases.extend(norms());
    cases
}

fn norms() -> Vec<Case> {
    let case = |name: &str, squares: &[f32], flags: &[u32], scale: f32, prevents| {
        let word = |flag: &u32| Tensor::from_bytes(Spec::new(Dtype::U32, &[1]), bytemuck::bytes_of(flag));
        let scalar = |value: &f32| Tensor::from_f32(&[1], &[*value]);
        let inputs = squares.iter().map(scalar).chain(flags.iter().map(word)).chain([scalar(&scale)]).collect();
        Case::new(name, "global_norm", prevents, json!({}), inputs)
    };
    let large = f32::MAX;
    vec![
        case("norm_of_one", &[2.0], &[0], 1.0, "a norm without its root"),
        case("norm_of_three", &[1.0, 6e-8, 6e-8], &[0, 0, 0], 8.0, "squares added in another order than tree"),
        case("norm_of_five", &[0.1, 0.2, 0.3, 0.4, 0.5], &[0; 5], 65536.0, "a norm that keeps the loss scale"),
        case("norm_of_zeros", &[0.0, 0.0], &[0, 0], 4.0, "0 / 0"),
        case("flag_of_last", &[1.0, 2.0, 3.0], &[0, 0, 1], 2.0, "a flag of the last tensor that is lost"),
        case("norm_overflows", &[large, large], &[0, 0], 1.0, "a step with an infinite norm that is applied")
            .bits_only(),
        case("norm_is_nan", &[f32::NAN, 1.0], &[1, 0], 1.0, "a NaN that is not canonical").bits_only(),
    ]
}
