//! Counts, scales and steps at which wrong weights would look right elsewhere.

use crate::case::Case;
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let u64s =
        |values: &[u64]| Tensor::from_bytes(Spec::new(Dtype::U64, &[values.len()]), bytemuck::cast_slice(values));
    let scalar = |value: f32| Tensor::from_f32(&[1], &[value]);
    let weights = |name: &str, count, scale, step, z_loss: f32, prevents| {
        let attributes = json!({"z_loss": z_loss, "overflow_steps": [3, 7]});
        let inputs = vec![u64s(&[count]), scalar(scale), u64s(&[step, 40])];
        Case::new(name, "loss_weights", prevents, attributes, inputs)
    };
    let report = |name: &str, loss, z, count, z_loss: f32, prevents| {
        let inputs = vec![scalar(loss), scalar(z), u64s(&[count])];
        Case::new(name, "loss_weights_report", prevents, json!({"z_loss": z_loss}), inputs)
    };
    vec![
        weights("ordinary", 509, 1.0, 0, 1e-4, "a mean by a power of two"),
        weights("scaled", 4093, 65536.0, 4, 1e-4, "a loss scale that misses one of the two"),
        weights("no_targets", 0, 1024.0, 0, 1e-4, "0 / 0 in a batch of padding"),
        weights("no_z_loss", 11, 8.0, 1, 0.0, "a z weight that is not zero"),
        weights("large_count", (1 << 26) + 3, 1.0, 1, 1e-4, "a count rounded to f32 before the division"),
        weights("overflow", 509, 1.0, 3, 1e-4, "an overflow step that stays finite").bits_only(),
        weights("overflow_no_targets", 0, 1.0, 7, 1e-4, "an infinity from a batch of padding").bits_only(),
        weights("overflow_no_z_loss", 9, 1.0, 7, 0.0, "NaN from infinity times zero").bits_only(),
        report("report", 2817.25, 9301.5, 509, 1e-4, "sums that are not divided"),
        report("report_no_targets", 0.0, 0.0, 0, 1e-4, "0 / 0 in a batch of padding"),
        report("report_large_count", 3.0e7, 1.0e8, (1 << 26) + 3, 1e-4, "a count rounded to f32"),
        report("report_not_finite", f32::NAN, 1.0, 5, 1e-4, "a NaN that is not canonical").bits_only(),
    ]
}
