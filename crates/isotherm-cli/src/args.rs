//! The arguments. Options of `train` have the names that they have in a configuration file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde::Serialize;

#[derive(Parser)]
#[command(
    name = "isotherm",
    version,
    about = "Trains Restricted Boltzmann Machines by maximum likelihood, with a tempering ladder \
             that tunes itself",
    after_help = "Examples:\n  isotherm train                              the paper's mixture, \
                  10 hidden units\n  isotherm train votes.csv --hidden 16        your own 0/1 data\n  \
                  isotherm data votes.csv                     what is in a file\n  \
                  isotherm resume runs/mixture-apt-1          go on with an interrupted run\n  \
                  isotherm evaluate runs/mixture-apt-1        its log-likelihood\n  \
                  isotherm sample runs/mixture-apt-1 -n 100 --out samples.npy\n  \
                  isotherm report runs/a runs/b               two runs side by side\n  isotherm reproduce --quick --out paper      the paper's experiment, in small"
)]
pub(crate) struct CommandLine {
    /// Threads to use; all cores if absent. Results do not depend on it
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print no progress and no summary, only errors and what was asked for
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Train a model
    Train(Box<TrainArguments>),
    /// Print what a file of data holds, and how to train on it
    Data(DataArguments),
    /// Go on with a run that was interrupted or killed
    Resume(ResumeArguments),
    /// Draw samples from the model of a run, or from a model file
    Sample(SampleArguments),
    /// Measure the log-likelihood of the model of a run, or of a model file
    Evaluate(EvaluateArguments),
    /// Draw the report of a run again, or set several runs side by side
    Report(ReportArguments),
    /// Run the paper's experiment again, draw its figures and test its claims
    Reproduce(ReproduceArguments),
}

#[derive(Args)]
#[command(allow_negative_numbers = true)] // so that the library says what is wrong with `--lr -1`
#[command(after_help = "Examples:
  isotherm train
  isotherm train votes.npy --hidden 20 --batch 50 --updates 2e5 --out runs/votes
  isotherm train nltcs.npz:train --valid nltcs.npz:valid --test nltcs.npz:test
  isotherm train votes.csv --drop id,party --split 0.8/0.1/0.1
  isotherm train digits.npy.gz --binarise threshold:0.5 --hidden 500
  isotherm train --algorithm pt --path joint --rungs 50 --lr 1e-3 --lr-decay constant
  isotherm train --config experiment.toml --seed 7

A configuration file has the same names: `algorithm = \"apt\"`, `lr-decay = \"linear\"`, …
Options on the command line win over the file.")]
pub(crate) struct TrainArguments {
    /// Folder of the run; a new one under runs/ if absent
    #[arg(long, value_name = "RUN")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the run in that folder, if there is one
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// TOML file with options
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: TrainOptions,
}

