//! Tests of the command line with the real binary, in one program.
#![allow(clippy::unwrap_used, missing_docs)]

mod bad_folders;
mod bad_input;
mod commands;
mod common;
mod data_command;
mod data_parts;
mod determinism;
mod earlier_version;
#[cfg(unix)]
mod failing_runs;
#[cfg(unix)]
mod kill_and_resume;
mod model_files;
#[cfg(unix)]
mod references;
#[cfg(unix)]
mod report;
mod reproduce;
mod same_everywhere;

#[path = "../../../isotherm-report/tests/it/browser.rs"]
mod browser;
