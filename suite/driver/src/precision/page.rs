//! One HTML file that needs nothing else.

use super::model::{Errors, PrecisionReport, TensorRow};
use super::text::{held_out_row, loss_row, name, notes, numbers};
use minijinja::{AutoEscape, Environment, Value, context};

const TEMPLATE: &str = include_str!("precision.html.jinja");
/// Steps that a row shows one by one.
const STEPS: usize = 32;

/// The report as a page, with the picture `svg` in it.
#[must_use]
pub fn page(report: &PrecisionReport, svg: &str) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let losses = report.losses.iter().map(|losses| [loss_row(losses), held_out_row(losses)].concat());
    let context = context! {
        losses => losses.collect::<Vec<_>>(),
        report => Value::from_serialize(report),
        notes => notes(report),
        // A picture inside a page needs no name of its language.
        svg => svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""),
        rows => report.tensors.iter().map(row).collect::<Vec<_>>(),
    };
    environment.render_str(TEMPLATE, context).expect("the template fits the report")
}

fn row(row: &TensorRow) -> Value {
    let sides: Vec<Value> = row.sides.iter().map(|side| self::side(side.as_ref())).collect();
    context! { name => name(row), phase => row.place.phase, sides => sides }
}

fn side(errors: Option<&Errors>) -> Value {
    let steps: Vec<Value> = errors.map_or_else(Vec::new, |errors| {
        let shown = if errors.by_step.len() <= STEPS { errors.by_step.as_slice() } else { &[] };
        shown.iter().map(|(step, error)| cell(*step, *error)).collect()
    });
    context! { numbers => numbers(errors), op => errors.map(|errors| &errors.op), steps => steps }
}

/// A step as a colour: one for each factor of ten of the error.
fn cell(step: u64, error: Option<f64>) -> Value {
    let decade = match error {
        Some(0.0) => 0,
        Some(error) => (0..9).find(|decade| error < LIMITS[*decade]).unwrap_or(9),
        None => 9,
    };
    let text = error.map_or_else(|| "the shadow is zero".to_owned(), |error| format!("{error:.1e}"));
    context! { decade => decade, title => format!("step {step}: {text}") }
}

/// Upper limits of the colours.
const LIMITS: [f64; 9] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];