/// Options that a configuration file may hold as well.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct TrainOptions {
    /// Data, a row for each example; the paper's mixture if absent. FILE:NAME names one of several
    /// arrays in a file
    pub(crate) data: Option<String>,
    /// Data to watch: likelihoods are measured on them, nothing is learned from them
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    valid: Option<String>,
    /// Data to keep for the end
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    test: Option<String>,
    /// Cut the one file instead: shares of train/valid or train/valid/test, such as 0.8/0.1/0.1,
    /// dealt at random by --data-seed
    #[arg(long, value_name = "SHARES", help_heading = "Data")]
    split: Option<String>,
    /// Columns to leave out, such as labels or numbers of rows: their numbers from 1 on, ranges of these, or
    /// their names in a header, such as 1,4-6,class; of --valid and --test too
    #[arg(long, value_name = "COLUMNS", help_heading = "Data")]
    drop: Option<String>,
    /// How values become 0 and 1: as-is (they are), threshold:0.5 (1 above that share of 1 or of 255,
    /// as the training data have it; from 1 on, above that value), static:SEED (drawn once with the intensity as probability) or
    /// dynamic (drawn anew every epoch). Likelihoods under different ones do not compare
    /// [default: as-is]
    #[arg(long, value_name = "RULE", help_heading = "Data")]
    binarise: Option<String>,

    /// What to do about columns that never change: refuse the data, keep the columns, or keep them in
    /// pictures (squares from 8x8 on whose mean is smooth, or a --shape) and refuse them in tables
    /// [default: auto]
    #[arg(long, value_parser = ["auto", "refuse", "keep"], help_heading = "Data")]
    constant_columns: Option<String>,

    /// Width and height of the images that the examples are, row by row, for the report's pictures and
    /// for --smooth; a square is guessed where the number of columns allows one
    #[arg(long, value_name = "WIDTHxHEIGHT", help_heading = "Data")]
    shape: Option<String>,

    /// Where negative samples come from: contrastive divergence, persistent samples, a fixed
    /// ladder, an adaptive ladder, or exact ones by enumerating up to 16 hidden units [default: apt]
    #[arg(long, value_parser = ["cd", "sml", "pt", "apt", "exact"], help_heading = "Sampler")]
    algorithm: Option<String>,
    /// What lies between the hot end and the model: exp(−βE) down to uniform (the paper's), down
    /// to the data's marginals, or p(h)^β [default: auto, hidden-marginal if the hidden units are at
    /// most 32 and not more than the visible ones, else base-rate]
    #[arg(long, value_parser = ["auto", "joint", "base-rate", "hidden-marginal"], help_heading = "Sampler")]
    path: Option<String>,
    /// Swap on joint energies, or with the hidden units summed out [default: energy on the joint
    /// path, else free-energy; the hidden-marginal path sums the visible units out anyway]
    #[arg(long, value_parser = ["energy", "free-energy"], help_heading = "Sampler")]
    swap: Option<String>,
    /// Rungs of the ladder at the start [default: 10]
    #[arg(long, value_parser = size, help_heading = "Sampler")]
    rungs: Option<usize>,
    /// Spacing of the rungs at the start [default: linear]
    #[arg(long, value_parser = ["linear", "geometric"], help_heading = "Sampler")]
    spacing: Option<String>,
    /// Columns of replicas that share the ladder [default: 16, or as many as --batch for the mixture;
    /// without a ladder as many as --particles]
    #[arg(long, value_parser = size, help_heading = "Sampler")]
    columns: Option<usize>,
    /// Samples at β = 1 an update: at least one a column, and spare ones that take turns on the ladder
    /// [default: 500, or as many as --columns for the mixture]
    #[arg(long, value_parser = size, help_heading = "Sampler")]
    particles: Option<usize>,
    /// Gibbs steps an update [default: 1]
    #[arg(long, value_parser = size, help_heading = "Sampler")]
    k: Option<usize>,
    /// Updates from one step of the ladder to the next; between them the samples at β = 1 go on by
    /// plain Gibbs steps, and the ladder neither moves nor adapts [default: 1]
    #[arg(long, value_parser = count, help_heading = "Sampler")]
    temper_every: Option<u64>,

    /// Hidden units [default: 10]
    #[arg(long, value_parser = size, help_heading = "Learning")]
    hidden: Option<usize>,
    /// Examples in a minibatch [default: 100, 5 for the mixture]
    #[arg(long, value_parser = size, help_heading = "Learning")]
    batch: Option<usize>,
    /// Updates of the model [default: 200 passes over the file, 500 of pictures, at least 40000 and at most
    /// 100000; 100000 for the mixture]
    #[arg(long, value_parser = count, help_heading = "Learning")]
    updates: Option<u64>,
    /// Steps of sampling after the last update, the ladder still adapting [default: 0]
    #[arg(long, value_parser = count, help_heading = "Learning")]
    sampling_steps: Option<u64>,
    /// Learning rate [default: 0.05, or in proportion less where there are more updates than those
    /// passes over the file take, down to 0.01; 0.01 for the mixture]
    #[arg(long, help_heading = "Learning")]
    lr: Option<f64>,
    /// How it falls: not, linearly to 0, held for 30 % of the updates and then linearly, or as 1/t
    /// [default: hold-linear, linear for the mixture]
    #[arg(long, value_parser = ["constant", "linear", "hold-linear", "inverse"], help_heading = "Learning")]
    lr_decay: Option<String>,
    /// Momentum [default: 0]
    #[arg(long, help_heading = "Learning")]
    momentum: Option<f64>,
    /// L2 decay of the weights, a penalty of half of this times the sum of their squares [default: 0]
    #[arg(long, help_heading = "Learning")]
    weight_decay: Option<f64>,
    /// L1 penalty on the weights: rate times this, over 1 − momentum, is taken off each at every update
    /// [default: 1e-4, half of it beside the default of --smooth, 0 for the mixture]
    #[arg(long, help_heading = "Learning")]
    l1: Option<f64>,
    /// Penalty on differences between the weights of neighbouring pixels, where the examples are images:
    /// half of this times the sum of their squares [default: 15 over the number of examples, at most
    /// 0.05, for pictures (squares from 8x8 on whose mean is smooth, or a --shape), otherwise 0]
    #[arg(long, value_name = "STRENGTH", help_heading = "Learning")]
    smooth: Option<f64>,
    /// Follow the gradient as it stands or with centered units [default: centered]
    #[arg(long, value_parser = ["plain", "centered"], help_heading = "Learning")]
    gradient: Option<String>,
    /// Updates that the averaged parameters look back over [default: a twentieth of all]
    #[arg(long, value_parser = count, help_heading = "Learning")]
    average: Option<u64>,
    /// Stop when so many updates have brought no better likelihood of the validation data, and up to eight
    /// looks more where these have errors; the best model is kept in any case [default: go on to the end]
    #[arg(long, value_parser = count, help_heading = "Learning")]
    patience: Option<u64>,
    /// Standard deviation of the initial weights [default: 0.2 on the hidden-marginal path, else
    /// √(0.1 / hidden)]
    #[arg(long, help_heading = "Learning")]
    init_std: Option<f64>,
    /// Seed of everything but what --data-seed and static:SEED draw [default: 1]
    #[arg(long, value_parser = count, help_heading = "Learning")]
    seed: Option<u64>,
    /// Seed of the mixture's images, of --split, and of the one draw of --binarise dynamic that
    /// likelihoods are measured on [default: 1]
    #[arg(long, value_parser = count, help_heading = "Data")]
    data_seed: Option<u64>,

    /// Where the rungs move: f_up linear (the paper's), Katzgraber's feedback, equal rejection, or
    /// nowhere [default: flow]
    #[arg(long, value_parser = ["flow", "flow-sqrt", "rejection", "fixed"], help_heading = "Adaptation")]
    respace: Option<String>,
    /// The fraction of the way that rungs move at each step of the ladder [default: 1e-4]
    #[arg(long, help_heading = "Adaptation")]
    beta_lr: Option<f64>,
    /// Mean swap rate below which a rung is spawned [default: 0.4]
    #[arg(long, help_heading = "Adaptation")]
    min_swap: Option<f64>,
    /// Fewest rungs that retiring leaves [default: 4]
    #[arg(long, value_parser = size, help_heading = "Adaptation")]
    min_rungs: Option<usize>,
    /// Rungs beyond which none is spawned [default: 100]
    #[arg(long, value_parser = size, help_heading = "Adaptation")]
    max_rungs: Option<usize>,
    /// Steps of the ladder between two decisions to spawn or retire [default: 1000]
    #[arg(long, value_parser = count, help_heading = "Adaptation")]
    spawn_every: Option<u64>,
    /// Steps of the ladder after a spawn or a retirement in which the rungs stay [default: 100]
    #[arg(long, value_parser = count, help_heading = "Adaptation")]
    burn_in: Option<u64>,

    /// Steps between two rows of metrics [default: a 200th of the updates]
    #[arg(long, value_parser = count, help_heading = "Recording")]
    metrics_every: Option<u64>,
    /// Updates between two likelihoods, 0 for the end only: exact ones up to 16 units in the smaller
    /// layer, else as a small sampler of the averaged parameters follows them [default: every second
    /// row of metrics]
    #[arg(long, value_parser = count, help_heading = "Recording")]
    likelihood_every: Option<u64>,
    /// What to do at the end about the likelihood of a model that is too large to enumerate: estimate
    /// it within a minute or so, or nothing [default: estimate]
    #[arg(long, value_parser = ["estimate", "exact-only"], help_heading = "Recording")]
    final_likelihood: Option<String>,
    /// Steps between two checkpoints [default: 1000]
    #[arg(long, value_parser = count, help_heading = "Recording")]
    checkpoint_every: Option<u64>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm data votes.csv
  isotherm data nltcs.npz                            all of its arrays
  isotherm data nltcs.npz:train --test nltcs.npz:test
  isotherm data votes.csv --drop id,party
  isotherm data train-images-idx3-ubyte.gz --binarise threshold:0.5

