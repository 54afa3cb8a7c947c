//! Which pictures there are, and what is in them.
#![allow(clippy::unwrap_used)]

use super::*;
use isotherm::data::Dataset;
use isotherm::model::Parameters;

fn model(n_visible: usize, n_hidden: usize) -> Rbm {
    let mut parameters = Parameters::zeros(n_visible, n_hidden);
    for j in 0..n_visible {
        for i in 0..n_hidden {
            parameters.w.row_mut(j)[i] = (i * n_visible + j) as f32;
        }
    }
    Rbm::new(parameters)
}

#[test]
fn filters_are_images_where_the_units_are() {
    let shape = "3x2".parse().unwrap();
    let figure = filters_figure(&model(6, 2), Layout::of(Some(shape), 6)).unwrap();
    let Panel::Images(images) = &figure.panels[0] else { panic!("{figure:?}") };
    assert_eq!((images.width, images.height, images.images.len()), (3, 2, 2));
    assert_eq!(images.images[1].1, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(images.range, (-11.0, 11.0));
    assert!(!figure.caption.contains("guess"));
    let guessed = filters_figure(&model(16, 2), Layout::of(None, 16)).unwrap();
    assert!(guessed.caption.contains("4 × 4 is a guess"), "{}", guessed.caption);
    let many = filters_figure(&model(16, 300), Layout::of(None, 16)).unwrap();
    assert!(many.caption.contains("first 100 of 300"), "{}", many.caption);
}

#[test]
fn other_units_are_rows_of_cells_unless_they_are_too_many() {
    let figure = filters_figure(&model(7, 3), Layout::of(None, 7)).unwrap();
    let Panel::Plot(Plot { heat: Some(heat), .. }) = &figure.panels[0] else { panic!() };
    assert_eq!((heat.columns, heat.rows, heat.values.len()), (7, 3, 21));
    assert_eq!(heat.values[0], Some(14.0), "the last unit is at the top, its number too");
    assert_eq!(filters_figure(&model(5001, 10), Layout::of(None, 5001)), None);
    // A shape that does not fit, from an edited configuration, is no reason to fail.
    assert_eq!(Layout::of(Some("9x9".parse().unwrap()), 7), Layout::Row);
}

#[test]
fn samples_are_spread_evenly_and_an_empty_set_has_no_figure() {
    let mut v = BitMatrix::zeros(100, 16);
    (0..100).for_each(|row| v.set(row, row % 16, true));
    let figure = samples_figure(&v, "100 samples", Layout::of(None, 16)).unwrap();
    let Panel::Images(images) = &figure.panels[0] else { panic!() };
    assert_eq!(images.images.len(), 20);
    assert_eq!(images.images[1].1[5], 1.0, "every fifth");
    assert_eq!(samples_figure(&BitMatrix::zeros(0, 16), "", Layout::of(None, 16)), None);
}

#[test]
fn samples_are_told_by_their_nearest_mode() {
    let data = Dataset::mixture(1);
    let modes = data.modes().unwrap();
    let mut v = modes.centres().select(&[4, 4, 0, 4]);
    v.set(0, 3, !v.get(0, 3)); // a pixel of noise
    v.append(&BitMatrix::zeros(1, v.cols())); // half the pixels from every mode
    assert_eq!(modes.masses(&v), [0.2, 0.0, 0.0, 0.0, 0.6, 0.2]);
    let figure = modes_figure(modes, &v, Layout::of(data.shape(), v.cols()));
    let Panel::Plot(plot) = &figure.panels[1] else { panic!() };
    assert!(plot.series.iter().all(|series| series.points.len() == 6));
}

/// A bar for each cluster and one for what is outside, with errors by the number of independent samples.
#[test]
fn weights_of_clusters_are_bars() {
    let part = |reference: &str, effective: f64| {
        serde_json::json!({
            "origin": { "reference": reference, "start": "data" }, "samples": 250,
            "effective_samples": effective, "round_trips": 9, "weights": [0.5, 0.5, 0.0],
        })
    };
    let found = serde_json::json!({
        "of": "data", "data": [0.6, 0.3, 0.1], "samples": [0.5, 0.5, 0.0],
        "parts": [part("run", 60.0), part("mixture", 40.0)],
        "from_data": { "total_variation": 0.2, "by_chance": 0.04, "chance": 0.0 },
        "between_parts": null,
    });
    let figure = clusters_figure(&serde_json::from_value(found).unwrap());
    let Panel::Plot(plot) = &figure.panels[0] else { panic!("{figure:?}") };
    let heights = |series: &Series| series.points.iter().map(|it| it.y).collect::<Vec<_>>();
    assert_eq!(heights(&plot.series[0]), [0.5, 0.5, 0.0]);
    assert_eq!(heights(&plot.series[1]), [0.6, 0.3, 0.1]);
    assert_eq!(plot.series[0].points[0].error, Some(0.05), "100 independent samples");
    assert!(figure.caption.contains("500 samples") && figure.caption.contains("0.200, where"));
    assert!(!figure.caption.contains("Between"), "{}", figure.caption);
}
