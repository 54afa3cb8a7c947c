//! The page about one run.

use maud::{Markup, html};

use super::diagnostics::{self, diagnostics_of, sentences_of_old, with_commands};
use super::ladder_history::ladder_figure;
use super::numbers::key_numbers;
use super::pictures::{Layout, clusters_figure, filters_figure, modes_figure, samples_figure};
use super::reading::RunRecord;
use super::run_figures::{flow_figure, likelihood_figure, round_trip_figure, swap_figure};
use super::samples::{draw, how_drawn};
use super::{figure_block, page};
use crate::figure::Figure;
use isotherm::data::{Dataset, ImageShape};
use isotherm::diagnostics::Diagnostic;
use isotherm::likelihood::LogLikelihood;
use isotherm::options::name;
use isotherm::{Action, Dialect};
use isotherm_run::{DataOptions, ModelSamples};

/// What a page shows, before it is laid out.
pub(crate) struct Contents {
    /// Its figures.
    pub(crate) figures: Vec<Figure>,
    /// What a reader should know before trusting the run.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What could not be read or drawn.
    pub(crate) notes: Vec<String>,
}

/// Everything there is to show about a run.
pub(crate) fn contents(record: &RunRecord, dialect: &dyn Dialect) -> Contents {
    let mut notes = record.notes.clone();
    let drawn = draw(record).unwrap_or_else(|error| {
        notes.push(format!("No samples could be drawn: {}.", error.words(dialect)));
        None
    });
    let (rows, config, ladder) = (&record.rows, record.config.as_ref(), record.ladder());
    let sampling = record.sampling_begins();
    let options = config.map(|config| &config.options);
    let adaptive = options.filter(|it| it.sampler.algorithm.is_adaptive());
    let wanted = adaptive.map(|it| it.ladder.min_swap);
    let mut figures = Vec::new();
    figures.extend(likelihood_figure(rows, record.limit()));
    figures.extend(ladder_figure(rows, record.total_steps(), sampling, wanted));
    figures.extend(ladder.map(flow_figure));
    figures.extend(ladder.map(swap_figure));
    figures.extend(round_trip_figure(rows, record.total_steps(), sampling));
    figures.extend(pictures(record, drawn.as_ref(), &mut notes));
    let clusters = record.summary.as_ref().and_then(|summary| summary.clusters.as_ref());
    figures.extend(clusters.map(clusters_figure));
    if rows.is_empty() {
        notes.push("No row of metrics is written yet, so there are no curves.".to_owned());
    } else if ladder.is_none() {
        notes.push("This run has no ladder: its algorithm samples at β = 1 only.".to_owned());
    }
    if record.summary.as_ref().is_some_and(|it| it.log_likelihood.is_some())
        && rows.iter().all(|row| row.likelihood().is_none())
    {
        notes.push(format!(
            "The log-likelihood was measured only at the end, so there is no curve; {} sets how often it is \
             measured.",
            dialect.option(name::likelihood_every)
        ));
    }
    let measured = record.summary.as_ref().and_then(|it| it.log_likelihood.as_ref());
    if let Some(verdict) = measured.and_then(LogLikelihood::verdict).filter(|it| it.converged) {
        notes.push(format!("The log-likelihood is estimated; it has {}.", verdict.sentence));
    }
    notes.extend(sentences_of_old(record.summary.as_ref()));
    Contents { figures, diagnostics: diagnostics_of(record, drawn.as_ref()), notes }
}

fn pictures(
    record: &RunRecord,
    drawn: Option<&ModelSamples>,
    notes: &mut Vec<String>,
) -> Vec<Figure> {
    let Some(file) = &record.model else { return Vec::new() };
    let data = record.built_in();
    let layout = Layout::of(shape_of(record, data.as_ref()), file.model.n_visible());
    let mut figures = Vec::new();
    match filters_figure(&file.model, layout) {
        Some(figure) => figures.push(figure),
        None => notes.push(format!(
            "Filters and samples are left out: {} visible units in a row are too many to show, and they \
             do not form a square; `shape = \"WIDTHxHEIGHT\"` in config.toml gives the size of images.",
            file.model.n_visible()
        )),
    }
    if let Some(samples) = drawn {
        let step = record.saved_at.unwrap_or_else(|| record.last_step());
        figures.extend(samples_figure(&samples.v, &how_drawn(samples, step), layout));
        let modes = data.as_ref().and_then(Dataset::modes);
        figures.extend(modes.map(|modes| modes_figure(modes, &samples.v, layout)));
    }
    figures
}

/// The shape of the images, where it is known: given, or that of data that know it.
fn shape_of(record: &RunRecord, data: Option<&Dataset>) -> Option<ImageShape> {
    let given = record.config.as_ref().and_then(|config| config.options.shape);
    given.or_else(|| data.and_then(Dataset::shape))
}

/// The page about a run.
pub(crate) fn run_page(record: &RunRecord, contents: &Contents, dialect: &dyn Dialect) -> String {
    let name = record.name();
    let body = html! {
        h1 { "Run " (name) }
        (numbers(record))
        @if contents.diagnostics.is_empty() { (diagnostics::none()) }
        @else { (diagnostics::list(&contents.diagnostics, dialect)) }
        (notes(&contents.notes))
        @for figure in &contents.figures { (figure_block(figure)) }
        (configuration(record))
        (reproducibility(record, dialect))
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

/// The training data: the file and what was made of it, or the data that are built in, or the name under which
/// the run measured other data.
fn data_of(record: &RunRecord) -> Option<String> {
    let DataOptions { train, binarise, split, data_seed, .. } = &record.config.as_ref()?.data;
    if let Some(path) = train {
        let part = split.map(|split| format!(", split {split} by data seed {data_seed}"));
        return Some(format!("{path}, binarised {binarise}{}", part.unwrap_or_default()));
    }
    match record.built_in() {
        Some(data) => Some(format!("the built-in {}, data seed {data_seed}", data.name())),
        None => Some(record.summary.as_ref()?.log_likelihood.as_ref()?.on.clone()),
    }
}

/// How to get the same run again.
fn reproducibility(record: &RunRecord, dialect: &dyn Dialect) -> Markup {
    let folder = record.folder.path();
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let path = folder.join("config.toml").display().to_string();
    let data = data_of(record).unwrap_or_else(|| "unknown".to_owned());
    let version = match &record.summary {
        Some(summary) => summary.version.clone(),
        None => format!("{} (of this report)", env!("CARGO_PKG_VERSION")),
    };
    html! {
        h2 { "To repeat this run" }
        p {
            (with_commands(&dialect.action(&Action::Repeat(path))))
            " gives the same files, except for times and this page, with any number of threads."
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
