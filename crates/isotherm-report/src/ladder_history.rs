//! The ladder through a run: which rung of one row is which of the next, and pictures of it.

use crate::figure::{Axis, Figure, Heat, Panel, Place, Plot, Point, Reference, Series, Shape};
use isotherm_run::record::{LadderRow, Row};
use isotherm_tempering::engine::Change;

use super::palette;

/// The most points of a rung's line.
const MOST_POINTS: usize = 240;
/// Cells of the swap rates along the steps.
const HEAT_COLUMNS: usize = 160;
/// Cells of the swap rates along β.
const HEAT_ROWS: usize = 80;

/// The history of one rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// Whether it was spawned, and not there from the start.
    pub(crate) spawned: bool,
    /// Whether it was retired, and not there at the end.
    pub(crate) retired: bool,
    /// Its β at steps.
    pub(crate) points: Vec<(f64, f64)>,
}

/// The rows that have a ladder, with their steps.
pub fn ladders(rows: &[Row]) -> impl Iterator<Item = (&Row, &LadderRow)> {
    rows.iter().filter_map(|row| Some((row, row.ladder.as_ref()?)))
}

/// The history of every rung. A row is written at every spawn and retirement, so each rung can be followed;
/// if rows are missing and the numbers do not add up, all histories start again.
pub fn lives(rows: &[Row]) -> Vec<Life> {
    let every = ladders(rows).count().div_ceil(MOST_POINTS).max(1);
    let last = ladders(rows).count().saturating_sub(1);
    let mut done: Vec<Life> = Vec::new();
    let mut alive: Vec<Life> = Vec::new();
    for (number, (row, ladder)) in ladders(rows).enumerate() {
        let step = row.step as f64;
        match row.event {
            Some(Change::Spawned(gap)) if gap < alive.len().saturating_sub(1) => {
                alive.insert(gap + 1, Life { spawned: true, retired: false, points: Vec::new() });
            }
            Some(Change::Retired(rung)) if rung < alive.len() => {
                done.push(Life { retired: true, ..alive.remove(rung) });
            }
            _ => {}
        }
        if alive.len() != ladder.betas.len() {
            done.append(&mut alive);
            let life = Life { spawned: false, retired: false, points: Vec::new() };
            alive = vec![life; ladder.betas.len()];
        }
        let keep = number % every == 0 || number == last || row.event.is_some();
        for (life, &beta) in alive.iter_mut().zip(&ladder.betas) {
            if keep || life.points.is_empty() {
                life.points.push((step, beta));
            }
        }
    }
    done.append(&mut alive);
    done
}

/// The swap rate of the pair that spans β.
fn rate_at(ladder: &LadderRow, beta: f64) -> Option<f64> {
    let pair = ladder.betas.partition_point(|&it| it > beta).saturating_sub(1);
    ladder.swap_rates.get(pair).copied().flatten()
}

/// The swap rate of the pair that spans each β, over the steps, on a grid over [0, `end`] × [0, 1].
pub fn swap_heat(rows: &[Row], end: f64) -> Option<Heat> {
    let ladders: Vec<(&Row, &LadderRow)> = ladders(rows).collect();
    let reached = ladders.last()?.0.step as f64;
    let mut values = vec![None; HEAT_COLUMNS * HEAT_ROWS];
    for column in 0..HEAT_COLUMNS {
        let step = (column as f64 + 0.5) / HEAT_COLUMNS as f64 * end;
        if step > reached {
            break;
        }
        let after = ladders.partition_point(|(row, _)| (row.step as f64) < step);
        for row in 0..HEAT_ROWS {
            let beta = 1.0 - (row as f64 + 0.5) / HEAT_ROWS as f64;
            // Right after a spawn its pairs have no rate yet; the next row knows it.
            let rates = ladders[after..].iter().map(|(_, ladder)| rate_at(ladder, beta));
            let rate = rates.take(3).flatten().next();
            values[row * HEAT_COLUMNS + column] = rate.map(|rate| rate as f32);
        }
    }
    Some(Heat {
        label: "swap rate".to_owned(),
        range: (0.0, 1.0),
        columns: HEAT_COLUMNS,
        rows: HEAT_ROWS,
        values,
    })
}

/// The steps of a run, up to the last that was asked for or recorded.
pub fn steps_axis(rows: &[Row], total: Option<u64>) -> Axis {
    let reached = rows.last().map_or(1, |row| row.step);
    Axis::linear("step").over(0.0, total.unwrap_or(reached).max(reached) as f64)
}

