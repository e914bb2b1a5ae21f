//! Shapes, documents and scores at which a wrong attention would look right elsewhere.

use super::Attributes;
use crate::case::{Case, Draw};
use crate::context::Context;
use crate::eager::run;
use crate::tensor::{Dtype, Spec, Tensor};
use numerics::simd::Level;
use serde_json::Value;

/// Forward cases with coordinates on which the output does not depend at all: a lone key, equal keys, a weight that is
/// 1 to the last bit. A finite difference is exactly zero there, and so is the bound that is derived from it, while the
/// kernel's zero is a difference of rounded sums. The backward kernel meets its own oracle on these.
pub const FLAT: [&str; 6] =
    ["rows_of_one_token", "short_row", "documents_of_one", "padding_after", "equal_scores", "large_scores"];

/// Query heads, kv heads, head width, row tokens.
type Heads = [usize; 4];

pub fn cases() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(documents());
    cases.extend(extreme());
    let qkv = Draw::new(2096).normal(Dtype::Fp16, &[1, 150, 24], 1.0);
    cases.extend(pair("fp16", [2, 1, 6, 150], "weights that are rounded as bf16", qkv, &[0; 150], 2096));
    cases
}

fn plain() -> Vec<Case> {
    let shapes: [(&str, Heads, [usize; 2], Dtype, &'static str); 13] = [
        ("no_units", [2, 1, 4, 4], [0, 4], Dtype::F32, "a launch over nothing that reads something"),
        ("no_positions", [2, 1, 4, 4], [2, 0], Dtype::F32, "a block that is read where there is none"),
        ("one_token", [1, 1, 1, 1], [1, 1], Dtype::F32, "a weight of a lone key other than 1"),
        ("rows_of_one_token", [2, 2, 3, 1], [1, 5], Dtype::F32, "a packed row that sees the row before"),
        ("short_row", [2, 1, 8, 7], [2, 14], Dtype::F32, "a short block whose lanes hold garbage"),
        ("block_less_one", [1, 1, 5, 127], [1, 127], Dtype::F32, "a block that only works when it is full"),
        ("block", [1, 1, 16, 128], [1, 128], Dtype::F32, "a second block that is begun where none is"),
        ("block_and_one", [2, 1, 5, 129], [1, 129], Dtype::F32, "a second block with one key"),
        ("two_rows", [2, 2, 4, 128], [1, 256], Dtype::F32, "blocks counted across packed rows"),
        ("two_blocks", [2, 1, 16, 256], [1, 256], Dtype::F32, "a running maximum or sum that forgets the block before"),
        ("three_blocks", [1, 1, 3, 300], [1, 300], Dtype::F32, "gradients of queries added in another order"),
        ("group_of_four", [4, 1, 8, 33], [2, 66], Dtype::F32, "a kv gradient that leaves out heads of its group"),
        ("bf16", [4, 2, 16, 150], [2, 150], Dtype::Bf16, "weights that are rounded at another place"),
    ];
    let mut cases = Vec::new();
    for (index, (name, heads, [units, positions], dtype, prevents)) in shapes.into_iter().enumerate() {
        let [query_heads, kv_heads, head_width, row_tokens] = heads;
        let shape = [units, positions, (query_heads + 2 * kv_heads) * head_width];
        let qkv = Draw::new(16 * index as u64).normal(dtype, &shape, 1.0);
        let starts: Vec<i32> = (0..positions).map(|i| (i / row_tokens * row_tokens) as i32).collect();
        cases.extend(pair(name, heads, prevents, qkv, &starts.repeat(units), 16 * index as u64));
    }
    cases
}

/// One packed row, cut into documents that begin at the given positions.
fn documents() -> Vec<Case> {
    let all: Vec<usize> = (0..140).collect();
    let layouts: [(&str, &[usize], &'static str); 8] = [
        ("documents_of_one", &all, "padding rows that see each other"),
        ("start_at_127", &[0, 127], "a block in which one key is visible to the rows after it"),
        ("start_at_128", &[0, 128], "a block without visible keys that still rescales the row"),
        ("start_at_129", &[0, 129], "a block whose first key is not visible"),
        ("one_at_128", &[0, 128, 129], "a document of one token on the edge of a block"),
        ("mixed", &[0, 1, 5, 64, 100, 101, 133], "the mask of one row taken from another"),
        ("padding_after", &[0, 90, 91, 92, 93, 94, 95, 96], "padding positions that see the document before"),
        ("late", &[130], "keys before the first document that get a gradient"),
    ];
    let (heads, positions) = ([2, 1, 6, 140], 140);
    let mut cases = Vec::new();
    for (index, (name, starts, prevents)) in layouts.into_iter().enumerate() {
        let seed = 1000 + 16 * index as u64;
        let start = |i: usize| starts.iter().rev().find(|start| **start <= i).map_or(i, |start| *start);
        let document_start: Vec<i32> = (0..positions).map(|i| start(i) as i32).collect();
        let dtype = if index % 2 == 0 { Dtype::F32 } else { Dtype::Bf16 };
        let qkv = Draw::new(seed).normal(dtype, &[1, positions, 24], 1.0);
        cases.extend(pair(name, heads, prevents, qkv, &document_start, seed));
    }
    cases
}

fn extreme() -> Vec<Case> {
    let heads = [2, 1, 4, 140];
    let shape = [1, 140, 16];
    let starts = vec![0; 140];
    let mut equal = Draw::new(2000).normal(Dtype::F32, &shape, 1.0).to_f32();
    equal.chunks_mut(16).for_each(|position| position[8..12].fill(0.5));
    let large = Draw::new(2016).normal(Dtype::F32, &shape, 40.0);
    let wild = Draw::new(2032).wild(Dtype::F32, &shape, 1e30);
    let mut special = Draw::new(2048).normal(Dtype::F32, &shape, 1.0).to_f32();
    for (at, value) in [(3, f32::NAN), (16 * 40 + 9, f32::INFINITY), (16 * 90 + 13, f32::NEG_INFINITY)] {
        special[at] = value;
    }
    special[16 * 130 + 14] = f32::from_bits(0xFFC0_0001);
    let of = |values: &[f32]| Tensor::from_f32(&shape, values);
    let documents: Vec<i32> =
        (0..140).map(|i| [0, 20, 60, 95][(i >= 20) as usize + (i >= 60) as usize + (i >= 95) as usize]).collect();
    let nothing: Vec<i32> = (0..140).map(|i| if i % 3 == 0 { i + 1 } else { -5 }).collect();
    let zeros = of(&[-0.0; 140 * 16]);
    let normal = Draw::new(2064).normal(Dtype::F32, &shape, 1.0);
    let mut cases = Vec::new();
    cases.extend(pair("equal_scores", heads, "a maximum that must be larger to be taken", of(&equal), &starts, 2000));
    cases.extend(pair("large_scores", heads, "exponents without the maximum taken off", large, &starts, 2016));
    for (name, prevents, qkv, starts) in [
        ("wild", "scores of every magnitude, subnormals flushed", wild, &starts),
        ("not_finite", "an invisible Inf or NaN that reaches a row through a weight of zero", of(&special), &documents),
        ("sees_nothing", "a row without visible keys that is left as garbage", normal, &nothing),
        ("negative_zero", "chains that end in −0", zeros, &starts),
    ] {
        let pair = pair(name, heads, prevents, qkv, starts, 2080);
        cases.extend(pair.map(Case::bits_only));
    }
    cases
}

/// The forward kernel, and the backward kernel on what the forward reference gives.
fn pair(name: &str, heads: Heads, prevents: &'static str, qkv: Tensor, starts: &[i32], seed: u64) -> [Case; 2] {
    let [query_heads, kv_heads, head_width, row_tokens] = heads;
    let attributes = serde_json::to_value(Attributes { query_heads, kv_heads, head_width, row_tokens })
        .expect("attributes are plain numbers");
    let document_start = Tensor::from_bytes(Spec::new(Dtype::I32, &qkv.spec.shape[..2]), bytemuck::cast_slice(starts));
    let [o, lse2] = outputs(&attributes, &qkv, &document_start);
    let gradient = Draw::new(seed + 1).normal(o.spec.dtype, &o.spec.shape, 0.7);
    let inputs = vec![qkv.clone(), o, lse2, gradient, document_start.clone()];
    let forward = Case::new(name, "attention", prevents, attributes.clone(), vec![qkv, document_start]);
    [
        if FLAT.contains(&name) { forward.bits_only() } else { forward },
        Case::new(format!("{name}_backward"), "attention_backward", prevents, attributes, inputs),
    ]
}

fn outputs(attributes: &Value, qkv: &Tensor, document_start: &Tensor) -> [Tensor; 2] {
    let kernel = &super::KERNELS[0];
    let operands = [qkv.clone(), document_start.clone()];
    run(kernel, kernel.reference(), attributes, &operands, 0xA5, &Context::new(1, Level::Scalar))
        .expect("the operands of a case fit")
        .try_into()
        .expect("attention has two outputs")
}
