//! The curves of a run: likelihood, flow, swap rates, round trips. They need only rows of metrics.

use super::ladder_history::{ladders, round_trips, sampling_begins, steps_axis, thinned};
use super::palette;
use crate::figure::{Axis, Figure, Panel, Place, Plot, Point, Reference, Series, Shape, minus};
use isotherm::likelihood::{LogLikelihood, Method};
use isotherm_run::record::diagnose::{predicted_flow, predicted_round_trip};
use isotherm_run::record::{LadderRow, Row};

/// Stretches of a run over which round trips are counted.
const WINDOWS: usize = 40;

/// The likelihoods that were measured, with their errors.
pub fn likelihood_points(rows: &[Row], of: impl Fn(&Row) -> Option<&LogLikelihood>) -> Vec<Point> {
    let point = |row: &Row| {
        let it = of(row)?;
        Some(Point { x: row.step as f64, y: it.value, error: Some(it.std_error) })
    };
    thinned(rows.iter().filter_map(point).collect())
}

/// The log-likelihood over the updates, and the later half again from nearby.
pub fn likelihood_figure(rows: &[Row], limit: Option<f64>) -> Option<Figure> {
    let mut curves = vec![
        ("model", palette::FIRST, likelihood_points(rows, |row| row.log_likelihood.as_ref())),
        (
            "averaged parameters",
            palette::SECOND,
            likelihood_points(rows, |row| row.log_likelihood_averaged.as_ref()),
        ),
        (
            "these on the validation data",
            palette::THIRD,
            likelihood_points(rows, |row| row.log_likelihood_valid.as_ref()),
        ),
    ];
    curves.retain(|(_, _, points)| !points.is_empty());
    let (_, _, first) = curves.first()?;
    let (end, many) = (first.last()?.x, first.len() > 8);
    let online = rows.iter().rev().find_map(|row| row.log_likelihood_averaged.as_ref());
    let online = online.is_some_and(|it| it.method == Method::Online);
    let panel = |title: &str, from: f64| {
        let later = |points: &[Point]| points.iter().filter(|p| p.x >= from).copied().collect();
        let y = Axis::linear("log-likelihood (nats an example)");
        let mut plot = Plot::new(title, Axis::linear("update"), y);
        for (name, colour, points) in &curves {
            let (name, colour, shape) = ((*name).to_owned(), *colour, Shape::Line);
            plot.series.push(Series { name, colour, shape, points: later(points) });
        }
        plot.references.extend(limit.map(|limit| Reference {
            label: minus(format!("limit {limit:.2}")),
            at: Place::Y(limit),
        }));
        Panel::Plot(plot)
    };
    let mut panels = vec![panel("", 0.0)];
    if many {
        panels = vec![panel("the whole run", 0.0), panel("its second half", end / 2.0)];
    }
    let bound = match limit {
        Some(_) => " No model exceeds the limit, which is minus the entropy of the data.",
        None => "",
    };
    let how = match online {
        true => {
            " log Z along the run is an online estimate by a small sampler of the averaged parameters; the \
             result at the end is measured separately."
        }
        false => "",
    };
    Some(Figure {
        name: "likelihood".to_owned(),
        title: "Log-likelihood of the data".to_owned(),
        caption: format!(
            "The mean over the training data and, if there are any, over the validation data; of more \
             than 2000 rows, 2000 are used. Bands of one standard error. The averaged parameters are a \
             moving mean over the last updates.{bound}{how}"
        ),
        panels,
    })
}

/// f_up against the rung's index, with the straight line and with what the swap rates predict.
pub fn flow_by_index(ladder: &LadderRow) -> Plot {
    let last = ladder.betas.len().saturating_sub(1) as f64;
    let mut plot = flow_plot(
        "against the rung",
        Axis::linear("rung (0 is the cold end)").over(0.0, last),
        ladder,
        |rung| rung as f64,
    );
    let at = Place::Between((0.0, 1.0), (last, 0.0));
    plot.references.push(Reference { label: "linear".to_owned(), at });
    plot
}

/// f_up against β.
pub fn flow_by_beta(ladder: &LadderRow) -> Plot {
    let x = Axis::linear("β (1 is the cold end)").over(0.0, 1.0);
    flow_plot("against β", x, ladder, |rung| ladder.betas[rung])
}

fn flow_plot(title: &str, x: Axis, ladder: &LadderRow, place: impl Fn(usize) -> f64) -> Plot {
    let mut plot = Plot::new(title, x, Axis::linear("f_up").over(0.0, 1.0));
    let measured = ladder.f_up.iter().enumerate();
    let measured = measured.map(|(rung, f)| (place(rung), f.unwrap_or(f64::NAN)));
    plot.series.push(Series::of("measured", palette::FIRST, Shape::LineAndDots, measured));
    if let Some(flow) = predicted_flow(ladder) {
        let predicted = flow.into_iter().enumerate().map(|(rung, f)| (place(rung), f));
        let name = "predicted by the swap rates";
        plot.series.push(Series::of(name, palette::SECOND, Shape::Dashed, predicted));
    }
    plot
}

