//! The command `golden propose`, behind `cargo xtask bless`.

use super::propose::{Query, propose, summary};
use crate::harness::{AdapterSource, find_root};
use crate::runner::Runner;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// File in the folder of a proposal: one row of the ledger for each file that moved, without its reason.
pub const ROWS: &str = "ledger-rows.md";

/// Longest time of one reference run.
const TIMEOUT: Duration = Duration::from_secs(3600);

/// Make candidates for golden files and say what moved; nothing below `golden/` is touched.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: lockstep golden propose --query rmsnorm --out target/proposal")]
pub struct ProposeCommand {
    /// Recipe, room, or piece of a golden's path; `all` for every golden.
    #[arg(long)]
    query: String,
    /// Folder of the candidates; it must be empty or new.
    #[arg(long)]
    out: PathBuf,
    /// Adapter file of the trainer; the built-in one when it is not given.
    #[arg(long)]
    adapter: Option<PathBuf>,
    /// Folder that holds `golden`; found from the working directory upwards.
    #[arg(long)]
    root: Option<PathBuf>,
}

impl ProposeCommand {
    /// Proposes, writes candidates and rows, prints the summary.
    #[must_use]
    pub fn run(&self, adapter: AdapterSource, trainer: &Path) -> ExitCode {
        match self.carry_out(adapter, trainer) {
            Ok(summary) => {
                println!("{summary}");
                ExitCode::SUCCESS
            }
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        }
    }

    fn carry_out(&self, adapter: AdapterSource, trainer: &Path) -> Result<String, String> {
        let adapter = self.adapter.clone().map_or(adapter, AdapterSource::File).adapter(trainer);
        let runner = Runner::new(adapter.map_err(|error| error.to_string())?, TIMEOUT);
        let root = find_root(self.root.as_deref())?;
        let occupied = std::fs::read_dir(&self.out).is_ok_and(|mut entries| entries.next().is_some());
        if occupied {
            return Err(format!("{} is not empty; candidates of two proposals must not mix", self.out.display()));
        }
        let told = |what: &str| eprintln!("running {what}, twice, by the reference variants");
        let proposals = propose(&runner, Query(&self.query), &root.join("golden"), &self.out, &told)
            .map_err(|error| error.to_string())?;
        let mut rows = String::new();
        for proposal in &proposals {
            let row = proposal.ledger_row("").map_err(|error| format!("{}: {error}", proposal.file))?;
            rows.push_str(&row.unwrap_or_default());
        }
        let path = self.out.join(ROWS);
        std::fs::create_dir_all(&self.out)
            .and_then(|()| std::fs::write(&path, rows))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(summary(&proposals))
    }
}
