//! Heads, positions and values at which a wrong rotation would look right elsewhere.

use super::{Attributes, table};
use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

/// Name; units, positions of a unit; query heads, kv heads, head width; dtype; what the case prevents.
type Row = (&'static str, [usize; 2], [usize; 3], Dtype, &'static str);

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [Row; 9] = [
        ("no_units", [0, 3], [2, 1, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("no_rows", [2, 0], [2, 1, 8], Dtype::F32, "a launch over nothing that reads something"),
        (
            "one_pair",
            [1, 1],
            [1, 1, 2],
            Dtype::F32,
            "halves and neighbours taken for one another: with one pair they agree",
        ),
        ("odd_pairs", [2, 7], [3, 1, 14], Dtype::F32, "a vector loop without its tail"),
        ("grouped", [1, 31], [4, 2, 16], Dtype::F32, "heads of v that are rotated, heads of k that are not"),
        ("no_kv", [1, 5], [2, 0, 6], Dtype::F32, "a row without k and v"),
        ("tasks", [2, 130], [2, 1, 32], Dtype::F32, "a last task with fewer rows than the others"),
        ("bf16", [2, 40], [4, 2, 32], Dtype::Bf16, "a product that is rounded to bf16, or cosines in bf16"),
        ("fp16", [2, 20], [4, 2, 16], Dtype::Fp16, "a rotated value that is rounded as bf16"),
    ];
    for (index, (name, [units, rows], [query_heads, kv_heads, head_width], dtype, prevents)) in
        shapes.into_iter().enumerate()
    {
        let attributes = Attributes { query_heads, kv_heads, head_width };
        let seed = 1800 + 2 * index as u64;
        let qkv = Draw::new(seed).normal(dtype, &[units, rows, attributes.width()], 1.5);
        let positions = Draw::new(seed + 1).below(&[units, rows], 50);
        let positions = Tensor::from_bytes(Spec::new(Dtype::I32, &[units, rows]), positions.bytes());
        let inputs = vec![qkv, positions, table(50, head_width, 10_000.0)];
        cases.extend(pair(name, prevents, attributes, inputs, false));
    }
    let attributes = Attributes { query_heads: 1, kv_heads: 1, head_width: 4 };
    let at = |positions: &[i32]| {
        Tensor::from_bytes(Spec::new(Dtype::I32, &[1, positions.len()]), bytemuck::cast_slice(positions))
    };
    let outside = vec![
        Draw::new(1890).normal(Dtype::F32, &[1, 6, 12], 1.0),
        at(&[-1, 0, 7, 8, i32::MIN, i32::MAX]),
        table(8, 4, 100.0),
    ];
    let wild = vec![
        Draw::new(1891).wild(Dtype::F32, &[1, 8, 12], f32::MAX),
        at(&[0, 1, 2, 3, 4, 5, 6, 7]),
        Draw::new(1892).wild(Dtype::F32, &[2, 8, 2], 1.0),
    ];
    let special = [f32::INFINITY, -0.0, f32::from_bits(0xFFC0_0001), 1.0].repeat(3);
    let special = vec![Tensor::from_f32(&[1, 2, 12], &special.repeat(2)), at(&[0, 5]), table(8, 4, 100.0)];
    for (name, prevents, inputs) in [
        ("outside", "a position outside the table that reads other memory, or goes unseen", outside),
        ("wild", "a multiplication and addition that are not fused, or fused twice", wild),
        ("special", "NaN payloads in v, a lost sign of zero", special),
    ] {
        cases.extend(pair(name, prevents, attributes, inputs, true));
    }
    cases
}

fn pair(name: &str, prevents: &'static str, attributes: Attributes, inputs: Vec<Tensor>, bits_only: bool) -> [Case; 2] {
    let forward = Case::new(name, "rope", prevents, json!(attributes), inputs.clone());
    let backward = Case::new(format!("{name}_backward"), "rope_backward", prevents, json!(attributes), inputs);
    [forward, backward].map(|case| if bits_only { case.bits_only() } else { case })
}
