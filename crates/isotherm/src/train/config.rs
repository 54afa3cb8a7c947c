//! The options of a run, as they may be written in a TOML file.

use serde::{Deserialize, Serialize};

use crate::data::{Binarise, ConstantColumns, Dataset, ImageShape, LeftOut, Split};
use crate::paths::SwapOn;
use isotherm_tempering::{Respace, Spacing};

/// Where the negative samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Contrastive divergence: k steps from the data.
    Cd,
    /// Stochastic maximum likelihood: persistent replicas at β = 1.
    Sml,
    /// SML with parallel tempering on a fixed ladder.
    Pt,
    /// SML with adaptive parallel tempering.
    Apt,
    /// Independent samples, drawn exactly by enumerating the hidden states.
    Exact,
}

/// The path between the hot end and the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathKind {
    /// Chosen from the size of the hidden layer.
    Auto,
    /// The paper's.
    Joint,
    /// From the data's marginals.
    BaseRate,
    /// p(h)^β.
    HiddenMarginal,
}

/// How the learning rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LrDecay {
    /// It does not.
    Constant,
    /// Linearly to zero at the last update.
    Linear,
    /// Held for 30 % of the updates, then linearly to zero.
    HoldLinear,
    /// As 1/t, halved after a tenth of the updates.
    Inverse,
}

/// Which gradient is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GradientKind {
    /// The paper's Eq. 2 as it stands.
    Plain,
    /// The gradient in the parametrisation with centered units: better conditioned.
    Centered,
}

/// What is done about the likelihood at the end of a run whose model cannot be enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinalLikelihood {
    /// It is estimated, with little effort.
    Estimate,
    /// Nothing.
    ExactOnly,
}

/// The options of a run. Whatever is `None` is chosen by
/// [`Config::check`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[allow(missing_docs)] // the command line's help text documents each option
pub struct Config {
    pub data: Option<String>,
    pub valid: Option<String>,
    pub test: Option<String>,
    pub split: Option<Split>,
    pub drop: Option<LeftOut>,
    pub binarise: Binarise,
    pub shape: Option<ImageShape>,
    pub constant_columns: ConstantColumns,
    pub algorithm: Algorithm,
    pub path: PathKind,
    pub swap: Option<SwapOn>,
    pub hidden: usize,
    pub rungs: Option<usize>,
    pub spacing: Spacing,
    pub columns: Option<usize>,
    pub particles: Option<usize>,
    pub k: usize,
    pub temper_every: u64,
    pub batch: usize,
    pub updates: u64,
    pub sampling_steps: u64,
    pub lr: f64,
    pub lr_decay: LrDecay,
    pub momentum: f64,
    pub weight_decay: f64,
    pub l1: f64,
    pub smooth: f64,
    pub gradient: GradientKind,
    pub average: Option<u64>,
    pub patience: Option<u64>,
    pub init_std: Option<f64>,
    pub respace: Respace,
    pub beta_lr: f64,
    pub min_swap: f64,
    pub min_rungs: usize,
    pub max_rungs: usize,
    pub spawn_every: u64,
    pub burn_in: u64,
    pub seed: u64,
    pub data_seed: u64,
    pub metrics_every: Option<u64>,
    pub likelihood_every: Option<u64>,
    pub final_likelihood: FinalLikelihood,
    pub checkpoint_every: u64,
}

/// The defaults for the paper's mixture: its batches and its number of updates.
impl Default for Config {
    fn default() -> Config {
        Config {
            data: None,
            valid: None,
            test: None,
            split: None,
            drop: None,
            binarise: Binarise::AsIs,
            shape: None,
            constant_columns: ConstantColumns::Auto,
            algorithm: Algorithm::Apt,
            path: PathKind::Auto,
            swap: None,
            hidden: 10,
            rungs: None,
            spacing: Spacing::Linear,
            columns: None,
            particles: None,
            k: 1,
            temper_every: 1,
            batch: 5,
            updates: 100_000,
            sampling_steps: 0,
            lr: 0.01,
            lr_decay: LrDecay::Linear,
            momentum: 0.0,
            weight_decay: 0.0,
            l1: 0.0,
            smooth: 0.0,
            gradient: GradientKind::Centered,
            average: None,
            patience: None,
            init_std: None,
            respace: Respace::Flow,
            beta_lr: 1e-4,
            min_swap: 0.4,
            min_rungs: 4,
            max_rungs: 100,
            spawn_every: 1000,
            burn_in: 100,
            seed: 1,
            data_seed: 1,
            metrics_every: None,
            likelihood_every: None,
            final_likelihood: FinalLikelihood::Estimate,
            checkpoint_every: 1000,
        }
    }
}

/// The precision of the prior that draws neighbouring pixels together, for the likelihood of all examples
/// together: in a gradient that is a mean over the examples it is divided by their number.
const SMOOTHNESS: f64 = 15.0;

/// The most that this comes to for few examples.
const MOST_SMOOTHNESS: f64 = 0.05;

/// How many updates, and how large the first of them are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Updates.
    pub updates: u64,
    /// The learning rate that they begin with.
    pub lr: f64,
}

