//! The host's part of a step: copies rows into the plan's host values.

use crate::buffers::Buffers;
use crate::control::Control;
use crate::data::{Batch, Row};
use crate::error::EngineError;
use crate::policies::StepPolicy;
use crate::program::{Host, Program};
use contract::control::Point;
use library::room::ValueId;
use plan::graph::{HostAction, Phase};
use plan::semantics::Semantics;
use std::collections::BTreeSet;

/// Target of a position that is not counted.
const NOT_COUNTED: u32 = u32::MAX;

/// Where the host is in a step.
pub struct Stage<'a> {
    pub semantics: &'a Semantics,
    pub control: &'a Control,
    /// Attempted step.
    pub step: u64,
    /// Pass through the template that is running.
    pub repeat: usize,
    pub repeats: usize,
    pub batch: Option<Batch>,
    /// Held-out rows, in order.
    pub held_out: Vec<Row>,
    /// Evaluations so far.
    pub evaluations: u64,
    policy: &'a dyn StepPolicy,
    announced: BTreeSet<Phase>,
}

impl<'a> Stage<'a> {
    #[must_use]
    pub fn new(semantics: &'a Semantics, control: &'a Control, policy: &'a dyn StepPolicy, held_out: Vec<Row>) -> Self {
        let announced = BTreeSet::new();
        Self {
            semantics,
            control,
            step: 0,
            repeat: 0,
            repeats: 1,
            batch: None,
            held_out,
            evaluations: 0,
            policy,
            announced,
        }
    }

    pub fn begin(&mut self, step: u64, batch: Batch) {
        self.step = step;
        self.batch = Some(batch);
        self.announced.clear();
    }

    /// Copies `rows` as units `first..` of the step.
    fn rows(&self, rows: &[&Row], program: &Program, buffers: &mut Buffers, at: Place) {
        let mut tokens = Vec::new();
        let mut targets = Vec::new();
        let mut starts = Vec::new();
        let mut positions = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let offset = index % self.semantics.data.rows_per_unit * self.semantics.data.row_tokens;
            let offset = i32::try_from(offset).expect("a unit has fewer than 2^31 positions");
            tokens.extend_from_slice(&row.tokens);
            targets.extend(
                row.targets.iter().zip(&row.loss_mask).map(|(id, counted)| if *counted { *id } else { NOT_COUNTED }),
            );
            starts.extend(row.doc_start.iter().map(|start| start + offset));
            positions.extend((0..).zip(&row.doc_start).map(|(position, start): (i32, _)| position - start));
        }
        let mut put = |name: &str, bytes: &[u8]| {
            let value = find(program, at.prefix, name);
            buffers.view_mut(&program.plan, value).bytes.copy_from_slice(bytes);
        };
        put("tokens", bytemuck::cast_slice(&tokens));
        put("targets", bytemuck::cast_slice(&targets));
        put("document_start", bytemuck::cast_slice(&starts));
        put("positions", bytemuck::cast_slice(&positions));
        let step = self.policy.random_step(self.step, self.evaluations);
        put("position", bytemuck::cast_slice(&[step, at.first_unit]));
        put("target_count", bytemuck::cast_slice(&[at.target_count]));
    }

    fn stage_batch(&self, program: &Program, buffers: &mut Buffers) {
        let batch = self.batch.as_ref().expect("a step begins with a batch");
        let units = program.plan.value(find(program, "", "tokens")).spec.shape[0];
        let per_unit = self.semantics.data.rows_per_unit;
        let first = self.repeat * units;
        let rows: Vec<&Row> = batch.rows[first * per_unit..(first + units) * per_unit].iter().collect();
        let own = targets(rows.iter().copied());
        let target_count = self.policy.target_count(batch.target_count, own, self.repeats as u64);
        let at = Place { prefix: "", first_unit: first as u64, target_count };
        self.rows(&rows, program, buffers, at);
    }

    fn stage_evaluation(&self, program: &Program, buffers: &mut Buffers) {
        let per_unit = self.semantics.data.rows_per_unit;
        let padding = self.padding();
        let rows: Vec<&Row> =
            (0..per_unit).map(|row| self.held_out.get(self.repeat * per_unit + row).unwrap_or(&padding)).collect();
        let target_count = targets(self.held_out.iter());
        let at = Place { prefix: "eval.", first_unit: self.repeat as u64, target_count };
        self.rows(&rows, program, buffers, at);
    }

    /// A row that is not counted anywhere: fills the last leaf of an evaluation.
    fn padding(&self) -> Row {
        let length = self.semantics.data.row_tokens;
        Row {
            id: u64::MAX,
            cost: 0,
            tokens: vec![0; length],
            targets: vec![0; length],
            doc_start: (0..).take(length).collect(),
            loss_mask: vec![false; length],
            token_count: 0,
        }
    }
}

#[derive(Clone, Copy)]
struct Place {
    prefix: &'static str,
    first_unit: u64,
    target_count: u64,
}

fn targets<'a>(rows: impl Iterator<Item = &'a Row>) -> u64 {
    rows.map(|row| row.loss_mask.iter().filter(|counted| **counted).count() as u64).sum()
}

fn find(program: &Program, prefix: &str, name: &str) -> ValueId {
    program.plan.find(&format!("{prefix}{name}")).expect("every plan declares its host values")
}

impl Host for Stage<'_> {
    fn act(&mut self, action: HostAction, program: &Program, buffers: &mut Buffers) -> Result<(), EngineError> {
        match action {
            HostAction::StageBatch => self.stage_batch(program, buffers),
            HostAction::StageEvaluation => self.stage_evaluation(program, buffers),
            HostAction::StageTables => {
                let model = &self.semantics.model;
                let table =
                    library::ops::rope::table(self.semantics.data.row_tokens, model.head_width, model.rope_theta);
                let value = find(program, "", "rope_table");
                buffers.view_mut(&program.plan, value).bytes.copy_from_slice(table.bytes());
            }
        }
        Ok(())
    }

    /// Announces each phase once a step; the body's phases in its last pass, when most of the step is at stake.
    fn phase(&mut self, phase: Phase) -> Result<(), EngineError> {
        let last = self.repeat + 1 == self.repeats;
        if phase != Phase::Init && last && self.announced.insert(phase) {
            self.control.announce(Point::Phase { step: self.step, phase: phase.name().to_owned() }, true)?;
        }
        Ok(())
    }
}
