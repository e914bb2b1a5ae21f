//! The loss curve of a run as a picture and as numbers.

use crate::error::EngineError;
use crate::progress::StepReport;
use plotters::prelude::*;
use std::fmt::Write;
use std::path::Path;

/// Points gathered while a run goes on.
pub struct Curve {
    title: String,
    training: Vec<(f64, f64)>,
    held_out: Vec<(f64, f64)>,
}

impl Curve {
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), training: Vec::new(), held_out: Vec::new() }
    }

    pub fn add(&mut self, report: &StepReport) {
        let step = (report.step + 1) as f64;
        self.training.push((step, f64::from(report.loss[1])));
        if let Some(loss) = report.evaluation {
            self.held_out.push((step, f64::from(loss)));
        }
    }

    /// Writes `loss.svg` and `loss.csv`; nothing when no step was reported.
    ///
    /// # Errors
    /// When the run directory cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), EngineError> {
        if self.training.is_empty() {
            return Ok(());
        }
        let mut csv = String::from("series,step,loss\n");
        for (name, points) in [("training", &self.training), ("held_out", &self.held_out)] {
            for (step, loss) in points {
                let _ = writeln!(csv, "{name},{step},{loss}");
            }
        }
        let path = directory.join("loss.csv");
        std::fs::write(&path, csv).map_err(|source| EngineError::trace(&path, source))?;
        let path = directory.join("loss.svg");
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| EngineError::trace(&path, std::io::Error::other(error)))?;
        std::fs::write(&path, svg).map_err(|source| EngineError::trace(&path, source))
    }

    fn draw(&self, svg: &mut String) -> Result<(), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let all = || self.training.iter().chain(&self.held_out).filter(|(_, loss)| loss.is_finite());
        let end = all().map(|(step, _)| *step).fold(1.0, f64::max);
        let low = all().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min).min(1e9);
        let high = all().map(|(_, loss)| *loss).fold(0.0, f64::max);
        let area = SVGBackend::with_string(svg, (900, 480)).into_drawing_area();
        area.fill(&WHITE).map_err(|error| text(&error))?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..end, (low - 0.1).max(0.0)..high + 0.1)
            .map_err(|error| text(&error))?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc("steps").y_desc("language-model loss, nats a token").draw().map_err(|error| text(&error))?;
        for (name, points, colour) in
            [("training", &self.training, BLUE), ("held out, averaged weights", &self.held_out, RED)]
        {
            let series = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(series)
                .map_err(|error| text(&error))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
        }
        let mut labels = chart.configure_series_labels();
        labels.border_style(BLACK.mix(0.3)).background_style(WHITE).draw().map_err(|error| text(&error))?;
        area.present().map_err(|error| text(&error))
    }
}
