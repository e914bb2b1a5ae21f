//! The reference of `swiglu_matmul`, with one step of a tensor core after the other.

use crate::fused::swiglu_matmul::reference::forward_by;
use crate::ops::matmul_tc16::dot;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let dtype = call.inputs[0].spec.dtype;
    forward_by(call, |h, w| dot(dtype, h, w));
}
