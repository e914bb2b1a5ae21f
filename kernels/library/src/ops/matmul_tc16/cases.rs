//! Shapes and values at which another arithmetic than that of a tensor core would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

/// Units, rows, K, N.
type Shape = [usize; 4];

pub fn cases() -> Vec<Case> {
    let shapes: [(&str, Shape, &'static str); 12] = [
        ("no_units", [0, 3, 16, 4], "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 16, 5], "a weight gradient of a unit without rows that is left as garbage instead of +0"),
        ("no_terms", [1, 3, 0, 5], "outputs without a step that are left as garbage instead of +0"),
        ("no_outputs", [1, 3, 16, 0], "an input gradient without a step that is left as garbage instead of +0"),
        ("one", [1, 1, 1, 1], "a step that needs all of its products"),
        ("one_step", [1, 4, 16, 16], "steps that are cut elsewhere than after 16 products"),
        ("step_less_one", [2, 17, 15, 17], "a short step that is not filled up with zeros"),
        ("step_and_one", [2, 31, 17, 33], "a short step that is added to the one before"),
        ("prime", [3, 43, 37, 29], "tiles that only work when they divide"),
        ("cache_block_and_one", [1, 97, 257, 34], "accumulators lost between two blocks of a chain"),
        ("few_rows", [1, 3, 48, 515], "columns of several tasks that land in each other's place"),
        ("many_units", [5, 6, 7, 70], "a weight gradient that mixes units, or starts from the unit before"),
    ];
    let mut cases = Vec::new();
    for (index, (name, shape, prevents)) in shapes.into_iter().enumerate() {
        cases.extend(trio(name, shape, [Dtype::Bf16, Dtype::F32], prevents, 16 * index as u64));
    }
    for (index, (name, dtypes, prevents)) in [
        ("to_bf16", [Dtype::Bf16, Dtype::Bf16], "a result that is rounded after every step"),
        ("fp16", [Dtype::Fp16, Dtype::F32], "products of fp16 that are cut to the fraction of bf16"),
        ("fp16_to_fp16", [Dtype::Fp16, Dtype::Fp16], "fp16 results that are rounded as bf16"),
    ]
    .into_iter()
    .enumerate()
    {
        cases.extend(trio(name, [2, 67, 45, 39], dtypes, prevents, 1000 + 16 * index as u64));
    }
    cases.extend(extreme());
    cases.extend(batched());
    cases
}

/// Storage of A and of B: whether each is transposed.
const ORDERS: [(&str, [bool; 2]); 4] =
    [("nn", [false, false]), ("nt", [false, true]), ("tn", [true, false]), ("tt", [true, true])];

fn batched() -> Vec<Case> {
    // Matrices, M, N, K.
    let shapes: [(&str, Shape, &'static str); 8] = [
        ("no_matrices", [0, 3, 4, 16], "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 3, 16], "a batch of empty products"),
        ("no_terms", [2, 3, 4, 0], "outputs without a step that are left as garbage instead of +0"),
        ("single", [1, 1, 1, 1], "a step that needs all of its products"),
        ("step_and_one", [2, 17, 16, 17], "a short step that is added to the one before"),
        ("long_chain", [2, 17, 9, 273], "accumulators lost between two blocks of a chain"),
        ("many_rows", [2, 131, 5, 20], "rows of several tasks that land in each other's place"),
        ("many_matrices", [7, 6, 10, 8], "matrices of a batch that land in each other's place"),
    ];
    let mut cases = Vec::new();
    let (bf16, fp16, f32) = (Dtype::Bf16, Dtype::Fp16, Dtype::F32);
    let normal = |dtype| move |seed, shape: &[usize]| Draw::new(seed).normal(dtype, shape, 0.5);
    for (index, (name, shape, prevents)) in shapes.into_iter().enumerate() {
        let (_, order) = ORDERS[index % ORDERS.len()];
        let operands = batch(4000 + 16 * index as u64, shape, order, normal(bf16));
        cases.push(of_batch(name, operands, order, f32, prevents));
    }
    for (index, (suffix, order)) in ORDERS.into_iter().enumerate() {
        let operands = batch(4200 + 16 * index as u64, [3, 43, 29, 37], order, normal(bf16));
        let prevents = "an operand that is read as it is stored";
        cases.push(of_batch(&format!("prime_{suffix}"), operands, order, f32, prevents));
    }
    let gram = Draw::new(4300).normal(bf16, &[3, 24, 40], 0.2);
    let prevents = "a product of a matrix with itself of which only one triangle is written";
    cases.push(of_batch("gram", [gram.clone(), gram], [false, true], bf16, prevents));
    let operands = batch(4400, [2, 19, 23, 33], [true, false], normal(fp16));
    cases.push(of_batch("fp16", operands, [true, false], fp16, "fp16 results that are rounded as bf16"));
    let special = |seed, shape: &[usize]| {
        let mut values = Draw::new(seed).wild(f32, shape, 1e18).to_f32();
        (values[5], values[50]) = (f32::INFINITY, f32::from_bits(0xFFC0_0001));
        Tensor::from_f32_as(bf16, shape, &values)
    };
    let operands = batch(4500, [2, 9, 8, 20], [false, true], special);
    let prevents = "a NaN that reaches another matrix, or a payload that differs between processors";
    cases.push(of_batch("not_finite", operands, [false, true], f32, prevents).bits_only());
    cases
}

fn of_batch(
    name: &str,
    [a, b]: [Tensor; 2],
    [transpose_a, transpose_b]: [bool; 2],
    output: Dtype,
    prevents: &'static str,
) -> Case {
    let attributes = json!({"transpose_a": transpose_a, "transpose_b": transpose_b, "output": output});
    Case::new(format!("batched_{name}"), "matmul_tc16_batched", prevents, attributes, vec![a, b])
}

/// A and B of a batch as they are stored.
fn batch(
    seed: u64,
    [count, m, n, k]: Shape,
    [transpose_a, transpose_b]: [bool; 2],
    draw: impl Fn(u64, &[usize]) -> Tensor,
) -> [Tensor; 2] {
    let a = draw(seed, &if transpose_a { [count, k, m] } else { [count, m, k] });
    [a, draw(seed + 1, &if transpose_b { [count, n, k] } else { [count, k, n] })]
}

fn extreme() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, dtype, limit, prevents) in [
        ("wild", Dtype::Bf16, 1e18, "terms far below the largest that are rounded instead of cut"),
        ("overflow", Dtype::Bf16, f32::MAX, "infinities in the middle of a chain that are found too early or too late"),
        ("tiny", Dtype::Bf16, 1e-25, "subnormal results, and exponents below the floor of −133"),
        ("wild_fp16", Dtype::Fp16, 65_504.0, "subnormal operands of fp16, whose exponent is that of normal ones"),
    ] {
        let wild = |seed, shape: &[usize]| Draw::new(seed).wild(dtype, shape, limit);
        let (x, w, dy) = (wild(1, &[2, 9, 40]), wild(2, &[23, 40]), wild(3, &[2, 9, 23]));
        cases.extend(three(name, [x, w, dy], Dtype::F32, prevents).map(Case::bits_only));
    }
    let bf16 = |shape: &[usize], values: &[f32]| Tensor::from_f32_as(Dtype::Bf16, shape, values);
    let (inf, small) = (f32::INFINITY, 1.0 / 8192.0);
    let x = [inf, 1.0, f32::NAN, -inf, 0.0, -0.0, f32::from_bits(0xFFC0_0001), 2.0, 1e-39];
    let not_finite = [bf16(&[1, 3, 3], &x), bf16(&[2, 3], &[1.0, 0.0, 1.0, -2.0, 1.0, 0.0]), bf16(&[1, 3, 2], &x[..6])];
    let prevents = "NaN payloads that differ between processors, and infinities that meet";
    cases.extend(three("not_finite", not_finite, Dtype::F32, prevents).map(Case::bits_only));
    // The small products are 2^-26 of the largest term: one bit more and they would count, one less loses the next case.
    let cancelling = |name: &'static str, factor: f32| {
        let x = bf16(&[1, 1, 4], &[1.0, factor * small, factor * small, 0.0]);
        let w = bf16(&[1, 4], &[1.0, small, small, 0.0]);
        let prevents = "terms that keep one bit more, or one less, than a tensor core keeps";
        Case::new(name, "matmul_tc16", prevents, json!({"output": "f32"}), vec![x, w])
    };
    cases.push(cancelling("cut_away", 1.0));
    cases.push(cancelling("just_kept", 2.0));
    cases
}

/// The forward kernel and both gradients; dtypes of the operands and of the output.
fn trio(name: &str, shape: Shape, [operand, output]: [Dtype; 2], prevents: &'static str, seed: u64) -> [Case; 3] {
    let [units, rows, k, n] = shape;
    let x = Draw::new(seed).normal(operand, &[units, rows, k], 1.0);
    let w = Draw::new(seed + 1).normal(operand, &[n, k], 0.5);
    let dy = Draw::new(seed + 2).normal(operand, &[units, rows, n], 0.7);
    three(name, [x, w, dy], output, prevents)
}

fn three(name: &str, [x, w, dy]: [Tensor; 3], output: Dtype, prevents: &'static str) -> [Case; 3] {
    let output = json!({"output": output});
    [
        Case::new(name, "matmul_tc16", prevents, output.clone(), vec![x.clone(), w.clone()]),
        Case::new(format!("{name}_dgrad"), "matmul_tc16_dgrad", prevents, output, vec![dy.clone(), w]),
        Case::new(format!("{name}_wgrad"), "matmul_tc16_wgrad", prevents, json!({}), vec![dy, x]),
    ]
}
