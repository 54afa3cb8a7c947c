//! `isotherm train`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use isotherm::data::{Binarise, ImageShape, LeftOut, Split};
use isotherm::likelihood::LogLikelihood;
use isotherm::train::penalties::Smoothness;
use isotherm::train::{Config, explain_toml};
use isotherm::{Error, Result};
use isotherm_data::Source;
use isotherm_report::write_report;
use isotherm_run::record::Summary;
use isotherm_run::{Course, Observer, Outcome, RunData, Session};

use crate::args::{TrainArguments, TrainOptions};
use crate::output::{print, tell};
use crate::progress::Progress;
use crate::words::{CommandLineWords, quoted};
use crate::{Ending, interrupt};

pub(crate) fn run(arguments: &TrainArguments, quiet: bool) -> Result<Ending> {
    let Chosen { mut config, options, given } =
        configuration(arguments.config.as_deref(), &arguments.options)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => free_folder(&config),
    };
    let data = RunData::of(&config)?;
    let mut names = given;
    if let Some(chosen) = options {
        config.suit(&data.train, |name| chosen.contains(name));
        names.extend(chosen);
    }
    let course = Course::begin(&config, data)?;
    let unused = config.unused(names.iter().map(String::as_str));
    if !quiet && !unused.is_empty() {
        tell(&format!("warning: beside the other options --{} has no effect", unused.join(", --")));
    }
    let session = Session::begin(&out, course, arguments.overwrite)?;
    carry_on(session, &out, quiet)
}

/// Runs a session to its end, or until it is interrupted.
pub(crate) fn carry_on(mut session: Session, out: &Path, quiet: bool) -> Result<Ending> {
    interrupt::listen()?;
    let limit = session.course().data().limit();
    let total = session.course().plan().total_steps();
    let mut progress = Progress::new(total, session.course().state().step, limit, quiet);
    progress.note(&session.course().data().describe());
    progress.note(&describe_size(session.course()));
    for held_out in [session.course().valid(), session.course().test()].into_iter().flatten() {
        progress.note(&held_out.describe());
    }
    for diagnostic in session.course().data_diagnostics() {
        progress.note(&format!("warning: {}", diagnostic.words(&CommandLineWords)));
    }
    let outcome = session.run(&mut progress);
    progress.finish();
    match outcome? {
        Outcome::Finished(summary) => {
            let report = report_of(out);
            if !quiet {
                print(&describe(&summary, out, report.as_deref()))?;
            }
        }
        Outcome::Interrupted(step) => {
            if !quiet {
                let run = quoted(&out.display().to_string());
                tell(&format!(
                    "saved after {step} of {total} steps; go on with `isotherm resume {run}`"
                ));
            }
            return Ok(Ending::Interrupted);
        }
    }
    Ok(Ending::Done)
}

/// The size of the model, and the memory that learning takes.
fn describe_size(course: &Course) -> String {
    let (visible, plan) = (course.data().n_visible(), course.plan());
    let mebibytes = (plan.bytes / f64::from(1 << 20)).ceil();
    let hidden = plan.config.hidden;
    let smooth = plan.smoothness.map_or(String::new(), |Smoothness { shape, strength }| {
        format!(
            "; the weights of neighbours in {shape} pictures are held together (--smooth {strength:.2e}, \
             0 does without)"
        )
    });
    format!(
        "{visible} × {hidden} units, at most about {mebibytes} MiB of memory besides the data{smooth}"
    )
}

/// Writes the report of a finished run. The run is complete without it, so a failure is a warning.
fn report_of(out: &Path) -> Option<PathBuf> {
    write_report(out, &CommandLineWords)
        .map_err(|error| {
            let why = error.words(&CommandLineWords);
            tell(&format!("isotherm: the run is complete but its report is not written: {why}"))
        })
        .ok()
}

/// A configuration, and the names of the options that somebody chose; nothing if a run has written them
/// all out.
struct Chosen {
    config: Config,
    options: Option<BTreeSet<String>>,
    /// The names of those on the command line.
    given: BTreeSet<String>,
}

