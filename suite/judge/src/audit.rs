//! Is a run evidence at all? A run that trains nothing or is not finite agrees with itself and proves nothing.
//!
//! It does not compare anything. Call it once for each run; [`crate::compare`] calls it unless told that it was done.

use crate::evidence::{EvidenceError, Run, hollow};
use crate::steps::{Key, Steps, Value};
use contract::record::{Body, Role};
use contract::request::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What a sound run holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    pub steps: u64,
    pub records: u64,
    pub leaves: u64,
    pub scalars: u64,
}

/// Reads a whole run, one step in memory at a time.
///
/// # Errors
/// When the run is not whole; a loss is NaN or infinite at any step, or another scalar at every step; a scalar is not
/// hexadecimal bits; no value ever changes, or in an end-to-end run of several steps no parameter does.
pub fn audit(directory: &Path) -> Result<Audit, EvidenceError> {
    let mut run = Run::open(directory)?;
    let kernel = matches!(run.file.part, Part::Kernel(_));
    let end_to_end = run.file.part == Part::EndToEnd;
    let mut seen = Seen::default();
    let mut steps = Steps::new(&mut run, kernel);
    while let Some(step) = steps.next_step()? {
        seen.audit.records += step.records.len() as u64;
        if !step.trained() {
            continue;
        }
        seen.audit.steps += 1;
        for (_, record) in &step.records {
            if let Body::Scalar { name, bits } = &record.body {
                seen.scalar(name, bits)
                    .map_err(|message| hollow(directory, format!("step {}: scalar `{name}` {message}", step.step)))?;
            }
        }
        for (key, (value, _)) in step.items {
            seen.value(key, value);
        }
    }
    seen.judge(kernel, end_to_end).map_err(|message| hollow(directory, message))?;
    Ok(seen.audit)
}

#[derive(Default)]
struct Seen {
    audit: Audit,
    /// First value of each name, and whether another one came later. Outputs of kernels share one entry.
    values: BTreeMap<String, (Value, bool, u64)>,
    /// Whether each scalar was ever finite.
    finite: BTreeMap<String, bool>,
}

impl Seen {
    fn scalar(&mut self, name: &str, bits: &str) -> Result<(), String> {
        let finite = is_finite(bits).ok_or_else(|| format!("is not hexadecimal bits: `{bits}`"))?;
        if !finite && name.contains("loss") {
            return Err(format!("is not finite: {bits}"));
        }
        *self.finite.entry(name.to_owned()).or_default() |= finite;
        Ok(())
    }

    fn value(&mut self, key: Key, value: Value) {
        let name = match key {
            Key::Tensor(_, _, Role::In, _) => return,
            Key::Tensor(..) => "output".to_owned(),
            Key::State(leaf) => leaf,
            Key::Scalar(name) => format!("scalar {name}"),
        };
        let entry = self.values.entry(name).or_insert_with(|| (value.clone(), false, 0));
        entry.1 |= entry.0.bits != value.bits;
        entry.2 += 1;
    }

    fn judge(&mut self, kernel: bool, end_to_end: bool) -> Result<(), String> {
        self.audit.scalars = self.finite.len() as u64;
        self.audit.leaves = self.values.keys().filter(|name| name.contains('/')).count() as u64;
        if let Some((name, _)) = self.finite.iter().find(|(_, finite)| !**finite) {
            return Err(format!("scalar `{name}` is not finite at any step"));
        }
        if self.audit.steps == 0 || (kernel && self.values.is_empty()) {
            return Err("nothing was recorded".to_owned());
        }
        let several = self.values.values().any(|(_, _, count)| *count > 1);
        if several && !self.values.values().any(|(_, changes, _)| *changes) {
            return Err("no value changes from step to step".to_owned());
        }
        let params: Vec<_> = self.values.iter().filter(|(leaf, _)| leaf.starts_with("params/")).collect();
        let trained = params.iter().any(|(_, (_, changes, _))| *changes);
        if end_to_end && params.iter().any(|(_, (_, _, count))| *count > 1) && !trained {
            return Err("no parameter changes from step to step: nothing trains".to_owned());
        }
        Ok(())
    }
}

/// Whether hexadecimal bits are those of a finite float: the exponent is not all ones. 4 digits are read as bf16 (an
/// fp16 NaN looks the same), 8 as fp32, 16 as fp64. `None`: not such bits.
#[must_use]
pub fn is_finite(bits: &str) -> Option<bool> {
    if !bits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let value = u64::from_str_radix(bits, 16).ok()?;
    let exponent = match bits.len() {
        4 => 0x7f80,
        8 => 0x7f80_0000,
        16 => 0x7ff0_0000_0000_0000,
        _ => return None,
    };
    Some(value & exponent != exponent)
}

#[cfg(test)]
mod tests;
