use super::Cast;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Cast);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Cast);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Cast);
}

#[test]
fn a_cast_that_rounds_ties_up_is_caught() {
    testing::bits_catch(&Cast, "cast", |call| {
        let x = call.inputs[0].floats();
        let mut y = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            let value = x.get(index);
            let up = f32::from_bits(value.to_bits().wrapping_add(0x8000) & 0xFFFF_0000);
            y.set(index, if value.is_finite() { up } else { value });
        }
    });
}

#[test]
fn ties_go_to_even_and_an_overflow_is_infinite() {
    let registry = Registry::standard();
    let kernel = registry.kernel("cast").expect("the kernel exists");
    let words: [u32; 5] = [0x3F80_8000, 0x3F81_8000, 0x7F7F_FFFF, 0x7F80_0001, 0x8000_0001];
    let x = Tensor::from_bytes(Spec::f32(&[5]), bytemuck::cast_slice(&words));
    let (attributes, context) = (json!({"dtype": "bf16"}), Context::new(1, Level::detect()));
    for variant in kernel.variants {
        let outputs = run(kernel, variant, &attributes, std::slice::from_ref(&x), 0xA5, &context).expect("valid");
        assert_eq!(outputs[0].view().typed::<u16>(), [0x3F80, 0x3F82, 0x7F80, 0x7FFF, 0x8000]);
    }
}

#[test]
fn a_cast_from_or_to_integers_is_refused() {
    let kernel = &Cast.kernels()[0];
    assert!((kernel.infer)(&json!({"dtype": "u32"}), &[Spec::f32(&[1])]).is_err());
    assert!((kernel.infer)(&json!({"dtype": "f32"}), &[Spec::new(Dtype::U32, &[1])]).is_err());
    assert!((kernel.infer)(&json!({"dtype": "f16"}), &[Spec::f32(&[1])]).is_err());
}
