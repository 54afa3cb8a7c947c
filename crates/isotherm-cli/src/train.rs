//! `isotherm train`.

use std::path::{Path, PathBuf};

use isotherm::data::Dataset;
use isotherm::likelihood::LogLikelihood;
use isotherm::objective::penalties::Smoothness;
use isotherm::options::{Chosen, name, word};
use isotherm::{Action, Dialect, Kind, Result};
use isotherm_data::Source;
use isotherm_report::write_report;
use isotherm_run::record::Summary;
use isotherm_run::{
    Config, ConfigFile, DataOptions, Outcome, RunData, RunFolder, Session, TrainingRun,
};

use crate::args::TrainArguments;
use crate::options::Given;
use crate::output::{print, tell};
use crate::progress::Progress;
use crate::stages::Stages;
use crate::words::CommandLineWords;
use crate::{Ending, interrupt};

pub(crate) fn run(arguments: &TrainArguments, quiet: bool) -> Result<Ending> {
    let Choice { mut config, chosen, given } =
        configuration(arguments.config.as_deref(), &arguments.options)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => free_folder(&config),
    };
    let data = RunData::of(&config)?;
    if let Some(chosen) = &chosen {
        config.options.adapt_to(&data.train, chosen);
    }
    if out.exists() {
        // A folder that cannot be used is refused before a reference is fitted, which may take a while.
        RunFolder::create(&out, arguments.overwrite)?;
    }
    interrupt::listen()?;
    let mut stages = Stages::new(quiet);
    let begun = TrainingRun::begin(&config, data, &mut |stage, share| {
        stages.show(stage, share);
        !interrupt::asked()
    });
    stages.finish();
    let run = match begun {
        Err(error) if error.kind() == Kind::Interrupted => {
            tell("stopped before the first update; nothing was written");
            return Ok(Ending::Interrupted);
        }
        run => run?.noting_unused(chosen.as_ref().unwrap_or(&given)),
    };
    let session = Session::begin(&out, run, arguments.overwrite)?;
    carry_on(session, &out, quiet)
}

/// Runs a session to its end, or until it is interrupted.
pub(crate) fn carry_on(mut session: Session, out: &Path, quiet: bool) -> Result<Ending> {
    let limit = session.training().data().limit();
    let total = session.training().plan().total_steps();
    let mut progress = Progress::new(total, session.training().state().step(), limit, quiet);
    progress.say(&session.training().data().describe());
    progress.say(&describe_size(session.training()));
    let training = session.training();
    if let Some(reference) = training.state().reference().record(training.plan()) {
        progress.say(&format!("reference: {reference}"));
    }
    for held_out in [session.training().valid(), session.training().test()].into_iter().flatten() {
        progress.say(&held_out.describe());
    }
    for diagnostic in session.training().diagnostics_at_start() {
        progress.say(&format!("warning: {}", diagnostic.words(&CommandLineWords)));
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
                let resume = Action::Resume(out.display().to_string());
                let resume = CommandLineWords.action(&resume);
                tell(&format!("saved after {step} of {total} steps; {resume} continues the run"));
            }
            return Ok(Ending::Interrupted);
        }
    }
    Ok(Ending::Done)
}

/// The size of the model, and the memory that learning takes.
fn describe_size(run: &TrainingRun) -> String {
    let (visible, plan) = (run.data().n_visible(), run.plan());
    let mebibytes = (plan.bytes() / f64::from(1 << 20)).ceil();
    let hidden = plan.options().hidden;
    let smooth = plan.smoothness().map_or(String::new(), |Smoothness { shape, strength }| {
        format!(
            "; differences between neighbouring pixels of {shape} pictures are penalised (--smooth \
             {strength:.2e}; 0 switches it off)"
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

/// A configuration, and which of its options were chosen.
struct Choice {
    config: Config,
    /// Nothing if a run has written all options out, chosen or not.
    chosen: Option<Chosen>,
    /// Those on the command line.
    given: Chosen,
}

/// The options of the file, overridden by those of the command line.
fn configuration(file: Option<&Path>, options: &Given<Config>) -> Result<Choice> {
    let file = file.map(ConfigFile::read).transpose()?;
    let written_out = file.as_ref().is_some_and(ConfigFile::is_written_out);
    let given = options.chosen();
    let mut chosen = file.as_ref().map(ConfigFile::chosen).unwrap_or_default();
    chosen.extend(&given);
    let mut config = match written_out {
        true => Config::default(),
        false => Config::defaults_for(&chosen),
    };
    if let Some(file) = &file {
        file.apply(&mut config)?;
    }
    options.apply(&mut config)?;
    if given.contains(name::columns) && !given.contains(name::particles) {
        // At least one in each column, whatever a complete configuration says.
        let sampler = &mut config.options.sampler;
        sampler.particles = sampler.particles.max(sampler.columns);
    }
    let DataOptions { train, valid, test, .. } = &mut config.data;
    for data in [train, valid, test].into_iter().flatten() {
        // A run can be resumed from anywhere.
        *data = Source::parse(data).absolute()?.name();
    }
    Ok(Choice { config, chosen: (!written_out).then_some(chosen), given })
}

/// The first unused name under `runs/`.
fn free_folder(config: &Config) -> PathBuf {
    let source = config.data.train.as_deref().map(Source::parse);
    let built_in = config.data.built_in();
    let data = source.as_ref().and_then(Source::stem).or(built_in.as_ref().map(Dataset::name));
    let algorithm = word(&config.options.sampler.algorithm);
    let name = format!("{}-{algorithm}", data.unwrap_or("data"));
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
    if let Some(reference) = summary.reference.filter(|it| it.fitted.was_fitted()) {
        let (fitted, fit) = (reference.fitted, seconds.fit);
        lines.push(format!("{:<16}{fitted}, fitted in {fit:.1} s", "reference"));
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
            reference: None,
            rungs: 1,
            betas: vec![1.0],
            swap_rate: None,
            f_up: None,
            return_time: None,
            round_trips: None,
            clusters: None,
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
        for named in ["--lr", "--respace rejection", "--max-rungs 7", "--min-swap 0.6", "--warm-up"]
        {
            assert!(printed.contains(named), "{named}");
        }
        for command in ["`isotherm evaluate`", "`isotherm resume RUN`"] {
            assert!(printed.contains(command), "{command}");
        }
    }
}
