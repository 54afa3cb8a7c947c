//! The box between the axes: values to pixels, and the axes themselves.

use maud::{Markup, html};

use super::Point;
use super::axis::{Ruler, Tick};
use super::number::pixel;
use super::text::{self, Anchor, NORMAL, SMALL};

/// A box on the drawing and the axes along it.
pub(super) struct Frame<'a> {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: &'a Ruler,
    pub y: &'a Ruler,
}

/// What is written under the horizontal axis, and how.
pub(super) struct Below {
    /// Ticks with the lines of their labels.
    pub ticks: Vec<(f64, Vec<String>)>,
    /// By how many degrees the labels are turned because they would not fit otherwise.
    turn: f64,
    /// The lines of the axis' own label.
    pub label: Vec<String>,
}

impl Frame<'_> {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(super) fn x(&self, value: f64) -> Option<f64> {
        self.x.at(value).map(|at| self.left + at * self.width)
    }

    pub(super) fn y(&self, value: f64) -> Option<f64> {
        self.y.at(value).map(|at| self.bottom() - at * self.height)
    }

    pub(super) fn place(&self, point: &Point) -> Option<(f64, f64)> {
        Some((self.x(point.x)?, self.y(point.y)?))
    }

    /// Whether a pixel lies in the box, its edge included.
    pub(super) fn holds(&self, (x, y): (f64, f64)) -> bool {
        let near = 0.01;
        (self.left - near..=self.right() + near).contains(&x)
            && (self.top - near..=self.bottom() + near).contains(&y)
    }

    /// Faint lines across the box at the labelled places.
    pub(super) fn grid(&self, below: &Below, beside: &[Tick]) -> Markup {
        let mut path = String::new();
        if self.x.names().is_none() {
            for (at, _) in &below.ticks {
                let x = pixel(self.left + at * self.width);
                path += &format!("M{x} {}V{}", pixel(self.top), pixel(self.bottom()));
            }
        }
        for tick in beside {
            let y = pixel(self.bottom() - tick.at * self.height);
            path += &format!("M{} {y}H{}", pixel(self.left), pixel(self.right()));
        }
        html! { path class="grid" d=(path) fill="none" stroke="#e4e4e4" stroke-width="1" {} }
    }

    /// The two axes with their ticks, labels and names.
    pub(super) fn axes(
        &self,
        below: &Below,
        beside: &[Tick],
        label: &[String],
        far: f64,
    ) -> Markup {
        let mut path =
            format!("M{} {}V{}", pixel(self.left), pixel(self.top), pixel(self.bottom()));
        path += &format!("H{}", pixel(self.right()));
        let mut notch = |horizontal: bool, at: f64, length: f64| {
            path += &if horizontal {
                let x = pixel(self.left + at * self.width);
                format!("M{x} {}v{}", pixel(self.bottom()), pixel(length))
            } else {
                let y = pixel(self.bottom() - at * self.height);
                format!("M{} {y}h{}", pixel(self.left), pixel(-length))
            };
        };
        below.ticks.iter().for_each(|(at, _)| notch(true, *at, 4.0));
        beside.iter().for_each(|tick| notch(false, tick.at, 4.0));
        if !below.ticks.is_empty() {
            self.x.small_ticks().iter().for_each(|at| notch(true, *at, 2.0));
        }
        if !beside.is_empty() {
            self.y.small_ticks().iter().for_each(|at| notch(false, *at, 2.0));
        }
        let below_label = self.bottom() + below.ticks_height() + NORMAL + 4.0;
        let middle = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        let spacing = text::line_height(NORMAL);
        html! {
            path class="axis" d=(path) fill="none" stroke="#555555" stroke-width="1" {}
            @for (at, lines) in &below.ticks {
                (self.tick_below(*at, lines, below.turn))
            }
            @for tick in beside {
                @let y = self.bottom() - tick.at * self.height + SMALL * 0.36;
                @let at = (self.left - 7.0, y);
                (text::line("label tick-y", &tick.label, at, Anchor::End, SMALL))
            }
            (text::lines("label", &below.label, (middle.0, below_label), Anchor::Middle, NORMAL))
            @for (i, line) in label.iter().enumerate() {
                (text::upwards(line, (far + NORMAL + i as f64 * spacing, middle.1)))
            }
        }
    }

    fn tick_below(&self, at: f64, lines: &[String], turn: f64) -> Markup {
        let x = self.left + at * self.width;
        if turn > 0.0 {
            let whole = lines.join(" ");
            // the end of the text, not its baseline, points to the tick
            let (sine, cosine) = libm::sincos(turn.to_radians());
            let at = (x + SMALL * 0.36 * sine, self.bottom() + 8.0 + SMALL * 0.6 * cosine);
            return text::turned("label tick-x", &whole, at, Anchor::End, SMALL, -turn);
        }
        let y = self.bottom() + 6.0 + SMALL;
        text::lines("label tick-x", lines, (x, y), Anchor::Middle, SMALL)
    }
}

