//! The page about one run.

use maud::{Markup, html};

use super::ladder_history::ladder_figure;
use super::numbers::key_numbers;
use super::pictures::{Layout, filters_figure, mode_distance, modes_figure, samples_figure};
use super::reading::RunRecord;
use super::run_figures::{flow_figure, likelihood_figure, round_trip_figure, swap_figure};
use super::samples::{Drawn, draw};
use super::warnings::{Signs, sentence, warnings};
use super::{figure_block, page};
use crate::figure::Figure;
use isotherm::data::{ImageShape, Mixture};
use isotherm::likelihood::LogLikelihood;
use isotherm::options::Algorithm;
use isotherm_run::DataOptions;

/// What a page shows, before it is laid out.
pub(crate) struct Contents {
    /// Its figures.
    pub(crate) figures: Vec<Figure>,
    /// What a reader should know before trusting the run.
    pub(crate) warnings: Vec<String>,
    /// What could not be read or drawn.
    pub(crate) notes: Vec<String>,
}

/// Everything there is to show about a run.
pub(crate) fn contents(record: &RunRecord) -> Contents {
    let mut notes = record.notes.clone();
    let drawn = draw(record).unwrap_or_else(|error| {
        notes.push(format!("No samples could be drawn: {error}."));
        None
    });
    let (rows, config, ladder) = (&record.rows, record.config.as_ref(), record.ladder());
    let sampling = record.sampling_begins();
    let options = config.map(|config| &config.options);
    let adaptive = options.filter(|it| it.sampler.algorithm == Algorithm::Apt);
    let wanted = adaptive.map(|it| it.ladder.min_swap);
    let mut figures = Vec::new();
    figures.extend(likelihood_figure(rows, record.limit()));
    figures.extend(ladder_figure(rows, record.total_steps(), sampling, wanted));
    figures.extend(ladder.map(flow_figure));
    figures.extend(ladder.map(swap_figure));
    figures.extend(round_trip_figure(rows, record.total_steps(), sampling));
    figures.extend(pictures(record, drawn.as_ref(), &mut notes));
    if rows.is_empty() {
        notes.push("No row of metrics is written yet, so there are no curves.".to_owned());
    } else if ladder.is_none() {
        notes.push("This run has no ladder: its algorithm samples at β = 1 only.".to_owned());
    }
    if record.summary.as_ref().is_some_and(|it| it.log_likelihood.is_some())
        && rows.iter().all(|row| row.likelihood().is_none())
    {
        notes.push(
            "The log-likelihood was measured at the end only, so it has no curve; \
             --likelihood-every asks for one."
                .to_owned(),
        );
    }
    let measured = record.summary.as_ref().and_then(|it| it.log_likelihood.as_ref());
    if let Some(verdict) = measured.and_then(LogLikelihood::verdict).filter(|it| it.converged) {
        notes.push(format!("The log-likelihood is estimated; it has {}.", verdict.sentence));
    }
    Contents { figures, warnings: warnings_of(record, drawn.as_ref()), notes }
}

/// What a reader should know before trusting a run.
pub(crate) fn warnings_of(record: &RunRecord, drawn: Option<&Drawn>) -> Vec<String> {
    let model = record.model.as_ref().map(|file| &file.model);
    let signs = Signs {
        rows: &record.rows,
        options: record.config.as_ref().map(|config| &config.options),
        last_step: record.last_step(),
        finished: record.summary.is_some(),
        likelihood: record.summary.as_ref().and_then(|it| it.log_likelihood.as_ref()),
        averaged: record.summary.as_ref().and_then(|it| it.log_likelihood_averaged.as_ref()),
        units: model.map(|model| (model.n_visible(), model.n_hidden())),
        activations: drawn.map(|drawn| (&drawn.activations[..], drawn.v.rows())),
        mode_distance: drawn
            .zip(mixture_of(record))
            .map(|(drawn, it)| mode_distance(&it, &drawn.v)),
    };
    let found = warnings(&signs);
    let said = record.summary.iter().flat_map(|summary| &summary.warnings);
    let said = said.map(|it| sentence(it));
    let others: Vec<String> = said.filter(|it| !is_among(it, &found)).collect();
    found.into_iter().chain(others).collect()
}

/// Whether one of the rules says what the run said itself, or says it with more detail.
fn is_among(said: &str, found: &[String]) -> bool {
    let subjects = ["no replica", "no likelihood", "not converged"];
    let names = |it: &str, subject: &str| it.to_lowercase().contains(subject);
    let alike = |it: &String| subjects.iter().any(|of| names(said, of) && names(it, of));
    found.iter().any(|it| it == said || alike(it))
}