/// f_up at the last row.
pub fn flow_figure(ladder: &LadderRow) -> Figure {
    Figure {
        name: "flow".to_owned(),
        title: "Flow of replicas: f_up".to_owned(),
        caption: "The share of replicas on a rung that come from the cold end. Linear against the \
                  rung means that replicas flow evenly. Below the prediction of the swap rates, \
                  replicas turn back because states change slowly on the rungs."
            .to_owned(),
        panels: vec![Panel::Plot(flow_by_index(ladder)), Panel::Plot(flow_by_beta(ladder))],
    }
}

/// The swap rate of each pair, cold end first.
pub fn swap_bars(ladder: &LadderRow) -> Plot {
    let rates = ladder.swap_rates.iter().enumerate();
    let names = rates.clone().map(|(pair, _)| format!("{pair}–{}", pair + 1)).collect();
    let y = Axis::linear("swap rate").over(0.0, 1.0);
    let mut plot = Plot::new("of each pair", Axis::names("rungs", names), y);
    let heights = rates.map(|(pair, rate)| (pair as f64, rate.unwrap_or(f64::NAN)));
    plot.series.push(Series::of("", palette::FIRST, Shape::Bars, heights));
    let mean = ladder.swap_rate;
    plot.references.push(Reference { label: format!("mean {mean:.2}"), at: Place::Y(mean) });
    plot
}

/// The swap rate of each pair at the last row, over its index and against β.
pub fn swap_figure(ladder: &LadderRow) -> Figure {
    let y = || Axis::linear("swap rate").over(0.0, 1.0);
    let rates = || ladder.swap_rates.iter().enumerate();
    let rate = |rate: &Option<f64>| rate.unwrap_or(f64::NAN);
    let mut places = Plot::new("against β", Axis::linear("β between the pair").over(0.0, 1.0), y());
    let middle = |pair: usize| match ladder.betas.get(pair..pair + 2) {
        Some(&[cold, hot]) => (cold + hot) / 2.0,
        _ => f64::NAN,
    };
    let dots = rates().map(|(pair, it)| (middle(pair), rate(it)));
    places.series.push(Series::of("", palette::FIRST, Shape::LineAndDots, dots));
    Figure {
        name: "swaps".to_owned(),
        title: "Swap rates of neighbours".to_owned(),
        caption: "The probability with which two neighbours exchange their replicas, at the last \
                  row of metrics. Rung 0 is the cold end."
            .to_owned(),
        panels: vec![Panel::Plot(swap_bars(ladder)), Panel::Plot(places)],
    }
}

/// How long round trips take over the run, and how many there were.
pub fn round_trip_figure(
    rows: &[Row],
    total_steps: Option<u64>,
    sampling: Option<u64>,
) -> Option<Figure> {
    let (times, totals) = round_trips(rows, WINDOWS);
    totals.last()?;
    let x = || steps_axis(rows, total_steps);
    let mut plot = Plot::new("duration", x(), Axis::log("steps of a replica"));
    let kept: Vec<(f64, &LadderRow)> =
        thinned(ladders(rows).map(|(row, ladder)| (row.step as f64, ladder)).collect());
    let predicted = kept.iter().map(|(x, it)| (*x, predicted_round_trip(it).unwrap_or(f64::NAN)));
    let counters = kept.iter().map(|(x, ladder)| (*x, ladder.return_time_mean));
    let name = "round trip".to_owned();
    let (colour, shape) = (palette::FIRST, Shape::LineAndDots);
    plot.series.push(Series { name, colour, shape, points: times });
    let name = "predicted by the swap rates";
    plot.series.push(Series::of(name, palette::SECOND, Shape::Dashed, predicted));
    let name = "return-time counters, mean";
    plot.series.push(Series::of(name, palette::THIRD, Shape::Line, counters));
    plot.references = sampling_begins(sampling);
    let mut total = Plot::new("completed", x(), Axis::linear("round trips"));
    let (name, shape) = (String::new(), Shape::Line);
    total.series.push(Series { name, colour: palette::FIRST, shape, points: totals });
    total.references = sampling_begins(sampling);
    Some(Figure {
        name: "round-trips".to_owned(),
        title: "Round trips".to_owned(),
        caption:
            "Steps that a replica takes from the cold end to the reference and back, counted in \
                  intervals of the run; a gap where no round trip was completed. The prediction assumes \
                  that states are drawn afresh at every step: the distance from it is the cost of slow \
                  mixing on the rungs."
                .to_owned(),
        panels: vec![Panel::Plot(plot), Panel::Plot(total)],
    })
}

#[cfg(test)]
#[path = "run_figures_tests.rs"]
mod tests;
