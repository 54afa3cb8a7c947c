//! Pictures of the data and of the models that were learned.

use super::experiment::{Arm, data};
use super::figures::colour;
use super::results::{MASS_SAMPLES, Results};
use super::statistics::Estimate;
use isotherm::Result;
use isotherm::data::{ImageShape, Mixture};
use isotherm_report::figure::{Axis, Figure, Images, Panel, Plot, Point, Series, Shape};
use isotherm_report::pictures::{filter_images, mode_images, pixels};
use isotherm_run::exact_samples;

/// Samples that are shown of a model.
const SHOWN: usize = 8;

/// The five images of the mixture.
pub(super) fn modes() -> Figure {
    Figure {
        name: "modes".to_owned(),
        title: "The five modes of the data".to_owned(),
        caption:
            "Random images. An example is one of them, chosen with probability w, every pixel \
                  flipped with probability p. A small p is a narrow mode that samples do not leave."
                .to_owned(),
        panels: vec![Panel::Images(mode_images(data().known_modes(), Mixture::SHAPE))],
    }
}

/// The mass that each model puts on each mode, against that of the data.
pub(super) fn masses(results: &Results) -> Result<Figure> {
    let mixture = data();
    let weights = mixture.weights();
    let mut names: Vec<String> = (1..=weights.len()).map(|mode| format!("mode {mode}")).collect();
    names.push("none".to_owned());
    let y = Axis::linear("probability");
    let mut plot = Plot::new("", Axis::names("", names), y);
    let of_data = weights.iter().enumerate().map(|(mode, &w)| (mode as f64, w));
    plot.series.push(Series::of("data (w)", colour(Arm::Pt10), Shape::Bars, of_data));
    // Two of the fixed ladders are left out: more bars could not be told apart.
    for arm in results.bests().filter(|arm| ![Arm::Pt10, Arm::Pt20].contains(&arm.setting.arm)) {
        let runs = arm.runs.iter().map(|run| run.mode_masses(&mixture));
        let runs: Vec<Vec<f64>> = runs.collect::<Result<_>>()?;
        let at = |mode: usize| runs.iter().map(|masses| masses[mode]).collect::<Vec<f64>>();
        let points = (0..=weights.len())
            .filter_map(|mode| {
                let Estimate { mean, std_error, .. } = Estimate::of(&at(mode))?;
                Some(Point { x: mode as f64, y: mean, error: std_error })
            })
            .collect();
        let arm = arm.setting.arm;
        let (name, shape) = (arm.label().to_owned(), Shape::Bars);
        plot.series.push(Series { name, colour: colour(arm), shape, points });
    }
    Ok(Figure {
        name: "masses".to_owned(),
        title: "Mode masses of the models against the data".to_owned(),
        caption: format!(
            "The share of {MASS_SAMPLES} exact samples of each model, after its last update, that lie \
             within a quarter of the pixels of a mode; mean over seeds with standard errors."
        ),
        panels: vec![Panel::Plot(plot)],
    })
}

/// Exact samples of the best model of some algorithms.
pub(super) fn samples(results: &Results) -> Result<Figure> {
    let mixture = data();
    let mut panels = Vec::new();
    for arm in [Arm::Sml, Arm::Pt50, Arm::Apt, Arm::AptHiddenMarginal] {
        let Some(run) = results.best(arm).and_then(|arm| arm.best_run()) else { continue };
        let v = exact_samples(&run.model()?, SHOWN, run.seed);
        let images = (0..v.rows())
            .map(|row| {
                let mode = mixture.known_modes().nearest(v.row(row));
                let label = mode.map_or("none".to_owned(), |mode| format!("mode {}", mode + 1));
                (label, pixels(&v, row))
            })
            .collect();
        let ImageShape { width, height } = Mixture::SHAPE;
        let title = arm.label().to_owned();
        panels.push(Panel::Images(Images { title, width, height, range: (0.0, 1.0), images }));
    }
    Ok(Figure {
        name: "samples".to_owned(),
        title: "Samples from the models".to_owned(),
        caption: "Independent, exact samples of the best model of each algorithm, with the mode that is within \
                  a quarter of the pixels, if any.".to_owned(),
        panels,
    })
}

/// The filters of the best model of some algorithms.
pub(super) fn filters(results: &Results) -> Result<Figure> {
    let mut panels = Vec::new();
    for arm in [Arm::Apt, Arm::AptHiddenMarginal] {
        let Some(run) = results.best(arm).and_then(|arm| arm.best_run()) else { continue };
        let title = arm.label().to_owned();
        panels.push(Panel::Images(Images {
            title,
            ..filter_images(&run.model()?, Mixture::SHAPE, usize::MAX)
        }));
    }
    Ok(Figure {
        name: "filters".to_owned(),
        title: "Hidden filters".to_owned(),
        caption: "The weights of the hidden units of the best model of each.".to_owned(),
        panels,
    })
}
