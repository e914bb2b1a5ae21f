//! Puts side by side what the two runs left behind.

use super::PrecisionError;
use super::model::{Errors, Losses, PrecisionReport, SideReport, TensorRow};
use super::runs::Comparison;
use crate::runner::RunOutput;
use contract::SCHEMA;
use contract::shadow::{Place, SHADOW, ShadowFile, ShadowStep, TensorError};
use std::collections::BTreeMap;
use std::path::Path;

pub fn gather(comparison: &Comparison, made: &[RunOutput; 2]) -> Result<PrecisionReport, PrecisionError> {
    let traces = [made[0].trace(), made[1].trace()];
    let files = [read(&traces[0])?, read(&traces[1])?];
    let parting = judge::compare::parting(&traces[0], &traces[1])?;
    let side = |index: usize| SideReport {
        name: comparison.sides[index].name.clone(),
        recipe_digest: comparison.sides[index].recipe_digest.clone(),
        precision: comparison.sides[index].precision.clone(),
        skipped: files[index].steps.iter().filter(|step| step.skipped).map(|step| step.step).collect(),
        run: made[index].directory.clone(),
    };
    let mut not_shadowed: Vec<String> = files.iter().flat_map(|file| file.not_shadowed.clone()).collect();
    not_shadowed.sort_unstable();
    not_shadowed.dedup();
    let steps: Vec<(&ShadowStep, &ShadowStep)> = files[0].steps.iter().zip(&files[1].steps).collect();
    Ok(PrecisionReport {
        schema: SCHEMA,
        sides: [side(0), side(1)],
        steps: comparison.steps,
        losses: steps.iter().map(|(first, second)| losses(first, second)).collect(),
        parting: parting.first,
        shadow_gap: steps.iter().filter_map(|(first, second)| gap(first, second)).fold(0.0, f64::max),
        tensors: rows(&files),
        not_shadowed,
    })
}

fn read(trace: &Path) -> Result<ShadowFile, PrecisionError> {
    let path = trace.join(SHADOW);
    let broken = |message: String| PrecisionError::Shadow { path: path.clone(), message };
    let text = std::fs::read(&path).map_err(|error| broken(error.to_string()))?;
    let file: ShadowFile = serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
    match file.schema {
        SCHEMA if file.tensors.is_empty() => Err(broken("it compares no tensor; every step was skipped".to_owned())),
        SCHEMA => Ok(file),
        schema => Err(broken(format!("schema {schema} is unknown; this suite knows {SCHEMA}"))),
    }
}

fn minus(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    Some(left? - right?)
}

fn losses(first: &ShadowStep, second: &ShadowStep) -> Losses {
    Losses {
        step: first.step,
        loss: [first.loss, second.loss],
        shadow: first.shadow_loss,
        difference: minus(second.loss, first.loss),
        error: [minus(first.loss, first.shadow_loss), minus(second.loss, second.shadow_loss)],
        held_out: [first.held_out, second.held_out],
        shadow_held_out: first.shadow_held_out,
    }
}

fn gap(first: &ShadowStep, second: &ShadowStep) -> Option<f64> {
    let (a, b) = (first.shadow_loss?, second.shadow_loss?);
    Some((a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE))
}

/// Tensors of both files by place, worst first; equal ones in the order of execution.
fn rows(files: &[ShadowFile; 2]) -> Vec<TensorRow> {
    let mut rows: Vec<TensorRow> = Vec::new();
    let mut at: BTreeMap<&Place, usize> = BTreeMap::new();
    for (side, file) in files.iter().enumerate() {
        for tensor in &file.tensors {
            let row = *at.entry(&tensor.place).or_insert_with(|| {
                rows.push(TensorRow { place: tensor.place.clone(), sides: [None, None] });
                rows.len() - 1
            });
            rows[row].sides[side] = Some(errors(tensor));
        }
    }
    rows.sort_by(|a, b| b.badness().total_cmp(&a.badness()));
    rows
}

fn errors(tensor: &TensorError) -> Errors {
    Errors {
        op: tensor.op.clone(),
        contract: tensor.contract.clone(),
        dtype: tensor.dtype.clone(),
        elements: tensor.elements,
        not_finite: tensor.not_finite,
        max_abs: tensor.max_abs,
        relative_rms: tensor.relative_rms,
        max_ulp: tensor.max_ulp,
        rms_ulp: tensor.rms_ulp,
        by_step: tensor.by_step.clone(),
    }
}
