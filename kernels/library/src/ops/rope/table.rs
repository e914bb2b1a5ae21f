//! The angles' cosines and sines, computed once on the host.

use crate::tensor::Tensor;
use numerics::math::{cos, pow, sin};

/// The table f32 [2, positions, head_width / 2] for positions 0, 1, …: cosines, then sines.
///
/// For the pair i of a head of width d: `inv_freq = RN(1 / pow(θ, RN(2i / d)))`, `angle = RN(position · inv_freq)`; pow,
/// sin and cos are correctly rounded, every step is f32.
///
/// # Panics
/// When `head_width` is odd.
#[must_use]
pub fn table(positions: usize, head_width: usize, theta: f32) -> Tensor {
    assert!(head_width.is_multiple_of(2), "a head of {head_width} elements has no two halves");
    let half = head_width / 2;
    let frequencies: Vec<f32> = (0..half).map(|pair| 1.0 / pow(theta, (2 * pair) as f32 / head_width as f32)).collect();
    let mut values = Vec::with_capacity(2 * positions * half);
    for function in [cos, sin] {
        for position in 0..positions {
            values.extend(frequencies.iter().map(|frequency| function(position as f32 * frequency)));
        }
    }
    Tensor::from_f32(&[2, positions, half], &values)
}
