//! The diagnostics of a run on a page.

use maud::{Markup, html};

use super::reading::RunRecord;
use isotherm::Dialect;
use isotherm::diagnostics::Diagnostic;
use isotherm_run::ModelSamples;
use isotherm_run::record::Summary;
use isotherm_run::record::diagnose::{Ending, Facts};

/// What a reader should know before trusting a run: what its summary says or, of a run that has none or whose summary
/// has only sentences, what the same rules find in its record.
pub(crate) fn diagnostics_of(
    record: &RunRecord,
    samples: Option<&ModelSamples>,
) -> Vec<Diagnostic> {
    let recorded = record.summary.as_ref().and_then(|summary| summary.diagnostics.clone());
    let mut found = recorded.unwrap_or_else(|| by_the_rules(record, samples));
    found.extend(record.previous_checkpoint.clone());
    found
}

/// Whether the summary of a run has its diagnostics, so that it needs no samples for them.
pub(crate) fn are_recorded(record: &RunRecord) -> bool {
    record.summary.as_ref().is_some_and(|summary| summary.diagnostics.is_some())
}

fn by_the_rules(record: &RunRecord, samples: Option<&ModelSamples>) -> Vec<Diagnostic> {
    let summary = record.summary.as_ref();
    let data = record.built_in();
    let modes = data.as_ref().and_then(|data| data.modes());
    Facts {
        rows: &record.rows,
        unreadable: &record.unreadable,
        options: record.config.as_ref().map(|config| &config.options),
        last_step: record.last_step(),
        model_written: record.folder.model().is_file(),
        stopped: record.stopped.as_ref(),
        ending: summary.map(|summary| Ending {
            likelihood: summary.log_likelihood.as_ref(),
            averaged: summary.log_likelihood_averaged.as_ref(),
            ..Ending::default()
        }),
        model: record.model.as_ref().map(|file| file.model.parameters()),
        samples: samples.map(|samples| samples.facts(modes)),
        at_start: &record.at_start,
    }
    .diagnose()
}

/// The sentences of a summary without typed diagnostics, as notes; some repeat what the rules find.
pub(crate) fn sentences_of_old(summary: Option<&Summary>) -> Vec<String> {
    let old = summary.filter(|summary| summary.diagnostics.is_none());
    let said = |summary: &Summary| {
        let version = summary.version.clone();
        let said = summary.warnings.clone().into_iter();
        said.map(move |sentence| format!("Its summary, by version {version}, says: {sentence}"))
    };
    old.into_iter().flat_map(said).collect()
}

/// The diagnostics as a list.
pub(crate) fn list(diagnostics: &[Diagnostic], dialect: &dyn Dialect) -> Markup {
    html! {
        ul.warnings {
            @for it in diagnostics {
                li data-kind=(it.kind()) { (with_commands(&it.words(dialect))) }
            }
        }
    }
}

/// The text for a run without warnings.
pub(crate) fn none() -> Markup {
    html! { p { span.verdict.holds { "No warnings" } } }
}

/// A sentence with what stands between backticks as code.
pub fn with_commands(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
