//! What a person sees while a run goes on: a bar on a terminal, lines elsewhere, or nothing.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isotherm::record::Row;
use isotherm::run::Observer;
use isotherm::train::{Plan, TrainState};

use crate::interrupt;
use crate::output::tell;

/// Steps between two looks at the bar.
const LOOK_EVERY: u64 = 32;
/// Lines that a run prints where there is no terminal.
const LINES: u64 = 10;

/// Shows a run's progress.
pub(crate) struct Progress {
    look: Look,
    limit: Option<f64>,
    likelihood: Option<f64>,
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
            likelihood: None,
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

    fn message(&self) -> String {
        let mut parts = Vec::new();
        if let Some(value) = self.likelihood {
            parts.push(match self.limit {
                Some(limit) => format!("log-likelihood {value:.1} (limit {limit:.1})"),
                None => format!("log-likelihood {value:.1}"),
            });
        }
        if let Some((rungs, swap_rate)) = self.ladder {
            parts.push(format!("{rungs} rungs"));
            parts.push(format!("swap {swap_rate:.2}"));
        }
        parts.join("  ")
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

fn bar(total: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
    let template = "{bar:24} {percent:>3}%  {per_sec}  eta {eta}  {msg}";
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
            Look::Bar(bar) if state.step.is_multiple_of(LOOK_EVERY) || state.step == total => {
                bar.set_position(state.step);
            }
            Look::Lines => self.line(state.step, total),
            _ => {}
        }
    }

    fn row(&mut self, row: &Row) {
        if let Some(measured) = row.log_likelihood.as_ref().or(row.log_likelihood_averaged.as_ref())
        {
            self.likelihood = Some(measured.value);
        }
        if let Some(ladder) = &row.ladder {
            self.ladder = Some((ladder.betas.len(), ladder.swap_rate));
        }
        if let Look::Bar(bar) = &self.look {
            bar.set_message(self.message());
        }
    }

    fn note(&mut self, sentence: &str) {
        match &self.look {
            Look::Bar(bar) => bar.println(sentence),
            Look::Lines => tell(sentence),
            Look::Nothing => {}
        }
    }

    fn should_stop(&self) -> bool {
        interrupt::asked()
    }
}
