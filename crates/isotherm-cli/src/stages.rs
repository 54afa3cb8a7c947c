//! Progress of work that goes through several stages: a bar on a terminal, a line a stage elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::tell;

/// Shows which stage is going on, and how far it is.
pub(crate) struct Stages {
    bar: Option<ProgressBar>,
    lines: bool,
    stage: String,
}

impl Stages {
    pub(crate) fn new(quiet: bool) -> Stages {
        let terminal = std::io::stderr().is_terminal();
        Stages {
            bar: (!quiet && terminal).then(bar),
            lines: !quiet && !terminal,
            stage: String::new(),
        }
    }

    /// `share` of this stage is done.
    pub(crate) fn show(&mut self, stage: &str, share: f64) {
        if let Some(bar) = &self.bar {
            bar.set_message(stage.to_owned());
            bar.set_position((share * 1000.0) as u64);
        } else if self.lines && self.stage != stage {
            tell(stage);
        }
        if self.stage != stage {
            self.stage = stage.to_owned();
        }
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}
