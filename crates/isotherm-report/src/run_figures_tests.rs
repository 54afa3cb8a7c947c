//! What the curves of a run hold.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::*;

fn plots(figure: &Figure) -> Vec<&Plot> {
    let plots = figure.panels.iter().map(|panel| match panel {
        Panel::Plot(plot) => plot,
        Panel::Images(_) => panic!("an image in {}", figure.name),
    });
    plots.collect()
}

#[test]
fn the_likelihood_has_both_curves_errors_and_the_limit() {
    let figure = likelihood_figure(&healthy_rows(), Some(-78.8)).unwrap();
    let plots = plots(&figure);
    assert_eq!(plots.len(), 2);
    assert_eq!(plots[0].series.len(), 2);
    assert_eq!(plots[0].series[0].points.len(), 10);
    assert_eq!(plots[0].series[0].points[0], Point { x: 100.0, y: -200.0, error: Some(0.1) });
    assert_eq!(plots[1].series[0].points[0].x, 500.0, "the second half");
    assert!(plots.iter().all(|plot| plot.references[0].at == Place::Y(-78.8)));
    let mut rows = healthy_rows();
    rows.iter_mut().for_each(|row| {
        row.log_likelihood = None;
        row.log_likelihood_valid = row.log_likelihood_averaged.clone();
    });
    let followed = likelihood_figure(&rows, None).unwrap();
    let names = |it: &Plot| it.series.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    let expected = ["averaged parameters", "these on the validation data"];
    assert_eq!(names(self::plots(&followed)[0]), expected);
    rows.iter_mut().for_each(|row| {
        (row.log_likelihood_averaged, row.log_likelihood_valid) = (None, None);
    });
    assert_eq!(likelihood_figure(&rows, None), None);
}

#[test]
fn the_flow_is_shown_with_its_prediction_on_both_axes() {
    let ladder = healthy_ladder();
    let figure = flow_figure(&ladder);
    for plot in plots(&figure) {
        assert_eq!(plot.series.len(), 2);
        let values = |series: &Series| series.points.iter().map(|p| p.y).collect::<Vec<_>>();
        assert_eq!(values(&plot.series[0]), values(&plot.series[1]), "it is what is predicted");
    }
    let unknown = LadderRow { swap_rates: vec![None; 6], f_up: vec![None; 7], ..ladder };
    let figure = flow_figure(&unknown);
    let flow = plots(&figure)[0].clone();
    assert_eq!(flow.series.len(), 1, "nothing is predicted");
    assert!(flow.series[0].points.iter().all(|point| point.y.is_nan()));
}

#[test]
fn swaps_and_round_trips_have_a_point_for_each() {
    let figure = swap_figure(&healthy_ladder());
    for plot in plots(&figure) {
        assert_eq!(plot.series[0].points.len(), 6);
    }
    let figure = round_trip_figure(&healthy_rows(), None, Some(900)).unwrap();
    let plots = plots(&figure);
    assert_eq!(plots[0].series.len(), 3);
    assert_eq!(plots[0].references[0].at, Place::X(900.0));
    assert_eq!(round_trip_figure(&[], None, None), None);
}
