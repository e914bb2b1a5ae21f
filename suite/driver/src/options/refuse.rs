//! Settings under which a green light would mean nothing.

use std::ffi::OsString;

/// Why the suite will not run in this environment, if so: a retry of a trial, or a setting that turns a mismatch
/// green. `variable` looks up an environment variable.
pub fn refuse(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
    if let Some(attempt) = text("NEXTEST_ATTEMPT").filter(|attempt| !attempt.is_empty() && attempt != "1") {
        return Some(format!(
            "this is attempt {attempt} of a trial (NEXTEST_ATTEMPT). A determinism trial that needs a second attempt \
             has failed. Run without retries."
        ));
    }
    if let Some(value) = text("INSTA_FORCE_PASS").filter(|value| !value.is_empty() && value != "0") {
        return Some(format!("INSTA_FORCE_PASS={value} turns mismatches green. Unset it."));
    }
    match text("INSTA_UPDATE").as_deref() {
        Some(value @ ("always" | "force")) => Some(format!(
            "INSTA_UPDATE={value} rewrites what it should compare. Unset it; goldens are changed by `cargo xtask bless`."
        )),
        _ => None,
    }
}
