//! Defaults that follow from the data.

use super::{Chosen, Options, Section, name};
use crate::data::Dataset;
use crate::paths::{PathKind, SwapOn};
use crate::references::{HeldOut, ReferenceKind, components_for};

/// The precision of the prior on differences between neighbouring pixels, for the likelihood of all
/// examples. The gradient is a mean over the examples, so there it is divided by their number.
const SMOOTHNESS: f64 = 15.0;

/// The largest penalty by default, for few examples.
const MOST_SMOOTHNESS: f64 = 0.05;

/// The precision of the prior on weights of tables, for the likelihood of all examples and one visible unit: the
/// L1 penalty is this times √(visible units) / examples. Under this prior the field of a hidden unit is of the order
/// of five, however many units it is a sum over.
const SPARSENESS: f64 = 0.22;

/// The largest L1 penalty by default, for few examples.
const MOST_L1: f64 = 0.01;

/// Particles with a mixture as reference: as many as hidden units, within these bounds. The ladder brings fresh
/// samples so often that more particles cost time and gain nothing.
const PARTICLES_FROM_A_MIXTURE: [usize; 2] = [128, 500];

/// Columns of a ladder from a mixture. It has fewer rungs than one from base rates (6 for 10, 10 for 13), which pays
/// for a part of the additional columns, and shorter round trips, on which the weights of clusters depend.
const COLUMNS_FROM_A_MIXTURE: usize = 32;

/// Passes over the examples, and over pictures.
const PASSES: u64 = 200;
const PASSES_OVER_PICTURES: u64 = 500;

/// The fewest updates and the most that these passes make.
const FEWEST_UPDATES: u64 = 40_000;
const MOST_UPDATES: u64 = 100_000;

/// The least learning rate that more updates make, and the largest that fewer make.
const LEAST_LR: f64 = 0.01;
const MOST_LR: f64 = 0.1;

/// The number of updates, and the learning rate at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Updates.
    pub updates: u64,
    /// The learning rate that they begin with.
    pub lr: f64,
}

impl Pace {
    /// The pace for this number of examples: 200 passes over them at a rate of 0.05, up to 100 000 updates.
    /// More passes would overfit few examples; fewer and larger steps would leave the samples behind. So
    /// few examples get 40 000 smaller steps of the same total length, and a `chosen` number of updates has smaller
    /// or larger ones. If neighbouring pixels have similar weights, it takes 500 passes to overfit. The numbers
    /// come from the same experiments as [`Options::for_examples`].
    pub fn of(examples: usize, batch: usize, smooth: bool, chosen: Option<u64>) -> Pace {
        let passes = if smooth { PASSES_OVER_PICTURES } else { PASSES };
        let batches = examples.div_ceil(batch.max(1)) as u64;
        let wanted = batches.saturating_mul(passes).clamp(5_000, MOST_UPDATES);
        let updates = chosen.unwrap_or(wanted.max(FEWEST_UPDATES));
        let lr = Options::for_examples().optimiser.lr * (wanted as f64 / updates as f64);
        Pace { updates, lr: lr.clamp(LEAST_LR, MOST_LR) }
    }
}

impl Options {
    /// The defaults for examples, rather than for the paper's mixture. They come from binarized MNIST, Caltech
    /// Silhouettes and NLTCS, see the results in the documentation.
    pub fn for_examples() -> Options {
        <Options as Section>::for_examples()
    }

