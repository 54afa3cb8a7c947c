//! Eight colours that are told apart with every kind of colour vision, and eight marks for those
//! who print in grey.

use maud::{Markup, html};

use super::number::pixel;

/// On white each has a contrast of 3 or more. A page may override them through `.c0` … `.c7`.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#00875f", "#b9579b", "#2b97d0", "#a87900", "#3d3d3d", "#6f4fa8"];

pub(super) fn slot(colour: usize) -> usize {
    colour % COLOURS.len()
}

pub(super) fn colour(colour: usize) -> &'static str {
    COLOURS[slot(colour)]
}

/// The outline of the mark that belongs to a colour, around a point.
fn mark_path(colour: usize, (x, y): (f64, f64), r: f64) -> String {
    let at = |dx: f64, dy: f64| format!("{} {}", pixel(x + r * dx), pixel(y + r * dy));
    let corners = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners.iter().map(|&(dx, dy)| at(dx, dy)).collect();
        format!("M{}z", corners.join("L"))
    };
    match slot(colour) {
        0 => {
            let (r, across) = (pixel(r), pixel(2.0 * r));
            format!("M{}a{r} {r} 0 1 1 {across} 0a{r} {r} 0 1 1 -{across} 0z", at(-1.0, 0.0))
        }
        1 => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
        3 => corners(&[(0.0, -1.3), (1.0, 0.0), (0.0, 1.3), (-1.0, 0.0)]),
        4 => corners(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
        5 => corners(&PLUS),
        6 => {
            let turn = |(dx, dy): (f64, f64)| ((dx - dy) * 0.75, (dx + dy) * 0.75);
            corners(&PLUS.map(turn))
        }
        _ => {
            corners(&[(-0.6, -1.1), (0.6, -1.1), (1.2, 0.0), (0.6, 1.1), (-0.6, 1.1), (-1.2, 0.0)])
        }
    }
}

const PLUS: [(f64, f64); 12] = [
    (-0.4, -1.2),
    (0.4, -1.2),
    (0.4, -0.4),
    (1.2, -0.4),
    (1.2, 0.4),
    (0.4, 0.4),
    (0.4, 1.2),
    (-0.4, 1.2),
    (-0.4, 0.4),
    (-1.2, 0.4),
    (-1.2, -0.4),
    (-0.4, -0.4),
];

/// The marks of a colour at these points, in one element.
pub(super) fn marks(colour: usize, points: &[(f64, f64)], radius: f64) -> Markup {
    let path: String = points.iter().map(|&point| mark_path(colour, point, radius)).collect();
    html! {
        @if !path.is_empty() {
            path class="fill marks" fill=(self::colour(colour)) d=(path) {}
        }
    }
}
