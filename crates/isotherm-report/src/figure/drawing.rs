//! The one routine that draws a figure: its parts side by side, each with a place of its own, so
//! that a file shows them all and a page can move them under each other on a narrow screen.

use maud::{Markup, html};
use serde_json::Value;

use super::legend::Legend;
use super::number::pixel;
use super::text::{self, Anchor, FONT, TITLE};
use super::{Figure, Panel, images, plot};

/// A part of a drawing and the part of the canvas it takes.
pub(super) struct Part {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub drawn: Markup,
    /// What it shows, in words.
    pub label: String,
    /// The values of a plot.
    pub values: Option<Value>,
}

/// A whole figure.
pub(super) struct Drawing {
    pub width: f64,
    pub height: f64,
    /// The background and the title: a page writes the title itself.
    pub head: Markup,
    /// The legend that all plots share, if they do.
    pub legend: Option<Part>,
    pub panels: Vec<Part>,
}

const EDGE: f64 = 10.0;
const BETWEEN: f64 = 20.0;

/// Panels in a row, the width of each, and the height of the box of a plot.
fn grid(panels: usize) -> (usize, f64, f64) {
    match panels {
        0 | 1 => (1, 720.0, 300.0),
        2 | 4 => (2, 500.0, 260.0),
        _ => (3, 350.0, 210.0),
    }
}

enum Measured<'a> {
    Plot(Box<plot::Measured<'a>>),
    Images(images::Measured<'a>),
}

impl Measured<'_> {
    /// The heights above a plot's box and below it; images stand below.
    fn heights(&self) -> (f64, f64) {
        match self {
            Measured::Plot(plot) => (plot.head(), plot.foot()),
            Measured::Images(_) => (0.0, 0.0),
        }
    }
}

pub(super) fn draw(figure: &Figure) -> Drawing {
    let (columns, width, box_height) = grid(figure.panels.len());
    let total = 2.0 * EDGE + columns as f64 * (width + BETWEEN) - BETWEEN;
    let title = text::wrap(&figure.title, TITLE, total - 2.0 * EDGE - 8.0);
    let title_lines =
        text::lines("label title", &title, (EDGE + 4.0, EDGE + TITLE), Anchor::Start, TITLE);
    let mut top = EDGE + title.len() as f64 * text::line_height(TITLE) + 8.0;

    let shared = shared_legend(figure, width);
    let legend = shared.map(|(legend, marked)| {
        let (left, height) = (EDGE + 4.0, legend.height);
        let drawn = legend.draw((left, top), marked);
        let part =
            Part { left: EDGE, top, width, height, drawn, label: "Legend".into(), values: None };
        top += height;
        part
    });

    let measured: Vec<Measured<'_>> = figure
        .panels
        .iter()
        .map(|panel| match panel {
            Panel::Plot(plot) => Measured::Plot(Box::new(plot::Measured::new(
                plot,
                width,
                box_height,
                legend.is_none(),
            ))),
            Panel::Images(images) => Measured::Images(images::Measured::new(images, width - 8.0)),
        })
        .collect();

    let mut panels = Vec::new();
    for (row, measured) in measured.chunks(columns).enumerate() {
        let heights = measured.iter().map(Measured::heights);
        let (head, foot) =
            heights.fold((0.0, 0.0), |(a, b): (f64, f64), (c, d)| (a.max(c), b.max(d)));
        let mut tallest = 0.0_f64;
        for (column, measured) in measured.iter().enumerate() {
            let index = row * columns + column;
            let left = EDGE + column as f64 * (width + BETWEEN);
            let id = format!("{}-{index}", identifier(&figure.name));
            let (drawn, values, height) = match measured {
                Measured::Plot(plot) => {
                    let (drawn, values) = plot.draw(&id, (left, top), head);
                    (drawn, Some(values), head + box_height + foot)
                }
                Measured::Images(images) => (images.draw((left, top)), None, images.height()),
            };
            let label = described(&figure.panels[index], &figure.title);
            panels.push(Part { left, top, width, height, drawn, label, values });
            tallest = tallest.max(height);
        }
        top += tallest + if (row + 1) * columns < figure.panels.len() { BETWEEN } else { 0.0 };
    }
    let height = top + EDGE;
    let head = html! {
        rect class="background" x="0" y="0" width=(pixel(total)) height=(pixel(height))
            fill="#ffffff" {}
        g font-family=(FONT) { (title_lines) }
    };
    Drawing { width: total, height, head, legend, panels }
}

/// One legend serves several plots of the same series.
fn shared_legend(figure: &Figure, width: f64) -> Option<(Legend<'_>, bool)> {
    let plots: Vec<&super::Plot> = figure
        .panels
        .iter()
        .filter_map(|panel| match panel {
            Panel::Plot(plot) => Some(plot),
            Panel::Images(_) => None,
        })
        .collect();
    let (first, others) = plots.split_first()?;
    let alike = |plot: &super::Plot| {
        plot.series.len() == first.series.len()
            && plot
                .series
                .iter()
                .zip(&first.series)
                .all(|(a, b)| (&a.name, a.colour, a.shape) == (&b.name, b.colour, b.shape))
    };
    let named = first.series.iter().any(|series| !series.name.is_empty());
    (named && !others.is_empty() && others.iter().all(|plot| alike(plot)))
        .then(|| (Legend::new(&first.series, width - 12.0), plot::marked(first)))
}

fn described(panel: &Panel, title: &str) -> String {
    let described = match panel {
        Panel::Plot(plot) => {
            let title = if plot.title.is_empty() { title } else { &plot.title };
            format!("{title}: {} against {}", plot.y.label, plot.x.label)
        }
        Panel::Images(images) => {
            let title = if images.title.is_empty() { title } else { &images.title };
            format!("{title}: {} images", images.images.len())
        }
    };
    text::clean(&described)
}

/// The name in letters that an id may have; different names stay different.
pub(super) fn identifier(name: &str) -> String {
    let mut id = String::from("f-");
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => id.push(c),
            c => id += &format!("_{:x}_", c as u32),
        }
    }
    id
}