impl Config {
    /// The defaults for a file of examples. They come from binarized MNIST, Caltech Silhouettes and
    /// NLTCS, see RESULTS.md.
    pub fn for_a_file() -> Config {
        Config {
            batch: 100,
            particles: Some(500),
            lr: 0.05,
            lr_decay: LrDecay::HoldLinear,
            l1: 1e-4,
            ..Config::default()
        }
    }

    /// Whatever follows from the data and from other options, unless it `is_chosen` by the option's name: the
    /// particles, the pace and, for pictures, the penalty on differences between neighbouring pixels. The mixture needs nothing.
    pub fn suit(&mut self, data: &Dataset, is_chosen: impl Fn(&str) -> bool) {
        let Some(examples) = data.examples() else { return };
        if !is_chosen("particles") {
            // One a column at least, however many columns somebody wants.
            self.particles = self.particles.max(self.columns);
        }
        if !is_chosen("smooth") && (self.shape.is_some() || data.pictures().is_some()) {
            self.smooth = (SMOOTHNESS / examples as f64).min(MOST_SMOOTHNESS);
            if !is_chosen("l1") {
                // The two share the work.
                self.l1 /= 2.0;
            }
        }
        let updates = is_chosen("updates").then_some(self.updates);
        let pace = Config::pace_for(examples, self.batch, self.smooth > 0.0, updates);
        self.updates = pace.updates;
        if !is_chosen("lr") {
            self.lr = pace.lr;
        }
        if !is_chosen("smooth") {
            self.smooth = self.smooth.min(self.most_smoothness());
        }
    }

    /// The strongest penalty on differences between neighbouring pixels that updates can follow. Where a
    /// weight differs from all four neighbours, and they from it, an update takes eight times rate and
    /// penalty off the difference; more than all of it would be too much.
    pub(super) fn most_smoothness(&self) -> f64 {
        (1.0 - self.momentum) / (8.0 * self.lr)
    }

    /// The pace for a file of so many examples, which comes from the same work: 200 passes over them at
    /// a rate of 0.05, up to 100 000 updates. A small file would be learned by heart in more of them,
    /// and in fewer and larger ones the samples could not follow: it gets 40 000 smaller steps that lead
    /// as far. So do other numbers of updates, if one is chosen. Where the weights of neighbouring pixels are
    /// held together it takes 500 passes to learn a file by heart.
    pub fn pace_for(examples: usize, batch: usize, smooth: bool, chosen: Option<u64>) -> Pace {
        let passes: u64 = if smooth { 500 } else { 200 };
        let batches = examples.div_ceil(batch.max(1)) as u64;
        let wanted = batches.saturating_mul(passes).clamp(5_000, 100_000);
        let updates = chosen.unwrap_or(wanted.max(40_000));
        let lr = 0.05 * (wanted as f64 / updates as f64);
        Pace { updates, lr: lr.clamp(0.01, 0.05) }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_kernels::BitMatrix;

    use super::*;
    use crate::data::Table;

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
        Dataset::Table(Table::new("pictures", bits))
    }

    fn suited(data: &Dataset, chosen: &[&str], config: Config) -> Config {
        let mut config = config;
        config.suit(data, |name| chosen.contains(&name));
        config
    }

    #[test]
    fn pictures_are_smooth_by_default() {
        let data = pictures(3000, 64);
        let Config { smooth, l1, updates, lr, .. } = suited(&data, &[], Config::for_a_file());
        assert_eq!((smooth, l1, updates), (15.0 / 3000.0, 5e-5, 40_000));
        assert!((lr - 0.05 * 15_000.0 / 40_000.0).abs() < 1e-12, "500 passes of 30 batches");

        let chosen = Config { smooth: 0.0, lr: 0.3, ..Config::for_a_file() };
        let kept = suited(&data, &["smooth", "lr"], chosen);
        assert_eq!((kept.smooth, kept.l1, kept.lr), (0.0, 1e-4, 0.3));
        let kept = suited(&data, &["smooth"], Config::for_a_file());
        assert_eq!(kept.lr, 0.01, "200 passes would be 0.0075");
        assert_eq!(suited(&data, &["l1"], Config::for_a_file()).l1, 1e-4);
    }

    #[test]
    fn tables_are_not() {
        let data = pictures(3000, 65);
        let table = suited(&data, &[], Config::for_a_file());
        assert_eq!((table.smooth, table.l1, table.updates), (0.0, 1e-4, 40_000));
        let shape = "13x5".parse().ok();
        let shaped = suited(&data, &["shape"], Config { shape, ..Config::for_a_file() });
        assert!(shaped.smooth > 0.0, "somebody says that they are");
        let mixture = suited(&Dataset::mixture(1), &[], Config::default());
        assert_eq!(mixture, Config::default());
    }

    /// Nobody is told of a penalty that is too strong and that nobody chose.
    #[test]
    fn few_pictures_and_large_rates_are_not_refused() {
        for lr in [0.05, 1.0, 100.0, 1e30] {
            let config = Config { lr, momentum: 0.9, ..Config::for_a_file() };
            let config = suited(&pictures(18, 64), &["lr"], config);
            assert!(config.check(64).is_ok(), "{lr}: {}", config.smooth);
        }
    }
}
