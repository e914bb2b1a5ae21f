//! Dtypes, shapes and values at which a wrong cast would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let pairs = [
        ("f32_to_bf16", Dtype::F32, Dtype::Bf16),
        ("bf16_to_f32", Dtype::Bf16, Dtype::F32),
        ("f32_to_f32", Dtype::F32, Dtype::F32),
        ("bf16_to_bf16", Dtype::Bf16, Dtype::Bf16),
        ("f32_to_fp16", Dtype::F32, Dtype::Fp16),
        ("fp16_to_f32", Dtype::Fp16, Dtype::F32),
    ];
    let shapes: [(&str, &[usize], &'static str); 6] = [
        ("empty", &[2, 0, 8], "a launch over nothing that reads something"),
        ("one", &[1, 1, 1], "a vector loop without its tail"),
        ("prime", &[3, 7, 37], "work that only covers whole tiles"),
        ("tile_less_one", &[255], "a tile that reads past its end"),
        ("tile_and_one", &[257], "a second tile with one element"),
        ("task_and_one", &[1, 113, 290], "a second task with two elements"),
    ];
    for (pair, (direction, from, to)) in pairs.into_iter().enumerate() {
        let mut push = |name: &str, prevents, x: Tensor, bits_only| {
            let case = Case::new(format!("{direction}_{name}"), "cast", prevents, json!({ "dtype": to }), vec![x]);
            cases.push(if bits_only { case.bits_only() } else { case });
        };
        for (index, (name, shape, prevents)) in shapes.iter().enumerate() {
            let seed = 1300 + 10 * pair as u64 + index as u64;
            push(name, prevents, Draw::new(seed).normal(from, shape, 1.5), false);
        }
        let wild = Draw::new(1390 + pair as u64).wild(from, &[3, 1000], largest(from));
        push("wild", "subnormals that are flushed, ties that are rounded up", wild, true);
        push(
            "special",
            "NaN payloads, a NaN that rounds to Inf, an overflow that wraps, a lost sign",
            special(from),
            true,
        );
    }
    cases
}

fn largest(dtype: Dtype) -> f32 {
    if dtype == Dtype::Fp16 { 65_504.0 } else { f32::MAX }
}

/// Raw bits, so that NaN payloads reach the kernel: signalling and negative NaN, a NaN whose payload lies only in the
/// bits that bf16 drops, ties of both parities, the largest values, subnormals, zeros, infinities.
fn special(dtype: Dtype) -> Tensor {
    const F32: [u32; 14] = [
        0x7F80_0001,
        0xFFC0_0000,
        0x7FFF_FFFF,
        0x3F80_8000,
        0x3F81_8000,
        0x3F80_8001,
        0x7F7F_FFFF,
        0xFF7F_8000,
        0x0000_0001,
        0x0000_8001,
        0x8000_0000,
        0x0000_0000,
        0x7F80_0000,
        0xFF80_0000,
    ];
    /// The same kinds of value in fp16.
    const FP16: [u16; 14] = [
        0x7C01, 0xFE00, 0x7FFF, 0x3C00, 0x3C01, 0x3C02, 0x7BFF, 0xFBFF, 0x0001, 0x8001, 0x8000, 0x0000, 0x7C00, 0xFC00,
    ];
    const BF16: [u16; 14] = [
        0x7F81, 0xFFC0, 0x7FFF, 0x3F80, 0x3F81, 0x3F82, 0x7F7F, 0xFF7F, 0x0001, 0x8001, 0x8000, 0x0000, 0x7F80, 0xFF80,
    ];
    let bytes: &[u8] = match dtype {
        Dtype::F32 => bytemuck::cast_slice(&F32),
        Dtype::Fp16 => bytemuck::cast_slice(&FP16),
        _ => bytemuck::cast_slice(&BF16),
    };
    Tensor::from_bytes(Spec::new(dtype, &[14]), bytes)
}
