//! Pictures of a model: its filters, its samples, and the modes of data that know them.

use isotherm_kernels::{BitMatrix, bits};

use super::palette;
use crate::figure::{Axis, Figure, Heat, Images, Panel, Plot, Point, Series, Shape};
use isotherm::data::{ImageShape, Modes};
use isotherm::model::Rbm;
use isotherm::sampling::{ClusterWeights, Distance};

/// Filters that are shown.
const MOST_FILTERS: usize = 100;
/// Samples that are shown.
const MOST_SAMPLES: usize = 20;
/// Cells of a heat map that stands in for images.
const MOST_CELLS: usize = 40_000;
/// Pixels of an image that is worth showing small.
const MOST_PIXELS: usize = 128 * 128;

/// How the visible units lie in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As an image, whose shape was given or guessed.
    Image(ImageShape, Guessed),
    /// In a row.
    Row,
}

/// Whether the shape of an image is a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guessed {
    /// It was given.
    No,
    /// It is the square that fits.
    Yes,
}

impl Layout {
    /// The layout of `n_visible` units for which this shape, or none, was given.
    pub fn of(given: Option<ImageShape>, n_visible: usize) -> Layout {
        let fits = |shape: &ImageShape| shape.check(n_visible).is_ok() && n_visible <= MOST_PIXELS;
        match given.filter(fits) {
            Some(shape) => Layout::Image(shape, Guessed::No),
            None => match ImageShape::guess(n_visible).filter(fits) {
                Some(shape) => Layout::Image(shape, Guessed::Yes),
                None => Layout::Row,
            },
        }
    }

    fn remark(self) -> String {
        match self {
            Layout::Image(shape, Guessed::Yes) => format!(
                " That the units are an image of {} × {} is a guess; `shape = \"WIDTHxHEIGHT\"` in \
                 config.toml corrects it.",
                shape.width, shape.height
            ),
            _ => String::new(),
        }
    }
}

/// The weights of the first hidden units, and the largest of them.
fn filters(model: &Rbm, shown: usize) -> (Vec<Vec<f32>>, f32) {
    let w = &model.parameters().w;
    let filter = |unit: usize| (0..model.n_visible()).map(|j| w.row(j)[unit]).collect();
    let filters: Vec<Vec<f32>> = (0..shown.min(model.n_hidden())).map(filter).collect();
    let largest = filters.iter().flatten().fold(0f32, |most, x| most.max(x.abs())).max(1e-6);
    (filters, largest)
}

/// The weights of the first hidden units as images.
pub fn filter_images(model: &Rbm, shape: ImageShape, shown: usize) -> Images {
    let (filters, largest) = filters(model, shown);
    let images = filters.into_iter().enumerate().map(|(i, it)| (i.to_string(), it)).collect();
    let ImageShape { width, height } = shape;
    Images { title: String::new(), width, height, range: (-largest, largest), images }
}

/// The weights of the hidden units.
pub(crate) fn filters_figure(model: &Rbm, layout: Layout) -> Option<Figure> {
    let n_hidden = model.n_hidden();
    let shown = n_hidden.min(MOST_FILTERS);
    let (filters, largest) = filters(model, shown);
    let panel = match layout {
        Layout::Image(shape, _) => Panel::Images(filter_images(model, shape, shown)),
        Layout::Row => heat_panel("hidden unit", "weight", (-largest, largest), filters)?,
    };
    let some = match shown < n_hidden {
        true => format!(" The first {shown} of {n_hidden} are shown."),
        false => String::new(),
    };
    Some(Figure {
        name: "filters".to_owned(),
        title: "Weights of the hidden units".to_owned(),
        caption: format!(
            "The weights of each hidden unit; the strongest is ±{largest:.2}.{some}{}",
            layout.remark()
        ),
        panels: vec![panel],
    })
}

/// A few of the samples, evenly chosen.
pub(crate) fn samples_figure(v: &BitMatrix, how: &str, layout: Layout) -> Option<Figure> {
    let shown = v.rows().min(MOST_SAMPLES);
    let chosen = (0..shown).map(|i| i * v.rows() / shown);
    let rows: Vec<Vec<f32>> = chosen.map(|row| pixels(v, row)).collect();
    let panel = match layout {
        _ if rows.is_empty() => return None,
        Layout::Image(ImageShape { width, height }, _) => {
            let images = rows.into_iter().map(|row| (String::new(), row)).collect();
            let (title, range) = (String::new(), (0.0, 1.0));
            Panel::Images(Images { title, width, height, range, images })
        }
        Layout::Row => heat_panel("sample", "value", (0.0, 1.0), rows)?,
    };
    Some(Figure {
        name: "samples".to_owned(),
        title: "Samples from the model".to_owned(),
        caption: format!("{shown} of {how}"),
        panels: vec![panel],
    })
}

/// The modes of the data, as images of this shape.
pub fn mode_images(modes: Modes, shape: ImageShape) -> Images {
    let image = |mode: usize| {
        let name = format!("mode {}, w = {:.3}", mode + 1, modes.weights()[mode]);
        (name, pixels(modes.centres(), mode))
    };
    let ImageShape { width, height } = shape;
    Images {
        title: "the modes of the data".to_owned(),
        width,
        height,
        range: (0.0, 1.0),
        images: (0..modes.centres().rows()).map(image).collect(),
    }
}

