//! Curves, bars and dots.

use maud::{Markup, html};

use super::frame::Frame;
use super::number::pixel;
use super::palette::{colour, marks, slot};
use super::{Point, Series, Shape};

/// Where the bars of a series stand among those of the others, in pixels.
#[derive(Clone, Copy)]
pub(super) struct Stand {
    /// The width of a bar.
    pub width: f64,
    /// From the place of a value to the middle of this series' bar.
    pub shift: f64,
}

/// How a series is drawn beside the others of its plot.
#[derive(Clone, Copy)]
pub(super) struct Company<'a> {
    /// The clip path of the plot.
    pub clip: &'a str,
    /// Where its bars stand.
    pub stand: Stand,
    /// Whether lines carry marks, to be told apart without colours.
    pub marked: bool,
    /// Whether lines need an edge against the colours behind them.
    pub edged: bool,
}

/// The error of a point, if it is valid.
pub(super) fn error(point: &Point) -> Option<f64> {
    point.error.filter(|error| error.is_finite() && *error > 0.0)
}

/// A series with the points that thinning left of it.
pub(super) fn draw(
    index: usize,
    series: &Series,
    points: &[Point],
    frame: &Frame<'_>,
    company: Company<'_>,
) -> Markup {
    let clip = format!("url(#{})", company.clip);
    let (within, above) = match series.shape {
        Shape::Line | Shape::Dashed => line(series, points, frame, company),
        Shape::LineAndDots => {
            let stretches = stretches(points, frame);
            let path = path_of(&stretches);
            let line =
                html! { (whiskers(series, points, frame, 0.0)) (stroke(series, &path, company)) };
            (line, dots(series, points, frame))
        }
        Shape::Dots => (whiskers(series, points, frame, 0.0), dots(series, points, frame)),
        Shape::Bars => (bars(series, points, frame, company.stand), html! {}),
    };
    html! {
        g class={ "series c" (slot(series.colour)) } data-series=(index) {
            g clip-path=(clip) { (within) }
            (above)
        }
    }
}

fn line(
    series: &Series,
    points: &[Point],
    frame: &Frame<'_>,
    company: Company<'_>,
) -> (Markup, Markup) {
    let stretches = stretches(points, frame);
    let band = band(points, frame);
    let within = html! {
        @if !band.is_empty() {
            path class="fill band" fill=(colour(series.colour)) fill-opacity="0.18" d=(band) {}
        }
        (stroke(series, &path_of(&stretches), company))
    };
    // a point without neighbours makes no line
    let lone = stretches.iter().filter(|stretch| stretch.len() == 1).map(|stretch| stretch[0]);
    let mut marked: Vec<(f64, f64)> = lone.collect();
    if company.marked {
        marked.extend(sparse(&stretches, frame, series.colour));
    }
    marked.retain(|&point| frame.holds(point));
    (within, marks(series.colour, &marked, 3.2))
}

fn stroke(series: &Series, path: &str, company: Company<'_>) -> Markup {
    let dashes = (series.shape == Shape::Dashed).then_some("6 4");
    html! {
        @if company.edged && !path.is_empty() {
            path class="edge" d=(path) fill="none" stroke="#ffffff" stroke-width="3.2"
                stroke-opacity="0.75" stroke-linejoin="round" {}
        }
        @if !path.is_empty() {
            path class="stroke line" d=(path) fill="none" stroke=(colour(series.colour))
                stroke-width="1.6" stroke-linejoin="round" stroke-dasharray=[dashes] {}
        }
    }
}

/// The unbroken parts of a line, in pixels.
fn stretches(points: &[Point], frame: &Frame<'_>) -> Vec<Vec<(f64, f64)>> {
    let places: Vec<Option<(f64, f64)>> = points.iter().map(|point| frame.place(point)).collect();
    (places.split(Option::is_none))
        .filter(|stretch| !stretch.is_empty())
        .map(|stretch| stretch.iter().flatten().copied().collect())
        .collect()
}

fn path_of(stretches: &[Vec<(f64, f64)>]) -> String {
    stretches.iter().filter(|stretch| stretch.len() > 1).map(joined).collect()
}

fn joined<'a>(places: impl IntoIterator<Item = &'a (f64, f64)>) -> String {
    let corners: Vec<String> =
        places.into_iter().map(|(x, y)| format!("{} {}", pixel(*x), pixel(*y))).collect();
    format!("M{}", corners.join("L"))
}

/// From value less error to value plus error, in pixels; what is not positive on a logarithmic
/// axis reaches to the lower end.
fn reach(point: &Point, frame: &Frame<'_>) -> Option<(f64, f64, f64)> {
    let (x, y) = frame.place(point)?;
    let error = error(point).unwrap_or(0.0);
    let upper = frame.y(point.y + error).unwrap_or(y);
    let lower = frame.y(point.y - error).unwrap_or(frame.bottom() + 1.0);
    Some((x, upper, lower))
}

