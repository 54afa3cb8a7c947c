//! The paper's figures, and what one would want to see beside them.

use super::experiment::Arm;
use super::pictures::{filters, masses, modes, samples};
use super::results::{MILLION, Results, RunResult, SettingResult};
use super::statistics::{Estimate, rate};
use super::transition::transition;
use isotherm::Result;
use isotherm::trainer::Phase;
use isotherm_report::figure::{
    Axis, Figure, Panel, Place, Plot, Point, Reference, Series, Shape, minus,
};
use isotherm_report::ladder_history::ladder_plot;
use isotherm_report::run_figures::{flow_by_beta, flow_by_index, swap_bars};
use isotherm_run::record::{LadderRow, Row};

/// The lowest log-likelihood that the curves show.
const LOWEST: f64 = -500.0;

/// All figures, in the paper's order, then ours.
pub(super) fn figures(results: &Results) -> Result<Vec<Figure>> {
    let mut figures = vec![overview(results), likelihood(results), return_time(results)];
    figures.extend(flow(results, Arm::Apt, "2a-flow-apt", "Figure 2a"));
    figures.extend(flow(results, Arm::Pt50, "2b-flow-pt-50", "Figure 2b"));
    figures.push(swaps(results));
    figures.extend(ladder(results));
    figures.extend(transition(results)?);
    figures.push(modes());
    figures.push(masses(results)?);
    figures.push(samples(results)?);
    figures.push(filters(results)?);
    Ok(figures)
}

/// The colour of an algorithm, the same in all figures.
pub(super) fn colour(arm: Arm) -> usize {
    match arm {
        Arm::AptHiddenMarginal => 0,
        Arm::Apt => 1,
        Arm::Pt50 => 2,
        Arm::Pt20 => 3,
        Arm::AptBaseRate => 4,
        Arm::Sml => 5,
        Arm::Perfect => 6,
        Arm::Pt10 => 7,
    }
}

/// The log-likelihoods that a run measured while it learned: step, seconds, value.
fn curve(run: &RunResult) -> Vec<(u64, f64, f64)> {
    let seconds = |step| {
        let at = run.timings.partition_point(|timing| timing.step < step);
        run.timings.get(at).filter(|timing| timing.step == step).map(|timing| timing.seconds.train)
    };
    let measured = |row: &Row| {
        let value = row.log_likelihood.as_ref()?.value;
        Some((row.step, seconds(row.step)?, value))
    };
    run.rows.iter().filter_map(measured).collect()
}

/// A line through the means over seeds, with standard errors.
fn mean_curve(
    arm: &SettingResult,
    curve: impl Fn(&RunResult) -> Vec<(u64, f64, f64)>,
    place: impl Fn(u64, f64) -> f64,
) -> Series {
    let curves: Vec<Vec<(u64, f64, f64)>> = arm.runs.iter().map(curve).collect();
    let steps = curves.first().map_or(Vec::new(), |c| c.iter().map(|point| point.0).collect());
    let points = steps
        .into_iter()
        .filter_map(|step| {
            // Only where every seed has a value: a mean over fewer would jump.
            let at: Vec<(f64, f64)> = curves
                .iter()
                .map(|c| c.iter().find(|point| point.0 == step).map(|point| (point.1, point.2)))
                .collect::<Option<_>>()?;
            let seconds = Estimate::of(&at.iter().map(|it| it.0).collect::<Vec<f64>>())?;
            let value = Estimate::of(&at.iter().map(|it| it.1).collect::<Vec<f64>>())?;
            Some(Point { x: place(step, seconds.mean), y: value.mean, error: value.std_error })
        })
        .collect();
    let arm = arm.setting.arm;
    let shape = if arm.in_paper() { Shape::Line } else { Shape::Dashed };
    Series { name: arm.label().to_owned(), colour: colour(arm), shape, points }
}

fn likelihood_plot(
    results: &Results,
    title: &str,
    x: Axis,
    arms: &[Arm],
    place: impl Fn(u64, f64) -> f64,
) -> Plot {
    let y = Axis::linear("log-likelihood, nats").over(LOWEST, results.limit.ceil() + 20.0);
    let mut plot = Plot::new(title, x, y);
    let chosen = arms.iter().filter_map(|&arm| results.best(arm));
    plot.series.extend(chosen.map(|arm| mean_curve(arm, curve, &place)));
    let line = |label: &str, at| Reference { label: label.to_owned(), at: Place::Y(at) };
    plot.references = vec![
        line("limit: entropy of the data", results.limit),
        line("independent pixels", results.independent),
    ];
    plot
}

/// The one picture that explains the project.
fn overview(results: &Results) -> Figure {
    let arms = [Arm::Sml, Arm::Pt50, Arm::Apt, Arm::AptHiddenMarginal];
    let step = |step: u64, _| step as f64;
    let likelihood =
        likelihood_plot(results, "likelihood while learning", Axis::linear("updates"), &arms, step);
    let mut panels = vec![Panel::Plot(likelihood)];
    if let Some(plot) = best_ladder(results, Arm::Apt) {
        let title = "the ladder tunes itself (paper's path)".to_owned();
        panels.push(Panel::Plot(Plot { title, ..plot }));
    }
    Figure {
        name: "overview".to_owned(),
        title: "A tempering ladder that tunes itself".to_owned(),
        caption: "Left: exact log-likelihood while learning, mean over seeds with standard errors, \
                  without tempering (SML), with a fixed ladder (PT), with an adaptive one on the \
                  paper's path (APT) and on the hidden-marginal path. Right: every line is a rung of \
                  the adaptive ladder, on the swap rates. Rungs move to where replicas are slow to \
                  pass; a new one is spawned when the mean swap rate falls below 0.4."
            .to_owned(),
        panels,
    }
}

