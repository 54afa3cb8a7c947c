//! Figures and pages, by their structure and in a real browser.
#![allow(clippy::unwrap_used, missing_docs)]

mod browser;
mod diagnostics;
mod figures;
mod recorded_run;
mod report_in_browser;
mod run_report;
mod run_report_in_browser;
mod synthetic;
