//! The monotone cubic interpolant and its inverse.

use std::hint::select_unpredictable;

use super::interpolate::places;

/// The monotone cubic interpolant of Fritsch and Carlson (1980) through increasing knots.
pub(crate) struct MonotoneCubic<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
    slopes: &'a [f64],
}

impl<'a> MonotoneCubic<'a> {
    /// `xs` must increase strictly, `ys` must not decrease; at least two knots. `slopes` is room
    /// for the slopes at the knots.
    pub(crate) fn new(xs: &'a [f64], ys: &'a [f64], slopes: &'a mut Vec<f64>) -> MonotoneCubic<'a> {
        let secant = |k: usize| (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]);
        let last = xs.len() - 1;
        slopes.clear();
        slopes.extend((0..=last).map(|k| match k {
            0 => secant(0),
            k if k == last => secant(last - 1),
            k => 0.5 * (secant(k - 1) + secant(k)),
        }));
        for k in 0..last {
            let d = secant(k);
            if d == 0.0 {
                (slopes[k], slopes[k + 1]) = (0.0, 0.0);
                continue;
            }
            // Keep (slope_k, slope_{k+1}) / secant inside the circle of radius 3.
            let (left, right) = (slopes[k] / d, slopes[k + 1] / d);
            // Most are, clearly, and `hypot` is slow.
            if left * left + right * right < 8.0 {
                continue;
            }
            let radius = libm::hypot(left, right);
            if radius > 3.0 {
                slopes[k] *= 3.0 / radius;
                slopes[k + 1] *= 3.0 / radius;
            }
        }
        MonotoneCubic { xs, ys, slopes }
    }

    fn segment(&self, k: usize) -> Segment {
        Segment {
            x: self.xs[k],
            width: self.xs[k + 1] - self.xs[k],
            ys: [self.ys[k], self.ys[k + 1]],
            slopes: [self.slopes[k], self.slopes[k + 1]],
        }
    }

    fn at(&self, x: f64) -> f64 {
        let right = self.xs.partition_point(|&knot| knot <= x).clamp(1, self.xs.len() - 1);
        self.segment(right - 1).at(x)
    }

    /// The `x` at which the interpolant reaches `y`, by bisection to the last bit.
    fn bisect(&self, y: f64) -> f64 {
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

    /// The `x` at which the interpolant, over [0, 1], reaches each of the rising heights: what
    /// [`bisect`](Self::bisect) finds, from the first uncertain interval on. The searches advance
    /// together, because the halvings of one must wait for each other but not for another's.
    /// `searches` is room for them.
    pub(crate) fn invert(
        &self,
        heights: impl Iterator<Item = f64>,
        searches: &mut Vec<Search>,
    ) -> impl Iterator<Item = f64> {
        debug_assert!(self.xs[0] == 0.0 && self.xs[self.xs.len() - 1] == 1.0);
        searches.clear();
        searches.extend(places(self.ys, heights, |knot, y| knot < y).map(|(right, y)| {
            let segment = self.segment(right - 1);
            Search::begin(segment, y).unwrap_or_else(|| Search::end(segment, self.bisect(y)))
        }));
        while searches.iter_mut().fold(false, |any, search| any | search.halve()) {}
        searches.iter().map(Search::middle)
    }
}

/// The interpolant between two knots.
#[derive(Clone, Copy, Debug)]
struct Segment {
    x: f64,
    width: f64,
    ys: [f64; 2],
    slopes: [f64; 2],
}

impl Segment {
    #[inline(always)]
    fn at(&self, x: f64) -> f64 {
        let t = (x - self.x) / self.width;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * self.ys[0]
            + (t3 - 2.0 * t2 + t) * self.width * self.slopes[0]
            + (3.0 * t2 - 2.0 * t3) * self.ys[1]
            + (t3 - t2) * self.width * self.slopes[1]
    }

