//! Small runs made up for tests: a training run of a few steps, and a kernel part of a few cases.

use contract::SCHEMA;
use contract::record::{Body, Role, TensorRecord};
use contract::request::Part;
use contract::run::{EnvFile, RunFile};
use contract::trace::TraceWriter;
use fingerprint::Fingerprint;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A step, and its records with their phases.
pub type Frame = (u64, Vec<(String, Body)>);

/// A run in memory. Every field may be bent before it is written.
#[derive(Clone, Debug)]
pub struct Craft {
    pub run: RunFile,
    pub environment: BTreeMap<String, String>,
    /// Frames of each rank.
    pub ranks: Vec<Vec<Frame>>,
    /// Steps named by the `end` record; `None`: the run was cut short.
    pub end: Option<u64>,
}

/// A fingerprint that no other name has.
#[must_use]
pub fn fingerprint(name: &str) -> Fingerprint {
    Fingerprint::of_bytes(blake3::hash(name.as_bytes()).as_bytes())
}

/// A tensor record of node `node`, with op, module, contract and variant that follow from its name.
#[must_use]
pub fn tensor(node: &str, name: &str, role: Role, bits: &str) -> Body {
    Body::Tensor(TensorRecord {
        node: node.to_owned(),
        module: format!("layers.0.{node}"),
        op: node.to_owned(),
        contract: format!("{node}.chain.v1"),
        variant: "cpu_reference".to_owned(),
        tensor: name.to_owned(),
        dtype: "f32".to_owned(),
        shape: vec![4, 8],
        role,
        version: 1,
        fingerprint: fingerprint(bits),
    })
}

/// A leaf of the state.
#[must_use]
pub fn state(leaf: &str, bits: &str) -> Body {
    Body::State { leaf: leaf.to_owned(), dtype: "f32".to_owned(), shape: vec![8], fingerprint: fingerprint(bits) }
}

/// A scalar.
#[must_use]
pub fn scalar(name: &str, bits: u32) -> Body {
    Body::Scalar { name: name.to_owned(), bits: format!("{bits:08x}") }
}

/// Leaves of a crafted training run.
pub const LEAVES: [&str; 6] =
    ["params/w", "params/b", "optimizer/m.w", "rng/dropout", "data/cursor", "fingerprints/state"];

impl Craft {
    fn new(nonce: &str, part: Part) -> Self {
        let run = RunFile {
            schema: SCHEMA,
            nonce: nonce.to_owned(),
            pid: 1,
            started_ns: 1,
            binary_digest: "binary".to_owned(),
            recipe: "crafted".to_owned(),
            recipe_digest: "recipe".to_owned(),
            part,
            ranks: 1,
        };
        Self { run, environment: BTreeMap::new(), ranks: Vec::new(), end: None }
    }

    /// A training run: two nodes, two bucket events, two scalars and six leaves in each step.
    #[must_use]
    pub fn training(nonce: &str, steps: u64, ranks: u32) -> Self {
        let mut craft = Self::new(nonce, Part::EndToEnd);
        craft.run.ranks = ranks;
        craft.end = Some(steps);
        let frames: Vec<_> = (0..steps).map(|step| (step, training_step(step))).collect();
        craft.ranks = vec![frames; ranks as usize];
        craft
    }

    /// A kernel part: three cases of room `rmsnorm`, each with two inputs and one output.
    #[must_use]
    pub fn kernel(nonce: &str) -> Self {
        let mut craft = Self::new(nonce, Part::Kernel("rmsnorm".to_owned()));
        craft.end = Some(3);
        let case = |(step, name): (u64, &&str)| {
            let record = |tensor_name: &str, role| {
                ((*name).to_owned(), tensor("rmsnorm", tensor_name, role, &format!("{name} {tensor_name}")))
            };
            (step, vec![record("x", Role::In), record("gamma", Role::In), record("y", Role::Out)])
        };
        craft.ranks = vec![(0..).zip(&["one", "prime", "block"]).map(case).collect()];
        craft
    }

    /// Applies `bend` to each record of one step of one rank.
    pub fn bend(&mut self, rank: usize, step: u64, mut bend: impl FnMut(&mut Body)) {
        for (_, records) in self.ranks[rank].iter_mut().filter(|(found, _)| *found == step) {
            records.iter_mut().for_each(|(_, body)| bend(body));
        }
    }

    /// Gives one leaf or scalar of one step of one rank other bits.
    pub fn set(&mut self, rank: usize, step: u64, what: &str, bits: &str) {
        self.bend(rank, step, |body| match body {
            Body::State { leaf, fingerprint: old, .. } if leaf == what => *old = fingerprint(bits),
            Body::Scalar { name, bits: old } if name == what => bits.clone_into(old),
            Body::Tensor(tensor) if tensor.tensor == what => tensor.fingerprint = fingerprint(bits),
            _ => {}
        });
    }

    /// Writes the trace directory, which must not exist.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir(directory)?;
        std::fs::write(directory.join("run.json"), serde_json::to_vec(&self.run)?)?;
        let environment = EnvFile { schema: SCHEMA, values: self.environment.clone() };
        std::fs::write(directory.join("env.json"), serde_json::to_vec(&environment)?)?;
        for (rank, frames) in (0..).zip(&self.ranks) {
            let mut writer = TraceWriter::create(directory, rank)?;
            for (step, records) in frames {
                for (phase, body) in records {
                    writer.record(*step, phase, body.clone())?;
                }
                writer.end_step(*step)?;
            }
            if let Some(steps) = self.end {
                writer.finish(steps)?;
            }
        }
        Ok(())
    }
}

fn training_step(step: u64) -> Vec<(String, Body)> {
    let bits = |name: &str| format!("{step} {name}");
    let event = |bucket: &str| Body::Event { name: "reduce_bucket".to_owned(), detail: bucket.to_owned() };
    let forward = "forward".to_owned();
    let mut records = vec![
        (forward.clone(), tensor("embedding", "tokens", Role::In, &bits("tokens"))),
        (forward.clone(), tensor("embedding", "h", Role::Out, &bits("h"))),
        (forward.clone(), tensor("mlp", "h", Role::In, &bits("h"))),
        (forward.clone(), tensor("mlp", "y", Role::Out, &bits("y"))),
        (forward, scalar("loss", 0x4000_0000 - step as u32)),
        ("reduce".to_owned(), event("0")),
        ("reduce".to_owned(), event("1")),
        ("optimizer".to_owned(), scalar("grad_norm", 0x3f80_0000 + step as u32)),
    ];
    records.extend(LEAVES.iter().map(|leaf| ("state".to_owned(), state(leaf, &bits(leaf)))));
    records
}
