//! Element by element: how many differ, by how much, where, and in which pattern. Integers only.
//!
//! Both files are read once, side by side, so memory stays flat whatever the tensor's size.

mod format;
mod pattern;

pub use format::{BitFields, Format};

use crate::divergence::Divergence;
use contract::trace::{element_file, elements_path};
use pattern::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// The differing elements of two tensors of one dtype and shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ElementReport {
    /// Elements that differ, of `total`.
    pub count: u64,
    pub total: u64,
    /// Largest distance in units in the last place: representable values between the two, plus one. Between -0 and
    /// +0 it is 1.
    pub max_ulp: u64,
    /// Coordinates of the first differing element.
    pub first_index: Vec<u64>,
    /// Bits of that element on both sides.
    pub first_left: BitFields,
    pub first_right: BitFields,
    /// `one element`, `row 3`, `column 5`, `tile rows 0..4 columns 16..32`, `stripe: every 8th element from 3`,
    /// `everything` or `scattered`.
    pub pattern: String,
}

/// Compares the element files of a divergence, when both runs wrote them. `None`: not written, not a tensor, of an
/// unknown dtype, of another size than the shape says, or equal.
#[must_use]
pub fn of_divergence(divergence: &Divergence, left: &Path, right: &Path) -> Option<ElementReport> {
    let (node, role, index) = (divergence.node.as_ref()?, divergence.role?, divergence.index?);
    let file = element_file(divergence.step, node, role, index, &divergence.name);
    let open = |directory: &Path| File::open(elements_path(directory).join(&file)).ok();
    let format = Format::of(divergence.dtype.as_ref()?)?;
    let shape = divergence.shape.as_ref()?;
    compare(BufReader::new(open(left)?), BufReader::new(open(right)?), format, shape)
}

/// Compares two tensors' raw little-endian bytes. `None`: equal, or of another size than the shape says.
#[must_use]
pub fn compare(mut left: impl Read, mut right: impl Read, format: Format, shape: &[u64]) -> Option<ElementReport> {
    let total = shape.iter().product();
    let (mut a, mut b) = ([0; 8], [0; 8]);
    let mut max_ulp = 0;
    let mut first = None;
    let mut pattern = Pattern::new(shape.last().copied().unwrap_or(1));
    for index in 0..total {
        left.read_exact(&mut a[..format.bytes]).ok()?;
        right.read_exact(&mut b[..format.bytes]).ok()?;
        let (x, y) = (u64::from_le_bytes(a), u64::from_le_bytes(b));
        if x == y {
            continue;
        }
        pattern.add(index);
        max_ulp = max_ulp.max(format.ulp_distance(x, y));
        first.get_or_insert((index, x, y));
    }
    let at_end = |reader: &mut dyn Read| matches!(reader.read(&mut [0]), Ok(0));
    if !at_end(&mut left) || !at_end(&mut right) {
        return None;
    }
    let (index, x, y) = first?;
    Some(ElementReport {
        count: pattern.count(),
        total,
        max_ulp,
        first_index: coordinates(index, shape),
        first_left: format.fields(x),
        first_right: format.fields(y),
        pattern: pattern.describe(total),
    })
}

fn coordinates(mut index: u64, shape: &[u64]) -> Vec<u64> {
    let mut coordinates: Vec<_> = shape
        .iter()
        .rev()
        .map(|dimension| {
            let coordinate = index % dimension;
            index /= dimension;
            coordinate
        })
        .collect();
    coordinates.reverse();
    coordinates
}

#[cfg(test)]
mod tests;
