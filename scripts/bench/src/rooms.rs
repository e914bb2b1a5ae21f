//! Calls of rooms, by their fastest variant.

use crate::Work;
use library::case::Draw;
use library::context::Context;
use library::registry::Registry;
use library::room::{Call, Kernel};
use library::tensor::{Dtype, Spec, Tensor, View, ViewMut};
use numerics::simd::Level;
use serde_json::{Value, json};

const POSITIONS: usize = 256;
const VOCABULARY: usize = 4096;
const WIDTH: usize = 512;

fn normal(seed: u64, shape: &[usize]) -> Tensor {
    Draw::new(seed).normal(Dtype::F32, shape, 1.0)
}

fn integers(dtype: Dtype, shape: &[usize], values: &[u8]) -> Tensor {
    Tensor::from_bytes(Spec::new(dtype, shape), values)
}

struct Prepared {
    kernel: Kernel,
    attributes: Value,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    context: Context,
}

impl Prepared {
    /// `operands` are the inputs and the start values of outputs that are updated in place.
    fn new(level: Level, kernel: &str, attributes: Value, mut operands: Vec<Tensor>) -> Self {
        let kernel = *Registry::standard().kernel(kernel).expect("a kernel of the registry");
        let specs: Vec<Spec> = operands.iter().map(|tensor| tensor.spec.clone()).collect();
        let specs = (kernel.infer)(&attributes, &specs).expect("operands that the kernel takes");
        let mut outputs = operands.split_off(operands.len() - kernel.in_place);
        outputs.extend(specs.into_iter().skip(outputs.len()).map(Tensor::zeros));
        Self { kernel, attributes, inputs: operands, outputs, context: Context::new(1, level) }
    }

    fn run(&mut self) {
        let Self { kernel, attributes, inputs, outputs, context } = self;
        let inputs: Vec<View<'_>> = inputs.iter().map(Tensor::view).collect();
        let mut outputs: Vec<ViewMut<'_>> = outputs.iter_mut().map(Tensor::view_mut).collect();
        (kernel.fastest().run)(&mut Call { attributes, inputs: &inputs, outputs: &mut outputs, context });
    }

    fn work(mut self) -> Work {
        Box::new(move || self.run())
    }

    /// Outputs of one call.
    fn made(mut self) -> Vec<Tensor> {
        self.run();
        self.outputs
    }
}

/// y = x·wᵀ of squares.
pub fn matmul(level: Level, size: usize) -> Work {
    let operands = vec![normal(1, &[1, size, size]), normal(2, &[size, size])];
    Prepared::new(level, "matmul", json!({"output": "f32"}), operands).work()
}

/// Four query heads over two pairs of key and value heads of width 64, one document.
pub fn attention(level: Level, backward: bool) -> Work {
    let attributes = json!({"query_heads": 4, "kv_heads": 2, "head_width": 64, "row_tokens": POSITIONS});
    let qkv = normal(1, &[1, POSITIONS, 8 * 64]);
    let document_start = Tensor::zeros(Spec::new(Dtype::I32, &[1, POSITIONS]));
    let forward = Prepared::new(level, "attention", attributes.clone(), vec![qkv.clone(), document_start.clone()]);
    if !backward {
        return forward.work();
    }
    let mut operands = vec![qkv];
    operands.extend(forward.made());
    operands.extend([normal(2, &[1, POSITIONS, 4 * 64]), document_start]);
    Prepared::new(level, "attention_backward", attributes, operands).work()
}

pub fn cross_entropy(level: Level, backward: bool) -> Work {
    let logits = normal(1, &[1, POSITIONS, VOCABULARY]);
    let targets: Vec<u8> = (0..POSITIONS as u32).flat_map(|position| (position * 7).to_le_bytes()).collect();
    let targets = integers(Dtype::U32, &[1, POSITIONS], &targets);
    let weights = Tensor::from_f32(&[2], &[1.0 / 256.0, 1e-6]);
    let attributes = json!({"output": "f32"});
    let operands = vec![logits.clone(), targets.clone(), weights.clone()];
    let forward = Prepared::new(level, "cross_entropy", attributes.clone(), operands);
    if !backward {
        return forward.work();
    }
    let lse = forward.made().remove(2);
    Prepared::new(level, "cross_entropy_backward", attributes, vec![logits, targets, lse, weights]).work()
}

pub fn rmsnorm(level: Level, backward: bool) -> Work {
    let (x, gamma) = (normal(1, &[1, POSITIONS, WIDTH]), normal(2, &[WIDTH]));
    let attributes = json!({"epsilon": 1e-5});
    let forward = Prepared::new(level, "rmsnorm", attributes.clone(), vec![x.clone(), gamma.clone()]);
    if !backward {
        return forward.work();
    }
    let r = forward.made().remove(1);
    let operands = vec![x, gamma, r, normal(3, &[1, POSITIONS, WIDTH])];
    Prepared::new(level, "rmsnorm_backward", attributes, operands).work()
}

pub fn swiglu(level: Level, backward: bool) -> Work {
    let gate_up = normal(1, &[1, POSITIONS, 2 * WIDTH]);
    if !backward {
        return Prepared::new(level, "swiglu", json!({}), vec![gate_up]).work();
    }
    let operands = vec![gate_up, normal(2, &[1, POSITIONS, WIDTH])];
    Prepared::new(level, "swiglu_backward", json!({}), operands).work()
}

/// One step; repeated calls go on from its result.
pub fn adamw(level: Level) -> Work {
    let shape = [256, 256];
    let scalars = [1e-3, 0.1, 0.05, 0.9999, 1.0, 1e-3, 0.9, 0.95];
    let operands = vec![
        normal(1, &shape),
        Tensor::from_f32(&[1], &[1.0]),
        Tensor::from_f32(&[8], &scalars),
        integers(Dtype::U32, &[1], &[0; 4]),
        normal(2, &shape),
        Tensor::zeros(Spec::f32(&shape)),
        Tensor::zeros(Spec::f32(&shape)),
    ];
    Prepared::new(level, "adamw", json!({"epsilon": 1e-8, "decay": true}), operands).work()
}
