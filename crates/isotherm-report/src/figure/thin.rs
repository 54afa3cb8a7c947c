//! Fewer points where a screen could not show them all, without losing an extreme.

use std::collections::HashSet;

use super::{Point, Shape};

/// The points that make a difference on the screen, given where each lies in pixels. Of a line's
/// points in the same column of pixels (and the same stretch of line) the first, the last and
/// those that reach furthest up and down stay; of dots on top of each other one stays.
pub(super) fn thinned(
    shape: Shape,
    points: &[Point],
    place: impl Fn(&Point) -> Option<(f64, f64)>,
) -> Vec<Point> {
    match shape {
        Shape::Bars => points.to_vec(),
        Shape::Dots => {
            let mut seen = HashSet::new();
            let half = |pixel: f64| (pixel * 2.0).round() as i64;
            let mut visible = |point: &Point| {
                point.error.is_some()
                    || place(point).is_some_and(|(x, y)| seen.insert((half(x), half(y))))
            };
            points.iter().copied().filter(|point| visible(point)).collect()
        }
        Shape::Line | Shape::Dashed | Shape::LineAndDots => {
            thinned_line(points, |point| place(point).map(|(x, _)| x.floor() as i64))
        }
    }
}

fn thinned_line(points: &[Point], column: impl Fn(&Point) -> Option<i64>) -> Vec<Point> {
    let mut kept = Vec::new();
    let mut rest = points;
    while let Some(first) = rest.first() {
        let place = column(first);
        let run = rest.iter().take_while(|point| column(point) == place).count();
        let (here, after) = rest.split_at(run);
        match place {
            // one gap says as much as many
            None => kept.push(*first),
            Some(_) => kept.extend(extremes(here)),
        }
        rest = after;
    }
    kept
}

fn extremes(points: &[Point]) -> Vec<Point> {
    if points.len() <= 4 {
        return points.to_vec();
    }
    let reach = |point: &Point, sign: f64| point.y * sign + point.error.unwrap_or(0.0);
    let furthest = |by: &dyn Fn(&Point) -> f64| {
        (0..points.len()).max_by(|&a, &b| by(&points[a]).total_cmp(&by(&points[b]))).unwrap_or(0)
    };
    let mut chosen = vec![
        0,
        points.len() - 1,
        furthest(&|point| point.y),
        furthest(&|point| -point.y),
        furthest(&|point| reach(point, 1.0)),
        furthest(&|point| reach(point, -1.0)),
    ];
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| points[i]).collect()
}
