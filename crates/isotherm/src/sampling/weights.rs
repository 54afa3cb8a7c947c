//! The weights of clusters in samples, beside those of the data.

use isotherm_kernels::BitMatrix;
use serde::{Deserialize, Serialize};

use super::chance::{Counted, Distance, effective_samples};
use super::{FirstStates, LadderFrom, LadderSamples, Origin};
use crate::diagnostics::{Diagnostic, limits};
use crate::references::Clusters;

/// The weights of clusters: those of the data, and those of samples from one or two samplers.
///
/// Weights are shares: one for each cluster, the heaviest of the data first, and the last for what is outside all of
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClusterWeights {
    /// What the clusters are clusters of.
    pub of: ClustersOf,
    /// The weights of the data; nothing if the clusters are those of samples.
    pub data: Option<Vec<f64>>,
    /// The weights of all samples together.
    pub samples: Vec<f64>,
    /// The same of each sampler by itself.
    pub parts: Vec<PartWeights>,
    /// How far the samples are from the data.
    pub from_data: Option<Distance>,
    /// How far the two samplers are from each other.
    pub between_parts: Option<Distance>,
}

/// What clusters are clusters of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClustersOf {
    /// The training data.
    Data,
    /// A mixture that was fitted to the training data, which are not there any more.
    Mixture,
    /// The samples themselves: nothing is known of the data.
    Samples,
}

/// The weights of clusters in the samples of one sampler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartWeights {
    /// Where the samples come from.
    pub origin: Origin,
    /// Samples.
    pub samples: usize,
    /// Independent samples that would tell the weights as well.
    pub effective_samples: f64,
    /// Round trips of the replicas, with those of the warm-up.
    pub round_trips: u64,
    /// The weights.
    pub weights: Vec<f64>,
}

impl ClusterWeights {
    pub(super) fn of(
        clusters: &Clusters,
        of: ClustersOf,
        drawn: &[(Origin, LadderSamples)],
    ) -> Self {
        let part = |(origin, LadderSamples { v, ladder }): &(Origin, LadderSamples)| PartWeights {
            origin: *origin,
            samples: v.rows(),
            effective_samples: effective_samples(&clusters.assign(v), ladder, clusters.count()),
            round_trips: ladder.warm_up_trips + ladder.round_trips,
            weights: clusters.shares(v),
        };
        let drawn = drawn.iter().filter(|(_, part)| part.v.rows() > 0);
        ClusterWeights::of_parts(clusters, of, drawn.map(part).collect())
    }

    /// Those of independent samples.
    pub fn of_independent(clusters: &Clusters, of: ClustersOf, v: &BitMatrix) -> ClusterWeights {
        let origin = Origin { reference: LadderFrom::None, start: FirstStates::Exact };
        let part = PartWeights {
            origin,
            samples: v.rows(),
            effective_samples: v.rows() as f64,
            round_trips: 0,
            weights: clusters.shares(v),
        };
        ClusterWeights::of_parts(clusters, of, vec![part])
    }

    fn of_parts(clusters: &Clusters, of: ClustersOf, parts: Vec<PartWeights>) -> ClusterWeights {
        let total: f64 = parts.iter().map(|part| part.samples as f64).sum();
        let mean = |k: usize| {
            parts.iter().map(|part| part.weights[k] * part.samples as f64).sum::<f64>() / total
        };
        let samples: Vec<f64> = (0..=clusters.count()).map(mean).collect();
        let data = (of != ClustersOf::Samples).then(|| clusters.weights().to_vec());
        // Nothing is left to chance in weights that were not counted.
        let rows = clusters.rows().map_or(f64::INFINITY, |rows| rows as f64);
        let draws = parts.iter().map(|part| part.effective_samples).sum();
        let from_data = data.as_ref().map(|weights| {
            let of_samples = Counted { weights: &samples, draws };
            Distance::between(Counted { weights, draws: rows }, of_samples)
        });
        let counted = |it: &PartWeights| it.effective_samples;
        let between_parts = match &parts[..] {
            [a, b] => {
                let [draws, of_b] = [counted(a), counted(b)];
                let a = Counted { weights: &a.weights, draws };
                Some(Distance::between(a, Counted { weights: &b.weights, draws: of_b }))
            }
            _ => None,
        };
        ClusterWeights { of, data, samples, parts, from_data, between_parts }
    }

