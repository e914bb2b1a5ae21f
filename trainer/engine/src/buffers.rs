//! The planned memory of a rank: one buffer for each slot of the plan, and nothing else.
//!
//! Buffers are allocated once, before the first step. While a node runs, its outputs are taken out of the table, so a
//! plan that let an input share a buffer with an output could not run at all.

use library::room::ValueId;
use library::tensor::{View, ViewMut};
use plan::graph::{Plan, ValueKind};
use std::collections::BTreeSet;

/// Buffers are made of 8-byte words, so every dtype can be viewed in place.
type Storage = Vec<u64>;

pub struct Buffers {
    slots: Vec<Storage>,
    /// How often each slot has been written.
    versions: Vec<u64>,
    /// Slots of values that live on and are updated in place: sums under construction.
    accumulators: BTreeSet<usize>,
    poison: Option<u8>,
    poisoned_bytes: u64,
    scattered: u64,
}

impl Buffers {
    /// Whether this machine gives the memory of `plan` at all. Asked once, so that a plan that is far too large is an
    /// error and not the end of the process.
    #[must_use]
    pub fn can_allocate(plan: &Plan) -> bool {
        Storage::new().try_reserve_exact(plan.peak_bytes() / 8).is_ok()
    }

    /// Allocates every slot of `plan`. State and accumulators start as zeros. With a poison byte everything else starts
    /// as poison and becomes poison again after its last reader. `scatter` adds unused bytes between allocations, so
    /// that addresses differ between runs.
    #[must_use]
    pub fn allocate(plan: &Plan, poison: Option<u8>, scatter: u64) -> Self {
        let mut slots: Vec<Storage> = Vec::with_capacity(plan.slots.len());
        let mut ballast: Vec<Vec<u8>> = Vec::new();
        let fill = poison.map_or(0, |byte| u64::from_le_bytes([byte; 8]));
        for (index, bytes) in plan.slots.iter().enumerate() {
            if scatter != 0 {
                let size = (scatter.rotate_left(index as u32 % 64) % 4096) as usize;
                ballast.push(Vec::with_capacity(64 + size));
            }
            slots.push(vec![fill; bytes / 8]);
        }
        drop(ballast);
        let mut poisoned_bytes = if poison.is_some() { plan.peak_bytes() as u64 } else { 0 };
        let accumulators = accumulators(plan);
        let state = plan.values.iter().filter(|value| matches!(value.kind, ValueKind::State(_)));
        for slot in state.map(|value| value.slot).chain(accumulators.iter().copied()) {
            slots[slot].fill(0);
            poisoned_bytes -= if poison.is_some() { plan.slots[slot] as u64 } else { 0 };
        }
        let versions = vec![0; slots.len()];
        let scattered = if scatter == 0 { 0 } else { plan.slots.len() as u64 };
        Self { slots, versions, accumulators, poison, poisoned_bytes, scattered }
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slots.iter().map(|slot| slot.len() * 8).sum()
    }

    /// Allocations that were moved by unused bytes.
    #[must_use]
    pub fn scattered(&self) -> u64 {
        self.scattered
    }

    #[must_use]
    pub fn poisoned_bytes(&self) -> u64 {
        self.poisoned_bytes
    }

    #[must_use]
    pub fn version(&self, plan: &Plan, value: ValueId) -> u64 {
        self.versions[plan.value(value).slot]
    }

    /// Clears the accumulators. A call that touches some leaves leaves the others as they are, so without this what
    /// stands in them would depend on the step before, and a resumed run would read something else there.
    pub(crate) fn begin_step(&mut self) {
        for slot in &self.accumulators {
            self.slots[*slot].fill(0);
        }
    }

    /// A value to read.
    #[must_use]
    pub fn view<'a>(&'a self, plan: &'a Plan, id: ValueId) -> View<'a> {
        let value = plan.value(id);
        let bytes = &bytemuck::cast_slice(&self.slots[value.slot])[..value.spec.bytes()];
        View { spec: &value.spec, bytes }
    }

    /// A value that the host writes.
    pub fn view_mut<'a>(&'a mut self, plan: &'a Plan, id: ValueId) -> ViewMut<'a> {
        let value = plan.value(id);
        self.versions[value.slot] += 1;
        let bytes = &mut bytemuck::cast_slice_mut(&mut self.slots[value.slot])[..value.spec.bytes()];
        ViewMut { spec: &value.spec, bytes }
    }

    /// Takes the buffers of `outputs` out of the table, to be written.
    pub(crate) fn take(&mut self, plan: &Plan, outputs: &[ValueId]) -> Vec<Storage> {
        outputs.iter().map(|output| std::mem::take(&mut self.slots[plan.value(*output).slot])).collect()
    }

    /// Puts written buffers back.
    pub(crate) fn put(&mut self, plan: &Plan, outputs: &[ValueId], buffers: Vec<Storage>) {
        for (output, buffer) in outputs.iter().zip(buffers) {
            let slot = plan.value(*output).slot;
            self.slots[slot] = buffer;
            self.versions[slot] += 1;
        }
    }

    /// Fills a value that nobody reads any more with poison.
    pub(crate) fn release(&mut self, plan: &Plan, id: ValueId) {
        if let Some(poison) = self.poison {
            let value = plan.value(id);
            bytemuck::cast_slice_mut::<u64, u8>(&mut self.slots[value.slot]).fill(poison);
            self.poisoned_bytes += value.spec.bytes() as u64;
        }
    }
}

fn accumulators(plan: &Plan) -> BTreeSet<usize> {
    let updated = plan.nodes().flat_map(|(_, node)| &node.outputs[..node.in_place]);
    let values = updated.map(|value| plan.value(*value)).filter(|value| value.kind == ValueKind::Persistent);
    values.map(|value| value.slot).collect()
}
