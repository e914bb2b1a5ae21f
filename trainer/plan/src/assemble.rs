//! Assembles the plan of a part: the one place that knows in which order the passes run.

use crate::graph::{HostAction, Phase, Plan, PlanError, Template, ValueKind};
use crate::model::{BOUNDARY_STREAM, Blocks, DATA_STREAM, Host, Mode, storage};
use crate::passes::builder::{Graph, Parameter};
use crate::passes::optimizer::{self, LossLeaves};
use crate::passes::precision::{self, Owned};
use crate::passes::{backward, fuse, memory, mutate, recompute, select};
use crate::recipe::Recipe;
use crate::semantics::{EvaluationWeights, Mlp, Semantics};
use contract::execution::Execution;
use contract::recipe::nearest;
use contract::request::Part;
use library::registry::Registry;
use library::room::ValueId;
use library::tensor::{Dtype, Spec};
use serde_json::json;

/// Steps of a module part.
pub const MODULE_STEPS: u64 = 8;

/// Module parts that a recipe has.
#[must_use]
pub fn modules(semantics: &Semantics) -> Vec<&'static str> {
    let mut modules = vec!["attention_block"];
    let used = |mlp| semantics.model.mlp.iter().take(semantics.model.layers).any(|used| *used == mlp);
    if used(Mlp::Swiglu) {
        modules.push("mlp_block_swiglu");
    }
    if used(Mlp::SquaredRelu) {
        modules.push("mlp_block_squared_relu");
    }
    modules.extend(["head_loss", "optimizer_step", "data_pipeline"]);
    modules
}

/// Builds the plan of a part. Kernel parts have no plan: the engine runs their cases.
///
/// # Errors
/// When the recipe's sizes do not fit together, or a mutation matches nothing.
pub fn assemble(
    recipe: &Recipe,
    part: &Part,
    registry: &Registry,
    mutations: &mutate::Mutations,
) -> Result<Plan, PlanError> {
    let (semantics, execution) = (&recipe.semantics, &recipe.execution);
    semantics.validate()?;
    let micro_batch_units = check_execution(semantics, execution)?;
    let mut graph = Graph::new(registry, storage(semantics));
    graph.stream(DATA_STREAM, "data.order")?;
    let mut assembly = Assembly { semantics, execution, units: micro_batch_units, templates: Vec::new() };
    let steps = match part {
        Part::EndToEnd => {
            assembly.end_to_end(&mut graph)?;
            semantics.steps
        }
        Part::Module(name) if modules(semantics).contains(&name.as_str()) => {
            assembly.module(&mut graph, name)?;
            MODULE_STEPS
        }
        _ => {
            let modules = modules(semantics).into_iter().map(|name| format!("module/{name}"));
            let known: Vec<String> = std::iter::once("end_to_end".to_owned()).chain(modules).collect();
            let nearest = nearest(&part.to_string(), known.iter().map(String::as_str)).map(str::to_owned);
            return Err(PlanError::Part { part: part.to_string(), nearest, known: known.join(", ") });
        }
    };
    let mut plan = Plan {
        recipe: recipe.name.clone(),
        recipe_digest: recipe.digest(),
        part: part.clone(),
        values: graph.values,
        templates: assembly.templates,
        slots: Vec::new(),
        streams: graph.streams,
        micro_batch_units,
        micro_batches: semantics.units() / micro_batch_units,
        steps,
    };
    select::select(registry, &mut plan.templates, execution.variants);
    mutate::mutate(registry, &mut plan, mutations)?;
    memory::memory(&mut plan);
    Ok(plan)
}

fn check_execution(semantics: &Semantics, execution: &Execution) -> Result<usize, PlanError> {
    let refuse =
        |key, found: u32, expected: String| Err(PlanError::Execution { key, found: found.to_string(), expected });
    let units = semantics.units();
    let micro = execution.micro_batch_units as usize;
    if micro == 0 || !units.is_multiple_of(micro) {
        return refuse(
            "execution.micro_batch_units",
            execution.micro_batch_units,
            format!("a divisor of the {units} units of a step"),
        );
    }
    if !(1..=256).contains(&execution.threads) {
        return refuse("execution.threads", execution.threads, "1 to 256".to_owned());
    }
    if execution.buckets == 0 {
        return refuse("execution.buckets", execution.buckets, "at least 1".to_owned());
    }
    if execution.prefetch_depth < 2 {
        return refuse("execution.prefetch_depth", execution.prefetch_depth, "at least 2".to_owned());
    }
    if !(1..=64).contains(&execution.data_workers) {
        return refuse("execution.data_workers", execution.data_workers, "1 to 64".to_owned());
    }
    if execution.checkpoint.keep < 2 {
        return refuse("execution.checkpoint.keep", execution.checkpoint.keep, "at least 2".to_owned());
    }
    Ok(micro)
}

