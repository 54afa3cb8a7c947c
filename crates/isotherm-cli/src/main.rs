#![forbid(unsafe_code)]
//! `isotherm`: the command line. It reads arguments, shows progress and sets exit codes; all
//! algorithms are in the libraries.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod args;
mod data;
mod error;
mod evaluate;
mod interrupt;
mod options;
mod output;
mod progress;
mod report;
mod reproduce;
mod resume;
mod sample;
mod stages;
mod train;
mod words;

use std::process::ExitCode;

use clap::Parser;

use args::{Command, CommandLine};
use error::CliError;

/// How a command ended.
pub(crate) enum Ending {
    /// It is done.
    Done,
    /// It was interrupted, and has told how to continue.
    Interrupted,
}

/// Exit code of a bad command or bad input; clap uses the same.
const FAILED: u8 = 2;
/// Exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A panic that is caught becomes an error.
        if !isotherm_data::formats::panics_are_caught() {
            hook(panic);
        }
    }));
    let line = CommandLine::parse();
    let result = with_threads(line.threads, || match &line.command {
        Command::Train(arguments) => train::run(arguments, line.quiet),
        Command::Data(arguments) => data::run(arguments),
        Command::Resume(arguments) => resume::run(arguments, line.quiet),
        Command::Sample(arguments) => sample::run(arguments, line.quiet),
        Command::Evaluate(arguments) => evaluate::run(arguments, line.quiet),
        Command::Reproduce(arguments) => reproduce::run(arguments, line.quiet),
        Command::Report(arguments) => report::run(arguments, line.quiet),
    });
    match result {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            output::tell(&format!("isotherm: {}", error.words(&words::CommandLineWords)));
            ExitCode::from(FAILED)
        }
    }
}

/// Runs the command in a pool of that many threads; all its work stays in the pool.
fn with_threads(
    threads: Option<u16>,
    command: impl FnOnce() -> isotherm::Result<Ending> + Send,
) -> isotherm::Result<Ending> {
    let threads = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| CliError::Threads { reason: error.to_string() })?;
    pool.install(command)
}