    /// The number of clusters.
    pub fn count(&self) -> usize {
        self.samples.len().saturating_sub(1)
    }

    /// The number of a cluster, counted from 1.
    fn number(&self, k: usize) -> Option<usize> {
        (k < self.count()).then_some(k + 1)
    }

    /// That two samplers disagree, and that the clusters have other weights than in the data.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if let (Some(distance), [a, b]) = (self.between_parts, &self.parts[..])
            && distance.is_beyond_chance()
            && distance.total_variation > limits::DISAGREEMENT
        {
            let k = furthest(&a.weights, &b.weights);
            found.push(Diagnostic::SamplersDisagree {
                origins: [a.origin, b.origin],
                cluster: self.number(k),
                shares: [a.weights[k], b.weights[k]],
                distance: distance.total_variation,
                by_chance: distance.by_chance,
            });
        }
        if let (Some(distance), Some(data)) = (self.from_data, &self.data)
            && distance.is_beyond_chance()
            && distance.total_variation > limits::CLUSTER_WEIGHTS
        {
            let k = furthest(data, &self.samples);
            found.push(Diagnostic::ClusterWeights {
                clusters: self.count(),
                cluster: self.number(k),
                data: data[k],
                samples: self.samples[k],
                distance: distance.total_variation,
                by_chance: distance.by_chance,
            });
        }
        found
    }
}

/// Where two lists of weights differ most.
fn furthest(a: &[f64], b: &[f64]) -> usize {
    let apart = |k: &usize| (a[*k] - b[*k]).abs();
    (0..a.len()).max_by(|x, y| apart(x).total_cmp(&apart(y))).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::references::{Mixture, em};
    use isotherm_kernels::Matrix;
    use isotherm_tempering::streams::Key;

    fn key(seed: u64) -> Key {
        Key { seed, step: 0 }
    }

    /// Fair coins; and six products of 40 units, some of them near each other.
    fn densities() -> [Mixture; 2] {
        let coins = Mixture::new(&[1.0], Matrix::zeros(1, 40));
        let odds: Vec<f32> = (0..6 * 40).map(|i| 2.5 * ((i * i + 3 * i) as f32).sin()).collect();
        let weights = [0.4, 0.2, 0.15, 0.1, 0.1, 0.05];
        [coins, Mixture::new(&weights, Matrix::from_dense(6, 40, &odds))]
    }

    fn weights(clusters: &Clusters, samples: &BitMatrix) -> ClusterWeights {
        ClusterWeights::of_independent(clusters, ClustersOf::Data, samples)
    }

    /// Rows and samples of one density, by a mixture that is fitted to the rows here, and by one with many components
    /// that a ladder starts from.
    #[test]
    fn a_model_that_is_right_raises_nothing_however_few_rows_there_are() {
        for (density, truth) in densities().iter().enumerate() {
            for (count, seeds) in [(60, 20), (300, 10), (3000, 2)] {
                for seed in 0..seeds {
                    let (rows, _) = truth.draw(count, key(seed));
                    let (samples, _) = truth.draw(1000, key(100 + seed));
                    let many = em::fit(&rows, 24, key(seed), &mut |_| true).unwrap().mixture;
                    for mixture in [None, Some(&Arc::new(many))] {
                        let clusters = Clusters::of_data(mixture, &rows, key(seed)).unwrap();
                        let found = weights(&clusters, &samples);
                        assert_eq!(found.diagnose(), [], "{density} {count} {seed}: {found:?}");
                    }
                }
            }
        }
    }

    /// Half of the samples are noise, and 0.43 of all are less likely than 99.9 % of the draws of the true density. Few
    /// rows know less of it.
    #[test]
    fn samples_outside_all_clusters_are_told() {
        let [coins, truth] = densities();
        for count in [300, 3000] {
            let (rows, _) = truth.draw(count, key(1));
            let (mut samples, _) = truth.draw(500, key(2));
            samples.append(&coins.draw(500, key(3)).0);
            let found = weights(&Clusters::of_rows(&rows, key(1)).unwrap(), &samples);
            let told = found.diagnose();
            let [Diagnostic::ClusterWeights { cluster: None, samples, .. }] = told[..] else {
                panic!("{told:?} {found:?}")
            };
            assert!(samples > 0.2, "{samples}");
        }
    }
}
