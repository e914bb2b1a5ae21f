//! The forward graph of the dense decoder, block by block. Blocks are functions of the graph so that a module part is
//! the recipe's own block and not a copy of it.

use crate::graph::{PlanError, ValueKind};
use crate::passes::builder::{Graph, Initial};
use crate::semantics::{Mlp, Semantics, Storage};
use library::room::ValueId;
use library::tensor::{Dtype, Spec};
use serde_json::{Value, json};

/// First stream of dropout, of initial values, of module boundaries and of the data order.
pub const DROPOUT_STREAM: u32 = 0x2000;
pub const INIT_STREAM: u32 = 0x1000;
pub const BOUNDARY_STREAM: u32 = 0x3000;
pub const DATA_STREAM: u32 = 0x4000;

/// Values that the host writes before a body runs.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    pub tokens: ValueId,
    pub targets: ValueId,
    pub document_start: ValueId,
    pub positions: ValueId,
    /// [step, first unit].
    pub position: ValueId,
    pub target_count: ValueId,
    pub rope_table: ValueId,
}

impl Host {
    /// Declares the host values for bodies of `units` units; `prefix` tells training from evaluation.
    pub fn declare(graph: &mut Graph<'_>, semantics: &Semantics, units: usize, prefix: &str) -> Self {
        let rows = [units, semantics.unit_positions()];
        let mut host = |name: &str, dtype, shape: &[usize]| {
            graph.value(format!("{prefix}{name}"), Spec::new(dtype, shape), ValueKind::Host)
        };
        let tokens = host("tokens", Dtype::U32, &rows);
        let targets = host("targets", Dtype::U32, &rows);
        let document_start = host("document_start", Dtype::I32, &rows);
        let positions = host("positions", Dtype::I32, &rows);
        let position = host("position", Dtype::U64, &[2]);
        let target_count = host("target_count", Dtype::U64, &[1]);
        let table = [2, semantics.data.row_tokens, semantics.model.head_width / 2];
        let rope_table = match graph.find("rope_table") {
            Some(table) => table,
            None => graph.value("rope_table".to_owned(), Spec::f32(&table), ValueKind::Host),
        };
        Self { tokens, targets, document_start, positions, position, target_count, rope_table }
    }
}

/// Whether dropout is on: off in evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Train,
    Evaluate,
}

/// Dtype of parameters and activations.
#[must_use]
pub const fn storage(semantics: &Semantics) -> Dtype {
    match semantics.precision.storage {
        Storage::F32 => Dtype::F32,
        Storage::Bf16 => Dtype::Bf16,
        Storage::Fp16 => Dtype::Fp16,
    }
}

/// Builds blocks of one model into one graph.
pub struct Blocks<'a> {
    pub semantics: &'a Semantics,
    pub host: Host,
    pub mode: Mode,
}