/// The options of the file, overridden by those of the command line.
fn configuration(file: Option<&Path>, options: &TrainOptions) -> Result<Chosen> {
    let mut table = match file {
        Some(path) => read_table(path)?,
        None => toml::Table::new(),
    };
    // A configuration that a run wrote, maybe of an older version, has chosen all it knew of.
    let written_out =
        ["columns", "init-std", "metrics-every"].iter().all(|it| table.contains_key(*it));
    let given = toml::Table::try_from(options)
        .map_err(|error| Error::config(format!("an option cannot be used: {error}")))?;
    check_texts(&given)?;
    let names_given: BTreeSet<String> = given.keys().cloned().collect();
    table.extend(given);
    // Whatever nobody has chosen depends on what is learned from.
    let defaults = match table.contains_key("data") {
        true if !written_out => Config::for_a_file(),
        _ => Config::default(),
    };
    let options: Option<BTreeSet<String>> = (!written_out).then(|| table.keys().cloned().collect());
    let mut chosen = toml::Table::try_from(defaults)
        .map_err(|error| Error::config(format!("the defaults cannot be used: {error}")))?;
    chosen.extend(table);
    let mut config: Config = chosen.try_into().map_err(|error: toml::de::Error| {
        let place = file.map_or(String::new(), |path| format!("{}: ", path.display()));
        Error::config(format!("{place}{}", explain_toml(&error)))
    })?;
    if names_given.contains("columns") && !names_given.contains("particles") {
        // One a column at least, whatever a complete configuration says.
        config.particles = config.particles.max(config.columns);
    }
    for data in [&mut config.data, &mut config.valid, &mut config.test].into_iter().flatten() {
        // A run can be resumed from anywhere.
        *data = Source::parse(data).absolute()?.name();
    }
    Ok(Chosen { config, options, given: names_given })
}

/// Refuses options of data whose text cannot be read: their errors are typed, which a configuration
/// reports as text.
fn check_texts(given: &toml::Table) -> Result<()> {
    let text = |name| given.get(name).and_then(toml::Value::as_str);
    text("binarise").map(str::parse::<Binarise>).transpose()?;
    text("drop").map(str::parse::<LeftOut>).transpose()?;
    text("shape").map(str::parse::<ImageShape>).transpose()?;
    text("split").map(str::parse::<Split>).transpose()?;
    Ok(())
}

fn read_table(path: &Path) -> Result<toml::Table> {
    let text = fs::read_to_string(path).map_err(|error| Error::io("read", path, &error))?;
    let failed = |error: toml::de::Error| {
        let before = error.span().and_then(|span| text.as_bytes().get(..span.start));
        let line = 1 + before.unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
        let key = text.lines().nth(line - 1).and_then(|line| line.split_once('='));
        let key = key.map_or(String::new(), |(key, _)| format!(", {}", key.trim()));
        let message = explain_toml(&error);
        Error::config(format!("{}, line {line}{key}: {message}", path.display()))
    };
    // Only a file that is read as a configuration knows the line of a wrong option.
    toml::from_str::<Config>(&text).map_err(failed)?;
    text.parse().map_err(failed)
}

/// The first unused name under `runs/`.
fn free_folder(config: &Config) -> PathBuf {
    let source = config.data.as_deref().map(Source::parse);
    let data = source.as_ref().and_then(Source::stem);
    let algorithm = toml::Value::try_from(config.algorithm)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default();
    let name = format!("{}-{algorithm}", data.unwrap_or("mixture"));
    let mut number = 1;
    loop {
        let folder = Path::new("runs").join(format!("{name}-{number}"));
        if !folder.exists() {
            return folder;
        }
        number += 1;
    }
}

/// A log-likelihood as people write it, to as many digits as its error allows; of a fixed set an exact one has
/// no error, and an estimated one has a bracket.
pub(crate) fn nats(measured: &LogLikelihood) -> String {
    let LogLikelihood { value, std_error, lower, upper, on, .. } = measured;
    let digits = digits(*std_error);
    match *std_error {
        _ if measured.log_z.is_some() => format!(
            "{value:.digits$} ± {std_error:.digits$} nats on {on}, between {lower:.digits$} and \
             {upper:.digits$}"
        ),
        0.0 => format!("{value:.digits$} nats on {on}"),
        error => format!("{value:.digits$} ± {error:.digits$} nats on {on}"),
    }
}