    /// Two points near each other between which the segment passes `y`, clearly below it at the
    /// first and clearly above it at the second; nothing if that does not come off.
    fn bracket(&self, y: f64) -> Option<(f64, f64)> {
        let (wanted, rise) = (y - self.ys[0], self.ys[1] - self.ys[0]);
        // Newton's method on c₁t + c₂t² + c₃t³, t from 0 to 1, from where a straight line meets y
        let [start, end] = self.slopes.map(|slope| self.width * slope);
        let (c1, c2, c3) = (start, 3.0 * rise - 2.0 * start - end, start + end - 2.0 * rise);
        let slope = |t: f64| c1 + t * (2.0 * c2 + t * (3.0 * c3));
        let mut t = wanted / rise;
        for _ in 0..NEWTON {
            t = (t - (t * (c1 + t * (c2 + t * c3)) - wanted) / slope(t)).clamp(0.0, 1.0);
        }
        let reach = 2.0 * SURE / slope(t);
        let [below, above] = [t - reach, t + reach].map(|t| self.x + t * self.width);
        let inside = self.x <= below && above < self.x + self.width;
        (inside && self.at(below) < y - SURE && self.at(above) > y + SURE).then_some((below, above))
    }
}

/// How far from a height the interpolant must be for rounding not to matter, all heights being up
/// to 1: where it is so far below, it is below at all points further left, as computed too. (It is
/// a sum of four products of factors up to 3, a few 10⁻¹⁶ off each.)
const SURE: f64 = 1e-14;

/// Newton's steps; most curves need three.
const NEWTON: usize = 4;

/// A bisection of [0, 1] for the point where a segment reaches a height.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    segment: Segment,
    y: f64,
    /// Here and further left the interpolant is below `y`.
    below: f64,
    /// Here and further right it is not.
    above: f64,
    /// The interval that bisection has come to.
    low: f64,
    high: f64,
}

impl Search {
    /// Bisection from the first uncertain interval on. Before that it goes through intervals
    /// [i/2ⁿ, (i+1)/2ⁿ], without rounding as far as 2⁻⁵².
    fn begin(segment: Segment, y: f64) -> Option<Search> {
        const FINEST: f64 = (1u64 << 52) as f64;
        let (below, above) = segment.bracket(y)?;
        let (i, j) = ((below * FINEST) as u64, (above * FINEST) as u64);
        let differing = u64::BITS - (i ^ j).leading_zeros();
        let first = i >> differing << differing;
        let (low, high) = (first as f64 / FINEST, (first + (1 << differing)) as f64 / FINEST);
        Some(Search { segment, y, below, above, low, high })
    }

    /// A bisection that has ended at `x`.
    fn end(segment: Segment, x: f64) -> Search {
        Search { segment, y: 0.0, below: x, above: x, low: x, high: x }
    }

    fn middle(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Halves the interval and tells whether that was possible; if not, the middle stays what it
    /// is. A branch would be guessed wrong half of the time.
    #[inline(always)]
    fn halve(&mut self) -> bool {
        let middle = self.middle();
        let goes_on = (self.low < middle) & (middle < self.high);
        let left =
            (middle <= self.below) | ((middle < self.above) & (self.segment.at(middle) < self.y));
        self.low = select_unpredictable(left, middle, self.low);
        self.high = select_unpredictable(left, self.high, middle);
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Knots from their steps, scaled to [0, 1].
    fn knots(steps: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
        let total = steps.iter().fold((0.0, 0.0), |sum, step| (sum.0 + step.0, sum.1 + step.1));
        let (mut xs, mut ys) = (vec![0.0], vec![0.0]);
        for (i, (dx, dy)) in steps.iter().enumerate() {
            xs.push(if i + 1 == steps.len() { 1.0 } else { xs[i] + dx / total.0 });
            ys.push(ys[i] + dy / total.1);
        }
        (xs, ys)
    }

    /// A share, often a tiny one.
    fn share() -> impl Strategy<Value = f64> {
        prop_oneof![0.01..1.0f64, (0.0..5.0f64).prop_map(|digits| 10f64.powf(-digits))]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn cubic_is_monotone_and_inverts(
            steps in prop::collection::vec((share(), share()), 1..20),
            heights in 2usize..40,
        ) {
            let (xs, ys) = knots(&steps);
            prop_assume!(xs.windows(2).all(|x| x[0] < x[1]));
            let mut slopes = Vec::new();
            let curve = MonotoneCubic::new(&xs, &ys, &mut slopes);
            for (x, y) in xs.iter().zip(&ys) {
                prop_assert!((curve.at(*x) - y).abs() < 1e-12);
            }
            let fine: Vec<f64> = (0..=300).map(|i| f64::from(i) / 300.0).collect();
            prop_assert!(fine.windows(2).all(|w| curve.at(w[0]) <= curve.at(w[1]) + 1e-12));
            let even = (1..heights).map(|i| i as f64 / heights as f64);
            // The knots' own heights are where rounding has most to say.
            let inner = ys[1..ys.len() - 1].iter().copied();
            let inner: Vec<f64> = inner.flat_map(|y| [y.next_down(), y, y.next_up()]).collect();
            for heights in [even.collect(), inner] {
                let mut searches = Vec::new();
                let found = curve.invert(heights.iter().copied(), &mut searches);
                for (&y, x) in heights.iter().zip(found) {
                    prop_assert!((curve.at(x) - y).abs() < 1e-9);
                    prop_assert_eq!(x.to_bits(), curve.bisect(y).to_bits());
                }
            }
        }
    }
}
