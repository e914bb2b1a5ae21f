//! One HTML file that needs nothing else: no network, no script library.

use super::model::{Report, TrialReport};
use super::table::table;
use judge::elements::BitFields;
use minijinja::{AutoEscape, Environment, Value, context};

const TEMPLATE: &str = include_str!("report.html.jinja");

/// The report as a page.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let failures: Vec<Value> = report.failures().into_iter().map(card).collect();
    let matched: Vec<_> = report.trials.iter().filter(|trial| trial.outcome.passed()).collect();
    let context = context! {
        report => Value::from_serialize(report),
        table => table(report),
        failures => failures,
        matched => Value::from_serialize(&matched),
    };
    environment.render_str(TEMPLATE, context).expect("the template fits the report")
}

/// A failed trial with the bits of its first differing element split into fields.
fn card(trial: &TrialReport) -> Value {
    let elements = trial.outcome.divergence.as_ref().and_then(|divergence| divergence.elements.as_ref());
    let bits: Vec<Value> = elements
        .iter()
        .flat_map(|elements| [("left", &elements.first_left), ("right", &elements.first_right)])
        .map(|(side, fields)| split(side, fields))
        .collect();
    context! { trial => Value::from_serialize(trial), bits => bits }
}

fn split(side: &str, fields: &BitFields) -> Value {
    context! {
        side => side,
        bits => format!("{:x}", fields.bits),
        sign => fields.sign,
        exponent => format!("{:b}", fields.exponent),
        mantissa => format!("{:b}", fields.mantissa),
    }
}