    /// Adapts what was not chosen to the data and to what was: the reference, the particles, the pace and the penalties.
    /// A stream with a known density needs nothing.
    pub fn adapt_to(&mut self, data: &Dataset, chosen: &Chosen) {
        let Some(examples) = data.examples() else { return };
        self.choose_reference_for(data, chosen);
        if self.sampler.reference == ReferenceKind::Mixture && !chosen.contains(name::columns) {
            // No more than there are particles, if their number was chosen.
            let particles = self.sampler.particles.unwrap_or(COLUMNS_FROM_A_MIXTURE);
            self.sampler.columns = Some(particles.clamp(1, COLUMNS_FROM_A_MIXTURE));
        }
        if !chosen.contains(name::particles) {
            if self.sampler.reference == ReferenceKind::Mixture {
                let [fewest, most] = PARTICLES_FROM_A_MIXTURE;
                self.sampler.particles = Some(self.hidden.clamp(fewest, most));
            }
            // At least one in each column.
            self.sampler.particles = self.sampler.particles.max(self.sampler.columns);
        }
        if self.sampler.reference == ReferenceKind::Mixture && !chosen.contains(name::components) {
            self.sampler.components = Some(components_for(examples));
        }
        let pictures = self.shape.is_some() || data.pictures().is_some();
        let optimiser = &mut self.optimiser;
        if !chosen.contains(name::smooth) && pictures {
            optimiser.smooth = (SMOOTHNESS / examples as f64).min(MOST_SMOOTHNESS);
            if !chosen.contains(name::l1) {
                // The two share the work.
                optimiser.l1 /= 2.0;
            }
        } else if !chosen.contains(name::l1) && !pictures {
            let precision = SPARSENESS * (data.n_visible() as f64).sqrt();
            optimiser.l1 = (precision / examples as f64).min(MOST_L1);
        }
        let updates = chosen.contains(name::updates).then_some(optimiser.updates);
        let pace = Pace::of(examples, optimiser.batch, optimiser.smooth > 0.0, updates);
        optimiser.updates = pace.updates;
        if !chosen.contains(name::lr) {
            optimiser.lr = pace.lr;
        }
        if !chosen.contains(name::smooth) {
            let most = self.most_smoothness();
            self.optimiser.smooth = self.optimiser.smooth.min(most);
        }
    }

    /// Chooses the reference of a ladder that can have one of several: by held-out examples, and a mixture if these are
    /// too few. Few hidden units stay on their own path, which needs no other reference.
    fn choose_reference_for(&mut self, data: &Dataset, chosen: &Chosen) {
        let (n_visible, hidden) = (data.n_visible(), self.hidden);
        let sampler = &mut self.sampler;
        if !sampler.algorithm.is_tempered() || sampler.reference != ReferenceKind::Auto {
            return;
        }
        let of_mixture = chosen.contains(name::components)
            && matches!(sampler.path, PathKind::Auto | PathKind::BaseRate);
        if !of_mixture && !sampler.path.entry(n_visible, hidden).takes_references {
            return;
        }
        let favours_a_mixture = || HeldOut::of(data).is_none_or(|it| it.favours_a_mixture());
        let swaps_on_energies = sampler.swap == Some(SwapOn::Energy);
        sampler.reference = match of_mixture || !swaps_on_energies && favours_a_mixture() {
            true => ReferenceKind::Mixture,
            false => ReferenceKind::BaseRate,
        };
    }

