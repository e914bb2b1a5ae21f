//! What a room is: kernels with a contract, variants of each, the rule for gradients, cases, and an oracle.

use crate::case::{Case, Walk};
use crate::check::{Array, Oracle};
use crate::context::Context;
use crate::tensor::{Spec, View, ViewMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// A room's refusal of attributes or specs: always an error of the plan's author, found before the first step.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kernel}: expected {expected}; found {found}")]
pub struct RoomError {
    pub kernel: String,
    pub expected: String,
    pub found: String,
}

impl RoomError {
    #[must_use]
    pub fn new(kernel: &str, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { kernel: kernel.to_owned(), expected: expected.into(), found: found.into() }
    }
}

/// One call of a variant. Views match what `infer` returned for these inputs.
pub struct Call<'a, 'b> {
    pub attributes: &'a Value,
    pub inputs: &'a [View<'a>],
    /// The first [`Kernel::in_place`] outputs hold values that the kernel reads and updates; the rest hold garbage
    /// and must be written whole.
    pub outputs: &'a mut [ViewMut<'b>],
    pub context: &'a Context,
}

impl Call<'_, '_> {
    /// The attributes as the room's own struct.
    ///
    /// # Panics
    /// When they are not: `infer` has accepted them before.
    #[must_use]
    pub fn attributes<T: DeserializeOwned>(&self) -> T {
        T::deserialize(self.attributes).expect("infer has accepted these attributes")
    }
}

/// Decodes attributes in `infer`.
///
/// # Errors
/// When a key is unknown or missing.
pub fn decode<T: DeserializeOwned>(kernel: &str, attributes: &Value) -> Result<T, RoomError> {
    T::deserialize(attributes).map_err(|error| RoomError::new(kernel, "valid attributes", error.to_string()))
}

/// One implementation of a contract.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Says where and how: `cpu_reference`, `cpu_threads`, `cpu_simd`.
    pub name: &'static str,
    pub run: fn(&mut Call<'_, '_>),
}

/// Name of the variant that defines the bits of every contract.
pub const REFERENCE: &str = "cpu_reference";

/// One operation with one contract.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// Starts with the name of its room: `rmsnorm`, `rmsnorm_backward`.
    pub name: &'static str,
    /// Spells the order of addition: `rmsnorm.blocked.v1`.
    pub contract: &'static str,
    /// Names of the inputs, then of the outputs, for traces and printed plans.
    pub inputs: &'static [&'static str],
    pub outputs: &'static [&'static str],
    /// How many of the first outputs are read and updated in place.
    pub in_place: usize,
    /// Specs of all outputs from the specs of the inputs, followed by those of the outputs updated in place.
    pub infer: fn(&Value, &[Spec]) -> Result<Vec<Spec>, RoomError>,
    /// The reference first, then faster ones; the last is the default.
    pub variants: &'static [Variant],
    /// Rough multiply-adds of a call.
    pub macs: fn(&[Spec]) -> u64,
}

impl Kernel {
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    #[must_use]
    pub fn reference(&self) -> &'static Variant {
        &self.variants[0]
    }

    #[must_use]
    pub fn fastest(&self) -> &'static Variant {
        &self.variants[self.variants.len() - 1]
    }
}

/// A value in a graph under construction: a node's output or an input of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ValueId(pub usize);

/// A forward node whose gradient is asked for.
pub struct Forward<'a> {
    pub kernel: &'a str,
    pub attributes: &'a Value,
    pub inputs: &'a [ValueId],
    pub outputs: &'a [ValueId],
    /// Gradient of each output; `None` where nothing downstream depends on it.
    pub gradients: &'a [Option<ValueId>],
}

/// Where a room puts the nodes of its gradient: the plan under construction, or an eager tape in tests.
pub trait Builder {
    /// Adds a node and returns its outputs.
    ///
    /// # Errors
    /// When the kernel refuses the operands.
    fn node(&mut self, kernel: &str, attributes: Value, inputs: &[ValueId]) -> Result<Vec<ValueId>, RoomError>;
    /// Dtype and shape of a value.
    fn spec(&self, value: ValueId) -> Spec;
}

/// A fusion: one kernel that replaces a chain of two and gives the same bits. Its attributes are always
/// `{"first": …, "second": …}`: those of the two kernels.
#[derive(Clone, Copy, Debug)]
pub struct Fusion {
    /// The fused kernel.
    pub kernel: &'static str,
    /// The kernel whose output the second one reads.
    pub first: &'static str,
    pub second: &'static str,
    /// Which output of the first is which input of the second.
    pub joint: (usize, usize),
    /// Whether the fused kernel leaves the joint value out of its outputs.
    pub drops_joint: bool,
}

/// A room. Inputs of the fused kernel of a [`Fusion`] are those of `first` followed by those of `second` without the
/// joint one; its outputs are those of `first` (without the joint one where the fusion drops it) followed by those of
/// `second`.
pub trait Room: Sync {
    /// Equal to the folder's name and to the prefix of its kernels.
    fn name(&self) -> &'static str;

    fn kernels(&self) -> &'static [Kernel];

    /// Inputs with awkward shapes and values; each says which false pass it prevents.
    fn cases(&self) -> Vec<Case>;

    /// Adds the nodes of the gradient and returns one gradient for each input; `None` for inputs without one.
    /// Gradients of parameters have a leading axis of units.
    ///
    /// # Errors
    /// When a node is refused.
    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let _ = builder;
        Ok(vec![None; forward.inputs.len()])
    }

    /// An independent f64 computation of a kernel's outputs.
    fn oracle(&self, kernel: &str) -> Option<Oracle>;

    /// For an output that is a root: the weight with which each of its elements enters the scalar that the backward
    /// nodes differentiate. A root has no incoming gradient; its scale is among its inputs.
    fn root_weights(&self, kernel: &str, output: usize, inputs: &[Array]) -> Option<Vec<f64>> {
        let _ = (kernel, output, inputs);
        None
    }

    /// Which fusion the room implements.
    fn fusion(&self) -> Option<Fusion> {
        None
    }

    /// State that outlives a step, to be saved, killed and resumed at kernel level.
    fn walk(&self) -> Option<Walk> {
        None
    }
}
