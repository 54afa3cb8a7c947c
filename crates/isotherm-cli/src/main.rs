//! `isotherm`: the command line. It reads arguments, shows progress and sets exit codes; every
//! algorithm is in the library.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod args;
mod data;
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

/// What a command came to.
pub(crate) enum Ending {
    /// It did what it was asked.
    Done,
    /// It was interrupted, and has said how to go on.
    Interrupted,
}

/// Exit code of a bad command or bad input; clap uses the same.
const FAILED: u8 = 2;
/// Exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // What is caught is told as an error.
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

/// Runs the command inside a pool of that many threads, so that it never leaves it.
fn with_threads(
    threads: Option<u16>,
    command: impl FnOnce() -> isotherm::Result<Ending> + Send,
) -> isotherm::Result<Ending> {
    let threads = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        isotherm::Error::config(format!("cannot start the threads: {error}; lower --threads"))
    })?;
    pool.install(command)
}
