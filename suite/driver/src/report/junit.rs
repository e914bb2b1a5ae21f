//! JUnit XML, which most test services read.

use super::model::Report;
use contract::claim::Level;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite, XmlString};
use std::time::Duration;

/// One suite a recipe, one case a trial.
#[must_use]
pub fn junit(report: &Report) -> String {
    let mut document = quick_junit::Report::new("lockstep");
    document.set_time(Duration::from_millis(report.milliseconds));
    for recipe in &report.recipes {
        let mut suite = TestSuite::new(recipe.name.as_str());
        suite.add_property(("seed", report.seed.to_string().as_str()));
        suite.add_property(("recipe_digest", recipe.recipe_digest.as_str()));
        for trial in report.trials.iter().filter(|trial| trial.recipe == recipe.name) {
            let mut status = TestCaseStatus::success();
            if !trial.outcome.passed() {
                status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(trial.outcome.verdict.name());
                status.set_message(XmlString::new(trial.failure.lines().next().unwrap_or_default()));
                status.set_description(XmlString::new(&trial.failure));
            }
            let mut case = TestCase::new(trial.trial.as_str(), status);
            case.set_classname(format!("{}.{}", recipe.name, trial.level.map_or("recipe", Level::name)));
            case.set_time(Duration::from_millis(trial.milliseconds));
            suite.add_test_case(case);
        }
        let prefix = format!("{}::", recipe.name);
        for left_out in report.not_compared.iter().filter(|left_out| left_out.trial.starts_with(&prefix)) {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("not compared: {}", left_out.reason));
            suite.add_test_case(TestCase::new(left_out.trial.as_str(), status));
        }
        document.add_test_suite(suite);
    }
    document.to_string().expect("the report has no text that XML cannot hold")
}
