//! Lines that other things are compared with, and a place for what is written beside them.

use maud::{Markup, html};

use super::frame::Frame;
use super::number::pixel;
use super::text::{self, Anchor, SMALL};
use super::{Place, Reference};

/// A rectangle that a label takes.
#[derive(Clone, Copy)]
struct Taken {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Taken {
    fn meets(&self, other: &Taken) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.left + self.width).contains(&x)
            && (self.top..=self.top + self.height).contains(&y)
    }
}

/// The lines, then their labels. Labels keep clear of each other and, where possible, of the
/// lines and of the pixels that are `covered` already.
pub(super) fn draw(
    references: &[Reference],
    frame: &Frame<'_>,
    clip: &str,
    mut covered: Vec<(f64, f64)>,
    edged: bool,
) -> Markup {
    let lines: Vec<_> = references
        .iter()
        .filter_map(|reference| {
            line(reference.at, frame).map(|(path, ends)| (reference, path, ends))
        })
        .collect();
    for (_, _, [from, to]) in &lines {
        let at = |i: i32| f64::from(i) / 80.0;
        covered.extend(
            (0..=80).map(|i| (from.0 + (to.0 - from.0) * at(i), from.1 + (to.1 - from.1) * at(i))),
        );
    }
    let mut taken: Vec<Taken> = Vec::new();
    let mut labels: Vec<(Vec<String>, Taken)> = Vec::new();
    for (reference, _, ends) in &lines {
        let label = format!("{}{}", beyond(reference.at, frame), reference.label);
        let label = text::wrap(&label, SMALL, frame.width * 0.6);
        if !reference.label.trim().is_empty() {
            let place = best(&label, *ends, frame, &taken, &covered);
            taken.push(place);
            labels.push((label, place));
        }
    }
    let clip = format!("url(#{clip})");
    html! {
        g class="references" {
            @for (_, path, _) in &lines {
                @if edged {
                    path class="edge" d=(path) fill="none" stroke="#ffffff" stroke-width="2.4"
                        stroke-opacity="0.6" clip-path=(clip) {}
                }
                path class="axis reference" d=(path) fill="none" stroke="#444444"
                    stroke-width="1.2" stroke-dasharray="5 3" clip-path=(clip) {}
            }
            @for (label, place) in &labels { (written(label, *place)) }
        }
    }
}

/// The line's path and its ends, in pixels and no further than the frame.
fn line(at: Place, frame: &Frame<'_>) -> Option<(String, [(f64, f64); 2])> {
    let within = |(x, y): (f64, f64)| {
        (x.clamp(frame.left, frame.right()), y.clamp(frame.top, frame.bottom()))
    };
    let (from, to) = match at {
        Place::X(x) => {
            let x = frame.x(x)?;
            ((x, frame.bottom()), (x, frame.top))
        }
        Place::Y(y) => {
            let y = frame.y(y)?;
            ((frame.left, y), (frame.right(), y))
        }
        Place::Between(a, b) => ((frame.x(a.0)?, frame.y(a.1)?), (frame.x(b.0)?, frame.y(b.1)?)),
    };
    let corner = |(x, y)| format!("{} {}", pixel(x), pixel(y));
    Some((format!("M{}L{}", corner(from), corner(to)), [within(from), within(to)]))
}

/// An arrow towards a line that lies beyond the ends of the axis.
fn beyond(at: Place, frame: &Frame<'_>) -> &'static str {
    let side = |at: Option<f64>, below, above| match at {
        Some(at) if at < -1e-9 => below,
        Some(at) if at > 1.0 + 1e-9 => above,
        _ => "",
    };
    match at {
        Place::X(x) => side(frame.x.at(x), "← ", "→ "),
        Place::Y(y) => side(frame.y.at(y), "↓ ", "↑ "),
        Place::Between(..) => "",
    }
}

/// Of the places beside a line the one that hides the fewest points.
fn best(
    lines: &[String],
    [from, to]: [(f64, f64); 2],
    frame: &Frame<'_>,
    taken: &[Taken],
    points: &[(f64, f64)],
) -> Taken {
    let width = lines.iter().map(|line| text::width(line, SMALL)).fold(0.0, f64::max) + 6.0;
    let height = lines.len() as f64 * text::line_height(SMALL) + 2.0;
    let upright = (from.0 - to.0).abs() < 1.0;
    let mut best: Option<(usize, Taken)> = None;
    // along the line from its far end, on either side of it
    for step in 0..=20 {
        let part = 1.0 - f64::from(step) / 20.0;
        let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        let sides = match upright {
            true => [(x + 3.0, y - height / 2.0), (x - 3.0 - width, y - height / 2.0)],
            false if (from.1 - to.1).abs() < 1.0 => {
                [(x - width * part, y - height - 2.0), (x - width * part, y + 2.0)]
            }
            // beside a slope: above it on the one side, below it on the other
            false if (from.0 < to.0) == (from.1 < to.1) => {
                [(x + 5.0, y - height - 3.0), (x - 5.0 - width, y + 3.0)]
            }
            false => [(x - 5.0 - width, y - height - 3.0), (x + 5.0, y + 3.0)],
        };
        for (side, (left, top)) in sides.into_iter().enumerate() {
            let inside = Taken {
                left: left.clamp(frame.left + 2.0, (frame.right() - width - 2.0).max(frame.left)),
                top: top.clamp(frame.top + 2.0, (frame.bottom() - height - 2.0).max(frame.top)),
                width,
                height,
            };
            let hidden = points.iter().filter(|&&point| inside.holds(point)).count();
            let across = if upright {
                inside.left < x && x < inside.left + width
            } else {
                inside.top < y && y < inside.top + height
            };
            let clashes = taken.iter().filter(|other| inside.meets(other)).count();
            let cost =
                clashes * 100_000 + hidden * 4 + usize::from(across) * 40 + step as usize + side;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, inside));
            }
        }
    }
    best.map_or(Taken { left: frame.left, top: frame.top, width, height }, |(_, place)| place)
}

fn written(lines: &[String], place: Taken) -> Markup {
    let at = (place.left + 3.0, place.top + SMALL);
    html! {
        rect class="background" x=(pixel(place.left)) y=(pixel(place.top))
            width=(pixel(place.width)) height=(pixel(place.height)) fill="#ffffff"
            fill-opacity="0.8" {}
        (text::lines("label", lines, at, Anchor::Start, SMALL))
    }
}
