//! The `semantics` of a recipe: everything that the bits depend on.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A value of a recipe that makes no sense. `key` is the dotted path in the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{key}` is {found}; expected {expected}")]
pub struct Invalid {
    pub key: &'static str,
    pub found: String,
    pub expected: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Semantics {
    /// Key of every random stream.
    pub seed: u64,
    /// Attempted steps.
    pub steps: u64,
    pub profile: Profile,
    pub model: Model,
    pub precision: Precision,
    pub data: Data,
    pub evaluation: Evaluation,
    pub optimizer: Optimizer,
}

/// Set of contracts: the arithmetic of everything that tensor cores could compute. The rest is fp32 in every profile.
///
/// Another processor is another profile: a parameter set of `numerics::tensor_core`, rooms with contracts of its own,
/// and a variant here. Ampere (8 products at a time, 24 bits) and Blackwell (more bits) are not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// fp32 fma chains: any machine.
    Ieee,
    /// Steps of a Hopper tensor core: operands in bf16 or fp16.
    Hopper,
}

impl Profile {
    /// Kernel of a linear layer.
    #[must_use]
    pub const fn matmul(self) -> &'static str {
        match self {
            Self::Ieee => "matmul",
            Self::Hopper => "matmul_tc16",
        }
    }

    #[must_use]
    pub const fn attention(self) -> &'static str {
        match self {
            Self::Ieee => "attention",
            Self::Hopper => "attention_tc16",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Tokens of the vocabulary.
    pub vocabulary: usize,
    /// Width of the residual stream.
    pub width: usize,
    pub layers: usize,
    pub query_heads: usize,
    /// Divides `query_heads`.
    pub kv_heads: usize,
    /// Even.
    pub head_width: usize,
    pub mlp_width: usize,
    /// Activation of each layer's MLP; the pattern repeats over the layers.
    pub mlp: Vec<Mlp>,
    pub norm_epsilon: f32,
    pub rope_theta: f32,
    /// Probability that an element of a block's output is dropped.
    pub dropout: f32,
    /// The head uses the embedding's table.
    pub tied_embedding: bool,
    /// Standard deviation of initial matrices; those that write to the residual stream get it divided by √(2·layers).
    pub init_std: f32,
    /// Weight of lse² in the loss.
    pub z_loss: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mlp {
    Swiglu,
    SquaredRelu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Storage of parameters and activations. With `bf16` and `fp16` the optimizer keeps fp32 masters.
    pub storage: Storage,
    /// How a leaf's gradient is rounded before leaves are summed.
    pub wire: Wire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    F32,
    Bf16,
    Fp16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    Fp32Leaf,
    Bf16Leaf,
}

impl Wire {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32Leaf => "fp32_leaf",
            Self::Bf16Leaf => "bf16_leaf",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// `jargon`, `devil`, or the path of a UTF-8 text.
    pub corpus: String,
    /// `bpe-4096`, or the path of a tokenizer.json.
    pub tokenizer: String,
    /// First document of the slice, and how many; `documents: 0` takes all that follow.
    #[serde(default)]
    pub first_document: usize,
    #[serde(default)]
    pub documents: usize,
    /// Tokens of a packed row; a multiple of 128.
    pub row_tokens: usize,
    /// Rows of a unit, the smallest piece of a reduction.
    pub rows_per_unit: usize,
    pub units_per_leaf: usize,
    /// A power of two.
    pub leaves: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub corpus: String,
    /// Packed rows of held-out text; a multiple of the rows of a unit.
    pub rows: usize,
    pub weights: EvaluationWeights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationWeights {
    Parameters,
    Ema,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimizer {
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f32,
    /// Applied to matrices, not to norms.
    pub weight_decay: f64,
    /// Largest norm of the gradient.
    pub clip: f32,
    pub schedule: Schedule,
    pub ema_decay: f64,
    pub scaler: Scaler,
    /// Steps at which the loss scale is multiplied by 2^200, so that a real Inf runs through the backward pass and
    /// the step is skipped.
    #[serde(default)]
    pub overflow_steps: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    pub kind: ScheduleKind,
    pub peak: f64,
    pub floor: f64,
    /// Applied steps of linear warm-up.
    pub warmup: u64,
    /// Applied steps until `floor` is reached.
    pub total: u64,
    /// Applied steps of the decay at the end; only for `wsd`.
    #[serde(default)]
    pub decay: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleKind {
    WarmupCosine,
    Wsd,
}

/// Dynamic loss scale. All values are powers of two, so that scaling moves no bit of a finite gradient in fp32. Storage in
/// fp16 needs it: gradients below 2^-24 vanish there, and those from 65,520 on are infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaler {
    pub initial: f32,
    pub minimum: f32,
    pub maximum: f32,
    /// Good steps in a row after which the scale doubles.
    pub growth_interval: u32,
}

impl Semantics {
    /// Whether a gradient that is not finite makes this step a skipped one and not an error: its overflow is declared, or
    /// fp16 stores gradients, where the loss scale rises until it meets the largest number.
    #[must_use]
    pub fn may_overflow(&self, step: u64) -> bool {
        self.precision.storage == Storage::Fp16 || self.optimizer.overflow_steps.contains(&step)
    }

    /// Units of a step.
    #[must_use]
    pub fn units(&self) -> usize {
        self.data.leaves * self.data.units_per_leaf
    }

    /// Positions of a unit.
    #[must_use]
    pub fn unit_positions(&self) -> usize {
        self.data.rows_per_unit * self.data.row_tokens
    }

    /// Checks every value and every divisibility.
    ///
    /// # Errors
    /// The first value that makes no sense, with what was expected.
    pub fn validate(&self) -> Result<(), Invalid> {
        let m = &self.model;
        let d = &self.data;
        let o = &self.optimizer;
        require("semantics.steps", self.steps, self.steps > 0, "at least 1")?;
        for (key, value) in [
            ("semantics.model.vocabulary", m.vocabulary),
            ("semantics.model.width", m.width),
            ("semantics.model.layers", m.layers),
            ("semantics.model.query_heads", m.query_heads),
            ("semantics.model.kv_heads", m.kv_heads),
            ("semantics.model.mlp_width", m.mlp_width),
            ("semantics.data.rows_per_unit", d.rows_per_unit),
            ("semantics.data.units_per_leaf", d.units_per_leaf),
        ] {
            require(key, value, (1..=1 << 24).contains(&value), "1 to 16777216")?;
        }
        require(
            "semantics.model.head_width",
            m.head_width,
            m.head_width > 0 && m.head_width.is_multiple_of(2),
            "even and positive",
        )?;
        let groups = m.query_heads.is_multiple_of(m.kv_heads);
        require(
            "semantics.model.kv_heads",
            m.kv_heads,
            groups,
            &format!("a divisor of query_heads ({})", m.query_heads),
        )?;
        let operands = self.profile != Profile::Hopper || self.precision.storage != Storage::F32;
        let expected = "bf16 or fp16: `profile: hopper` multiplies on tensor cores";
        require("semantics.precision.storage", "f32", operands, expected)?;
        require("semantics.model.mlp", m.mlp.len(), !m.mlp.is_empty(), "a pattern of at least one activation")?;
        require("semantics.model.dropout", m.dropout, (0.0..1.0).contains(&m.dropout), "at least 0 and less than 1")?;
        require(
            "semantics.model.norm_epsilon",
            m.norm_epsilon,
            positive(f64::from(m.norm_epsilon)),
            "positive and finite",
        )?;
        require(
            "semantics.model.rope_theta",
            m.rope_theta,
            m.rope_theta > 1.0 && m.rope_theta.is_finite(),
            "more than 1 and finite",
        )?;
        require("semantics.model.init_std", m.init_std, positive(f64::from(m.init_std)), "positive and finite")?;
        require("semantics.model.z_loss", m.z_loss, m.z_loss >= 0.0 && m.z_loss.is_finite(), "0 or more and finite")?;
        let row = d.row_tokens > 0 && d.row_tokens.is_multiple_of(128);
        require("semantics.data.row_tokens", d.row_tokens, row, "a positive multiple of 128")?;
        require("semantics.data.leaves", d.leaves, d.leaves.is_power_of_two(), "a power of two")?;
        let rows = self.evaluation.rows > 0 && self.evaluation.rows.is_multiple_of(d.rows_per_unit);
        require("semantics.evaluation.rows", self.evaluation.rows, rows, "a positive multiple of data.rows_per_unit")?;
        require("semantics.optimizer.beta1", o.beta1, (0.0..1.0).contains(&o.beta1), "at least 0 and less than 1")?;
        require("semantics.optimizer.beta2", o.beta2, (0.0..1.0).contains(&o.beta2), "at least 0 and less than 1")?;
        require("semantics.optimizer.epsilon", o.epsilon, positive(f64::from(o.epsilon)), "positive and finite")?;
        require(
            "semantics.optimizer.weight_decay",
            o.weight_decay,
            o.weight_decay >= 0.0 && o.weight_decay.is_finite(),
            "0 or more and finite",
        )?;
        require("semantics.optimizer.clip", o.clip, positive(f64::from(o.clip)), "positive and finite")?;
        require(
            "semantics.optimizer.ema_decay",
            o.ema_decay,
            (0.0..1.0).contains(&o.ema_decay),
            "at least 0 and less than 1",
        )?;
        self.validate_schedule()?;
        self.validate_scaler()
    }

    fn validate_schedule(&self) -> Result<(), Invalid> {
        let s = &self.optimizer.schedule;
        require("semantics.optimizer.schedule.peak", s.peak, positive(s.peak), "positive and finite")?;
        require("semantics.optimizer.schedule.floor", s.floor, (0.0..=s.peak).contains(&s.floor), "0 to the peak")?;
        let warmup = s.warmup > 0 && s.warmup < s.total;
        require("semantics.optimizer.schedule.warmup", s.warmup, warmup, "at least 1 and less than `total`")?;
        let decay = match s.kind {
            ScheduleKind::WarmupCosine => s.decay == 0,
            ScheduleKind::Wsd => s.decay > 0 && s.warmup + s.decay <= s.total,
        };
        let expected = "for wsd at least 1 and at most total − warmup, for warmup_cosine absent";
        require("semantics.optimizer.schedule.decay", s.decay, decay, expected)
    }

    fn validate_scaler(&self) -> Result<(), Invalid> {
        let s = &self.optimizer.scaler;
        for (key, value) in [
            ("semantics.optimizer.scaler.initial", s.initial),
            ("semantics.optimizer.scaler.minimum", s.minimum),
            ("semantics.optimizer.scaler.maximum", s.maximum),
        ] {
            let power = value.is_normal() && value > 0.0 && value.to_bits().trailing_zeros() >= 23;
            require(key, value, power, "a power of two")?;
        }
        let ordered = s.minimum <= s.initial && s.initial <= s.maximum;
        require("semantics.optimizer.scaler.initial", s.initial, ordered, "between minimum and maximum")?;
        require("semantics.optimizer.scaler.growth_interval", s.growth_interval, s.growth_interval > 0, "at least 1")
    }
}

fn positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

fn require(key: &'static str, found: impl ToString, holds: bool, expected: &str) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(Invalid { key, found: found.to_string(), expected: expected.to_owned() }) }
}
