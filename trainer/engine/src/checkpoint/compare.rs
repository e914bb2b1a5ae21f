//! Two checkpoints, leaf by leaf.

use super::inspect::{Depth, inspect};
use super::manifest::MANIFEST;
use super::survey::{find, survey};
use super::{CheckpointError, Leaf, State};
use crate::storage::Reader;
use contract::pointer::Pointer;
use library::tensor::{Spec, Tensor};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// How the leaves of two saves differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub first: Pointer,
    pub second: Pointer,
    pub equal_leaf_count: usize,
    /// In the order of the first save; leaves of the second alone come last.
    pub differences: Vec<LeafDifference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafDifference {
    pub leaf: String,
    pub difference: Difference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    OnlyInFirst,
    OnlyInSecond,
    Spec {
        first: Spec,
        second: Spec,
    },
    /// `index` is the first differing element, row-major, one number a dimension.
    Elements {
        differing: u64,
        total: u64,
        index: Vec<u64>,
    },
}

/// Compares two saves. Each path is a checkpoint directory (its newest save is taken) or the folder of one save.
///
/// # Errors
/// When a path holds no save or a damaged one.
pub fn compare_checkpoints(first: &Path, second: &Path) -> Result<Comparison, CheckpointError> {
    let (first, first_state) = open(first)?;
    let (second, second_state) = open(second)?;
    let mut others: BTreeMap<String, Tensor> =
        second_state.leaves.into_iter().map(|leaf| (leaf.name, leaf.tensor)).collect();
    let (mut equal_leaf_count, mut differences) = (0, Vec::new());
    for Leaf { name, tensor } in first_state.leaves {
        let difference = match others.remove(&name) {
            None => Some(Difference::OnlyInFirst),
            Some(other) => compare_leaf(&tensor, &other),
        };
        match difference {
            None => equal_leaf_count += 1,
            Some(difference) => differences.push(LeafDifference { leaf: name, difference }),
        }
    }
    let only = |leaf| LeafDifference { leaf, difference: Difference::OnlyInSecond };
    differences.extend(others.into_keys().map(only));
    Ok(Comparison { first, second, equal_leaf_count, differences })
}

fn open(path: &Path) -> Result<(Pointer, State), CheckpointError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_save = path.join(MANIFEST).exists();
    let root = if is_save { path.parent().unwrap_or(Path::new("")) } else { path };
    let mut source = Reader::new(root);
    let pointer = if is_save { find(&mut source, &name)? } else { survey(&mut source, root)?.newest(root)? };
    let no_save = |problems| CheckpointError::NoSuchSave { root: root.to_owned(), directory: name.clone(), problems };
    let pointer = pointer.ok_or_else(|| no_save(Vec::new()))?;
    let inspection = inspect(&mut source, root, &pointer, Depth::Leaves)?;
    if inspection.problems.is_empty() { Ok((pointer, inspection.state)) } else { Err(no_save(inspection.problems)) }
}

fn compare_leaf(first: &Tensor, second: &Tensor) -> Option<Difference> {
    if first.spec != second.spec {
        return Some(Difference::Spec { first: first.spec.clone(), second: second.spec.clone() });
    }
    if first.bytes() == second.bytes() {
        return None;
    }
    let size = first.spec.dtype.bytes();
    let pairs = first.bytes().chunks_exact(size).zip(second.bytes().chunks_exact(size));
    let differing: Vec<usize> = pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(index, _)| index).collect();
    let index = coordinates(*differing.first()?, &first.spec.shape);
    Some(Difference::Elements { differing: differing.len() as u64, total: first.spec.elements() as u64, index })
}

fn coordinates(mut element: usize, shape: &[usize]) -> Vec<u64> {
    let mut index: Vec<u64> = Vec::with_capacity(shape.len());
    for size in shape.iter().rev() {
        index.push((element % size) as u64);
        element /= size;
    }
    index.reverse();
    index
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (&self.first.directory, &self.second.directory);
        writeln!(f, "{first} and {second}: {} leaves equal, {} differ", self.equal_leaf_count, self.differences.len())?;
        for LeafDifference { leaf, difference } in &self.differences {
            match difference {
                Difference::OnlyInFirst => writeln!(f, "  {leaf}: only in the first")?,
                Difference::OnlyInSecond => writeln!(f, "  {leaf}: only in the second")?,
                Difference::Spec { first, second } => writeln!(f, "  {leaf}: {first} and {second}")?,
                Difference::Elements { differing, total, index } => {
                    writeln!(f, "  {leaf}: {differing} of {total} elements differ, the first at {index:?}")?;
                }
            }
        }
        Ok(())
    }
}
