//! What a run tells a person, apart from what it writes to its trace.

/// One step as people see it.
#[derive(Clone, Debug)]
pub struct StepReport {
    pub step: u64,
    /// Total, language-model and z loss, in nats a token.
    pub loss: [f32; 3],
    pub norm: f32,
    pub learning_rate: f32,
    /// Loss scale of the next step.
    pub scale: f32,
    pub skipped: bool,
    /// Tokens of the step that are not padding.
    pub tokens: u64,
    /// Held-out language-model loss, when the step ended with an evaluation.
    pub evaluation: Option<f32>,
}

/// Where a run's story goes.
pub trait Progress {
    fn begin(&mut self, first: u64, end: u64);
    /// Tokens that a step trained on; called for every step.
    fn tokens(&mut self, tokens: u64);
    /// Called for the steps that are logged.
    fn step(&mut self, report: &StepReport);
    fn end(&mut self);
}

/// Tells nobody.
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&mut self, _: u64, _: u64) {}
    fn tokens(&mut self, _: u64) {}
    fn step(&mut self, _: &StepReport) {}
    fn end(&mut self) {}
}
