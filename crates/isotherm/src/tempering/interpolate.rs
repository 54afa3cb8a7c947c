//! Monotone curves: the isotonic fit, and inverses of increasing interpolants.

/// The non-increasing sequence nearest to `values` in weighted least squares, by pooling adjacent
/// violators. Entries without weight follow their neighbours by linear interpolation.
pub(crate) fn isotonic_decreasing(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Pools of (weighted sum, weight, indices) of the entries that have weight.
    let mut pools: Vec<(f64, f64, Vec<usize>)> = Vec::new();
    for (i, (&value, &weight)) in values.iter().zip(weights).enumerate() {
        if weight <= 0.0 {
            continue;
        }
        let mut pool = (value * weight, weight, vec![i]);
        while let Some(last) = pools.last() {
            if last.0 / last.1 > pool.0 / pool.1 {
                break;
            }
            if let Some((sum, weight, mut indices)) = pools.pop() {
                indices.append(&mut pool.2);
                pool = (pool.0 + sum, pool.1 + weight, indices);
            }
        }
        pools.push(pool);
    }
    let known: Vec<(usize, f64)> = pools
        .iter()
        .flat_map(|(sum, weight, indices)| indices.iter().map(move |&i| (i, sum / weight)))
        .collect();
    (0..values.len()).map(|i| between_known(&known, i).unwrap_or(values[i])).collect()
}

/// The value at `i` on the polygon through `known`, constant beyond its ends.
fn between_known(known: &[(usize, f64)], i: usize) -> Option<f64> {
    let right = known.partition_point(|&(at, _)| at < i);
    let after = known.get(right);
    let before = right.checked_sub(1).and_then(|left| known.get(left));
    match (before, after) {
        (Some(&(x0, y0)), Some(&(x1, y1))) => {
            Some(y0 + (y1 - y0) * (i - x0) as f64 / (x1 - x0) as f64)
        }
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => Some(y),
        (None, None) => None,
    }
}

/// The height at `x` of the polygon through the knots, whose `xs` fall strictly.
pub(crate) fn interpolate_falling(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let right = xs.partition_point(|&knot| knot > x).clamp(1, xs.len() - 1);
    let (x0, x1, y0, y1) = (xs[right - 1], xs[right], ys[right - 1], ys[right]);
    y0 + (y1 - y0) * ((x0 - x) / (x0 - x1)).clamp(0.0, 1.0)
}

/// The `x` at which the polygon through the knots reaches `y`. `ys` must increase strictly.
pub(crate) fn invert_linear(xs: &[f64], ys: &[f64], y: f64) -> f64 {
    let right = ys.partition_point(|&knot| knot < y).clamp(1, ys.len() - 1);
    let (x0, x1, y0, y1) = (xs[right - 1], xs[right], ys[right - 1], ys[right]);
    x0 + (x1 - x0) * ((y - y0) / (y1 - y0)).clamp(0.0, 1.0)
}

/// The monotone cubic interpolant of Fritsch and Carlson (1980) through increasing knots.
pub(crate) struct MonotoneCubic<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
    slopes: Vec<f64>,
}

impl<'a> MonotoneCubic<'a> {
    /// `xs` must increase strictly, `ys` must not decrease; at least two knots.
    pub(crate) fn new(xs: &'a [f64], ys: &'a [f64]) -> MonotoneCubic<'a> {
        let secant = |k: usize| (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]);
        let last = xs.len() - 1;
        let mut slopes: Vec<f64> = (0..=last)
            .map(|k| match k {
                0 => secant(0),
                k if k == last => secant(last - 1),
                k => 0.5 * (secant(k - 1) + secant(k)),
            })
            .collect();
        for k in 0..last {
            let d = secant(k);
            if d == 0.0 {
                (slopes[k], slopes[k + 1]) = (0.0, 0.0);
                continue;
            }
            // Keep (slope_k, slope_{k+1}) / secant inside the circle of radius 3.
            let radius = (slopes[k] / d).hypot(slopes[k + 1] / d);
            if radius > 3.0 {
                slopes[k] *= 3.0 / radius;
                slopes[k + 1] *= 3.0 / radius;
            }
        }
        MonotoneCubic { xs, ys, slopes }
    }

    pub(crate) fn at(&self, x: f64) -> f64 {
        let k = self.xs.partition_point(|&knot| knot <= x).clamp(1, self.xs.len() - 1) - 1;
        let width = self.xs[k + 1] - self.xs[k];
        let t = (x - self.xs[k]) / width;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * self.ys[k]
            + (t3 - 2.0 * t2 + t) * width * self.slopes[k]
            + (3.0 * t2 - 2.0 * t3) * self.ys[k + 1]
            + (t3 - t2) * width * self.slopes[k + 1]
    }

    /// The `x` at which the interpolant reaches `y`, by bisection to the last bit.
    pub(crate) fn invert(&self, y: f64) -> f64 {
        let (mut low, mut high) = (self.xs[0], self.xs[self.xs.len() - 1]);
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return middle;
            }
            if self.at(middle) < y {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The isotonic fit by its max–min formula (Barlow et al. 1972), all subsets of indices.
    fn isotonic_by_formula(values: &[f64], weights: &[f64]) -> Vec<f64> {
        let mean = |s: usize, t: usize| {
            let weight: f64 = weights[s..=t].iter().sum();
            (s..=t).map(|i| values[i] * weights[i]).sum::<f64>() / weight
        };
        let n = values.len();
        (0..n)
            .map(|i| {
                (i..n)
                    .map(|t| (0..=i).map(|s| mean(s, t)).fold(f64::INFINITY, f64::min))
                    .fold(f64::NEG_INFINITY, f64::max)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn isotonic_matches_its_formula(
            pairs in prop::collection::vec((0.0..1.0f64, 0.01..3.0f64), 1..12),
        ) {
            let (values, weights): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let fitted = isotonic_decreasing(&values, &weights);
            for (a, b) in fitted.iter().zip(isotonic_by_formula(&values, &weights)) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }

        #[test]
        fn cubic_is_monotone_and_inverts(
            steps in prop::collection::vec((0.01..1.0f64, 0.001..1.0f64), 1..10),
            at in 0.0..1.0f64,
        ) {
            let mut xs = vec![0.0];
            let mut ys = vec![0.0];
            for (dx, dy) in steps {
                xs.push(xs[xs.len() - 1] + dx);
                ys.push(ys[ys.len() - 1] + dy);
            }
            let curve = MonotoneCubic::new(&xs, &ys);
            for (x, y) in xs.iter().zip(&ys) {
                prop_assert!((curve.at(*x) - y).abs() < 1e-12);
            }
            let fine: Vec<f64> = (0..=300).map(|i| xs[xs.len() - 1] * f64::from(i) / 300.0).collect();
            prop_assert!(fine.windows(2).all(|w| curve.at(w[0]) <= curve.at(w[1]) + 1e-12));
            let y = at * ys[ys.len() - 1];
            prop_assert!((curve.at(curve.invert(y)) - y).abs() < 1e-9);
        }
    }

    #[test]
    fn entries_without_weight_are_interpolated() {
        let fitted = isotonic_decreasing(&[1.0, 0.5, 0.5, 0.4], &[1.0, 0.0, 0.0, 2.0]);
        assert!((fitted[1] - 0.8).abs() < 1e-12 && (fitted[2] - 0.6).abs() < 1e-12);
    }
}
