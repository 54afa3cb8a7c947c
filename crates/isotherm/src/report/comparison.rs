//! The page that sets several runs side by side.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::numbers::key_numbers;
use super::reading::RunRecord;
use super::run_page::{list_of_warnings, notes, warnings_of};
use super::side_by_side::{ladder_figure, likelihood_figure, rungs_figure};
use super::{figure_block, page};
use crate::figure::Figure;

/// Several runs, with names that tell them apart.
pub(crate) struct Comparison {
    /// The runs.
    pub(crate) runs: Vec<(String, RunRecord)>,
    /// Their figures.
    pub(crate) figures: Vec<Figure>,
}

impl Comparison {
    /// Sets runs side by side.
    pub(crate) fn of(records: Vec<RunRecord>) -> Comparison {
        let short: Vec<String> = records.iter().map(RunRecord::name).collect();
        let unique = short.iter().collect::<BTreeSet<_>>().len() == short.len();
        let name = |(record, short): (&RunRecord, &String)| match unique {
            true => short.clone(),
            false => record.folder.path().display().to_string(),
        };
        let names: Vec<String> = records.iter().zip(&short).map(name).collect();
        let runs: Vec<(String, RunRecord)> = names.into_iter().zip(records).collect();
        let figures = [likelihood_figure(&runs), ladder_figure(&runs), rungs_figure(&runs)];
        Comparison { figures: figures.into_iter().flatten().collect(), runs }
    }

    /// The page.
    pub(crate) fn page(&self) -> String {
        let title = format!("{} runs side by side", self.runs.len());
        let body = html! {
            h1 { (title) }
            (self.numbers())
            (self.remarks())
            @for figure in &self.figures { (figure_block(figure)) }
            (self.differences())
        };
        page(&title, body)
    }

    fn numbers(&self) -> Markup {
        let columns: Vec<_> = self.runs.iter().map(|(_, record)| key_numbers(record)).collect();
        let first = columns.first().map_or(&[][..], |it| &it[..]);
        let has_any = |row: &usize| columns.iter().any(|numbers| numbers[*row].text.is_some());
        let best = |row: usize| {
            let ranks = || columns.iter().filter_map(|numbers| numbers[row].rank);
            let best = ranks().fold(f64::NEG_INFINITY, f64::max);
            // Where all are equal, none is best.
            ranks().any(|rank| rank < best).then_some(best)
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
            p { "The best of each row is bold, where there is a better and a worse." }
        }
    }

    fn remarks(&self) -> Markup {
        let of = |sentences: fn(&RunRecord) -> Vec<String>| -> Vec<String> {
            let all = self.runs.iter().flat_map(|(name, record)| {
                sentences(record).into_iter().map(move |sentence| format!("{name}: {sentence}"))
            });
            all.collect()
        };
        html! {
            // No samples are drawn here, so what needs them is left to the reports of the runs.
            (list_of_warnings(&of(|record| warnings_of(record, None))))
            (notes(&of(|record| record.notes.clone())))
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
    config.and_then(|config| toml::Table::try_from(config).ok()).unwrap_or_default()
}
