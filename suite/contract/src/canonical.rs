//! Canonical bytes of JSON values, so that a digest depends on content and never on key order or layout.

use serde_json::Value;

/// Compact JSON with object keys in ascending byte order.
#[must_use]
pub fn canonical_bytes(value: &Value) -> Vec<u8> {
    // serde_json's map is a BTreeMap unless `preserve_order` is on; sort here so that no feature can change a digest.
    serde_json::to_vec(&sorted(value)).expect("a JSON value always serialises")
}

/// BLAKE3 of [`canonical_bytes`], 64 lowercase hex digits.
#[must_use]
pub fn digest(value: &Value) -> String {
    blake3::hash(&canonical_bytes(value)).to_hex().to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
