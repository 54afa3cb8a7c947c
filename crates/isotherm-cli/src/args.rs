//! The arguments of the commands. Options that the library declares follow from its tables.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use isotherm::likelihood::EvaluateOptions;
use isotherm::sampling::SampleOptions;
use isotherm_run::Config;
use isotherm_run::config::name;

use crate::options::{Given, as_for_train, count};

#[derive(Parser)]
#[command(
    name = "isotherm",
    version,
    about = "Trains Restricted Boltzmann Machines by maximum likelihood, with a tempering ladder \
             that tunes itself",
    after_help = "Examples:\n  isotherm train                              the paper's mixture, \
                  10 hidden units\n  isotherm train votes.csv --hidden 16        your own 0/1 data\n  \
                  isotherm data votes.csv                     what is in a file\n  \
                  isotherm resume runs/mixture-apt-1          continue an interrupted run\n  \
                  isotherm evaluate runs/mixture-apt-1        its log-likelihood\n  \
                  isotherm sample runs/mixture-apt-1 -n 100 --out samples.npy\n  \
                  isotherm report runs/a runs/b               two runs side by side\n  isotherm reproduce --quick --out paper      the paper's experiment, in small"
)]
pub(crate) struct CommandLine {
    /// Threads to use; all cores if absent. Results do not depend on it
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print no progress and no summary, only errors and requested results
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
    /// Continue a run that was interrupted or killed
    Resume(ResumeArguments),
    /// Draw samples from the model of a run, or from a model file
    Sample(SampleArguments),
    /// Measure the log-likelihood of the model of a run, or of a model file
    Evaluate(EvaluateArguments),
    /// Draw the report of a run again, or compare several runs
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
`hidden = 20`, `[optimiser] lr = 0.1`, …; DATA is `[data] train`. The command line overrides the file.")]
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
    pub(crate) options: Given<Config>,
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
    #[arg(
        long = name::drop.as_str(),
        value_name = "COLUMNS",
        help = as_for_train(name::drop, ". The others are counted without them"),
    )]
    pub(crate) drop: Option<String>,
    #[arg(
        long = name::binarise.as_str(),
        value_name = "RULE",
        help = as_for_train(name::binarise, " [default: a rule that suits the values]"),
    )]
    pub(crate) binarise: Option<String>,
    /// Test data: counts its rows that are also in the file
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
    /// File for the samples: N × visible, 0/1, uint8
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) out: PathBuf,
    /// Replace that file, if it exists
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Sample from the averaged parameters
    #[arg(long)]
    pub(crate) averaged: bool,
    #[command(flatten)]
    pub(crate) options: Given<SampleOptions>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm evaluate runs/votes --data votes-held-out.csv
  isotherm evaluate model.safetensors --data test.npy --train train.npy

log Z is enumerated up to 25 units in the smaller layer, and estimated beyond that. Two mixtures are
fitted to the data. Particles are annealed from each component of each mixture up to the model. Two
samplers run on a ladder from each mixture: one begun at draws of it, one at known states. Their
samples are annealed down. (For up to 32 hidden units, which are not more than the visible ones, the
second pair of samplers starts from uniform hidden states instead of a mixture.) The result is a
bracket, and a verdict on whether all of it agrees.")]
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
    /// Training data of a model file; log Z is estimated from them [default: the data to evaluate on]
    #[arg(long, value_name = "FILE")]
    pub(crate) train: Option<String>,
    #[arg(
        long = name::binarise.as_str(),
        value_name = "RULE",
        help = as_for_train(name::binarise, " [default: the run's rule; as-is for a model file]"),
    )]
    pub(crate) binarise: Option<String>,
    #[arg(
        long = name::drop.as_str(),
        value_name = "COLUMNS",
        requires = "data",
        help = as_for_train(
            name::drop,
            ". They are left out of --data and of --train [default: those that the run left out; \"\" for none]",
        ),
    )]
    pub(crate) drop: Option<String>,
    /// Evaluate the averaged parameters
    #[arg(long)]
    pub(crate) averaged: bool,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: Given<EvaluateOptions>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  isotherm report runs/mixture-apt-1                   writes runs/mixture-apt-1/report.html
  isotherm report runs/apt runs/pt --out apt-pt.html   compares the two
  isotherm report runs/apt --figures figures           also writes figures/likelihood.svg, …

A run may be in progress, interrupted or killed: the page shows what there is, and says so. Only the
folders of the runs are read, and the page needs no network.")]
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
  isotherm reproduce --out paper                    the same command continues after Ctrl-C

As many runs go in parallel as --threads says, one thread each. DIR then holds report.html, claims.json,
claims.md, figures/ (SVG) and every run (runs/).")]
pub(crate) struct ReproduceArguments {
    /// Folder of the experiment; an interrupted one is continued
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
