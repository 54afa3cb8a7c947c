//! The two samplers that samples are drawn by.

use std::sync::Arc;

use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::{Key, Purpose};
use isotherm_tempering::{Adaptation, Tempering};
use rand::RngExt;

use super::{ClustersOf, FirstStates, Known, LadderFrom, LadderSamples, NewLadder, Origin};
use super::{MOST_COLUMNS, SampleOptions, sample_from, sample_on};
use crate::Result;
use crate::data::{marginals, some_rows};
use crate::likelihood::reached_from_patterns;
use crate::model::Rbm;
use crate::paths::{AnyEnsemble, PathKind};
use crate::references::{Clusters, Distribution, ROWS_FOR_CLUSTERS, Reference, em};

/// Hidden patterns that a model without data is explored from.
const STARTS: usize = 800;

/// Components of a mixture of what short Gibbs sampling found.
const COMPONENTS: usize = 32;

/// Draws of a reference that replicas begin at.
pub(super) const DRAWS: usize = 1000;

/// What samples are drawn by, and the clusters that tell whether they agree.
pub(super) struct Plan {
    pub(super) first: Beginning,
    pub(super) second: Option<Beginning>,
    pub(super) clusters: Option<Clusters>,
    pub(super) of: ClustersOf,
}

/// A sampler before its first step.
pub(super) enum Beginning {
    /// With the ladder of a run and its replicas.
    Run(Box<Tempering<AnyEnsemble>>, Adaptation),
    /// With a new ladder.
    New(LadderFrom, NewLadder),
}

impl Beginning {
    pub(super) fn draw(
        self,
        model: &Rbm,
        options: &SampleOptions,
        progress: impl FnMut(f64) -> bool,
    ) -> Result<(Origin, LadderSamples)> {
        Ok(match self {
            Beginning::Run(tempering, adaptation) => {
                let origin = Origin { reference: LadderFrom::Run, start: FirstStates::Replicas };
                let warm_up = options.warm_up_of_run.unwrap_or(options.warm_up);
                let options = options.clone().warm_up(warm_up);
                (origin, sample_on(model, *tempering, adaptation, &options, &mut [], progress)?)
            }
            Beginning::New(reference, ladder) => {
                let origin = Origin { reference, start: ladder.start };
                (origin, sample_from(model, &ladder, options, &mut [], progress)?)
            }
        })
    }
}

impl Plan {
    /// The second sampler differs from the first. It starts from a mixture of the data; if the first does so, from
    /// another one, with other seeds and fewer components, or from base rates if there are no data to fit it to. On the
    /// hidden-marginal path, whose reference is always the same, only its first states differ. These
    /// are the data or, without them, draws of the mixture that was fitted to them, or what short Gibbs sampling reached.
    pub(super) fn new(
        model: &Rbm,
        run: Option<(Tempering<AnyEnsemble>, Adaptation)>,
        known: &Known<'_>,
        options: &SampleOptions,
    ) -> Result<Plan> {
        let key = Key { seed: options.seed, step: 0 };
        let mixture = known.reference.as_ref().and_then(Reference::mixture);
        let two = options.has_two_parts();
        // A ladder of a run does without all the rest.
        let reached = match (known.rows, mixture, &known.reference, &run) {
            (None, None, Some(_), _) | (None, None, None, Some(_)) if !two => None,
            (None, None, ..) => {
                Some(reached_from_patterns(model, STARTS, Key::of_log_z(options.seed, 0))?)
            }
            _ => None,
        };
        let (clusters, of) = match (known.rows, mixture, &reached) {
            (Some(rows), ..) => (Some(Clusters::of_data(mixture, rows, key)?), ClustersOf::Data),
            (None, Some(mixture), _) => {
                (Some(Clusters::of_mixture(mixture.clone())), ClustersOf::Mixture)
            }
            (None, None, Some(reached)) => {
                let fit = em::fit(reached, COMPONENTS, key, &mut |_| true)?;
                let mixture = Arc::new(fit.mixture);
                (Some(Clusters::of_mixture(mixture)), ClustersOf::Samples)
            }
            (None, None, None) => (None, ClustersOf::Samples),
        };
        let reference = known.reference.clone().unwrap_or_else(|| match (&clusters, &reached) {
            // A mixture knows more than marginals.
            (Some(clusters), Some(reached)) => {
                Reference::from(&marginals(reached)).with_mixture(clusters.mixture().clone())
            }
            _ => match known.rows {
                Some(rows) => Reference::from(&marginals(rows)),
                None => Reference::from(&vec![0.5; model.n_visible()]),
            },
        });
        let path = PathKind::automatic(model.n_visible(), model.n_hidden());
        let has_references = path == PathKind::BaseRate;
        let from = match reference.distribution() {
            _ if !has_references => LadderFrom::UniformHidden,
            Distribution::Mixture(_) => LadderFrom::Mixture,
            Distribution::Rbm(_) => LadderFrom::Rbm,
            Distribution::BaseRates => LadderFrom::BaseRates,
        };
        // Two ladders together have as many columns as one.
        let most_columns = if two { MOST_COLUMNS / 2 } else { MOST_COLUMNS };
        let second = match (&clusters, two) {
            (Some(clusters), true) => {
                let (from, other) = match (from, known.rows) {
                    (LadderFrom::Mixture, Some(rows)) => {
                        let rows = some_rows(rows, ROWS_FOR_CLUSTERS);
                        let count = (2 * clusters.mixture().components() / 3).max(1);
                        let key = Key::of_second_sampler(options.seed);
                        let fit = em::fit(&rows, count, key, &mut |_| true)?;
                        (LadderFrom::OtherMixture, reference.clone().with_mixture(fit.mixture))
                    }
                    (LadderFrom::Mixture, None) => {
                        (LadderFrom::BaseRates, Reference::from(reference.marginals()))
                    }
                    (LadderFrom::BaseRates | LadderFrom::Rbm, _) => {
                        let mixture = clusters.mixture();
                        (LadderFrom::Mixture, reference.clone().with_mixture(mixture.clone()))
                    }
                    (same, _) => (same, reference.clone()),
                };
                let (start, states) = match (known.rows, &reached) {
                    (Some(rows), _) => (FirstStates::Data, draws_of(rows, key)),
                    (None, Some(reached)) => (FirstStates::Reached, draws_of(reached, key)),
                    (None, None) => (FirstStates::Mixture, clusters.mixture().draw(DRAWS, key).0),
                };
                let seed = Key::of_second_sampler(options.seed).seed;
                let (reference, states) = (other, Some(states));
                let ladder = NewLadder { path, reference, start, states, seed, most_columns };
                Some(Beginning::New(from, ladder))
            }
            _ => None,
        };
        let first = match run {
            Some((tempering, adaptation)) => Beginning::Run(Box::new(tempering), adaptation),
            None => {
                let (start, states, seed) = (FirstStates::Reference, None, options.seed);
                let ladder = NewLadder { path, reference, start, states, seed, most_columns };
                Beginning::New(from, ladder)
            }
        };
        Ok(Plan { first, second, clusters, of })
    }
}

/// So many rows, chosen at random: of a few rows some come more than once.
fn draws_of(rows: &BitMatrix, key: Key) -> BitMatrix {
    let mut rng = key.sequence(Purpose::Start, 0);
    let chosen: Vec<usize> = (0..DRAWS).map(|_| rng.random_range(0..rows.rows())).collect();
    rows.select(&chosen)
}
