//! The isotonic fit: the monotone sequence nearest to what was measured.

/// Neighbouring entries that share one value.
#[derive(Clone, Debug)]
struct Pool {
    /// Weighted sum of the values.
    sum: f64,
    weight: f64,
    mean: f64,
    /// One past its last entry.
    end: usize,
}

impl Pool {
    fn new(sum: f64, weight: f64, end: usize) -> Pool {
        Pool { sum, weight, mean: sum / weight, end }
    }
}

/// Fits sequences, in buffers that are kept from one fit to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct IsotonicFit {
    values: Vec<f64>,
    weights: Vec<f64>,
    pools: Vec<Pool>,
}

impl IsotonicFit {
    /// The non-increasing sequence nearest to these (value, weight) in weighted least squares, by
    /// pooling adjacent violators. Entries without weight follow their neighbours by linear
    /// interpolation.
    pub(crate) fn decreasing(
        &mut self,
        entries: impl Iterator<Item = (f64, f64)> + Clone,
    ) -> &mut [f64] {
        self.values.clear();
        self.values.extend(entries.clone().map(|(value, _)| value));
        self.weights.clear();
        self.weights.extend(entries.map(|(_, weight)| weight));
        self.pool_violators();
        self.follow_pools();
        &mut self.values
    }

    fn pool_violators(&mut self) {
        self.pools.clear();
        for (i, (&value, &weight)) in self.values.iter().zip(&self.weights).enumerate() {
            if weight <= 0.0 {
                continue;
            }
            let mut pool = Pool::new(value * weight, weight, i + 1);
            while let Some(last) = self.pools.pop_if(|last| last.mean <= pool.mean) {
                pool = Pool::new(pool.sum + last.sum, pool.weight + last.weight, i + 1);
            }
            self.pools.push(pool);
        }
    }

    /// The piecewise linear curve through the means of the pools at the entries that have weight, constant
    /// beyond its ends.
    fn follow_pools(&mut self) {
        let (mut begin, mut before) = (0, None);
        for pool in &self.pools {
            for i in (begin..pool.end).filter(|&i| self.weights[i] > 0.0) {
                match before {
                    None => self.values[..=i].fill(pool.mean),
                    Some((left, mean)) => {
                        for j in left + 1..=i {
                            let (into, width) = ((j - left) as f64, (i - left) as f64);
                            self.values[j] = mean + (pool.mean - mean) * into / width;
                        }
                    }
                }
                before = Some((i, pool.mean));
            }
            begin = pool.end;
        }
        if let Some((last, mean)) = before {
            self.values[last + 1..].fill(mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fitted(values: &[f64], weights: &[f64]) -> Vec<f64> {
        let entries = values.iter().copied().zip(weights.iter().copied());
        IsotonicFit::default().decreasing(entries).to_vec()
    }

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
            for (a, b) in fitted(&values, &weights).iter().zip(isotonic_by_formula(&values, &weights)) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }

        /// Entries without weight change nothing about the others, and lie on the lines between.
        #[test]
        fn entries_without_weight_follow_their_neighbours(
            triples in prop::collection::vec((0.0..1.0f64, 0.01..3.0f64, any::<bool>()), 1..12),
        ) {
            let values: Vec<f64> = triples.iter().map(|t| t.0).collect();
            let weights: Vec<f64> = triples.iter().map(|t| if t.2 { t.1 } else { 0.0 }).collect();
            let known: Vec<usize> = (0..values.len()).filter(|&i| triples[i].2).collect();
            let alone: Vec<f64> = fitted(
                &known.iter().map(|&i| values[i]).collect::<Vec<_>>(),
                &known.iter().map(|&i| weights[i]).collect::<Vec<_>>(),
            );
            for (i, got) in fitted(&values, &weights).into_iter().enumerate() {
                let right = known.partition_point(|&at| at < i);
                let wanted = match (right.checked_sub(1), known.get(right)) {
                    (None, None) => values[i],
                    (None, Some(_)) => alone[0],
                    (Some(left), None) => alone[left],
                    (Some(left), Some(&at)) => {
                        let share = (i - known[left]) as f64 / (at - known[left]) as f64;
                        alone[left] + (alone[right] - alone[left]) * share
                    }
                };
                prop_assert!((got - wanted).abs() < 1e-12, "{} at {}: {}", got, i, wanted);
            }
        }
    }

    #[test]
    fn a_fit_does_not_depend_on_the_one_before() {
        let mut fit = IsotonicFit::default();
        fit.decreasing([(0.1, 1.0), (0.9, 1.0), (0.5, 0.0)].into_iter());
        let shorter = fit.decreasing([(0.7, 2.0), (0.2, 1.0)].into_iter());
        assert_eq!(shorter, [0.7, 0.2]);
    }

    #[test]
    fn entries_without_weight_are_interpolated() {
        let fitted = fitted(&[1.0, 0.5, 0.5, 0.4], &[1.0, 0.0, 0.0, 2.0]);
        assert!((fitted[1] - 0.8).abs() < 1e-12 && (fitted[2] - 0.6).abs() < 1e-12);
    }
}