impl Below {
    /// The labels under an axis of this width. Of more names than there is room for, every so
    /// many get one; numbers become fewer until they fit.
    pub(super) fn new(ruler: &Ruler, width: f64, label: &str) -> Below {
        let label = text::wrap(label, NORMAL, width);
        if ruler.names().is_none() {
            let fits = |ticks: &[Tick]| {
                ticks.windows(2).all(|pair| {
                    let apart = (pair[1].at - pair[0].at) * width;
                    let half = |tick: &Tick| text::width(&tick.label, SMALL) / 2.0;
                    apart >= half(&pair[0]) + half(&pair[1]) + 10.0
                })
            };
            let most = ((width / 55.0) as usize).clamp(3, 8);
            let ticks = (2..=most).rev().map(|most| ruler.ticks(most)).find(|ticks| fits(ticks));
            let ticks = ticks.unwrap_or_else(|| ruler.ticks(2).into_iter().take(1).collect());
            let ticks = ticks.into_iter().map(|tick| (tick.at, vec![tick.label])).collect();
            return Below { ticks, turn: 0.0, label };
        }
        let ticks = ruler.ticks(0);
        let room = width / ticks.len().max(1) as f64;
        let wrapped = |tick: &Tick| text::wrap(&tick.label, SMALL, room - 8.0);
        let whole_words = |tick: &Tick| {
            tick.label.split_whitespace().all(|word| text::width(word, SMALL) <= room - 8.0)
        };
        let turn = match room {
            _ if ticks.iter().all(|tick| whole_words(tick) && wrapped(tick).len() <= 3) => 0.0,
            room if room >= 16.0 => 45.0,
            _ => 90.0,
        };
        let every = if turn > 0.0 { (12.0 / room).ceil().max(1.0) as usize } else { 1 };
        let lines = |tick: &Tick| if turn > 0.0 { vec![tick.label.clone()] } else { wrapped(tick) };
        let ticks = ticks.iter().step_by(every).map(|tick| (tick.at, lines(tick))).collect();
        Below { ticks, turn, label }
    }

    fn ticks_height(&self) -> f64 {
        if self.turn > 0.0 {
            return 18.0 + self.widest() * libm::sin(self.turn.to_radians());
        }
        let lines = self.ticks.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        8.0 + lines as f64 * text::line_height(SMALL)
    }

    fn widest(&self) -> f64 {
        let lines = self.ticks.iter().flat_map(|(_, lines)| lines);
        lines.map(|line| text::width(line, SMALL)).fold(0.0, f64::max)
    }

    /// How far down from the axis everything reaches.
    pub(super) fn height(&self) -> f64 {
        self.ticks_height() + self.label.len() as f64 * text::line_height(NORMAL) + 8.0
    }

    /// How far a label reaches beyond the left and the right end of an axis of this width.
    pub(super) fn overhang(&self, width: f64) -> (f64, f64) {
        self.ticks.iter().fold((0.0, 0.0), |(left, right): (f64, f64), (at, lines)| {
            let wide = lines.iter().map(|line| text::width(line, SMALL)).fold(0.0, f64::max);
            let (before, after) = match self.turn > 0.0 {
                true => (wide * libm::cos(self.turn.to_radians()) + 8.0, 8.0),
                false => (wide / 2.0, wide / 2.0),
            };
            (left.max(before - at * width), right.max(after - (1.0 - at) * width))
        })
    }
}
