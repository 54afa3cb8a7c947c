//! The page that compares several runs.

use std::collections::BTreeSet;
use std::path::Path;

use maud::{Markup, html};

use super::diagnostics::{self, are_recorded, diagnostics_of, sentences_of_old};
use super::numbers::key_numbers;
use super::reading::RunRecord;
use super::run_names::run_names;
use super::run_page::notes as notes_list;
use super::same_data::SameData;
use super::samples::draw;
use super::side_by_side::{ladder_figure, likelihood_figure, rungs_figure};
use super::{figure_block, page};
use crate::figure::Figure;
use isotherm::Dialect;
use isotherm::diagnostics::Diagnostic;
use isotherm_run::Config;

/// Several runs, with names that tell them apart.
pub(crate) struct Comparison {
    /// The runs.
    pub(crate) runs: Vec<(String, RunRecord)>,
    /// Their figures.
    pub(crate) figures: Vec<Figure>,
    /// Whether their likelihoods compare.
    same_data: SameData,
}

impl Comparison {
    /// A comparison of runs.
    pub(crate) fn of(records: Vec<RunRecord>) -> Comparison {
        let folders: Vec<&Path> = records.iter().map(|record| record.folder.path()).collect();
        let names = run_names(&folders);
        let runs: Vec<(String, RunRecord)> = names.into_iter().zip(records).collect();
        let same_data = SameData::of(runs.iter().map(|(_, record)| record));
        let comparable = same_data == SameData::Yes;
        let likelihoods = comparable.then(|| likelihood_figure(&runs)).flatten();
        let figures = [likelihoods, ladder_figure(&runs), rungs_figure(&runs)];
        Comparison { figures: figures.into_iter().flatten().collect(), runs, same_data }
    }

    /// The page.
    pub(crate) fn page(&self, dialect: &dyn Dialect) -> String {
        let title = format!("{} runs side by side", self.runs.len());
        let body = html! {
            h1 { (title) }
            (self.numbers())
            (self.remarks(dialect))
            @for figure in &self.figures { (figure_block(figure)) }
            (self.differences())
        };
        page(&title, body)
    }

    fn numbers(&self) -> Markup {
        let columns: Vec<_> = self.runs.iter().map(|(_, record)| key_numbers(record)).collect();
        let first = columns.first().map_or(&[][..], |it| &it[..]);
        let has_any = |row: &usize| columns.iter().any(|numbers| numbers[*row].text.is_some());
        let comparable = self.same_data == SameData::Yes;
        let best = |row: usize| {
            let ranks = || columns.iter().filter_map(|numbers| numbers[row].rank);
            let best = ranks().fold(f64::NEG_INFINITY, f64::max);
            // Where all are equal, none is best.
            (comparable && ranks().any(|rank| rank < best)).then_some(best)
        };
        html! {
            table.figures {
                thead { tr {
                    th { }
                    @for (name, _) in &self.runs { th { (name) } }
                } }
                tbody {
                    @for row in (0..first.len()).filter(has_any) {
                        tr {
                            th { (first[row].name) }
                            @for numbers in &columns { (cell(&numbers[row].text, numbers[row].rank, best(row))) }
                        }
                    }
                }
            }
            @if comparable {
                p { "The best likelihood is bold, if they differ." }
            }
        }
    }

