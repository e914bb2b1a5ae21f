//! Shapes, token runs and values at which a wrong lookup or scatter would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    // Units, positions, vocabulary, width, number of distinct tokens that occur.
    let shapes: [(&str, [usize; 4], u32, Dtype, &'static str); 11] = [
        ("no_units", [0, 4, 5, 3], 5, Dtype::F32, "a launch over nothing that reads something"),
        ("no_positions", [2, 0, 5, 3], 5, Dtype::F32, "a gradient of an empty unit that is left as garbage"),
        ("one", [1, 1, 1, 1], 1, Dtype::F32, "a vector loop without its tail"),
        ("prime", [3, 31, 13, 37], 13, Dtype::F32, "units that add into one another"),
        ("rare", [2, 5, 97, 8], 97, Dtype::F32, "rows without tokens that are left as garbage instead of +0"),
        ("partial", [1, 256, 3, 5], 1, Dtype::F32, "a second partial without records"),
        ("partial_and_one", [2, 257, 3, 5], 1, Dtype::F32, "a run that is one chain beyond a partial"),
        ("three_partials", [1, 1030, 4, 33], 2, Dtype::F32, "partials that are added in ascending order, not by tree"),
        ("two_ranges", [2, 300, 700, 48], 700, Dtype::F32, "a run at the border of two tasks"),
        ("bf16", [2, 140, 50, 96], 20, Dtype::Bf16, "a gradient that is summed in bf16"),
        ("fp16", [2, 70, 50, 24], 20, Dtype::Fp16, "a gradient that is summed in fp16"),
    ];
    for (index, (name, shape, distinct, dtype, prevents)) in shapes.into_iter().enumerate() {
        let seed = 1500 + 3 * index as u64;
        let [units, positions, vocabulary, width] = shape;
        let tokens = Draw::new(seed).below(&[units, positions], distinct);
        let table = Draw::new(seed + 1).normal(dtype, &[vocabulary, width], 1.0);
        let dy = Draw::new(seed + 2).normal(dtype, &[units, positions, width], 0.7);
        cases.extend(pair(name, prevents, tokens, table, dy, false));
    }
    let tokens = Draw::new(1590).below(&[2, 600], 3);
    let [table, dy] =
        [[5, 16].as_slice(), &[2, 600, 16]].map(|shape| Draw::new(1591).wild(Dtype::F32, shape, f32::MAX));
    cases.extend(pair("wild", "another order of additions, or another precision", tokens, table, dy, true));
    let tokens = [0, 5, 4, u32::MAX, 0, 7, 1, 1];
    let tokens = Tensor::from_bytes(Spec::new(Dtype::U32, &[2, 4]), bytemuck::cast_slice(&tokens));
    let zeros =
        Tensor::from_f32(&[5, 2], &[-0.0, 1e-45, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, f32::from_bits(0xFF80_0001), -0.0]);
    let dy = Draw::new(1595).normal(Dtype::F32, &[2, 4, 2], 1.0);
    let prevents = "a token outside the table that reads or writes other memory, or goes unseen";
    cases.extend(pair("outside", prevents, tokens, zeros, dy, true));
    let tokens = Tensor::from_bytes(Spec::new(Dtype::U32, &[1, 3]), bytemuck::cast_slice(&[1_u32, 1, 0]));
    let table = Tensor::from_f32(&[2, 1], &[1.0, 2.0]);
    let dy = Tensor::from_f32(&[1, 3, 1], &[-0.0, -0.0, f32::from_bits(0xFFC0_0001)]);
    cases.extend(pair("special", "a run that starts from its first record and not from +0", tokens, table, dy, true));
    cases
}

fn pair(name: &str, prevents: &'static str, tokens: Tensor, table: Tensor, dy: Tensor, bits_only: bool) -> [Case; 2] {
    let attributes = json!({"vocabulary": table.spec.shape[0]});
    let forward = Case::new(name, "embedding", prevents, json!({}), vec![tokens.clone(), table]);
    let name = format!("{name}_backward");
    let backward = Case::new(name, "embedding_backward", prevents, attributes, vec![tokens, dy]);
    [forward, backward].map(|case| if bits_only { case.bits_only() } else { case })
}
