//! Figures with a curve for each of several runs.

use super::ladder_history::{ladders, thinned};
use super::reading::RunRecord;
use super::run_figures::likelihood_points;
use crate::figure::{Axis, Figure, Panel, Place, Plot, Point, Reference, Series, Shape, minus};
use isotherm_run::record::{Row, Timing};

/// A run with the name that tells it from the others.
type Named = (String, RunRecord);

/// A curve for each run, in its colour.
fn curves(
    plot: &mut Plot,
    runs: &[Named],
    shape: Shape,
    of: impl Fn(&RunRecord) -> Vec<(f64, f64)>,
) {
    for (colour, (name, record)) in runs.iter().enumerate() {
        let points = of(record);
        if !points.is_empty() {
            plot.series.push(Series::of(name, colour, shape, points));
        }
    }
}

/// Likelihoods against updates and against seconds of training.
pub(super) fn likelihood_figure(runs: &[Named]) -> Option<Figure> {
    let y = || Axis::linear("log-likelihood (nats an example)");
    let mut by_update = Plot::new("against updates", Axis::linear("update"), y());
    let mut by_time = Plot::new("against time", Axis::linear("seconds of training"), y());
    for (colour, (name, record)) in runs.iter().enumerate() {
        let points = likelihood_points(&record.rows, Row::likelihood);
        if points.is_empty() {
            continue;
        }
        let clocked = points.iter().filter_map(|point| {
            let seconds = seconds_at(&record.timings, point.x as u64)?;
            Some(Point { x: seconds, ..*point })
        });
        let series = |points| Series { name: name.clone(), colour, shape: Shape::Line, points };
        by_time.series.push(series(clocked.collect()));
        by_update.series.push(series(points));
    }
    if by_update.series.is_empty() {
        return None;
    }
    let limit = runs.first().and_then(|(_, record)| record.limit());
    if let Some(limit) = limit.filter(|_| runs.iter().all(|(_, it)| it.limit() == limit)) {
        for plot in [&mut by_update, &mut by_time] {
            let label = minus(format!("limit {limit:.2}"));
            plot.references.push(Reference { label, at: Place::Y(limit) });
        }
    }
    Some(Figure {
        name: "likelihoods".to_owned(),
        title: "Log-likelihood of the data".to_owned(),
        caption: "Bands of one standard error. Time is that of training, without measurements; it can be \
                  compared only between runs on the same machine."
            .to_owned(),
        panels: vec![Panel::Plot(by_update), Panel::Plot(by_time)],
    })
}

/// The clock of training at a step.
fn seconds_at(timings: &[Timing], step: u64) -> Option<f64> {
    let at = timings.binary_search_by_key(&step, |timing| timing.step).ok()?;
    Some(timings[at].seconds.train)
}

/// The ladders at the end: their β, flow and swap rates, each against the share of the way from the cold
/// end to the reference, so that ladders of different sizes can be compared.
pub(super) fn ladder_figure(runs: &[Named]) -> Option<Figure> {
    let axis = || Axis::linear("rung, as a share of the ladder").over(0.0, 1.0);
    let share = |i: usize, n: usize| i as f64 / n.saturating_sub(1).max(1) as f64;
    let unit = |label: &str| Axis::linear(label).over(0.0, 1.0);
    let mut betas = Plot::new("β", axis(), unit("β"));
    curves(&mut betas, runs, Shape::LineAndDots, |record| {
        let ladder = record.ladder().map_or(&[][..], |ladder| &ladder.betas);
        ladder.iter().enumerate().map(|(i, &beta)| (share(i, ladder.len()), beta)).collect()
    });
    if betas.series.is_empty() {
        return None;
    }
    let mut flow = Plot::new("f_up", axis(), unit("f_up"));
    curves(&mut flow, runs, Shape::LineAndDots, |record| {
        let f_up = record.ladder().map_or(&[][..], |ladder| &ladder.f_up);
        let point = |(i, f): (usize, &Option<f64>)| (share(i, f_up.len()), f.unwrap_or(f64::NAN));
        f_up.iter().enumerate().map(point).collect()
    });
    let at = Place::Between((0.0, 1.0), (1.0, 0.0));
    flow.references.push(Reference { label: "linear".to_owned(), at });
    let mut swaps = Plot::new("swap rates", unit("β between the pair"), unit("swap rate"));
    curves(&mut swaps, runs, Shape::LineAndDots, |record| {
        let Some(ladder) = record.ladder() else { return Vec::new() };
        let pairs = ladder.betas.windows(2).zip(&ladder.swap_rates);
        pairs.map(|(pair, rate)| ((pair[0] + pair[1]) / 2.0, rate.unwrap_or(f64::NAN))).collect()
    });
    Some(Figure {
        name: "ladders".to_owned(),
        title: "The ladders at the last row".to_owned(),
        caption:
            "β and f_up from the cold end (0) to the reference (1), and the swap rate of each \
                  pair. A straight f_up means that replicas flow evenly."
                .to_owned(),
        panels: vec![Panel::Plot(betas), Panel::Plot(flow), Panel::Plot(swaps)],
    })
}

/// The number of rungs and the mean swap rate over the steps.
pub(super) fn rungs_figure(runs: &[Named]) -> Option<Figure> {
    let mut rungs = Plot::new("rungs", Axis::linear("step"), Axis::linear("rungs"));
    curves(&mut rungs, runs, Shape::Line, |record| {
        let points =
            ladders(&record.rows).map(|(row, it)| (row.step as f64, it.betas.len() as f64));
        thinned(points.collect())
    });
    if rungs.series.is_empty() {
        return None;
    }
    let y = Axis::linear("swap rate").over(0.0, 1.0);
    let mut rates = Plot::new("mean swap rate", Axis::linear("step"), y);
    curves(&mut rates, runs, Shape::Line, |record| {
        let points = ladders(&record.rows).map(|(row, it)| (row.step as f64, it.swap_rate));
        thinned(points.collect())
    });
    Some(Figure {
        name: "rungs".to_owned(),
        title: "The ladders over time".to_owned(),
        caption: "How many rungs the ladders have, and how often their neighbours swap.".to_owned(),
        panels: vec![Panel::Plot(rungs), Panel::Plot(rates)],
    })
}
