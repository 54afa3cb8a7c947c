//! What a figure shows, and nothing about how it is drawn: one description serves the SVG file,
//! the interactive report, and whatever comes later.
//!
//! [`svg_file`] draws it as a file of its own, [`inline`] as a part of a page; one routine
//! (`drawing.rs`) serves both.

mod axis;
mod drawing;
mod frame;
mod heat;
mod hover;
mod images;
mod legend;
mod number;
mod palette;
mod plot;
mod raster;
mod reference;
mod series;
mod svg;
mod text;
mod thin;

pub use number::minus;
pub use svg::{inline, svg_file};

/// A figure: panels that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its short name: the name of its file and its place in a page, such as `1a-likelihood`.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What one should see in it, in a sentence or two.
    pub caption: String,
    /// Its panels, side by side.
    pub panels: Vec<Panel>,
}

/// A part of a figure.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // there are few panels, and boxes would be in the way
pub enum Panel {
    /// Curves, bars or dots between axes.
    Plot(Plot),
    /// A row of small images.
    Images(Images),
}

/// Curves, bars or dots between axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What tells it from the other panels; empty for a single one.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Colours behind the series.
    pub heat: Option<Heat>,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
    /// Lines that other things are compared with.
    pub references: Vec<Reference>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it measures, with the unit.
    pub label: String,
    /// How values lie along it.
    pub scale: Scale,
    /// Its ends; those of the values if absent.
    pub range: Option<(f64, f64)>,
}

/// How values lie along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm; values that are not positive are left out.
    Log,
    /// Named places 0, 1, 2, …
    Names(Vec<String>),
}

/// Values that belong together: one entry of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; an empty one has no entry.
    pub name: String,
    /// Its colour, a place in the palette: the same thing has the same colour in all figures.
    pub colour: usize,
    /// How it is drawn.
    pub shape: Shape,
    /// Its points. A point without a value (`y` not finite) interrupts a line.
    pub points: Vec<Point>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line, its errors as a band.
    Line,
    /// A dashed line, its errors as a band.
    Dashed,
    /// Dots joined by a line, errors as whiskers.
    LineAndDots,
    /// Dots, errors as whiskers.
    Dots,
    /// Bars from zero (from the lower end on a logarithmic axis), errors as whiskers; several
    /// series of bars stand side by side.
    Bars,
}

/// A value at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The place.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Its standard error.
    pub error: Option<f64>,
}

/// A line across a plot that other things are compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What it is; written beside it.
    pub label: String,
    /// Where it is.
    pub at: Place,
}

/// Where a line across a plot lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Upright, at this x.
    X(f64),
    /// Level, at this y.
    Y(f64),
    /// From one point to another.
    Between((f64, f64), (f64, f64)),
}

/// A grid of values drawn as colours over the whole plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// What the colours mean.
    pub label: String,
    /// The values at the two ends of the colour scale.
    pub range: (f64, f64),
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Their values, row by row from the upper left; nothing where there is none.
    pub values: Vec<Option<f32>>,
}

/// A row of small images of the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    /// What they are.
    pub title: String,
    /// Width of each in pixels.
    pub width: usize,
    /// Height of each in pixels.
    pub height: usize,
    /// The values at the two ends of the colour scale: (0, 1) is white to black, a range around
    /// zero is one colour for what is negative and another for what is positive.
    pub range: (f32, f32),
    /// The images, each with what is written under it, pixels row by row.
    pub images: Vec<(String, Vec<f32>)>,
}

impl Axis {
    /// An axis on which values lie evenly.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Linear, range: None }
    }

    /// An axis on which values lie by their logarithm.
    pub fn log(label: &str) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Log, range: None }
    }

    /// An axis of named places.
    pub fn names(label: &str, names: Vec<String>) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Names(names), range: None }
    }

    /// The same axis with these ends.
    pub fn over(self, low: f64, high: f64) -> Axis {
        Axis { range: Some((low, high)), ..self }
    }
}

impl Plot {
    /// A plot with nothing in it yet.
    pub fn new(title: &str, x: Axis, y: Axis) -> Plot {
        let title = title.to_owned();
        Plot { title, x, y, heat: None, series: Vec::new(), references: Vec::new() }
    }
}

impl Series {
    /// A series of points without errors.
    pub fn of(
        name: &str,
        colour: usize,
        shape: Shape,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        let points = points.into_iter().map(|(x, y)| Point { x, y, error: None }).collect();
        Series { name: name.to_owned(), colour, shape, points }
    }
}