    /// The largest penalty on differences between neighbouring pixels that is stable. If a weight differs
    /// from all four neighbours, and they from it, an update reduces the difference by eight times rate and
    /// penalty; that must not exceed the difference.
    pub(super) fn most_smoothness(&self) -> f64 {
        (1.0 - self.optimiser.momentum) / (8.0 * self.optimiser.lr)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use isotherm_kernels::BitMatrix;
    use isotherm_tempering::streams::{Key, Purpose};
    use rand::RngExt;

    use super::*;
    use crate::OptionName;
    use crate::negative::Algorithm;
    use crate::options::{SamplerOptions, find};

    /// Pictures of so many examples: squares in the middle of 8 × 8 pixels.
    fn pictures(examples: usize, columns: usize) -> Dataset {
        let mut bits = BitMatrix::zeros(examples, columns);
        for example in 0..examples {
            let side = 4 - example % 5..4 + example % 5;
            for y in side.clone() {
                for x in side.clone() {
                    bits.set(example, 8 * y + x, true);
                }
            }
        }
        Dataset::from_bits(bits).unwrap()
    }

    fn adapted(data: &Dataset, chosen: &[OptionName], mut options: Options) -> Options {
        let specs = chosen.iter().map(|name| find(Options::table(), name.as_str()).unwrap());
        options.adapt_to(data, &specs.collect());
        options
    }

    #[test]
    fn pictures_are_smooth_by_default() {
        let data = pictures(3000, 64);
        let found = adapted(&data, &[], Options::for_examples()).optimiser;
        assert_eq!((found.smooth, found.l1, found.updates), (15.0 / 3000.0, 5e-5, 40_000));
        let difference = found.lr - 0.05 * 15_000.0 / 40_000.0;
        assert!(difference.abs() < 1e-12, "500 passes of 30 batches");

        let chosen = Options::for_examples().smooth(0.0).lr(0.3);
        let kept = adapted(&data, &[name::smooth, name::lr], chosen).optimiser;
        assert_eq!((kept.smooth, kept.l1, kept.lr), (0.0, 1e-4, 0.3));
        let kept = adapted(&data, &[name::smooth], Options::for_examples());
        assert_eq!(kept.optimiser.lr, 0.01, "200 passes would be 0.0075");
        assert_eq!(adapted(&data, &[name::l1], Options::for_examples()).optimiser.l1, 1e-4);
    }

    #[test]
    fn tables_are_not() {
        let data = pictures(3000, 65);
        let table = adapted(&data, &[], Options::for_examples()).optimiser;
        assert_eq!((table.smooth, table.updates), (0.0, 40_000));
        assert_eq!(table.l1, 0.22 * 65f64.sqrt() / 3000.0);
        let few = adapted(&pictures(100, 65), &[], Options::for_examples()).optimiser;
        assert_eq!(few.l1, 0.01);
        let chosen = adapted(&data, &[name::l1], Options::for_examples().l1(0.5)).optimiser;
        assert_eq!(chosen.l1, 0.5);
        let shaped = Options::for_examples().shape("13x5".parse().ok());
        let shaped = adapted(&data, &[name::shape], shaped);
        assert!(shaped.optimiser.smooth > 0.0, "a shape makes pictures of them");
        let mixture = adapted(&Dataset::mixture(1), &[], Options::default());
        assert_eq!(mixture, Options::default());
    }

    #[test]
    fn a_ladder_that_takes_references_starts_from_a_mixture() {
        let data = pictures(3000, 64);
        let found = |options| adapted(&data, &[], options).sampler;
        let of = |options: Options| {
            let SamplerOptions { reference, columns, components, .. } = found(options);
            (reference, columns, components)
        };
        let particles = |hidden| found(Options::for_examples().hidden(hidden)).particles;
        let bounded = [40, 200, 600].map(|hidden| particles(hidden).unwrap());
        assert_eq!(bounded, [128, 200, 500]);
        assert_eq!(particles(16), Some(500), "no mixture");
        let large = || Options::for_examples().hidden(100);
        let mixture = (ReferenceKind::Mixture, Some(32), Some(30));
        assert_eq!(of(large()), mixture);
        assert_eq!(of(large().reference(ReferenceKind::Mixture)), mixture);
        assert_eq!(of(large().particles(Some(20))), (ReferenceKind::Mixture, Some(20), Some(30)));
        let chosen = adapted(&data, &[name::columns], large().columns(Some(7))).sampler;
        assert_eq!((chosen.reference, chosen.columns), (ReferenceKind::Mixture, Some(7)));
        assert_eq!(of(large().path(PathKind::BaseRate)), mixture);
        // Few hidden units, no ladder, a path that has its own.
        for options in
            [large().hidden(20), large().algorithm(Algorithm::Sml), large().path(PathKind::Joint)]
        {
            assert_eq!(of(options), (ReferenceKind::Auto, None, None));
        }
        for options in
            [large().reference(ReferenceKind::BaseRate), large().swap(Some(SwapOn::Energy))]
        {
            assert_eq!(of(options), (ReferenceKind::BaseRate, None, None));
        }
        let few = adapted(&data, &[name::components], large().hidden(20).components(Some(5)));
        assert_eq!(few.sampler.reference, ReferenceKind::Mixture, "components imply a mixture");
    }

    #[test]
    fn held_out_examples_choose_the_reference() {
        let reference = |data: &Dataset| {
            let options = Options::for_examples().hidden(100);
            adapted(data, &[], options).sampler.reference
        };
        let mut fair = BitMatrix::zeros(2000, 40);
        let mut rng = Key { seed: 1, step: 0 }.sequence(Purpose::Mixture, 0);
        for row in 0..2000 {
            (0..40).for_each(|j| fair.set(row, j, rng.random_bool(0.5)));
        }
        assert_eq!(reference(&Dataset::from_bits(fair).unwrap()), ReferenceKind::BaseRate);
        assert_eq!(reference(&pictures(3000, 64)), ReferenceKind::Mixture);
        let few = Dataset::from_rows(&[[0u8, 1], [1, 0]]).unwrap();
        assert_eq!(reference(&few), ReferenceKind::Mixture, "too few to compare");
    }

    /// A penalty that was not chosen is never too strong.
    #[test]
    fn few_pictures_and_large_rates_are_not_refused() {
        for lr in [0.05, 1.0, 100.0, 1e30] {
            let options = Options::for_examples().lr(lr).momentum(0.9);
            let options = adapted(&pictures(18, 64), &[name::lr], options);
            assert!(options.check(64).is_ok(), "{lr}: {}", options.optimiser.smooth);
        }
    }
}