fn band(points: &[Point], frame: &Frame<'_>) -> String {
    if !points.iter().any(|point| error(point).is_some()) {
        return String::new();
    }
    let reaches: Vec<_> = points.iter().map(|point| reach(point, frame)).collect();
    let mut path = String::new();
    for stretch in reaches.split(Option::is_none).filter(|stretch| stretch.len() > 1) {
        let upper = stretch.iter().flatten().map(|&(x, upper, _)| (x, upper));
        let lower = stretch.iter().flatten().rev().map(|&(x, _, lower)| (x, lower));
        path += &joined(&upper.chain(lower).collect::<Vec<_>>());
        path.push('z');
    }
    path
}

fn whiskers(series: &Series, points: &[Point], frame: &Frame<'_>, shift: f64) -> Markup {
    let mut path = String::new();
    for point in points.iter().filter(|point| error(point).is_some()) {
        if let Some((x, upper, lower)) = reach(point, frame) {
            let (x, upper, lower) = (x + shift, pixel(upper), pixel(lower));
            let (left, right) = (pixel(x - 2.5), pixel(x + 2.5));
            let x = pixel(x);
            path += &format!("M{x} {upper}V{lower}M{left} {upper}H{right}M{left} {lower}H{right}");
        }
    }
    // on a bar of the same colour a whisker would not be seen
    let (class, ink) = match series.shape {
        Shape::Bars => ("ink whiskers", "#1a1a1a"),
        _ => ("stroke whiskers", colour(series.colour)),
    };
    html! {
        @if !path.is_empty() {
            path class=(class) d=(path) fill="none" stroke=(ink) stroke-width="1.1" {}
        }
    }
}

fn dots(series: &Series, points: &[Point], frame: &Frame<'_>) -> Markup {
    let places: Vec<(f64, f64)> =
        points.iter().filter_map(|p| frame.place(p)).filter(|&place| frame.holds(place)).collect();
    let crowded = places.len() as f64 * 9.0 > frame.width;
    marks(series.colour, &places, if crowded { 2.2 } else { 3.4 })
}

fn bars(series: &Series, points: &[Point], frame: &Frame<'_>, stand: Stand) -> Markup {
    let foot = frame.y(0.0).unwrap_or(frame.bottom()).clamp(frame.top, frame.bottom());
    let mut path = String::new();
    for (x, y) in points.iter().filter_map(|point| frame.place(point)) {
        let left = x + stand.shift - stand.width / 2.0;
        let (left, right) = (pixel(left), pixel(left + stand.width));
        path += &format!("M{left} {}V{}H{right}V{}z", pixel(foot), pixel(y), pixel(foot));
    }
    html! {
        @if !path.is_empty() {
            // pale enough for whiskers to be seen, without the grid shining through
            path class="background" fill="#ffffff" d=(path) {}
            path class="fill bars" fill=(colour(series.colour)) fill-opacity="0.82" d=(path) {}
        }
        (whiskers(series, points, frame, stand.shift))
    }
}

/// Pixels that a series covers, close enough to each other to tell what a label would hide.
pub(super) fn covered(series: &Series, points: &[Point], frame: &Frame<'_>) -> Vec<(f64, f64)> {
    const NEAR: f64 = 6.0;
    let between = |(a, b): ((f64, f64), (f64, f64))| {
        let steps = (libm::hypot(b.0 - a.0, b.1 - a.1) / NEAR).ceil().clamp(1.0, 200.0);
        (1..=steps as usize).map(move |i| {
            let part = i as f64 / steps;
            (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
        })
    };
    let places = points.iter().filter_map(|point| frame.place(point));
    match series.shape {
        Shape::Dots => places.collect(),
        Shape::Bars => places.flat_map(|(x, y)| between(((x, frame.bottom()), (x, y)))).collect(),
        Shape::Line | Shape::Dashed | Shape::LineAndDots => stretches(points, frame)
            .iter()
            .flat_map(|stretch| {
                let first = stretch.first().copied();
                let pairs = stretch.windows(2).map(|pair| (pair[0], pair[1]));
                first.into_iter().chain(pairs.flat_map(between)).collect::<Vec<_>>()
            })
            .collect(),
    }
}

/// A few points along a line, elsewhere for each colour.
fn sparse(stretches: &[Vec<(f64, f64)>], frame: &Frame<'_>, colour: usize) -> Vec<(f64, f64)> {
    const APART: f64 = 96.0;
    let mut next = frame.left + APART * (slot(colour) as f64 + 0.5) / 8.0;
    let mut chosen = Vec::new();
    for &(x, y) in stretches.iter().flatten() {
        if x >= next && frame.holds((x, y)) {
            chosen.push((x, y));
            next = x + APART;
        }
    }
    if chosen.is_empty() {
        chosen.extend(stretches.iter().flatten().last());
    }
    chosen
}
