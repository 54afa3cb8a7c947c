//! Rungs keep their identity through spawns and retirements.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::*;

fn event(change: Change, row: Row) -> Row {
    Row { event: Some(change), ..row }
}

#[test]
fn a_rung_keeps_its_line_when_others_come_and_go() {
    let rows = [
        ladder_row(10, &[1.0, 0.5, 0.0]),
        event(Change::Spawned(0), ladder_row(20, &[1.0, 0.75, 0.5, 0.0])),
        ladder_row(30, &[1.0, 0.8, 0.4, 0.0]),
        event(Change::Retired(2), ladder_row(40, &[1.0, 0.7, 0.0])),
        ladder_row(50, &[1.0, 0.6, 0.0]),
    ];
    let lives = lives(&rows);
    assert_eq!(lives.len(), 4);
    let of = |spawned, retired| -> Vec<&Life> {
        lives.iter().filter(|l| l.spawned == spawned && l.retired == retired).collect()
    };
    let spawned = of(true, false);
    assert_eq!(spawned[0].points, [(20.0, 0.75), (30.0, 0.8), (40.0, 0.7), (50.0, 0.6)]);
    let retired = of(false, true);
    assert_eq!(retired[0].points, [(10.0, 0.5), (20.0, 0.5), (30.0, 0.4)]);
    assert!(of(false, false).iter().all(|life| life.points.len() == 5));
}

#[test]
fn rows_that_do_not_add_up_begin_all_lives_anew() {
    // A row with a spawn was lost, and an event names a rung that is not there.
    let rows = [
        ladder_row(10, &[1.0, 0.0]),
        ladder_row(20, &[1.0, 0.5, 0.0]),
        event(Change::Retired(9), ladder_row(30, &[1.0, 0.5, 0.0])),
        event(Change::Spawned(usize::MAX - 1), ladder_row(40, &[1.0, 0.5, 0.2, 0.0])),
    ];
    assert_eq!(lives(&rows).len(), 2 + 3 + 4);
    assert!(lives(&[]).is_empty());
}

#[test]
fn long_runs_are_thinned_to_a_bounded_number_of_points() {
    let rows: Vec<Row> = (1..=5000).map(|step| ladder_row(step, &[1.0, 0.5, 0.0])).collect();
    for life in lives(&rows) {
        assert!(life.points.len() <= MOST_POINTS + 2, "{}", life.points.len());
        assert_eq!((life.points[0].0, life.points.last().unwrap().0), (1.0, 5000.0));
    }
    assert_eq!(*thinned((0..5000).collect()).last().unwrap(), 4999);
    assert!(thinned(Vec::<u8>::new()).is_empty());
}

#[test]
fn the_heat_shows_the_rate_of_the_pair_that_spans_a_beta() {
    let mut row = ladder_row(100, &[1.0, 0.5, 0.0]);
    row.ladder.as_mut().unwrap().swap_rates = vec![Some(0.9), None];
    let heat = swap_heat(&[row], 200.0).unwrap();
    assert_eq!(heat.values.len(), heat.columns * heat.rows);
    let at = |row: usize, column: usize| heat.values[row * heat.columns + column];
    assert_eq!(at(0, 0), Some(0.9), "cold end at the top");
    assert_eq!(at(heat.rows - 1, 0), None, "a pair that was never tried");
    assert_eq!(at(0, heat.columns - 1), None, "the run has not come so far");
}

#[test]
fn round_trips_are_counted_across_new_beginnings() {
    let with = |step, trips, steps| {
        let mut row = ladder_row(step, &[1.0, 0.5, 0.0]);
        let ladder = row.ladder.as_mut().unwrap();
        (ladder.round_trips, ladder.replica_steps) = (trips, steps);
        row
    };
    let rows = [with(10, 2, 100), with(20, 5, 200), with(30, 1, 50), with(40, 1, 100)];
    let (times, totals) = round_trips(&rows, 4);
    let values = |points: &[Point]| points.iter().map(|point| point.y).collect::<Vec<_>>();
    assert_eq!(values(&totals), [2.0, 5.0, 6.0, 6.0]);
    assert_eq!(values(&times)[..2], [50.0, 100.0 / 3.0]);
    assert_eq!(times[2].y, 50.0);
    assert!(times[3].y.is_nan(), "none was completed");
}