/// The modes of the data, and how often the samples are nearest to each.
pub(crate) fn modes_figure(modes: Modes, v: &BitMatrix, layout: Layout) -> Figure {
    let masses = modes.masses(v);
    let mut names: Vec<String> =
        (1..=modes.centres().rows()).map(|mode| mode.to_string()).collect();
    names.push("none".to_owned());
    let y = Axis::linear("probability");
    let mut plot = Plot::new("masses of the modes", Axis::names("mode", names), y);
    let count = v.rows().max(1) as f64;
    let point = |(mode, &mass): (usize, &f64)| Point {
        x: mode as f64,
        y: mass,
        error: Some((mass * (1.0 - mass) / count).sqrt()),
    };
    let points = masses.iter().enumerate().map(point).collect();
    let (name, shape) = ("samples".to_owned(), Shape::Bars);
    plot.series.push(Series { name, colour: palette::FIRST, shape, points });
    let data = modes.weights().iter().chain([&0.0]).enumerate().map(|(mode, &w)| (mode as f64, w));
    plot.series.push(Series::of("data (w)", palette::SECOND, Shape::Bars, data));
    let images = match layout {
        Layout::Image(shape, _) => Some(Panel::Images(mode_images(modes, shape))),
        Layout::Row => None,
    };
    Figure {
        name: "modes".to_owned(),
        title: "Modes of the data".to_owned(),
        caption: format!(
            "The share of {} samples whose nearest mode is each (\"none\": more than a quarter of \
             the units away from all), against the weights of the data; total variation distance \
             {:.2}. The error bars treat the samples as independent.",
            v.rows(),
            modes.distance(&masses)
        ),
        panels: images.into_iter().chain([Panel::Plot(plot)]).collect(),
    }
}

/// The weights of clusters in the samples that a run drew at its end, and in its data.
pub(crate) fn clusters_figure(found: &ClusterWeights) -> Figure {
    let mut names: Vec<String> = (1..=found.count()).map(|cluster| cluster.to_string()).collect();
    names.push("outside".to_owned());
    let y = Axis::linear("weight");
    let mut plot = Plot::new("weights of the clusters", Axis::names("cluster", names), y);
    let bars = |weights: &[f64], draws: f64| {
        let point = |(cluster, &weight): (usize, &f64)| Point {
            x: cluster as f64,
            y: weight,
            error: Some((weight * (1.0 - weight) / draws).sqrt()),
        };
        weights.iter().enumerate().map(point).collect()
    };
    let effective = found.parts.iter().map(|part| part.effective_samples);
    let points = bars(&found.samples, effective.clone().sum());
    let (name, shape) = ("samples".to_owned(), Shape::Bars);
    plot.series.push(Series { name, colour: palette::FIRST, shape, points });
    if let Some(data) = &found.data {
        let data = data.iter().enumerate().map(|(cluster, &weight)| (cluster as f64, weight));
        plot.series.push(Series::of("data", palette::SECOND, Shape::Bars, data));
    }
    let apart = |distance: Distance| {
        let Distance { total_variation, by_chance, .. } = distance;
        format!("{total_variation:.3}, where chance makes {by_chance:.3}")
    };
    let from_data = found.from_data.map_or(String::new(), |distance| {
        format!(" The total variation distance is {}.", apart(distance))
    });
    let between = found.between_parts.map_or(String::new(), |distance| {
        format!(" Between the two samplers that drew them it is {}.", apart(distance))
    });
    let samples: usize = found.parts.iter().map(|part| part.samples).sum();
    Figure {
        name: "clusters".to_owned(),
        title: "Clusters of the data".to_owned(),
        caption: format!(
            "The share of the data in each cluster, and that of {samples} samples drawn at the end of the run, \
             worth {:.0} independent ones (\"outside\": less likely than almost all data).{from_data}{between}",
            effective.sum::<f64>()
        ),
        panels: vec![Panel::Plot(plot)],
    }
}

/// The pixels of a row.
pub fn pixels(bits: &BitMatrix, row: usize) -> Vec<f32> {
    let words = bits.row(row);
    (0..bits.cols()).map(|j| f32::from(u8::from(bits::bit(words, j)))).collect()
}

/// Rows of values over the visible units, where they are no image.
fn heat_panel(
    rows_are: &str,
    label: &str,
    range: (f32, f32),
    values: Vec<Vec<f32>>,
) -> Option<Panel> {
    let (rows, columns) = (values.len(), values.first()?.len());
    if rows * columns > MOST_CELLS {
        return None;
    }
    let x = Axis::linear("visible unit").over(0.0, columns as f64);
    let y = Axis::linear(rows_are).over(0.0, rows as f64);
    let mut plot = Plot::new("", x, y);
    plot.heat = Some(Heat {
        label: label.to_owned(),
        range: (f64::from(range.0), f64::from(range.1)),
        columns,
        rows,
        // Cells come from the upper left, numbers on the axis from below.
        values: values.into_iter().rev().flatten().map(Some).collect(),
    });
    Some(Panel::Plot(plot))
}

#[cfg(test)]
#[path = "pictures_tests.rs"]
mod tests;
