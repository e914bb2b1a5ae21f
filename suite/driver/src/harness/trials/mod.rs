//! What is tried for each claim. A body makes runs and asks the judge; it compares nothing itself.

mod canary;
mod census;
mod coverage;
mod crash;
mod pair;
mod resume;
mod storage;

use super::trial::{Context, Halt, Judged};
use crate::catalogue::{Kind, Resume, Scope};

/// Carries out the trial of an entry.
pub fn body(context: &Context<'_>) -> Result<Judged, Halt> {
    match &context.entry.scope {
        Scope::Coverage => coverage::coverage(context),
        Scope::Canary => canary::canary(context),
        Scope::Part { part, kind } => {
            let part = context.session.part(&context.entry.recipe, part)?;
            match kind {
                Kind::Repeat => pair::repeat(context, part),
                Kind::Golden => pair::golden(context, part),
                Kind::Alternative(alternative) => pair::alternative(context, part, alternative),
                Kind::Reference => pair::reference(context, part),
                Kind::Census => census::census(context, part),
                Kind::Resume(Resume::CrashStates) => crash::crash_states(context, part),
                Kind::Resume(Resume::StorageErrors) => storage::storage_errors(context, part),
                Kind::Resume(resume) => resume::resume(context, part, *resume),
            }
        }
    }
}
