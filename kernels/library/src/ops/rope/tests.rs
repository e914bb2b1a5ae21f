use super::{Attributes, Rope, table};
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::format::NAN_BITS;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Rope);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Rope);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Rope);
}

#[test]
fn a_rotation_without_fma_is_caught() {
    testing::bits_catch(&Rope, "rope", |call| {
        let attributes: Attributes = call.attributes();
        let (half, count) = (attributes.head_width / 2, call.inputs[2].shape()[1]);
        let (x, positions, table) = (call.inputs[0].floats(), call.inputs[1].typed::<i32>(), call.inputs[2].f32());
        let mut y = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            y.set(index, x.get(index));
        }
        for (row, position) in positions.iter().enumerate() {
            for pair in 0..attributes.rotated() * half {
                let at = row * attributes.width() + pair / half * attributes.head_width + pair % half;
                let angle = (*position as usize).min(count - 1) * half + pair % half;
                let (cos, sin) = (table[angle], table[count * half + angle]);
                y.set(at, x.get(at) * cos - x.get(at + half) * sin);
                y.set(at + half, x.get(at + half) * cos + x.get(at) * sin);
            }
        }
    });
}

#[test]
fn a_quarter_turn_exchanges_the_halves_of_q_and_k_and_leaves_v() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::detect());
    let attributes = json!({"query_heads": 1, "kv_heads": 1, "head_width": 2});
    let positions = Tensor::from_bytes(Spec::new(Dtype::I32, &[1, 2]), bytemuck::cast_slice(&[0, 1]));
    let quarter = Tensor::from_f32(&[2, 1, 1], &[0.0, 1.0]);
    let x = Tensor::from_f32(&[1, 2, 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].repeat(2));
    let nan = f32::from_bits(NAN_BITS);
    for (kernel, expected) in [("rope", [-2.0, 1.0, -4.0, 3.0]), ("rope_backward", [2.0, -1.0, 4.0, -3.0])] {
        let kernel = registry.kernel(kernel).expect("the kernel exists");
        for variant in kernel.variants {
            let operands = [x.clone(), positions.clone(), quarter.clone()];
            let outputs = run(kernel, variant, &attributes, &operands, 0xA5, &context).expect("valid operands");
            let [a, b, c, d] = expected;
            let expected = [a, b, c, d, 5.0, 6.0, nan, nan, nan, nan, 5.0, 6.0].map(f32::to_bits);
            assert_eq!(outputs[0].view().typed::<u32>(), expected, "{} {}", kernel.name, variant.name);
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an independent sine, compared within a bound")]
fn the_table_holds_cosines_then_sines_of_position_times_frequency() {
    let table = table(3, 4, 10_000.0);
    assert_eq!(table.spec, Spec::f32(&[2, 3, 2]));
    let values = table.to_f32();
    for position in 0..3 {
        for (pair, frequency) in [1.0_f64, 0.01].into_iter().enumerate() {
            let angle = f64::from(position as f32 * frequency as f32);
            assert_eq!(values[position * 2 + pair], numerics::math::cos(angle as f32));
            assert!((f64::from(values[6 + position * 2 + pair]) - angle.sin()).abs() < 1e-7);
        }
    }
    // Correctly rounded cos 1 and sin 1.
    assert_eq!([values[2], values[8]].map(f32::to_bits), [0x3F0A_5140, 0x3F57_6AA4]);
}

#[test]
fn widths_that_do_not_fit_the_heads_are_refused() {
    let kernel = &Rope.kernels()[0];
    let specs = |width: usize, half: usize| {
        [Spec::f32(&[1, 2, width]), Spec::new(Dtype::I32, &[1, 2]), Spec::f32(&[2, 9, half])]
    };
    let attributes = |head_width: usize| json!({"query_heads": 2, "kv_heads": 1, "head_width": head_width});
    assert!((kernel.infer)(&attributes(6), &specs(24, 3)).is_ok());
    assert!((kernel.infer)(&attributes(6), &specs(25, 3)).is_err());
    assert!((kernel.infer)(&attributes(6), &specs(24, 6)).is_err());
    let error = (kernel.infer)(&attributes(5), &specs(20, 2)).expect_err("an odd head");
    assert!(error.to_string().contains("an even head width"), "{error}");
}
