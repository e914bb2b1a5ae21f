//! Writes what another trainer needs to repeat the first steps of a recipe: initial parameters, batches, held-out rows.
//!
//! Run with `cargo run --release -p engine --example export_batches -- RECIPE STEPS FILE`. FILE is one safetensors file
//! whose metadata holds the recipe's semantics as JSON. Shapes: `tokens`, `targets`, `document_start` i32
//! [steps, rows, row tokens]; `held_out.*` the same without steps; `params/NAME` f32. A target of −1 is not counted.
//! It trains nothing and chooses nothing: initial values come from the `init` template of the recipe's own plan.

use contract::request::Part;
use engine::data::{Dataset, Row};
use engine::run::{data_spec, held_out};
use library::context::Context;
use library::registry::Registry;
use library::room::{Call, Kernel};
use library::tensor::Tensor;
use numerics::simd::Level;
use plan::passes::mutate::Mutations;
use plan::{Plan, Recipe};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// A named tensor: dtype, shape, bytes.
type Entries = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [recipe, steps, file] = &arguments[..] else {
        return Err("expected RECIPE STEPS FILE, as in: export_batches dense-text 40 /tmp/peer.safetensors".into());
    };
    let recipe = plan::recipe::load(recipe)?;
    let registry = Registry::standard();
    let plan = plan::assemble(&recipe, &Part::EndToEnd, &registry, &Mutations::default())?;
    let mut entries = Entries::new();
    let dataset = Dataset::open(&data_spec(&recipe))?;
    batches(&dataset, &recipe, steps.parse()?, &mut entries)?;
    let held_out = held_out(&dataset, &recipe, &plan)?;
    rows("held_out.", &[held_out.len(), recipe.semantics.data.row_tokens], &held_out, &mut entries);
    parameters(&plan, &registry, &mut entries);
    write(&recipe, &entries, Path::new(file))?;
    println!("{} tensors in {file}", entries.len());
    Ok(())
}

fn batches(dataset: &Dataset, recipe: &Recipe, steps: u64, entries: &mut Entries) -> Result<(), Box<dyn Error>> {
    println!("unigram entropy of the text: {:.4} nats", dataset.unigram_entropy());
    let mut all = Vec::new();
    for step in 0..steps {
        all.extend(dataset.batch(step)?.rows);
    }
    let shape = [usize::try_from(steps)?, dataset.spec().rows_per_step, recipe.semantics.data.row_tokens];
    rows("", &shape, &all, entries);
    Ok(())
}

fn rows(prefix: &str, shape: &[usize], rows: &[Row], entries: &mut Entries) {
    let mut put = |name: &str, values: Vec<i32>| {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        entries.insert(format!("{prefix}{name}"), (Dtype::I32, shape.to_vec(), bytes));
    };
    put("tokens", rows.iter().flat_map(|row| &row.tokens).map(|token| token.cast_signed()).collect());
    let target = |(target, counted): (&u32, &bool)| if *counted { target.cast_signed() } else { -1 };
    put("targets", rows.iter().flat_map(|row| row.targets.iter().zip(&row.loss_mask)).map(target).collect());
    put("document_start", rows.iter().flat_map(|row| &row.doc_start).copied().collect());
}

/// Runs the nodes that give a parameter its first value.
fn parameters(plan: &Plan, registry: &Registry, entries: &mut Entries) {
    let context = Context::new(1, Level::detect());
    let nodes = plan.template("init").map(|template| &template.nodes[..]).unwrap_or_default();
    for node in nodes.iter().filter(|node| node.kernel == "init") {
        let value = plan.value(node.outputs[0]);
        if !value.name.starts_with("params/") {
            continue;
        }
        let mut tensor = Tensor::zeros(value.spec.clone());
        let run =
            registry.kernel(&node.kernel).map(Kernel::fastest).expect("the plan names kernels of the registry").run;
        run(&mut Call {
            attributes: &node.attributes,
            inputs: &[],
            outputs: &mut [tensor.view_mut()],
            context: &context,
        });
        entries.insert(value.name.clone(), (Dtype::F32, value.spec.shape.clone(), tensor.bytes().to_vec()));
    }
}

fn write(recipe: &Recipe, entries: &Entries, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut views = Vec::new();
    for (name, (dtype, shape, bytes)) in entries {
        views.push((name.as_str(), TensorView::new(*dtype, shape.clone(), bytes)?));
    }
    let semantics = serde_json::to_string(&recipe.semantics)?;
    // The library asks for its own map; with a single key its order says nothing.
    let metadata = Some([("semantics".to_owned(), semantics)].into());
    safetensors::serialize_to_file(views, metadata, file)?;
    Ok(())
}
