#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
//! Pages about runs: one about a single run, one that compares several.
//!
//! Reports read nothing but the folders of runs, in whatever state those are, take no lock, and
//! write nothing but themselves. What they show is made of rows of metrics by pure functions
//! (`run_figures.rs`, `ladder_history.rs`); [`page`] lays it out.

mod comparison;
mod diagnostics;
mod error;
pub mod figure;
#[cfg(test)]
mod fixtures;
pub mod ladder_history;
mod numbers;
mod output;
mod page;
mod palette;
pub mod pictures;
pub mod reading;
pub mod run_figures;
mod run_names;
mod run_page;
mod same_data;
mod samples;
mod side_by_side;

use std::path::{Path, PathBuf};

use crate::figure::Figure;
use isotherm::{Dialect, Result};
use isotherm_run::RunFolder;

pub use diagnostics::with_commands;
pub use error::{ReportError, name};
pub use output::Replace;
pub use output::{write as write_page, write_figures};
pub use page::{figure_block, page};

/// Where a report goes.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The page; in the run's folder, or `comparison.html`, if absent.
    pub page: Option<PathBuf>,
    /// A folder for the figures as SVG files, if they are wanted.
    pub figures: Option<PathBuf>,
    /// Whether files that isotherm did not write may be replaced.
    pub replace: Replace,
}

impl Default for Destination {
    /// The usual place, no figures, nothing replaced but earlier reports.
    fn default() -> Destination {
        Destination { page: None, figures: None, replace: Replace::OwnOnly }
    }
}

/// Writes the report of a run into its folder, and returns its path. Its sentences name options and commands in the words
/// of a front end.
pub fn write_report(run: &Path, dialect: &dyn Dialect) -> Result<PathBuf> {
    write_run(run, &Destination::default(), dialect)
}

/// Writes the report of one run, or the comparison of several, and returns its path.
pub fn write(
    runs: &[PathBuf],
    destination: &Destination,
    dialect: &dyn Dialect,
) -> Result<PathBuf> {
    match runs {
        [run] => write_run(run, destination, dialect),
        runs => write_comparison(runs, destination, dialect),
    }
}

/// Writes the report of a run, and returns its path.
fn write_run(run: &Path, destination: &Destination, dialect: &dyn Dialect) -> Result<PathBuf> {
    let folder = RunFolder::open(run)?;
    let path = destination.page.clone().unwrap_or_else(|| folder.report());
    output::check(&path, destination.replace)?;
    let record = reading::RunRecord::read(run, dialect)?;
    let contents = run_page::contents(&record, dialect);
    let page = run_page::run_page(&record, &contents, dialect);
    finish(path, &page, &contents.figures, destination)
}

/// Writes the page that compares several runs, and returns its path.
pub fn write_comparison(
    runs: &[PathBuf],
    destination: &Destination,
    dialect: &dyn Dialect,
) -> Result<PathBuf> {
    let path = destination.page.clone().unwrap_or_else(|| PathBuf::from("comparison.html"));
    output::check(&path, destination.replace)?;
    let read = |run: &PathBuf| reading::RunRecord::read(run, dialect);
    let records = runs.iter().map(read).collect::<Result<_>>()?;
    let comparison = comparison::Comparison::of(records);
    finish(path, &comparison.page(dialect), &comparison.figures, destination)
}

fn finish(
    path: PathBuf,
    page: &str,
    figures: &[Figure],
    destination: &Destination,
) -> Result<PathBuf> {
    if let Some(folder) = &destination.figures {
        write_figures(folder, figures, destination.replace)?;
    }
    output::write(&path, page)?;
    Ok(path)
}
