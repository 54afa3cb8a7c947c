//! The workloads: what is set up for each, and what one step of it is.

use std::path::Path;
use std::time::Instant;

use isotherm::data::Dataset;
use isotherm::likelihood::{Effort, measure};
use isotherm::model::{Initial, Rbm};
use isotherm::trainer::{TrainState, Trainer};
use isotherm_kernels::affine::{Grouping, affine_by_tiles};
use isotherm_kernels::bits::BitRows;
use isotherm_kernels::{BitMatrix, LANES, Level, Matrix, Tile};
use isotherm_run::Config;
use isotherm_tempering::threads::keep_awake;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::memory::{Memory, known_bytes};

/// A workload as the file describes it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Work {
    /// A step is an update. The training data are a file in the folder of data, the paper's mixture if absent.
    Train(Box<Config>),
    /// A step is a product of bits with weights.
    Products(Products),
    /// A step is the exact log-likelihood of all examples.
    Likelihood(Likelihood),
}

/// Rows of bits times an inputs × outputs matrix.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Products {
    data: String,
    outputs: usize,
    rows: usize,
}

/// A random model of the examples in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Likelihood {
    data: String,
    hidden: usize,
}

/// A workload that is set up.
pub(crate) enum Ready {
    Train { trainer: Box<Trainer>, state: Box<TrainState> },
    Products { words: Vec<u64>, rows: usize, weights: Matrix, bias: Matrix, out: Vec<Tile> },
    Likelihood { model: Rbm, data: Dataset },
}

/// What a slice of a workload came to.
#[derive(Serialize)]
pub(crate) struct Reply {
    /// The time that its steps took.
    seconds: f64,
    /// The part of it in which this thread was ready and another had the core.
    waited: f64,
    /// The CPU level of the kernels.
    level: &'static str,
    /// Rungs of the ladder after the last step, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    rungs: Option<usize>,
    /// What the process takes, where training is what it does.
    #[serde(flatten)]
    memory: Option<Memory>,
}

impl Work {
    pub(crate) fn prepare(&self, folder: &Path) -> Result<Ready> {
        match self {
            Work::Train(config) => {
                let data = match &config.data.train {
                    Some(name) => read(folder, name)?,
                    None => Dataset::mixture(config.data.data_seed),
                };
                let plan = config.check(data.n_visible()).map_err(|error| error.to_string())?;
                let state = Box::new(TrainState::new(&plan, &data.marginals()));
                Ok(Ready::Train { trainer: Box::new(Trainer::new(plan, data)), state })
            }
            Work::Products(Products { data, outputs, rows }) => {
                let examples = table(read(folder, data)?)?;
                let row = |row: usize| examples.row(row % examples.rows());
                let words = (0..examples.words_per_row())
                    .flat_map(|word| (0..*rows).map(move |r| row(r)[word]))
                    .collect();
                let initial = Initial { n_hidden: *outputs, std: 0.1, seed: 1 };
                let model = initial.model(&vec![0.5; examples.cols()]);
                Ok(Ready::Products {
                    words,
                    rows: *rows,
                    weights: model.parameters().w.clone(),
                    bias: model.parameters().b.clone(),
                    out: vec![Tile::ZERO; rows * outputs.div_ceil(LANES)],
                })
            }
            Work::Likelihood(Likelihood { data, hidden }) => {
                let data = read(folder, data)?;
                let initial = Initial { n_hidden: *hidden, std: 0.5, seed: 1 };
                Ok(Ready::Likelihood { model: initial.model(&data.marginals()), data })
            }
        }
    }
}

impl Ready {
    pub(crate) fn run(&mut self, steps: u64) -> Result<Reply> {
        let before = waited();
        let begun = Instant::now();
        keep_awake(|| (0..steps).try_for_each(|_| self.step()))?;
        let seconds = begun.elapsed().as_secs_f64();
        let waited = waited() - before;
        let level = Level::detect().name();
        let Ready::Train { trainer, state } = self else {
            return Ok(Reply { seconds, waited, level, rungs: None, memory: None });
        };
        let rungs = state.negative().ladder().map(|ladder| ladder.ladder().rungs());
        let memory = Memory::now(known_bytes(trainer.data(), state));
        Ok(Reply { seconds, waited, level, rungs, memory })
    }

    fn step(&mut self) -> Result<()> {
        match self {
            Ready::Train { trainer, state } => {
                trainer.step(state).map_err(|error| error.to_string())?;
            }
            Ready::Products { words, rows, weights, bias, out } => {
                // The call that the samplers make, in the layout that they keep.
                let (bits, grouping) =
                    (BitRows::by_words(words, *rows), Grouping::of(*rows, weights.rows()));
                let (bias, tiles) = (bias.tiles(), 0..weights.tiles_per_row());
                affine_by_tiles(Level::detect(), grouping, bits, weights, &[], bias, tiles, out);
                std::hint::black_box(&out);
            }
            Ready::Likelihood { model, data } => {
                let measured =
                    measure(model, data, Effort::Full).map_err(|error| error.to_string())?;
                std::hint::black_box(measured);
            }
        }
        Ok(())
    }
}

/// Seconds that this thread has waited for a core since it began; 0 if the system is silent.
fn waited() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').nth(1)?.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

fn read(folder: &Path, name: &str) -> Result<Dataset> {
    isotherm_data::read(&folder.join(name)).map_err(|error| error.to_string())
}

fn table(data: Dataset) -> Result<BitMatrix> {
    data.bits().cloned().ok_or_else(|| "products need a table of examples".into())
}
