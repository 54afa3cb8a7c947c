//! All random numbers of a run: one stream for each purpose, index and step.
//!
//! Streams are made when they are needed and never stored, so a result cannot depend on the
//! number of threads or on where a run was interrupted.

use isotherm_kernels::{LaneRng, Level, stream_key};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream is for. The numbers are part of every result: never reuse or renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[non_exhaustive]
pub enum Purpose {
    /// Initial weights.
    Weights = 1,
    /// Initial states of the replicas.
    Replicas = 2,
    /// Gibbs sweeps.
    Sweep = 3,
    /// Swap decisions.
    Swap = 4,
    /// Units resampled after a swap that summed them out.
    Resample = 5,
    /// Visible units that a path draws only when it is asked for samples.
    Visible = 6,
    /// The order of the examples in an epoch.
    Shuffle = 7,
    /// The modes of the mixture.
    Modes = 8,
    /// Training examples of the mixture.
    Examples = 9,
    /// The mixture's examples for measuring the likelihood.
    Evaluation = 10,
    /// The first half step of contrastive divergence.
    Contrast = 11,
    /// The seed of a sampler that runs after training and must not repeat its random numbers.
    AfterTraining = 12,
    /// The hidden states that the perfect sampler chooses.
    Perfect = 13,
    /// Which persistent particle takes its turn on the ladder.
    Turn = 14,
    /// The seed of the sampler that estimates log Z along a run.
    OnlineLogZ = 15,
    /// A mixture that serves as reference: its fit, and draws from it.
    Mixture = 16,
    /// The seed of the training of a small RBM that serves as reference.
    SmallRbm = 17,
    /// The seeds of the parts of an estimate of log Z.
    LogZ = 20,
    /// The training examples that an evaluating sampler starts from, and their hidden units.
    Start = 21,
    /// The states from which an estimate of log Z explores a model.
    Explore = 22,
    /// The seed of the second of two samplers that samples are drawn by.
    SecondSampler = 24,
    /// Which examples of a file are for learning, which are held out.
    Split = 30,
    /// Some of many examples, where all would take too long.
    SomeRows = 35,
    /// How far chance takes weights of clusters from each other.
    Chance = 36,
    /// Which rows are held out together, to tell what is outside of all clusters.
    Folds = 37,
    /// Grey values that become zeros and ones once.
    StaticBinarise = 31,
    /// Grey values that are binarised again in every epoch.
    DynamicBinarise = 32,
    /// The one binarisation of such values on which likelihoods are measured.
    MeasuredBinarise = 33,
    /// The fingerprint of a file of grey values.
    Fingerprint = 34,
    /// The seed of a sampler of a user's target.
    Target = 40,
    /// Models with known log Z: their patterns and weights, the order of their units, and exact draws.
    KnownModel = 60,
}

impl Purpose {
    /// Its number in the name of a stream.
    pub fn number(self) -> u64 {
        self as u64
    }
}

/// Seed and step: the part of a random-number key that all replicas share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The run's seed.
    pub seed: u64,
    /// The step of the sampler.
    pub step: u64,
}

impl Key {
    /// The key of a sampler that runs after training: no stream of it is one of training's.
    pub fn after_training(seed: u64, step: u64) -> Key {
        Key { seed: stream_key(seed, Purpose::AfterTraining as u64, 0, 0), step }
    }

    /// The key of one part of an estimate of log Z: no stream of it is another part's, nor one of
    /// a run with the same seed.
    pub fn of_log_z(seed: u64, part: u64) -> Key {
        Key { seed: stream_key(seed, Purpose::LogZ as u64, part, 0), step: 0 }
    }

    /// The key of the second of two samplers that samples are drawn by.
    pub fn of_second_sampler(seed: u64) -> Key {
        Key { seed: stream_key(seed, Purpose::SecondSampler as u64, 0, 0), step: 0 }
    }

    /// The key of a sampler of somebody's own target.
    pub fn of_target(seed: u64) -> Key {
        Key { seed: stream_key(seed, Purpose::Target as u64, 0, 0), step: 0 }
    }

    /// Sixteen lanes of random numbers, for the kernels.
    pub fn lanes(self, purpose: Purpose, index: usize) -> LaneRng {
        LaneRng::new(stream_key(self.seed, purpose as u64, index as u64, self.step))
    }

    /// [`Key::lanes`] of the indices from `first` on.
    pub fn fill_lanes(self, purpose: Purpose, first: usize, out: &mut [LaneRng]) {
        LaneRng::fill(Level::detect(), self.seed, purpose as u64, first as u64, self.step, out);
    }

    /// One sequence of random numbers.
    pub fn sequence(self, purpose: Purpose, index: usize) -> Xoshiro256PlusPlus {
        let key = stream_key(self.seed, purpose as u64, index as u64, self.step);
        Xoshiro256PlusPlus::seed_from_u64(key)
    }
}
