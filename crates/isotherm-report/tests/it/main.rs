//! Figures and pages, by their structure and in a real browser.
#![allow(clippy::unwrap_used, missing_docs)]

mod browser;
#[path = "../../../isotherm/tests/it/coins.rs"]
mod coins;
mod diagnostics;
mod figures;
mod known_density;
mod recorded_run;
mod report_in_browser;
mod run_report;
mod run_report_in_browser;
mod synthetic;