/// Two digits after the point, or those that an error below a hundredth leaves certain, up to four.
pub(crate) fn digits(std_error: f64) -> usize {
    match std_error {
        0.01.. => 2,
        0.001.. => 3,
        _ => 4,
    }
}

/// A finished run in a few lines.
fn describe(summary: &Summary, out: &Path, report: Option<&Path>) -> String {
    let mut lines = Vec::new();
    let seconds = summary.seconds;
    let sampled = match summary.sampling_steps {
        0 => String::new(),
        steps => format!(" and {steps} sampling steps in {:.1} s", seconds.sample),
    };
    let (updates, train) = (summary.updates, seconds.train);
    let each = match train / updates as f64 {
        each if each < 0.01 => format!("{:.0} µs", each * 1e6),
        each => format!("{:.0} ms", each * 1e3),
    };
    lines.push(format!("{updates} updates in {train:.1} s ({each} each){sampled}"));
    if let Some(best) = summary.best.filter(|best| best.update < updates) {
        let line = format!("that of update {}, the best on the validation data", best.update);
        lines.push(format!("{:<16}{line}", "model kept"));
    }
    let limit = summary.entropy_limit.map_or(String::new(), |limit| format!(" (limit {limit:.2})"));
    let on = summary.log_likelihood.as_ref().map_or("", |it| it.on.as_str());
    let measured = [
        ("log-likelihood", &summary.log_likelihood),
        ("  averaged", &summary.log_likelihood_averaged),
        ("  valid", &summary.log_likelihood_valid),
        ("    averaged", &summary.log_likelihood_valid_averaged),
        ("  test", &summary.log_likelihood_test),
        ("    averaged", &summary.log_likelihood_test_averaged),
    ];
    for (name, value) in measured {
        if let Some(it) = value {
            // The limit is the entropy of what was learned from.
            let limit = if it.on == on { limit.as_str() } else { "" };
            lines.push(format!("{name:<16}{}{limit}", nats(it)));
        }
    }
    if let (Some(swap), Some(trips)) = (&summary.swap_rate, &summary.round_trips) {
        let trip = trips.mean_steps.map_or(String::new(), |steps| format!(" of {steps:.0} steps"));
        lines.push(format!(
            "{:<16}{} rungs, swap rate {:.2} (lowest {:.2}), {} round trips{trip}",
            "ladder", summary.rungs, swap.mean, swap.min, trips.count
        ));
    }
    for warning in &summary.warnings {
        lines.push(format!("{:<16}{warning}", "warning"));
    }
    lines.extend(report.map(|page| format!("{:<16}{}", "report", page.display())));
    lines.push(format!("{:<16}{}", "run", out.display()));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isotherm::diagnostics::Diagnostic;
    use isotherm_run::record::Seconds;

    /// A run without anything but diagnostics.
    fn summary(warnings: Vec<String>) -> Summary {
        Summary {
            log_likelihood: None,
            log_likelihood_averaged: None,
            log_likelihood_valid: None,
            log_likelihood_valid_averaged: None,
            log_likelihood_test: None,
            log_likelihood_test_averaged: None,
            entropy_limit: None,
            best: None,
            updates: 10,
            sampling_steps: 0,
            rungs: 1,
            betas: vec![1.0],
            swap_rate: None,
            f_up: None,
            return_time: None,
            round_trips: None,
            seconds: Seconds::default(),
            seed: 1,
            version: String::new(),
            warnings,
            diagnostics: None,
        }
    }

    #[test]
    fn every_kind_of_diagnostic_is_printed_with_the_options_of_the_command_line() {
        let all = include_str!("../../isotherm/tests/fixtures/diagnostics.json");
        let all: Vec<Diagnostic> = serde_json::from_str(all).unwrap();
        let words: Vec<String> = all.iter().map(|it| it.words(&CommandLineWords)).collect();
        let printed = describe(&summary(words.clone()), Path::new("run"), None);
        for words in &words {
            assert!(printed.contains(&format!("warning         {words}\n")), "{words}");
        }
        for named in ["--lr", "--respace rejection", "--max-rungs 7", "--min-swap 0.6", "--warm-up"] {
            assert!(printed.contains(named), "{named}");
        }
        for command in ["`isotherm evaluate`", "`isotherm resume RUN`"] {
            assert!(printed.contains(command), "{command}");
        }
    }
}
