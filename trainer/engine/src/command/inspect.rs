//! Commands that look and change nothing: `recipes`, `describe`, `plan`, `verify`.

use crate::checkpoint;
use crate::error::EngineError;
use crate::policies::Policies;
use clap::Args;
use contract::request::Part;
use numerics::simd::Level;
use std::io::Write;
use std::path::PathBuf;

/// Prints a line. A reader that has gone away, such as `head`, is no error.
fn say(text: &str) {
    let _closed = writeln!(std::io::stdout(), "{text}");
}

/// List the known recipes.
#[derive(Args, Debug)]
#[command(after_help = "Example: lockstep recipes")]
pub struct RecipesCommand {
    /// Names only, one a line.
    #[arg(long)]
    names: bool,
}

impl RecipesCommand {
    /// # Errors
    /// When a shipped recipe is not valid.
    pub fn run(&self) -> Result<(), EngineError> {
        for name in plan::recipe::names() {
            if self.names {
                say(name);
            } else {
                say(&format!("{name:<18} {}", plan::recipe::load(name)?.about));
            }
        }
        Ok(())
    }
}

/// Describe a recipe to the suite: parts, claims, alternatives, as JSON.
#[derive(Args, Debug)]
#[command(after_help = "Example: lockstep describe --recipe dense-ieee")]
pub struct DescribeCommand {
    #[arg(long)]
    recipe: String,
}

impl DescribeCommand {
    /// # Errors
    /// When the recipe is not valid.
    pub fn run(&self, policies: &Policies) -> Result<(), EngineError> {
        let recipe = plan::recipe::load(&self.recipe)?;
        let levels: Vec<&str> = Level::available().iter().map(|level| level.name()).collect();
        let description = plan::describe::describe(&recipe, &policies.registry, &levels)?;
        say(&serde_json::to_string_pretty(&description).expect("a description is plain data"));
        Ok(())
    }
}

/// Print the plan of a recipe: every node, operand and buffer.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep plan --recipe dense-ieee
  lockstep plan --recipe dense-ieee --part module/attention_block --set recompute=full")]
pub struct PlanCommand {
    #[arg(long)]
    recipe: String,
    #[arg(long, default_value = "end_to_end")]
    part: Part,
    /// Override a key of `execution`: KEY=VALUE, repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl PlanCommand {
    /// # Errors
    /// When the recipe or an override is not valid.
    pub fn run(&self, policies: &Policies) -> Result<(), EngineError> {
        let mut recipe = plan::recipe::load(&self.recipe)?;
        plan::recipe::set(&mut recipe, &super::train::overrides(&self.set)?)?;
        let plan = plan::assemble(&recipe, &self.part, &policies.registry, &policies.mutations)?;
        say(plan::render::render(&plan).trim_end());
        Ok(())
    }
}

/// Verify every save in a checkpoint directory and print which one is the newest.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep verify runs/one/checkpoints
  lockstep verify --pointer runs/one/checkpoints")]
pub struct VerifyCommand {
    /// The checkpoint directory.
    checkpoints: PathBuf,
    /// Print only the content of latest.json, for programs.
    #[arg(long)]
    pointer: bool,
}

impl VerifyCommand {
    /// # Errors
    /// When a save is torn, altered or incomplete.
    pub fn run(&self) -> Result<(), EngineError> {
        let report = checkpoint::verify(&self.checkpoints)?;
        if report.saves.is_empty() && report.newest.is_none() && report.pointer_problem.is_none() {
            return Err(EngineError::NoSave { path: self.checkpoints.clone() });
        }
        let unsound = || EngineError::Unsound { path: self.checkpoints.clone() };
        if self.pointer {
            let obstacle = || EngineError::NotLoadable { path: self.checkpoints.clone(), problem: report.obstacle() };
            let pointer = report.loadable().ok_or_else(obstacle)?;
            say(&serde_json::to_string(pointer).expect("a pointer is plain data"));
            return Ok(());
        }
        say(report.to_string().trim_end());
        match report.is_sound() {
            true => Ok(()),
            false => Err(unsound()),
        }
    }
}