struct Assembly<'a> {
    semantics: &'a Semantics,
    execution: &'a Execution,
    units: usize,
    templates: Vec<Template>,
}

impl Assembly<'_> {
    fn template(&mut self, graph: &mut Graph<'_>, name: &str, repeats: usize) {
        let nodes = graph.take();
        if !nodes.is_empty() {
            self.templates.push(Template { name: name.to_owned(), repeats, nodes });
        }
    }

    fn blocks(&self, host: Host, mode: Mode) -> Blocks<'_> {
        Blocks { semantics: self.semantics, host, mode }
    }

    fn repeats(&self) -> usize {
        self.semantics.units() / self.units
    }

    fn end_to_end(&mut self, graph: &mut Graph<'_>) -> Result<(), PlanError> {
        let host = Host::declare(graph, self.semantics, self.units, "");
        self.with_loss(graph, host, |blocks, graph, weights| blocks.decoder(graph, weights))?;
        self.evaluation(graph)
    }

    fn module(&mut self, graph: &mut Graph<'_>, name: &str) -> Result<(), PlanError> {
        let host = Host::declare(graph, self.semantics, self.units, "");
        let layer_of = |mlp| self.semantics.model.mlp.iter().position(|used| *used == mlp).expect("the part exists");
        match name {
            "attention_block" => self.with_boundary(graph, host, |blocks, graph, x| blocks.attention(graph, 0, x)),
            "mlp_block_swiglu" => {
                let layer = layer_of(Mlp::Swiglu);
                self.with_boundary(graph, host, |blocks, graph, x| blocks.mlp(graph, layer, x))
            }
            "mlp_block_squared_relu" => {
                let layer = layer_of(Mlp::SquaredRelu);
                self.with_boundary(graph, host, |blocks, graph, x| blocks.mlp(graph, layer, x))
            }
            "head_loss" => self.with_loss(graph, host, |blocks, graph, weights| {
                let x = blocks.boundary(graph, "boundary.x", host, 0, 1.0)?;
                blocks.head(graph, x, weights)
            }),
            "optimizer_step" => self.optimizer_step(graph, host),
            _ => self.data_pipeline(graph, host),
        }
    }

    /// A part that ends in the loss.
    fn with_loss(
        &mut self,
        graph: &mut Graph<'_>,
        host: Host,
        forward: impl FnOnce(&Blocks<'_>, &mut Graph<'_>, ValueId) -> Result<Vec<ValueId>, PlanError>,
    ) -> Result<(), PlanError> {
        let weights = graph.value("loss.weights".to_owned(), Spec::f32(&[2]), ValueKind::Persistent);
        graph.phase = Phase::Forward;
        let outputs = forward(&self.blocks(host, Mode::Train), graph, weights)?;
        let mut nodes = graph.take();
        self.fuse(graph, &mut nodes);
        let (owned, shared) = precision::declare(graph);
        let attributes =
            json!({"z_loss": self.semantics.model.z_loss, "overflow_steps": self.semantics.optimizer.overflow_steps});
        let inputs = [host.target_count, shared.scale, host.position];
        graph.call_into("head.loss", "loss_weights", attributes, &inputs, &[], &[weights])?;
        let scale_node = graph.take();
        let losses = {
            graph.put(nodes.clone());
            let losses = optimizer::accumulate_losses(graph, &host, &outputs, self.leaves(), "")?;
            nodes = graph.take();
            losses
        };
        let mut body = scale_node;
        body.extend(self.gradients_of(graph, host, nodes, &[])?);
        self.finish(graph, host, body, &owned, shared, Some(losses))
    }

    /// A block between two boundaries: its input and the gradient of its output are drawn from a seed.
    fn with_boundary(
        &mut self,
        graph: &mut Graph<'_>,
        host: Host,
        block: impl FnOnce(&Blocks<'_>, &mut Graph<'_>, ValueId) -> Result<ValueId, PlanError>,
    ) -> Result<(), PlanError> {
        graph.phase = Phase::Forward;
        let blocks = self.blocks(host, Mode::Train);
        let x = blocks.boundary(graph, "boundary.x", host, 0, 1.0)?;
        let gradient = blocks.boundary(graph, "boundary.gradient", host, 1, 1e-3)?;
        let boundary = graph.take();
        let y = block(&blocks, graph, x)?;
        let mut nodes = graph.take();
        self.fuse(graph, &mut nodes);
        let (owned, shared) = precision::declare(graph);
        let mut body = boundary;
        body.extend(self.gradients_of(graph, host, nodes, &[(y, gradient)])?);
        self.finish(graph, host, body, &owned, shared, None)
    }

    /// AdamW, clip, schedule and EMA on the parameters of one layer, with gradients drawn from a seed.
    fn optimizer_step(&mut self, graph: &mut Graph<'_>, host: Host) -> Result<(), PlanError> {
        graph.phase = Phase::Forward;
        let blocks = self.blocks(host, Mode::Train);
        let x = blocks.boundary(graph, "boundary.x", host, 0, 1.0)?;
        blocks.attention(graph, 0, x)?;
        graph.take();
        let (owned, shared) = precision::declare(graph);
        let mut leaves = Vec::new();
        graph.phase = Phase::Backward;
        for (index, parameter) in graph.parameters.clone().into_iter().enumerate() {
            let mut shape = vec![self.semantics.data.leaves];
            shape.extend(&parameter.shape);
            let value = graph.value(format!("leaves/{}", parameter.name), Spec::f32(&shape), ValueKind::Persistent);
            let stream = BOUNDARY_STREAM + 16 + u32::try_from(index).expect("parameters are few");
            graph.stream(stream, &format!("boundary.{}", parameter.name))?;
            let attributes = json!({
                "shape": shape, "dtype": "f32", "seed": self.semantics.seed, "stream": stream, "scale": 1e-2, "per_unit": 0,
            });
            graph.call_into(&parameter.name, "boundary", attributes, &[host.position], &[], &[value])?;
            leaves.push((parameter, value));
        }
        let mut body = graph.take();
        self.stage(graph, host, &mut body);
        self.templates.push(Template { name: "body".to_owned(), repeats: 1, nodes: body });
        self.update(graph, host, &leaves, &owned, shared, None)
    }

    /// The data pipeline alone: rows are packed, dealt and staged; nothing is computed.
    fn data_pipeline(&mut self, graph: &mut Graph<'_>, host: Host) -> Result<(), PlanError> {
        let mut body = Vec::new();
        self.stage(graph, host, &mut body);
        self.templates.push(Template { name: "body".to_owned(), repeats: self.repeats(), nodes: body });
        Ok(())
    }

    fn fuse(&self, graph: &Graph<'_>, nodes: &mut Vec<crate::graph::Node>) {
        if self.execution.fuse {
            fuse::fuse(graph, nodes);
        }
    }

    fn leaves(&self) -> (usize, usize) {
        (self.semantics.data.leaves, self.semantics.data.units_per_leaf)
    }

    /// Forward and backward nodes, and the accumulation of every parameter's gradient.
    fn gradients_of(
        &self,
        graph: &mut Graph<'_>,
        host: Host,
        forward: Vec<crate::graph::Node>,
        roots: &[(ValueId, ValueId)],
    ) -> Result<Vec<crate::graph::Node>, PlanError> {
        let differentiable: Vec<_> = forward.iter().filter(|node| node.kernel != "accumulate").cloned().collect();
        let gradients = backward::backward(graph, &differentiable, roots)?;
        let of_parameters: Vec<(Parameter, ValueId)> = graph
            .parameters
            .iter()
            .filter_map(|parameter| Some((parameter.clone(), *gradients.get(&parameter.value)?)))
            .collect();
        optimizer::accumulate_gradients(graph, self.semantics, &host, &of_parameters)?;
        let mut backward = graph.take();
        recompute::recompute(&mut graph.values, &differentiable, &mut backward, self.execution.recompute);
        let mut body = forward;
        body.extend(backward);
        Ok(body)
    }

    fn stage(&self, graph: &mut Graph<'_>, host: Host, body: &mut Vec<crate::graph::Node>) {
        graph.phase = Phase::Data;
        let outputs =
            [host.tokens, host.targets, host.document_start, host.positions, host.position, host.target_count];
        graph.host("data", HostAction::StageBatch, &outputs);
        body.splice(0..0, graph.take());
    }

    fn finish(
        &mut self,
        graph: &mut Graph<'_>,
        host: Host,
        mut body: Vec<crate::graph::Node>,
        owned: &[Owned],
        shared: precision::Shared,
        losses: Option<LossLeaves>,
    ) -> Result<(), PlanError> {
        self.stage(graph, host, &mut body);
        self.templates.push(Template { name: "body".to_owned(), repeats: self.repeats(), nodes: body });
        let leaves: Vec<(Parameter, ValueId)> = graph
            .parameters
            .iter()
            .map(|parameter| {
                let leaves = graph.find(&format!("leaves/{}", parameter.name));
                (parameter.clone(), leaves.expect("every parameter of a part has a gradient"))
            })
            .collect();
        self.update(graph, host, &leaves, owned, shared, losses)
    }

    fn update(
        &mut self,
        graph: &mut Graph<'_>,
        host: Host,
        leaves: &[(Parameter, ValueId)],
        owned: &[Owned],
        shared: precision::Shared,
        losses: Option<LossLeaves>,
    ) -> Result<(), PlanError> {
        let gradients = optimizer::reduce(graph, self.semantics, leaves, self.execution.buckets as usize)?;
        if let Some(losses) = losses {
            optimizer::report_losses(graph, self.semantics, &host, losses, "")?;
        }
        self.template(graph, "reduce", 1);
        let pairs: Vec<_> = leaves.iter().map(|(parameter, _)| parameter.clone()).zip(gradients).collect();
        optimizer::optimizer(graph, self.semantics, &pairs, owned, shared)?;
        self.template(graph, "optimizer", 1);
        graph.phase = Phase::Init;
        precision::initialise(graph, self.semantics, owned, shared)?;
        let initial = graph.take();
        graph.host("data", HostAction::StageTables, &[host.rope_table]);
        let tables = graph.take();
        self.templates.insert(0, Template { name: "init".to_owned(), repeats: 1, nodes: initial });
        self.templates.insert(0, Template { name: "tables".to_owned(), repeats: 1, nodes: tables });
        Ok(())
    }

    fn evaluation(&mut self, graph: &mut Graph<'_>) -> Result<(), PlanError> {
        if self.execution.eval_every == 0 {
            return Ok(());
        }
        let data = &self.semantics.data;
        let units = self.semantics.evaluation.rows / data.rows_per_unit;
        let units_per_leaf = units.div_ceil(data.leaves);
        let host = Host::declare(graph, self.semantics, 1, "eval.");
        graph.phase = Phase::Eval;
        if self.semantics.evaluation.weights == EvaluationWeights::Ema {
            self.bind_averages(graph)?;
            self.template(graph, "evaluate_prepare", 1);
        }
        let weights = graph.value("eval.loss.weights".to_owned(), Spec::f32(&[2]), ValueKind::Host);
        let outputs = self.blocks(host, Mode::Evaluate).decoder(graph, weights)?;
        let losses = optimizer::accumulate_losses(graph, &host, &outputs, (data.leaves, units_per_leaf), "eval.")?;
        let mut nodes = graph.take();
        self.fuse(graph, &mut nodes);
        let staged = [host.tokens, host.targets, host.document_start, host.positions, host.position, host.target_count];
        graph.host("eval.data", HostAction::StageEvaluation, &staged);
        let mut body = graph.take();
        body.extend(nodes);
        let repeats = data.leaves * units_per_leaf;
        self.templates.push(Template { name: "evaluate".to_owned(), repeats, nodes: body });
        optimizer::report_losses(graph, self.semantics, &host, losses, "eval.")?;
        self.template(graph, "evaluate_report", 1);
        graph.bound.clear();
        Ok(())
    }

    /// Evaluation reads the averages instead of the parameters, cast where parameters are stored in bf16.
    fn bind_averages(&self, graph: &mut Graph<'_>) -> Result<(), PlanError> {
        for parameter in graph.parameters.clone() {
            let average =
                graph.find(&format!("optimizer/average/{}", parameter.name)).expect("every parameter has one");
            let bound = if graph.storage == Dtype::F32 {
                average
            } else {
                let spec = Spec::new(graph.storage, &parameter.shape);
                let value = graph.value(format!("eval.params/{}", parameter.name), spec, ValueKind::Persistent);
                let attributes = json!({"dtype": graph.storage.name()});
                graph.call_into(&parameter.name, "cast", attributes, &[average], &[], &[value])?;
                value
            };
            graph.bound.insert(parameter.name.clone(), bound);
        }
        Ok(())
    }
}

impl Blocks<'_> {
    /// Activations drawn from a seed: element by global unit, so that micro-batches do not matter.
    fn boundary(
        &self,
        graph: &mut Graph<'_>,
        name: &str,
        host: Host,
        index: u32,
        scale: f32,
    ) -> Result<ValueId, PlanError> {
        let units = graph.values[host.tokens.0].spec.shape[0];
        let unit = [self.semantics.unit_positions(), self.semantics.model.width];
        graph.stream(BOUNDARY_STREAM + index, name)?;
        let attributes = json!({
            "shape": [units, unit[0], unit[1]], "dtype": storage(self.semantics).name(), "seed": self.semantics.seed,
            "stream": BOUNDARY_STREAM + index, "scale": scale, "per_unit": unit[0] * unit[1],
        });
        Ok(graph.call(name, "boundary", attributes, &[host.position])?[0])
    }
}