impl Blocks<'_> {
    /// Embedding, all layers, head and loss. Returns the loss node's outputs: loss, z, lse.
    ///
    /// # Errors
    /// When a room refuses its operands.
    pub fn decoder(&self, graph: &mut Graph<'_>, weights: ValueId) -> Result<Vec<ValueId>, PlanError> {
        let mut x = self.embedding(graph)?;
        for layer in 0..self.semantics.model.layers {
            x = self.attention(graph, layer, x)?;
            x = self.mlp(graph, layer, x)?;
        }
        self.head(graph, x, weights)
    }

    /// Token embedding followed by dropout.
    ///
    /// # Errors
    /// When a room refuses its operands.
    pub fn embedding(&self, graph: &mut Graph<'_>) -> Result<ValueId, PlanError> {
        let model = &self.semantics.model;
        let table = graph.parameter("embedding.table", &[model.vocabulary, model.width], self.normal(1.0), true);
        let x = graph.call("embedding", "embedding", json!({}), &[self.host.tokens, table])?[0];
        self.dropout(graph, "embedding.dropout", 0, x)
    }

    /// `x + dropout(attention(rmsnorm(x)))` of one layer.
    ///
    /// # Errors
    /// When a room refuses its operands.
    pub fn attention(&self, graph: &mut Graph<'_>, layer: usize, x: ValueId) -> Result<ValueId, PlanError> {
        let m = &self.semantics.model;
        let at = |name: &str| format!("layers.{layer}.attention.{name}");
        let (query, kv) = (m.query_heads * m.head_width, m.kv_heads * m.head_width);
        let heads = json!({"query_heads": m.query_heads, "kv_heads": m.kv_heads, "head_width": m.head_width});
        let mut core = heads.clone();
        core["row_tokens"] = json!(self.semantics.data.row_tokens);
        let h = self.norm(graph, &at("norm"), x)?;
        let qkv = graph.parameter(&at("qkv"), &[query + 2 * kv, m.width], self.normal(1.0), true);
        let qkv = graph.call(&at("qkv"), self.semantics.profile.matmul(), self.output(), &[h, qkv])?[0];
        let qkv = graph.call(&at("rope"), "rope", heads, &[qkv, self.host.positions, self.host.rope_table])?[0];
        let o = graph.call(&at("core"), self.semantics.profile.attention(), core, &[qkv, self.host.document_start])?[0];
        let weight = graph.parameter(&at("output"), &[m.width, query], self.residual_normal(), true);
        let a = graph.call(&at("output"), self.semantics.profile.matmul(), self.output(), &[o, weight])?[0];
        let a = self.dropout(graph, &at("dropout"), 1 + 2 * layer, a)?;
        Ok(graph.call(&at("residual"), "residual_add", json!({}), &[x, a])?[0])
    }

    /// `x + dropout(mlp(rmsnorm(x)))` of one layer.
    ///
    /// # Errors
    /// When a room refuses its operands.
    pub fn mlp(&self, graph: &mut Graph<'_>, layer: usize, x: ValueId) -> Result<ValueId, PlanError> {
        let m = &self.semantics.model;
        let at = |name: &str| format!("layers.{layer}.mlp.{name}");
        let h = self.norm(graph, &at("norm"), x)?;
        let (rows, activation) = match m.mlp[layer % m.mlp.len()] {
            Mlp::Swiglu => (2 * m.mlp_width, "swiglu"),
            Mlp::SquaredRelu => (m.mlp_width, "squared_relu"),
        };
        let up = graph.parameter(&at("up"), &[rows, m.width], self.normal(1.0), true);
        let h = graph.call(&at("up"), self.semantics.profile.matmul(), self.output(), &[h, up])?[0];
        let h = graph.call(&at("activation"), activation, json!({}), &[h])?[0];
        let down = graph.parameter(&at("down"), &[m.width, m.mlp_width], self.residual_normal(), true);
        let y = graph.call(&at("down"), self.semantics.profile.matmul(), self.output(), &[h, down])?[0];
        let y = self.dropout(graph, &at("dropout"), 2 + 2 * layer, y)?;
        Ok(graph.call(&at("residual"), "residual_add", json!({}), &[x, y])?[0])
    }

    /// Final norm, logits and cross-entropy.
    ///
    /// # Errors
    /// When a room refuses its operands.
    pub fn head(&self, graph: &mut Graph<'_>, x: ValueId, weights: ValueId) -> Result<Vec<ValueId>, PlanError> {
        let m = &self.semantics.model;
        let h = self.norm(graph, "head.norm", x)?;
        let name = if m.tied_embedding { "embedding.table" } else { "head.logits" };
        let table = graph.parameter(name, &[m.vocabulary, m.width], self.normal(1.0), true);
        let logits =
            graph.call("head.logits", self.semantics.profile.matmul(), json!({"output": "f32"}), &[h, table])?[0];
        graph.call("head.loss", "cross_entropy", self.output(), &[logits, self.host.targets, weights])
    }

    fn norm(&self, graph: &mut Graph<'_>, module: &str, x: ValueId) -> Result<ValueId, PlanError> {
        let gamma = graph.parameter(module, &[self.semantics.model.width], Initial::Ones, false);
        let attributes = json!({"epsilon": self.semantics.model.norm_epsilon});
        Ok(graph.call(module, "rmsnorm", attributes, &[x, gamma])?[0])
    }

    fn dropout(&self, graph: &mut Graph<'_>, module: &str, index: usize, x: ValueId) -> Result<ValueId, PlanError> {
        let probability = self.semantics.model.dropout;
        if self.mode == Mode::Evaluate || probability == 0.0 {
            return Ok(x);
        }
        let stream = DROPOUT_STREAM + u32::try_from(index).expect("layers are bounded by validation");
        graph.stream(stream, module)?;
        let attributes = json!({"seed": self.semantics.seed, "stream": stream, "probability": probability});
        Ok(graph.call(module, "dropout", attributes, &[x, self.host.position])?[0])
    }

    fn output(&self) -> Value {
        json!({"output": storage(self.semantics).name()})
    }

    fn normal(&self, factor: f32) -> Initial {
        Initial::Normal { std: self.semantics.model.init_std * factor }
    }

    /// Matrices that write to the residual stream: std / √(2·layers), so that its variance does not grow with depth.
    fn residual_normal(&self) -> Initial {
        let layers = self.semantics.model.layers as f32;
        self.normal(1.0 / (2.0 * layers).sqrt())
    }
}
