//! The arguments. Those of `train` that a configuration file may hold as well follow from the table of options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::options::{TrainOptions, count, size};

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

A configuration file has the same names, with or without the sections that a run's config.toml has:
`hidden = 20`, `[optimiser] lr = 0.1`, …; DATA is `[data] train`. Options on the command line win.")]
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
