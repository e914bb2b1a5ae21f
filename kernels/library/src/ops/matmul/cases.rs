//! Shapes and values at which a wrong product would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

/// Units, rows, K, N.
type Shape = [usize; 4];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [(&str, Shape, &'static str); 13] = [
        ("no_units", [0, 3, 8, 4], "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 8, 5], "a weight gradient of a unit without rows that is left as garbage instead of +0"),
        ("no_terms", [1, 3, 0, 5], "outputs of an empty chain that are left as garbage instead of +0"),
        ("no_outputs", [1, 3, 5, 0], "an input gradient of an empty chain that is left as garbage instead of +0"),
        ("one", [1, 1, 1, 1], "axes that are exchanged where all are equal to each other but to one"),
        ("prime", [3, 43, 37, 29], "tiles that only work when they divide"),
        ("tile_less_one", [1, 7, 15, 31], "a store beyond the last row or column of a tile"),
        ("tile_and_one", [2, 9, 17, 33], "a second tile with one row and one column"),
        ("cache_block_and_one", [1, 97, 385, 34], "accumulators lost between two blocks of a chain"),
        ("few_rows", [1, 3, 20, 515], "columns of several tasks that land in each other's place"),
        ("many_rows", [1, 1030, 5, 3], "rows of several tasks that land in each other's place"),
        ("many_units", [5, 6, 7, 70], "a weight gradient that mixes units, or starts from the unit before"),
        ("wide_weights", [1, 385, 4, 160], "pieces of a weight gradient that land in each other's place"),
    ];
    let (f32, bf16, fp16) = (Dtype::F32, Dtype::Bf16, Dtype::Fp16);
    for (index, (name, shape, prevents)) in shapes.into_iter().enumerate() {
        cases.extend(trio(name, shape, [f32, f32, f32], prevents, 16 * index as u64));
    }
    for (index, (name, dtypes, prevents)) in [
        ("bf16", [bf16, bf16, bf16], "a bf16 result that is rounded before the end of its chain"),
        ("bf16_to_f32", [bf16, bf16, f32], "logits that lose bits on the way to f32"),
        ("mixed", [f32, bf16, f32], "an f32 operand that is rounded to the dtype of the other"),
        ("mixed_to_bf16", [f32, bf16, bf16], "an output dtype that follows an operand instead of the attribute"),
        ("fp16", [fp16, fp16, fp16], "an fp16 result that is rounded as bf16"),
    ]
    .into_iter()
    .enumerate()
    {
        cases.extend(trio(name, [2, 67, 45, 39], dtypes, prevents, 1000 + 16 * index as u64));
        let name = format!("{name}_few_rows");
        cases.extend(trio(&name, [1, 5, 30, 140], dtypes, prevents, 2000 + 16 * index as u64));
    }
    cases.extend(extreme());
    cases
}

fn extreme() -> Vec<Case> {
    let wild = |seed, shape: &[usize], limit| Draw::new(seed).wild(Dtype::F32, shape, limit);
    let negative_zero = Tensor::from_f32(&[1, 2, 3], &[-0.0; 6]);
    let ones = Tensor::from_f32(&[2, 3], &[1.0; 6]);
    let special = [f32::INFINITY, 1.0, f32::NAN, -f32::INFINITY, 0.0, -0.0, f32::from_bits(0xFFC0_0001), 2.0, 1e-45];
    let special_x = Tensor::from_f32(&[1, 3, 3], &special);
    let cancelling = Tensor::from_f32(&[1, 1, 4], &[1.0, 3e-8, 3e-8, -1.0]);
    let mut cases = Vec::new();
    for (name, prevents, x, w) in [
        (
            "wild",
            "flushed subnormals and products that are rounded",
            wild(1, &[2, 9, 40], 1e18),
            wild(2, &[7, 40], 1e18),
        ),
        (
            "overflow",
            "sums that overflow in one order only",
            wild(3, &[1, 9, 40], f32::MAX),
            wild(4, &[7, 40], f32::MAX),
        ),
        ("negative_zero", "a chain that ends in −0, which zero padding would turn into +0", negative_zero, ones),
        ("not_finite", "NaN payloads that differ between processors", special_x, Tensor::from_f32(&[1, 3], &[1.0; 3])),
        (
            "cancelling",
            "terms that are added in pairs or from the end",
            cancelling,
            Tensor::from_f32(&[1, 4], &[1.0; 4]),
        ),
    ] {
        let output = json!({"output": "f32"});
        let [units, rows, n] = [x.spec.shape[0], x.spec.shape[1], w.spec.shape[0]];
        let dy = wild(5, &[units, rows, n], 1e12);
        let mut add = |suffix: &str, kernel, attributes, inputs| {
            cases.push(Case::new(format!("{name}{suffix}"), kernel, prevents, attributes, inputs).bits_only());
        };
        add("", "matmul", output.clone(), vec![x.clone(), w.clone()]);
        add("_dgrad", "matmul_dgrad", output, vec![dy.clone(), w]);
        add("_wgrad", "matmul_wgrad", json!({}), vec![dy, x]);
    }
    cases
}

/// The forward kernel and both gradients; dtypes of x and dy, of w, and of the output.
fn trio(name: &str, shape: Shape, dtypes: [Dtype; 3], prevents: &'static str, seed: u64) -> [Case; 3] {
    let ([units, rows, k, n], [activations, weights, output]) = (shape, dtypes);
    let x = Draw::new(seed).normal(activations, &[units, rows, k], 1.0);
    let w = Draw::new(seed + 1).normal(weights, &[n, k], 0.5);
    let dy = Draw::new(seed + 2).normal(activations, &[units, rows, n], 0.7);
    let output = json!({"output": output});
    [
        Case::new(name, "matmul", prevents, output.clone(), vec![x.clone(), w.clone()]),
        Case::new(format!("{name}_dgrad"), "matmul_dgrad", prevents, output, vec![dy.clone(), w]),
        Case::new(format!("{name}_wgrad"), "matmul_wgrad", prevents, json!({}), vec![dy, x]),
    ]
}
