//! What a person sees while a run goes on: a bar on a terminal, lines elsewhere, or nothing.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isotherm::Dialect;
use isotherm::likelihood::LogLikelihood;
use isotherm::options::Plan;
use isotherm::trainer::TrainState;
use isotherm_run::record::Row;
use isotherm_run::{Note, Observer};

use crate::interrupt;
use crate::output::tell;
use crate::words::CommandLineWords;

/// Steps between two looks at the bar.
const LOOK_EVERY: u64 = 32;
/// Lines that a run prints where there is no terminal.
const LINES: u64 = 10;

/// Shows a run's progress.
pub(crate) struct Progress {
    look: Look,
    limit: Option<f64>,
    train: Option<String>,
    valid: Option<String>,
    ladder: Option<(usize, f64)>,
    begun: Instant,
    first_step: u64,
    next_line: u64,
}

enum Look {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// Progress of a run of `total` steps, `done` of them before now. `limit` is the best
    /// log-likelihood there can be.
    pub(crate) fn new(total: u64, done: u64, limit: Option<f64>, quiet: bool) -> Progress {
        let look = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Look::Nothing,
            (false, false) => Look::Lines,
            (false, true) => Look::Bar(bar(total, done)),
        };
        Progress {
            look,
            limit,
            train: None,
            valid: None,
            ladder: None,
            begun: Instant::now(),
            first_step: done,
            next_line: done,
        }
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        if let Look::Bar(bar) = &self.look {
            bar.finish_and_clear();
        }
    }

    /// Shows a sentence above the bar, or as a line.
    pub(crate) fn say(&self, sentence: &str) {
        match &self.look {
            Look::Bar(bar) => bar.println(sentence),
            Look::Lines => tell(sentence),
            Look::Nothing => {}
        }
    }

    fn message(&self) -> String {
        let mut parts = Vec::new();
        let limit = self.limit.map_or(String::new(), |limit| format!(" (limit {limit:.1})"));
        match (&self.train, &self.valid) {
            (Some(train), Some(valid)) => {
                parts.push(format!("train {train}{limit}, valid {valid}"))
            }
            (Some(train), None) => parts.push(format!("log-likelihood {train}{limit}")),
            (None, _) => {}
        }
        if let Some((rungs, swap_rate)) = self.ladder {
            parts.push(format!("{rungs} rungs"));
            parts.push(format!("swap {swap_rate:.2}"));
        }
        parts.join(", ")
    }

    fn line(&mut self, step: u64, total: u64) {
        if step < self.next_line && step < total {
            return;
        }
        self.next_line = (step / (total / LINES).max(1) + 1) * (total / LINES).max(1);
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = (step - self.first_step) as f64 / seconds;
        let left = Duration::from_secs_f64(((total - step) as f64 / rate).min(1e9)).as_secs();
        let line = format!("{step}/{total}  {rate:.0} steps/s  {left} s left  {}", self.message());
        tell(line.trim_end());
    }
}

/// A likelihood with its error, where it has one, to as many digits as the error leaves certain.
fn in_short(measured: &LogLikelihood) -> String {
    let LogLikelihood { value, std_error, .. } = measured;
    match *std_error {
        0.0 => format!("{value:.2}"),
        error => {
            format!("{value:.digits$} ± {error:.digits$}", digits = if error < 0.1 { 2 } else { 1 })
        }
    }
}

fn bar(total: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
    // What does not fit into a line is cut off, not wrapped.
    let template = "{bar:12} {percent:>3}% {per_sec} eta {eta} {wide_msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        let style = style.progress_chars("━╸─").with_key(
            "per_sec",
            |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0} steps/s", state.per_sec());
            },
        );
        bar.set_style(style);
    }
    bar.set_position(done);
    bar.reset_eta();
    bar
}

impl Observer for Progress {
    fn step(&mut self, state: &TrainState, plan: &Plan) {
        let total = plan.total_steps();
        match &self.look {
            Look::Bar(bar) if state.step().is_multiple_of(LOOK_EVERY) || state.step() == total => {
                bar.set_position(state.step());
            }
            Look::Lines => self.line(state.step(), total),
            _ => {}
        }
    }

    fn row(&mut self, row: &Row) {
        // Beside the validation data the same model, which is the averaged one.
        let beside = row.log_likelihood_valid.as_ref().and(row.log_likelihood_averaged.as_ref());
        if let Some(measured) = beside.or(row.likelihood()) {
            self.train = Some(in_short(measured));
            self.valid = row.log_likelihood_valid.as_ref().map(in_short);
        }
        if let Some(ladder) = &row.ladder {
            self.ladder = Some((ladder.betas.len(), ladder.swap_rate));
        }
        if let Look::Bar(bar) = &self.look {
            bar.set_message(self.message());
        }
    }

    fn note(&mut self, note: &Note) {
        self.say(&note.words(&CommandLineWords));
    }

    fn should_stop(&self) -> bool {
        interrupt::asked()
    }

    fn dialect(&self) -> &dyn Dialect {
        &CommandLineWords
    }
}