/// The β of every rung over the steps, from its spawn to its retirement, on the swap rates.
pub fn ladder_plot(rows: &[Row], total: Option<u64>, sampling: Option<u64>) -> Option<Plot> {
    ladders(rows).next()?;
    let x = steps_axis(rows, total);
    let end = x.range.map_or(1.0, |(_, end)| end);
    let mut plot = Plot::new("β of every rung", x, Axis::linear("β").over(0.0, 1.0));
    plot.heat = swap_heat(rows, end);
    let lives = lives(rows);
    for (spawned, name, colour) in
        [(false, "rungs of the start", palette::FIRST), (true, "spawned rungs", palette::SECOND)]
    {
        // One series for all of them, interrupted between two lives.
        let chosen = lives.iter().filter(|life| life.spawned == spawned);
        let points: Vec<(f64, f64)> = chosen
            .flat_map(|life| life.points.iter().copied().chain([(f64::NAN, f64::NAN)]))
            .collect();
        if !points.is_empty() {
            plot.series.push(Series::of(name, colour, Shape::Line, points));
        }
    }
    let births = lives.iter().filter(|life| life.spawned).filter_map(|life| life.points.first());
    let ends = lives.iter().filter(|life| life.retired).filter_map(|life| life.points.last());
    let marks = [
        ("spawn", palette::SECOND, births.copied().collect::<Vec<_>>()),
        ("retirement", palette::THIRD, ends.copied().collect()),
    ];
    for (name, colour, points) in marks {
        if !points.is_empty() {
            plot.series.push(Series::of(name, colour, Shape::Dots, points));
        }
    }
    plot.references = sampling_begins(sampling);
    Some(plot)
}

/// The mark of the sampling phase.
pub fn sampling_begins(step: Option<u64>) -> Vec<Reference> {
    let mark = |step| Reference { label: "sampling".to_owned(), at: Place::X(step as f64) };
    step.map(mark).into_iter().collect()
}

/// Mean and lowest swap rate over the steps; `wanted` is the mean below which rungs are spawned.
fn rates_plot(rows: &[Row], x: Axis, wanted: Option<f64>, sampling: Option<u64>) -> Plot {
    let y = Axis::linear("swap rate").over(0.0, 1.0);
    let mut plot = Plot::new("swap rates", x, y);
    let kept: Vec<(f64, &LadderRow)> =
        thinned(ladders(rows).map(|(row, ladder)| (row.step as f64, ladder)).collect());
    let lowest = |ladder: &LadderRow| {
        ladder.swap_rates.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    };
    let mean = kept.iter().map(|(step, ladder)| (*step, ladder.swap_rate));
    let low = kept.iter().map(|(step, ladder)| (*step, lowest(ladder)));
    plot.series.push(Series::of("mean of the pairs", palette::FIRST, Shape::Line, mean));
    plot.series.push(Series::of("lowest pair", palette::SECOND, Shape::Line, low));
    plot.references = sampling_begins(sampling);
    plot.references.extend(wanted.map(|rate| Reference {
        label: format!("spawn if the mean is below {rate}"),
        at: Place::Y(rate),
    }));
    plot
}

/// The ladder's evolution: its rungs, and its swap rates beside them.
pub fn ladder_figure(
    rows: &[Row],
    total: Option<u64>,
    sampling: Option<u64>,
    wanted: Option<f64>,
) -> Option<Figure> {
    let plot = ladder_plot(rows, total, sampling)?;
    let rates = rates_plot(rows, steps_axis(rows, total), wanted, sampling);
    Some(Figure {
        name: "ladder".to_owned(),
        title: "The ladder's evolution".to_owned(),
        caption:
            "Every line of the first panel is one rung, from its spawn to its retirement, between the cold \
                  end (β = 1) and the reference (β = 0). The colour behind is the swap rate of the pair \
                  around it, white where no swap was tried. Rungs gather where replicas pass slowly. The \
                  second panel shows how often neighbours exchange replicas."
                .to_owned(),
        panels: vec![Panel::Plot(plot), Panel::Plot(rates)],
    })
}

/// An even choice of at most `MOST_POINTS`, with the last.
pub fn thinned<T>(items: Vec<T>) -> Vec<T> {
    let (every, last) = (items.len().div_ceil(MOST_POINTS).max(1), items.len().saturating_sub(1));
    let kept = |&(number, _): &(usize, T)| number % every == 0 || number == last;
    items.into_iter().enumerate().filter(kept).map(|(_, item)| item).collect()
}

/// Steps that a replica takes for one round trip, counted between rows: in `windows` stretches,
/// with nothing where none was completed, and the round trips completed in all up to each row.
pub fn round_trips(rows: &[Row], windows: usize) -> (Vec<Point>, Vec<Point>) {
    let point = |x: u64, y| Point { x: x as f64, y, error: None };
    let ladders: Vec<(&Row, &LadderRow)> = ladders(rows).collect();
    let size = ladders.len().div_ceil(windows).max(1);
    let (mut times, mut totals) = (Vec::new(), Vec::new());
    let (mut before, mut total) = ((0, 0), 0);
    for stretch in ladders.chunks(size) {
        let (mut trips, mut steps, mut last) = (0, 0, 0);
        for (row, ladder) in stretch {
            let now = (ladder.round_trips, ladder.replica_steps);
            // The count restarts for the last fifth of the updates and for the sampling phase.
            let restarted = now.0 < before.0 || now.1 < before.1;
            let from = if restarted { (0, 0) } else { before };
            trips += now.0 - from.0;
            steps += now.1 - from.1;
            (before, last) = (now, row.step);
        }
        total += trips;
        let time = if trips > 0 { steps as f64 / trips as f64 } else { f64::NAN };
        times.push(point(last, time));
        totals.push(point(last, total as f64));
    }
    (times, totals)
}

#[cfg(test)]
#[path = "ladder_history_tests.rs"]
mod tests;
