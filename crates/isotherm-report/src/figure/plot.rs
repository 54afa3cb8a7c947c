//! A plot: how much room its parts need, then the drawing.

use maud::{Markup, html};
use serde_json::Value;

use super::axis::{Room, Ruler, Tick, measured};
use super::frame::{Below, Frame};
use super::heat::ColourBar;
use super::legend::Legend;
use super::number::pixel;
use super::series::{Company, Stand, error};
use super::text::{self, Anchor, HEADING, NORMAL, SMALL};
use super::thin::thinned;
use super::{Axis, Place, Plot, Point, Shape, hover, reference, series};

/// A plot measured for a panel of a given size.
pub(super) struct Measured<'a> {
    plot: &'a Plot,
    x: Ruler,
    y: Ruler,
    /// Whether there is anything to show between the axes.
    empty: bool,
    below: Below,
    beside: Vec<Tick>,
    beside_label: Vec<String>,
    title: Vec<String>,
    legend: Option<Legend<'a>>,
    scale: Option<ColourBar>,
    left: f64,
    width: f64,
    height: f64,
}

impl<'a> Measured<'a> {
    /// A plot in a panel of this width, its box of this height.
    pub(super) fn new(plot: &'a Plot, width: f64, height: f64, with_legend: bool) -> Measured<'a> {
        let (x, y) = rulers(plot);
        let empty = plot.heat.is_none() && drawable(plot).next().is_none();
        // an empty plot has no values to label, unless it was told its ends
        let labelled = |axis: &Axis| !empty || axis.range.is_some();
        let rows = ((height / 42.0) as usize).max(3);
        let beside = if labelled(&plot.y) { y.ticks(rows) } else { Vec::new() };
        let beside_label = text::wrap(&plot.y.label, NORMAL, height + 40.0);
        let widest = beside.iter().map(|tick| text::width(&tick.label, SMALL)).fold(0.0, f64::max);
        let label_width = beside_label.len() as f64 * text::line_height(NORMAL);
        let mut left = (label_width + widest + 16.0).max(20.0);
        let scale = plot.heat.as_ref().map(|heat| ColourBar::new(heat, height));
        let mut right = 12.0 + scale.as_ref().map_or(0.0, |scale| scale.width);
        let below_for = |width: f64| {
            let mut below = Below::new(&x, width, &plot.x.label);
            if !labelled(&plot.x) {
                below.ticks.clear();
            }
            below
        };
        let mut below = below_for(width - left - right);
        // labels that reach beyond the ends of the axis take room from it; what then fits is
        // asked again
        let (before, after) = below.overhang(width - left - right);
        left = left.max(before + 4.0);
        right = right.max(after + 4.0);
        below = below_for(width - left - right);
        let title = text::wrap(&plot.title, HEADING, width - 8.0);
        let legend = with_legend.then(|| Legend::new(&plot.series, width - left - 4.0));
        let width = width - left - right;
        Measured {
            plot,
            x,
            y,
            empty,
            below,
            beside,
            beside_label,
            title,
            legend,
            scale,
            left,
            width,
            height,
        }
    }

    /// The height of what stands above the box.
    pub(super) fn head(&self) -> f64 {
        let title = self.title.len() as f64 * text::line_height(HEADING);
        let legend = self.legend.as_ref().map_or(0.0, |legend| legend.height);
        10.0 + title + if title > 0.0 { 4.0 } else { 0.0 } + legend
    }

    /// The height of what stands below the box.
    pub(super) fn foot(&self) -> f64 {
        self.below.height()
    }

    /// The drawing from this upper left corner, with so much room above the box; and the values
    /// for the page.
    pub(super) fn draw(&self, id: &str, (left, top): (f64, f64), head: f64) -> (Markup, Value) {
        let (width, height) = (self.width, self.height);
        let frame = Frame {
            left: left + self.left,
            top: top + head,
            width,
            height,
            x: &self.x,
            y: &self.y,
        };
        let points: Vec<Vec<Point>> = (self.plot.series.iter())
            .map(|series| thinned(series.shape, &series.points, |point| frame.place(point)))
            .collect();
        let values = hover::values(self.plot, &points, &frame);
        let title_height = self.title.len() as f64 * text::line_height(HEADING);
        let title_at = (left + 4.0, top + HEADING + 2.0);
        // the legend stands directly above its box, however tall its neighbours' heads are
        let legend_top = frame.top - self.legend.as_ref().map_or(0.0, |legend| legend.height);
        debug_assert!(legend_top >= top + title_height - 0.01);
        let drawn = html! {
            (text::lines("label heading", &self.title, title_at, Anchor::Start, HEADING))
            @if let Some(legend) = &self.legend {
                (legend.draw((frame.left, legend_top), marked(self.plot)))
            }
            (self.inside(&frame, &points, &format!("{id}-clip")))
            (frame.axes(&self.below, &self.beside, &self.beside_label, left))
        };
        (drawn, values)
    }

    fn inside(&self, frame: &Frame<'_>, points: &[Vec<Point>], clip: &str) -> Markup {
        let plot = self.plot;
        let stands = stands(plot, frame);
        let covered: Vec<(f64, f64)> = (plot.series.iter().zip(points))
            .flat_map(|(series, points)| series::covered(series, points, frame))
            .collect();
        let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
        let company = |index: usize| Company {
            clip,
            stand: stands[index],
            marked: marked(plot),
            edged: plot.heat.is_some(),
        };
        html! {
            clipPath id=(clip) {
                // a line along the edge keeps its width
                rect x=(pixel(frame.left - 1.0)) y=(pixel(frame.top - 1.0))
                    width=(pixel(frame.width + 2.0)) height=(pixel(frame.height + 2.0)) {}
            }
            @match (&plot.heat, &self.scale) {
                (Some(heat), Some(scale)) => (scale.draw(heat, frame)),
                _ => (frame.grid(&self.below, &self.beside)),
            }
            @for (index, series) in plot.series.iter().enumerate() {
                (series::draw(index, series, &points[index], frame, company(index)))
            }
            (reference::draw(&plot.references, frame, clip, covered, plot.heat.is_some()))
            @if self.empty {
                (text::line("label empty", "nothing to show yet", middle, Anchor::Middle, NORMAL))
            }
        }
    }
}

/// Whether lines carry marks: only where there are several to tell apart, and not on a heat map,
/// which is crowded enough.
pub(super) fn marked(plot: &Plot) -> bool {
    if plot.heat.is_some() {
        return false;
    }
    let lines = plot.series.iter().filter(|s| matches!(s.shape, Shape::Line | Shape::Dashed));
    lines.filter(|series| !series.name.is_empty()).count() > 1
}

/// Points that have a place, whatever the ends of the axes.
fn drawable(plot: &Plot) -> impl Iterator<Item = &Point> {
    plot.series.iter().flat_map(|series| &series.points).filter(|point| {
        measured(&plot.x.scale, point.x).is_some() && measured(&plot.y.scale, point.y).is_some()
    })
}

fn has(plot: &Plot, shapes: &[Shape]) -> bool {
    plot.series.iter().any(|series| shapes.contains(&series.shape))
}

/// The least distance between two places where bars stand.
fn bar_spacing(plot: &Plot) -> f64 {
    let bars = plot.series.iter().filter(|series| series.shape == Shape::Bars);
    let mut places: Vec<f64> = bars
        .flat_map(|series| &series.points)
        .filter_map(|point| measured(&plot.x.scale, point.x))
        .collect();
    places.sort_unstable_by(f64::total_cmp);
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
    let least = gaps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

fn rulers(plot: &Plot) -> (Ruler, Ruler) {
    let bars = has(plot, &[Shape::Bars]);
    let dots = has(plot, &[Shape::Dots, Shape::LineAndDots]);
    let part = if dots && plot.heat.is_none() { 0.025 } else { 0.0 };
    let half = if bars { bar_spacing(plot) / 2.0 } else { 0.0 };
    let ends = |of: fn(&Place) -> [Option<f64>; 2]| {
        plot.references.iter().flat_map(move |r| of(&r.at)).flatten()
    };
    let across = ends(|at| match *at {
        Place::X(x) => [Some(x), None],
        Place::Y(_) => [None, None],
        Place::Between(a, b) => [Some(a.0), Some(b.0)],
    });
    let values = drawable(plot).map(|point| point.x).chain(across);
    let x = Ruler::new(&plot.x, values, Room { part, half, from_zero: false });
    let up = ends(|at| match *at {
        Place::X(_) => [None, None],
        Place::Y(y) => [Some(y), None],
        Place::Between(a, b) => [Some(a.1), Some(b.1)],
    });
    // what lies beyond the ends of the one axis does not stretch the other
    let seen = drawable(plot)
        .filter(|point| x.at(point.x).is_some_and(|at| (-1e-9..=1.0 + 1e-9).contains(&at)));
    let values = seen.flat_map(|point| {
        let error = error(point).unwrap_or(0.0);
        [point.y - error, point.y, point.y + error]
    });
    let part = if plot.heat.is_some() { 0.0 } else { 0.05 };
    let y = Ruler::new(&plot.y, values.chain(up), Room { part, half: 0.0, from_zero: bars });
    (x, y)
}

/// Where the bars of each series stand: side by side around the place of their value.
fn stands(plot: &Plot, frame: &Frame<'_>) -> Vec<Stand> {
    let is_bar = |series: &super::Series| series.shape == Shape::Bars;
    let count = plot.series.iter().filter(|series| is_bar(series)).count().max(1) as f64;
    let group = (frame.x.part(bar_spacing(plot)) * frame.width * 0.8).clamp(1.0, 90.0 * count);
    let width = group / count;
    let mut before = 0.0;
    let mut stand = |series| {
        let shift = (before - (count - 1.0) / 2.0) * width;
        before += if is_bar(series) { 1.0 } else { 0.0 };
        Stand { width: (width - if width > 6.0 { 1.0 } else { 0.0 }).max(0.5), shift }
    };
    plot.series.iter().map(&mut stand).collect()
}