    /// What to know before comparing the runs, and then before trusting each of them.
    fn remarks(&self, dialect: &dyn Dialect) -> Markup {
        // Samples are drawn only where no summary has what they would show. The report of the run notes a failure.
        let of = |record: &RunRecord| {
            let drawn = if are_recorded(record) { None } else { draw(record).ok().flatten() };
            diagnostics_of(record, drawn.as_ref())
        };
        let found: Vec<(&String, Vec<Diagnostic>)> =
            self.runs.iter().map(|(name, record)| (name, of(record))).collect();
        let warning = self.same_data.warning();
        let notes = |(name, record): &(String, RunRecord)| {
            let old = sentences_of_old(record.summary.as_ref());
            let all = record.notes.iter().cloned().chain(old);
            all.map(|note| format!("{name}: {note}")).collect::<Vec<String>>()
        };
        let notes: Vec<String> = self.runs.iter().flat_map(notes).collect();
        html! {
            @if let Some(warning) = warning { ul.warnings { li { (warning) } } }
            @if warning.is_none() && found.iter().all(|(_, of_run)| of_run.is_empty()) {
                (diagnostics::none())
            }
            @for (name, of_run) in found.iter().filter(|(_, of_run)| !of_run.is_empty()) {
                section.of-run {
                    h3 { "Run " (name) }
                    (diagnostics::list(of_run, dialect))
                }
            }
            (notes_list(&notes))
        }
    }

    /// The options in which the configurations differ.
    fn differences(&self) -> Markup {
        let tables: Vec<toml::Table> =
            self.runs.iter().map(|(_, record)| options(record)).collect();
        let names: BTreeSet<&String> = tables.iter().flat_map(|table| table.keys()).collect();
        let differ = |name: &&String| {
            tables.iter().any(|table| table.get(name.as_str()) != tables[0].get(name.as_str()))
        };
        let names: Vec<&String> = names.into_iter().filter(differ).collect();
        let value = |table: &toml::Table, name: &str| {
            table.get(name).map_or("–".to_owned(), |value| match value.as_str() {
                Some(text) => text.to_owned(),
                None => value.to_string(),
            })
        };
        html! {
            h2 { "Options in which they differ" }
            @if names.is_empty() {
                p { "None: their configurations are the same." }
            } @else {
                table.figures {
                    thead { tr { th { } @for (name, _) in &self.runs { th { (name) } } } }
                    tbody {
                        @for name in names {
                            tr {
                                th { (name) }
                                @for table in &tables { td { (value(table, name)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(text: &Option<String>, rank: Option<f64>, best: Option<f64>) -> Markup {
    let is_best = rank.is_some() && rank == best;
    html! {
        td {
            @match text {
                Some(text) if is_best => strong { (text) },
                Some(text) => (text),
                None => "–",
            }
        }
    }
}

fn options(record: &RunRecord) -> toml::Table {
    let config = record.config.as_ref();
    config.map(Config::flat).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fixtures::{likelihood, record};
    use isotherm::Plain;

    /// A run on the mixture of a seed, with its last likelihood and lowest swap rate.
    fn run(data_seed: u64, nats: f64, rate: f64) -> RunRecord {
        let config = Config::default().data_seed(data_seed);
        let mut run = RunRecord { config: Some(config), ..record() };
        for row in &mut run.rows {
            row.log_likelihood = Some(likelihood(nats));
            row.log_likelihood_averaged = None;
            row.ladder.as_mut().unwrap().swap_rates[0] = Some(rate);
        }
        run
    }

    #[test]
    fn the_best_likelihood_is_bold_and_nothing_else() {
        let page = Comparison::of(vec![run(1, -120.0, 0.3), run(1, -110.0, 0.4)]).page(&Plain);
        let bold: Vec<&str> = page.split("<strong>").skip(1).collect();
        assert!(bold.len() == 1 && bold[0].starts_with("−110.00"), "{bold:?}");
        assert!(page.contains("id=\"likelihoods\"") && !page.contains("different data"));
    }

    #[test]
    fn likelihoods_of_different_data_are_not_compared() {
        let page = Comparison::of(vec![run(1, -120.0, 0.3), run(2, -0.69, 0.4)]).page(&Plain);
        assert!(page.contains("These runs were trained on different data"));
        assert!(!page.contains("<strong>") && !page.contains("is bold"));
        assert!(!page.contains("id=\"likelihoods\"") && page.contains("id=\"ladders\""));
        assert!(page.contains("−0.69"), "each has its own number");
    }
}
