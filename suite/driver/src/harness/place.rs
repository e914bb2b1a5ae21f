//! Where the call takes place: a terminal or a log, a CI service, a runner that gives each trial a process.

use super::session::Session;
use crate::options::Options;
use crate::report::{Files, Style};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// What the environment says of the call.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Annotations are understood.
    pub github: bool,
    summary: Option<PathBuf>,
    /// Each trial has a process of its own, so a process knows only its own trial.
    process_per_trial: bool,
    pub person_looks: bool,
    target: Option<PathBuf>,
}

impl Surroundings {
    /// Looks at the environment and the standard streams.
    pub fn look() -> Self {
        let set = |name: &str| super::variable(name).filter(|value| !value.is_empty());
        Self {
            github: set("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            process_per_trial: set("NEXTEST_RUN_ID").is_some(),
            person_looks: std::io::stdout().is_terminal() && std::io::stderr().is_terminal() && set("CI").is_none(),
            target: set("CARGO_TARGET_DIR").map(PathBuf::from),
        }
    }

    /// Folder of all invocations.
    pub fn runs(&self, root: &Path) -> PathBuf {
        self.target.clone().unwrap_or_else(|| root.join("target")).join("lockstep")
    }

    pub fn style(&self, options: &Options) -> Style {
        let plain = |format| matches!(format, None | Some(libtest_mimic::FormatSetting::Pretty));
        if self.process_per_trial || options.libtest.quiet || !plain(options.libtest.format) {
            return Style::Silent;
        }
        if self.person_looks && options.libtest.logfile.is_none() { Style::Moving } else { Style::Plain }
    }

    pub fn files(&self, options: &Options, session: &Session) -> Files {
        let invocation = session.invocation.directory();
        if self.process_per_trial {
            let filter = options.libtest.filter.as_deref().unwrap_or("all");
            return Files::in_folder(&invocation.join("reports").join(filter.replace("::", "-")));
        }
        let mut files = Files::in_folder(&session.reports);
        files.json_copy.clone_from(&options.json);
        files.summary.clone_from(&self.summary);
        files
    }
}
