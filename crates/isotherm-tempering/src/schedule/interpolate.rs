//! Interpolation of piecewise linear curves. Knots and points are both sorted, so one pass over both finds
//! the segment of every point.

/// For each point, the right end of its segment; points outside the knots belong to the outermost segments.
/// `beyond(knot, point)` says whether the point comes after the knot.
pub(crate) fn places(
    knots: &[f64],
    points: impl Iterator<Item = f64>,
    beyond: impl Fn(f64, f64) -> bool,
) -> impl Iterator<Item = (usize, f64)> {
    let mut right = 1;
    points.map(move |point| {
        while right < knots.len() - 1 && beyond(knots[right], point) {
            right += 1;
        }
        (right, point)
    })
}

/// The segments of decreasing points among strictly decreasing knots: the right end of each, and the
/// fraction of the way from its left to its right end.
pub(crate) fn places_falling(knots: &[f64], points: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    places(knots, points.iter().copied(), |knot, x| knot > x).map(|(right, x)| {
        let (x0, x1) = (knots[right - 1], knots[right]);
        (right, ((x0 - x) / (x0 - x1)).clamp(0.0, 1.0))
    })
}

/// The `x` at which the piecewise linear curve through the knots reaches each of the increasing heights.
/// `ys` must increase strictly.
pub(crate) fn invert_linear(
    xs: &[f64],
    ys: &[f64],
    heights: impl Iterator<Item = f64>,
) -> impl Iterator<Item = f64> {
    places(ys, heights, |knot, y| knot < y).map(|(right, y)| {
        let (x0, x1, y0, y1) = (xs[right - 1], xs[right], ys[right - 1], ys[right]);
        x0 + (x1 - x0) * ((y - y0) / (y1 - y0)).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The walk finds what a search for each point alone finds.
        #[test]
        fn polygons_are_followed_and_inverted(
            steps in prop::collection::vec((0.01..1.0f64, 0.01..1.0f64), 1..10),
            mut points in prop::collection::vec(-0.2..1.2f64, 0..20),
        ) {
            let (mut xs, mut ys) = (vec![0.0], vec![0.0]);
            for (i, (dx, dy)) in steps.iter().enumerate() {
                xs.push(xs[i] + dx);
                ys.push(ys[i] + dy);
            }
            let last = xs.len() - 1;
            points.sort_by(f64::total_cmp);
            let heights: Vec<f64> = points.iter().map(|share| share * ys[last]).collect();
            let found: Vec<f64> = invert_linear(&xs, &ys, heights.iter().copied()).collect();
            for (&y, x) in heights.iter().zip(found) {
                let right = ys.partition_point(|&knot| knot < y).clamp(1, last);
                let share = ((y - ys[right - 1]) / (ys[right] - ys[right - 1])).clamp(0.0, 1.0);
                prop_assert_eq!(x, xs[right - 1] + (xs[right] - xs[right - 1]) * share);
            }
            let falling = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| -v).collect() };
            let (knots, falling) = (falling(&ys), falling(&heights));
            for (&y, (right, share)) in heights.iter().zip(places_falling(&knots, &falling)) {
                prop_assert_eq!(right, ys.partition_point(|&knot| knot < y).clamp(1, last));
                let back = ys[right - 1] + (ys[right] - ys[right - 1]) * share;
                prop_assert!((back - y.clamp(0.0, ys[last])).abs() < 1e-12);
            }
        }
    }
}
