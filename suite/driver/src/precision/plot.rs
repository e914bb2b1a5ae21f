//! The loss curves of both recipes and of the shadow in one picture, and below it how far each is from the others.

use super::model::{Losses, PrecisionReport};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Name, colour and points of a curve.
type Curve = (String, RGBColor, Vec<(f64, f64)>);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const FIRST: RGBColor = RGBColor(31, 119, 180);
const SECOND: RGBColor = RGBColor(214, 39, 40);
const THIRD: RGBColor = RGBColor(90, 90, 90);

/// The picture as SVG.
#[must_use]
pub fn plot(report: &PrecisionReport) -> String {
    let [a, b] = &report.sides;
    let curve = |name: &str, colour, value: &dyn Fn(&Losses) -> Option<f64>| -> Curve {
        let point = |losses: &Losses| Some((losses.step as f64 + 1.0, value(losses).filter(|loss| loss.is_finite())?));
        (name.to_owned(), colour, report.losses.iter().filter_map(point).collect())
    };
    let losses = [
        curve("f64 shadow", THIRD, &|losses| losses.shadow),
        curve(&a.name, FIRST, &|losses| losses.loss[0]),
        curve(&b.name, SECOND, &|losses| losses.loss[1]),
    ];
    let differences = [
        curve(&format!("{} − {}", b.name, a.name), THIRD, &|losses| losses.difference),
        curve(&format!("{} − f64", a.name), FIRST, &|losses| losses.error[0]),
        curve(&format!("{} − f64", b.name), SECOND, &|losses| losses.error[1]),
    ];
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 720)).into_drawing_area();
        let (above, below) = area.split_vertically(400);
        let drawn = area
            .fill(&WHITE)
            .map_err(|error| error.to_string())
            .and_then(|()| panel(&above, "language-model loss, nats a token", &losses))
            .and_then(|()| panel(&below, "difference of losses", &differences))
            .and_then(|()| area.present().map_err(|error| error.to_string()));
        drawn.expect("a picture in memory can be drawn");
    }
    svg
}

fn panel(area: &Area<'_>, what: &str, curves: &[Curve]) -> Result<(), String> {
    let points = || curves.iter().flat_map(|(.., points)| points);
    let end = points().map(|(step, _)| *step).fold(2.0, f64::max);
    let (low, high) = points()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    // A curve that is flat needs room around it too.
    let room = ((high - low) * 0.06).max(high.abs().max(1e-12) * 1e-6);
    let drawn = |error: &dyn std::fmt::Display| error.to_string();
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(76)
        .build_cartesian_2d(1.0..end, low - room..high + room)
        .map_err(|error| drawn(&error))?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("steps")
        .y_desc(what)
        .y_label_formatter(&|value| number(*value))
        .x_label_formatter(&|step| format!("{step:.0}"));
    mesh.draw().map_err(|error| drawn(&error))?;
    for (name, colour, points) in curves {
        let colour = *colour;
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(2);
        let series = chart.draw_series(line).map_err(|error| drawn(&error))?;
        series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    let mut labels = chart.configure_series_labels();
    labels.border_style(BLACK.mix(0.3)).background_style(WHITE.mix(0.8)).draw().map_err(|error| drawn(&error))
}

/// Short for large and for small numbers.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-2..1e4).contains(&value.abs()) { format!("{value:.3}") } else { format!("{value:.1e}") }
}