fn likelihood(results: &Results) -> Figure {
    let seconds = Axis::log("seconds of training");
    let time = likelihood_plot(results, "against computation time", seconds, &Arm::ALL, |_, s| s);
    let step = |step: u64, _| step as f64;
    let updates = Axis::linear("updates");
    let updates = likelihood_plot(results, "against updates", updates, &Arm::ALL, step);
    Figure {
        name: "1a-likelihood".to_owned(),
        title: "Figure 1a: likelihood against computation time".to_owned(),
        caption: format!(
            "Exact log-likelihood, mean over {} seeds with standard errors, at the best \
             hyper-parameters of each algorithm. Dashed: not in the paper. Curves below {} are \
             cut off.",
            results.size.seeds,
            minus(LOWEST.to_string())
        ),
        panels: vec![Panel::Plot(time), Panel::Plot(updates)],
    }
}

fn return_time(results: &Results) -> Figure {
    let tempered: Vec<&SettingResult> =
        results.bests().filter(|arm| !arm.each(RunResult::return_time).is_empty()).collect();
    let mut sums = Plot::new(
        "the paper's: sum of a column's counters",
        Axis::linear("updates"),
        Axis::log("steps"),
    );
    let counters = |run: &RunResult| {
        let row = |row: &Row| {
            let ladder = row.ladder.as_ref().filter(|_| row.phase == Phase::Train)?;
            Some((row.step, 0.0, ladder.return_time_sum))
        };
        run.rows.iter().filter_map(row).collect()
    };
    sums.series = tempered.iter().map(|arm| mean_curve(arm, counters, |s, _| s as f64)).collect();
    let names = tempered.iter().map(|arm| short(arm.setting.arm).to_owned()).collect();
    let mut trips = Plot::new(
        "true round trips, sampling phase",
        Axis::names("", names),
        Axis::log("steps a round trip"),
    );
    for (place, arm) in tempered.iter().enumerate() {
        let Some(rate) = rate(&arm.round_trips()) else { continue };
        if rate.mean <= 0.0 {
            continue;
        }
        let y = MILLION / rate.mean;
        let error = rate.std_error.map(|error| error * y / rate.mean);
        let point = Point { x: place as f64, y, error };
        let arm = arm.setting.arm;
        let (name, shape) = (arm.label().to_owned(), Shape::Dots);
        trips.series.push(Series { name, colour: colour(arm), shape, points: vec![point] });
    }
    Figure {
        name: "1b-return-time".to_owned(),
        title: "Figure 1b: return time".to_owned(),
        caption: "Left: what the paper plots, mean over seeds with standard errors. It counts steps \
                  since a replica last left an end, whether or not it ever returns. Right: steps that \
                  a replica needs for a completed round trip in the sampling phase; no mark where \
                  none was completed."
            .to_owned(),
        panels: vec![Panel::Plot(sums), Panel::Plot(trips)],
    }
}

/// A name that fits under a mark.
fn short(arm: Arm) -> &'static str {
    match arm {
        Arm::AptBaseRate => "APT base-rate",
        Arm::AptHiddenMarginal => "APT hidden-m.",
        arm => arm.label(),
    }
}

fn best_trained(results: &Results, arm: Arm) -> Option<(&RunResult, &LadderRow)> {
    let run = results.best(arm)?.best_run()?;
    Some((run, run.trained()?))
}

fn flow(results: &Results, arm: Arm, name: &str, number: &str) -> Option<Figure> {
    let (run, ladder) = best_trained(results, arm)?;
    Some(Figure {
        name: name.to_owned(),
        title: format!("{number}: f_up of {}", arm.label()),
        caption: format!(
            "The share of replicas that come from the cold end, after the last update of the best \
             seed ({}). Linear in the rung's index means that replicas flow evenly. Below the prediction \
             of the swap rates, replicas turn back because they mix slowly inside the rungs.",
            run.seed
        ),
        panels: vec![Panel::Plot(flow_by_index(ladder)), Panel::Plot(flow_by_beta(ladder))],
    })
}

fn swaps(results: &Results) -> Figure {
    let panels = [Arm::Apt, Arm::Pt20, Arm::Pt50]
        .into_iter()
        .filter_map(|arm| {
            let (_, ladder) = best_trained(results, arm)?;
            let title = format!("{}, {} rungs", arm.label(), ladder.betas.len());
            Some(Panel::Plot(Plot { title, ..swap_bars(ladder) }))
        })
        .collect();
    Figure {
        name: "3-swaps".to_owned(),
        title: "Figure 3: pairwise swap rates".to_owned(),
        caption: "After the last update of the best seed of each, cold end first.".to_owned(),
        panels,
    }
}

fn best_ladder(results: &Results, arm: Arm) -> Option<Plot> {
    let run = results.best(arm)?.best_run()?;
    let total = results.size.updates + results.size.sampling_steps();
    ladder_plot(&run.rows, Some(total), Some(results.size.updates))
}

fn ladder(results: &Results) -> Option<Figure> {
    let plot = best_ladder(results, Arm::Apt)?;
    let mut panels = vec![Panel::Plot(Plot { title: "the paper's path".to_owned(), ..plot })];
    if let Some(plot) = best_ladder(results, Arm::AptHiddenMarginal) {
        panels.push(Panel::Plot(Plot { title: "hidden-marginal path".to_owned(), ..plot }));
    }
    Some(Figure {
        name: "4-ladder".to_owned(),
        title: "Figure 4: the ladder while APT learns".to_owned(),
        caption: "The inverse temperatures of the best seed, with the swap rate of every pair \
                  behind them. Rungs are drawn to where replicas are slow to pass, are spawned when \
                  the mean swap rate falls below 0.4 and retired when one fewer is enough."
            .to_owned(),
        panels,
    })
}
