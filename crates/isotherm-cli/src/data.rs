//! `isotherm data`: what a file holds, as text or as JSON, and a command that trains on it.

mod description;

use isotherm::data::values::spelled;
use isotherm::data::{Binarise, LeftOut};
use isotherm::{Dialect, Result};
use isotherm_data::{ArrayNote, ArrayReport, FileReport, Source, Suggestion, inspect};
use serde::Serialize;

use crate::Ending;
use crate::args::DataArguments;
use crate::error::CliError;
use crate::output::print;
use crate::words::{CommandLineWords, quoted};

pub(crate) fn run(arguments: &DataArguments) -> Result<Ending> {
    let drop: Option<LeftOut> = arguments.drop.as_deref().map(str::parse).transpose()?;
    let source = Source::parse(&arguments.file).leaving_out(drop.as_ref());
    let binarise: Option<Binarise> = arguments.binarise.as_deref().map(str::parse).transpose()?;
    let test = arguments.test.as_deref().map(Source::parse);
    let test = test.map(|test| test.leaving_out(drop.as_ref()));
    let report = inspect(&source, binarise, test.as_ref())?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&Json::of(&report))
            .map_err(|error| CliError::Json { reason: error.to_string() })?;
        print(&format!("{text}\n"))?;
    } else {
        let test = arguments.test.as_deref();
        print(&description::describe(&report, binarise.is_some(), test))?;
    }
    Ok(Ending::Done)
}

/// A report as JSON has it.
#[derive(Serialize)]
struct Json<'a> {
    file: &'a str,
    format: String,
    arrays: Vec<JsonArray<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    command: Option<String>,
}

/// An array as JSON has it: its facts, and its sentences.
#[derive(Serialize)]
struct JsonArray<'a> {
    #[serde(flatten)]
    facts: &'a ArrayReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Json<'_> {
    fn of(report: &FileReport) -> Json<'_> {
        let array = |facts| JsonArray { facts, error: error(facts), note: note(facts) };
        Json {
            file: &report.file,
            format: format_name(report),
            arrays: report.arrays.iter().map(array).collect(),
            others: report.others.iter().map(|other| other.to_string()).collect(),
            command: report.suggestion.as_ref().map(command),
        }
    }
}

/// The format of a file.
fn format_name(report: &FileReport) -> String {
    format!("{}{}", report.format.name(), if report.is_gzipped { ", gzipped" } else { "" })
}

/// The command that follows a suggestion.
fn command(suggestion: &Suggestion) -> String {
    let mut words = vec!["isotherm train".to_owned(), quoted(&suggestion.data)];
    let options = suggestion.options.iter();
    words.extend(options.map(|(name, value)| CommandLineWords.setting(*name, &quoted(value))));
    words.join(" ")
}

/// Why an array cannot be used, if it cannot.
fn error(array: &ArrayReport) -> Option<String> {
    array.error.as_ref().map(|error| error.words(&CommandLineWords))
}

/// What is worth knowing about an array, if anything.
fn note(array: &ArrayReport) -> Option<String> {
    Some(match array.note? {
        ArrayNote::CountsRows { others_left_out: false } => {
            "column 1 counts the rows, the others lie between 0 and 1: leave it out (--drop 1)"
                .to_owned()
        }
        ArrayNote::CountsRows { others_left_out: true } => {
            "the first of the remaining columns counts the rows, the others lie between 0 and 1: leave \
             it out too"
                .to_owned()
        }
        ArrayNote::Assumed(assumption) => assumption.words().to_owned(),
        ArrayNote::FewNotBinary { count, values, first, row, column } => format!(
            "{count} of {values} values are neither 0 nor 1, the first of them {} in row {row}, column \
             {column}",
            spelled(first)
        ),
        _ => return None,
    })
}