fn pictures(record: &RunRecord, drawn: Option<&Drawn>, notes: &mut Vec<String>) -> Vec<Figure> {
    let Some(file) = &record.model else { return Vec::new() };
    let layout = Layout::of(shape_of(record), file.model.n_visible());
    let mut figures = Vec::new();
    match filters_figure(&file.model, layout) {
        Some(figure) => figures.push(figure),
        None => notes.push(format!(
            "Filters and samples are left out: {} visible units in a row are too many to show, and \
             no square; `shape = \"WIDTHxHEIGHT\"` in config.toml says what images they are.",
            file.model.n_visible()
        )),
    }
    if let Some(Drawn { v, how, .. }) = drawn {
        figures.extend(samples_figure(v, how, layout));
        figures.extend(mixture_of(record).map(|mixture| modes_figure(&mixture, v)));
    }
    figures
}

/// The built-in mixture, if the run learns from it.
fn mixture_of(record: &RunRecord) -> Option<Mixture> {
    let config = record.config.as_ref().filter(|config| config.data.train.is_none())?;
    Some(Mixture::new(config.data.data_seed))
}

/// The shape of the images, where it is known: given, or that of the built-in mixture.
fn shape_of(record: &RunRecord) -> Option<ImageShape> {
    let config = record.config.as_ref()?;
    config.options.shape.or_else(|| config.data.train.is_none().then(Mixture::shape))
}

/// The page about a run.
pub(crate) fn run_page(record: &RunRecord, contents: &Contents) -> String {
    let name = record.name();
    let body = html! {
        h1 { "Run " (name) }
        (numbers(record))
        (list_of_warnings(&contents.warnings))
        (notes(&contents.notes))
        @for figure in &contents.figures { (figure_block(figure)) }
        (configuration(record))
        (reproducibility(record))
    };
    page(&format!("Run {name}"), body)
}

fn numbers(record: &RunRecord) -> Markup {
    let known = key_numbers(record).into_iter().filter_map(|it| Some((it.name, it.text?)));
    html! {
        dl.numbers {
            @for (name, text) in known { div { dt { (name) } dd { (text) } } }
        }
    }
}

/// A sentence with what stands between backticks as code.
fn with_commands(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The warnings, or a word that there is none.
pub(crate) fn list_of_warnings(warnings: &[String]) -> Markup {
    html! {
        @if warnings.is_empty() {
            p { span.verdict.holds { "No warnings" } }
        } @else {
            ul.warnings { @for warning in warnings { li { (with_commands(warning)) } } }
        }
    }
}

/// What could not be read or shown.
pub(crate) fn notes(notes: &[String]) -> Markup {
    html! {
        @if !notes.is_empty() {
            ul.notes { @for note in notes { li { (with_commands(note)) } } }
        }
    }
}

fn configuration(record: &RunRecord) -> Markup {
    let text = std::fs::read(record.folder.config()).unwrap_or_default();
    html! {
        details {
            summary { "Configuration" }
            pre { code { (String::from_utf8_lossy(&text)) } }
        }
    }
}

/// How to get the same run again.
fn reproducibility(record: &RunRecord) -> Markup {
    let folder = record.folder.path();
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let path = folder.join("config.toml").display().to_string();
    // Only a NUL byte cannot be quoted, and no path has one.
    let quoted = shlex::try_quote(&path).unwrap_or((&path).into());
    let data = match record.config.as_ref().map(|config| &config.data) {
        Some(DataOptions { train: Some(path), binarise, split, data_seed, .. }) => {
            let part = split.map(|split| format!(", split {split} by data seed {data_seed}"));
            format!("{path}, binarised {binarise}{}", part.unwrap_or_default())
        }
        Some(data) => format!("the built-in mixture, data seed {}", data.data_seed),
        None => "unknown".to_owned(),
    };
    let version = match &record.summary {
        Some(summary) => summary.version.clone(),
        None => format!("{} (of this report)", env!("CARGO_PKG_VERSION")),
    };
    html! {
        h2 { "To repeat this run" }
        pre { code { "isotherm train --config " (quoted) " --out NEW" } }
        p {
            "gives the same bytes, but for clocks and this page, whatever the number of threads."
        }
        table.figures {
            @if let Some(config) = &record.config { tr { th { "seed" } td { (config.options.seed) } } }
            tr { th { "version of isotherm" } td { (version) } }
            tr { th { "data" } td { (data) } }
            @if let Some(digest) = &record.data_digest {
                tr { th { "SHA-256 of the examples" } td { code { (digest) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_among;

    /// Said once, and never left out because a rule might have said it.
    #[test]
    fn what_the_run_said_is_there_once() {
        let found = ["The log-likelihood has not converged: no round trips.".to_owned()];
        assert!(is_among("log-likelihood not converged: no round trips", &found));
        let trips = "no replica completed a round trip between the ends of the ladder";
        assert!(!is_among(trips, &found));
        assert!(is_among(trips, &["No replica completed a round trip in 9 steps.".to_owned()]));
        assert!(!is_among("stopped after 5 of 10 updates", &found));
    }
}