NumPy (.npy, .npz), text (commas, semicolons, tabs or spaces, with or without a header), IDX, MATLAB
version 5 to 7 and Parquet are recognised by their content, each also gzipped. Rows are examples.")]
pub(crate) struct DataArguments {
    /// The file; FILE:NAME names one of several arrays in it
    pub(crate) file: String,
    /// Columns to leave out: numbers from 1 on, ranges, or names in a header, such as 1,4-6,class. The
    /// others are counted without them
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) drop: Option<String>,
    /// Look at what this rule makes of the values: as-is, threshold:0.5, static:SEED or dynamic
    #[arg(long, value_name = "RULE")]
    pub(crate) binarise: Option<String>,
    /// Other data: how many of its rows are in the file too?
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:
  isotherm resume runs/mixture-apt-1")]
pub(crate) struct ResumeArguments {
    /// Folder of the run
    pub(crate) run: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Example:
  isotherm sample runs/mixture-apt-1 -n 1000 --thin 20 --out samples.npy")]
pub(crate) struct SampleArguments {
    /// Folder of the run, or a safetensors file with W [visible, hidden], b (hidden) and c (visible)
    #[arg(value_name = "RUN|MODEL.safetensors")]
    pub(crate) run: PathBuf,
    /// Number of samples
    #[arg(short, long = "count", value_name = "N", value_parser = size, default_value = "100")]
    pub(crate) n: usize,
    /// File for the samples: N × visible, 0/1, uint8
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) out: PathBuf,
    /// Replace that file, if it exists
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Steps between two samples of a column
    #[arg(long, value_parser = count, default_value = "10")]
    pub(crate) thin: u64,
    /// Steps before the first sample, in which the ladder adapts, or one is laid where a run has none or
    /// has particles beside it; with 0 the replicas of a run with a ladder go on as they are
    #[arg(long, value_parser = count, default_value = "1000")]
    pub(crate) warm_up: u64,
    /// Seed of the samples
    #[arg(long, value_parser = count, default_value = "1")]
    pub(crate) seed: u64,
    /// Sample from the averaged parameters
    #[arg(long)]
    pub(crate) averaged: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm evaluate runs/votes --data votes-held-out.csv
  isotherm evaluate model.safetensors --data test.npy --train train.npy

Up to 25 units in the smaller layer log Z is enumerated. Beyond that it is estimated: annealed
importance sampling up from the base rates and down from samples, and BAR on the ladder of a tempered
sampler that starts at random states and at training data. The result is a bracket, and a verdict on
whether the sampler converged.")]
pub(crate) struct EvaluateArguments {
    /// Folder of the run, or a safetensors file with W [visible, hidden], b (hidden) and c (visible)
    #[arg(value_name = "RUN|MODEL.safetensors")]
    pub(crate) run: PathBuf,
    /// Part of the run's data to evaluate on [default: train]
    #[arg(long, value_parser = ["train", "valid", "test"], conflicts_with = "data")]
    pub(crate) on: Option<String>,
    /// Other data to evaluate on
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<String>,
    /// What a model file was trained on, for estimates of log Z [default: the data to evaluate on]
    #[arg(long, value_name = "FILE")]
    pub(crate) train: Option<String>,
    /// How values become 0 and 1, as for `isotherm train` [default: the run's rule; as-is for a model
    /// file]
    #[arg(long, value_name = "RULE")]
    pub(crate) binarise: Option<String>,
    /// Columns of --data and --train to leave out, as for `isotherm train` [default: those that the run left
    /// out; "" for none]
    #[arg(long, value_name = "COLUMNS", requires = "data")]
    pub(crate) drop: Option<String>,
    /// Evaluate the averaged parameters
    #[arg(long)]
    pub(crate) averaged: bool,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// How log Z is found: enumerated where it can be, or always, or estimated in any case
    #[arg(long, value_parser = ["auto", "exact", "estimate"], default_value = "auto", help_heading = "log Z")]
    pub(crate) log_z: String,
    /// Particles of annealing [default: 512, and more until the standard error is 0.1 nats, up to
    /// 2048]
    #[arg(long, value_parser = size, help_heading = "log Z")]
    pub(crate) particles: Option<usize>,
    /// Steps of annealing [default: 2000, or more where the weights call for it]
    #[arg(long, value_parser = size, help_heading = "log Z")]
    pub(crate) steps: Option<usize>,
    /// Steps of each of the two samplers, after as many to warm up [default: 3000, and 12000 where the
    /// two do not agree after that, or make fewer round trips than there are replicas]
    #[arg(long, value_parser = count, help_heading = "log Z")]
    pub(crate) sampling_steps: Option<u64>,
    /// A tenth of the work, whatever it shows
    #[arg(long, help_heading = "log Z")]
    pub(crate) quick: bool,
    /// Seed of the estimate
    #[arg(long, value_parser = count, default_value = "1", help_heading = "log Z")]
    pub(crate) seed: u64,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm report runs/mixture-apt-1                   writes runs/mixture-apt-1/report.html
  isotherm report runs/apt runs/pt --out apt-pt.html   sets the two side by side
  isotherm report runs/apt --figures figures           also writes figures/likelihood.svg, …

A run may be going on, interrupted or killed: the page shows what there is, and says so. It reads
nothing but the folders of the runs and needs no network to be looked at.")]
pub(crate) struct ReportArguments {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// The page [default: report.html in the folder of a single run, comparison.html here for
    /// several]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write each figure as an SVG file into this folder too
    #[arg(long, value_name = "FOLDER")]
    pub(crate) figures: Option<PathBuf>,
    /// Replace files of these names even if isotherm did not write them
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm reproduce --quick --out paper-quick      a tenth of the updates, 2 seeds
  isotherm reproduce --out paper                    all of it, about 10 minutes on 2 cores
  isotherm reproduce --out paper                    the same again: goes on after Ctrl-C

The runs go over all cores, one for each of --threads. DIR then holds report.html, claims.json,
claims.md, figures/ (SVG) and every run (runs/).")]
pub(crate) struct ReproduceArguments {
    /// Folder of the experiment; one that was interrupted goes on
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// A tenth of the updates and 2 seeds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Updates of each run; a fifth as many steps of sampling follow [default: 100000]
    #[arg(long, value_parser = count)]
    pub(crate) updates: Option<u64>,
    /// Seeds of each setting [default: 5]
    #[arg(long, value_parser = count)]
    pub(crate) seeds: Option<u64>,
}

/// A whole number, also written as 1e5 or 1_000.
fn count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    // TOML's integers end at 2^63.
    if let Ok(value) = digits.parse::<u64>() {
        return if value < 1 << 63 { Ok(value) } else { Err("not below 2^63".to_owned()) };
    }
    match digits.parse::<f64>() {
        Ok(value) if value < 0.0 => Err("below 0".to_owned()),
        Ok(value) if value > 2f64.powi(53) => Err("too large".to_owned()),
        Ok(value) if value.fract() == 0.0 => Ok(value as u64),
        _ => Err("not a whole number".to_owned()),
    }
}

fn size(text: &str) -> Result<usize, String> {
    usize::try_from(count(text)?).map_err(|_| "too large".to_owned())
}
