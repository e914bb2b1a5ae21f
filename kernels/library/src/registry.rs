//! The list of rooms. A room that is not in this list does not exist; a test keeps list and folders equal.

use crate::fused;
use crate::ops;
use crate::optim;
use crate::room::{Kernel, Room, Variant};
use std::collections::BTreeMap;

/// Every room of the library, in the order of its registry.
#[rustfmt::skip]
const ROOMS: &[&dyn Room] = &[
    &ops::accumulate::Accumulate,
    &ops::attention::Attention,
    &ops::attention_tc16::AttentionTc16,
    &ops::boundary::Boundary,
    &ops::cast::Cast,
    &ops::cross_entropy::CrossEntropy,
    &ops::dropout::Dropout,
    &ops::embedding::Embedding,
    &ops::grad_add::GradAdd,
    &ops::leaf_reduce::LeafReduce,
    &ops::matmul::Matmul,
    &ops::matmul_tc16::MatmulTc16,
    &ops::residual_add::ResidualAdd,
    &ops::rmsnorm::RmsNorm,
    &ops::rope::Rope,
    &ops::squared_relu::SquaredRelu,
    &ops::swiglu::Swiglu,
    &fused::head_cross_entropy::HeadCrossEntropy,
    &fused::head_cross_entropy_tc16::HeadCrossEntropyTc16,
    &fused::residual_rmsnorm::ResidualRmsNorm,
    &fused::swiglu_matmul::SwigluMatmul,
    &fused::swiglu_matmul_tc16::SwigluMatmulTc16,
    &optim::adamw::AdamW,
    &optim::clip::Clip,
    &optim::ema::Ema,
    &optim::global_norm::GlobalNorm,
    &optim::init::Init,
    &optim::loss_weights::LossWeights,
    &optim::scaler::Scaler,
    &optim::schedule::Schedule,
];

/// Rooms and variants that a process knows. Only the mutant binary adds to the standard one.
#[derive(Clone)]
pub struct Registry {
    rooms: Vec<&'static dyn Room>,
    variants: BTreeMap<String, Vec<Variant>>,
}

impl Registry {
    #[must_use]
    pub fn standard() -> Self {
        Self { rooms: ROOMS.to_vec(), variants: BTreeMap::new() }
    }

    /// Adds a room.
    #[must_use]
    pub fn with_room(mut self, room: &'static dyn Room) -> Self {
        self.rooms.push(room);
        self
    }

    /// Adds a variant to a kernel. A plan runs it only where it is named.
    #[must_use]
    pub fn with_variant(mut self, kernel: &str, variant: Variant) -> Self {
        self.variants.entry(kernel.to_owned()).or_default().push(variant);
        self
    }

    #[must_use]
    pub fn rooms(&self) -> &[&'static dyn Room] {
        &self.rooms
    }

    #[must_use]
    pub fn room(&self, name: &str) -> Option<&'static dyn Room> {
        self.rooms.iter().copied().find(|room| room.name() == name)
    }

    /// The room that a kernel belongs to.
    #[must_use]
    pub fn room_of(&self, kernel: &str) -> Option<&'static dyn Room> {
        self.rooms.iter().copied().find(|room| room.kernels().iter().any(|candidate| candidate.name == kernel))
    }

    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&'static Kernel> {
        self.rooms.iter().flat_map(|room| room.kernels()).find(|kernel| kernel.name == name)
    }

    /// A variant of a kernel, own or added.
    #[must_use]
    pub fn variant(&self, kernel: &str, variant: &str) -> Option<Variant> {
        let own = self.kernel(kernel)?.variant(variant).copied();
        own.or_else(|| self.variants.get(kernel)?.iter().find(|added| added.name == variant).copied())
    }
}
