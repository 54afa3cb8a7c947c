//! `isotherm reproduce`.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isotherm::diagnostics::Diagnostic;
use isotherm::{Action, Dialect, Result};
use isotherm_experiments::{Ended, ExperimentFolder, Progress, Size, Watcher};

use crate::args::ReproduceArguments;
use crate::output::{print, tell};
use crate::words::CommandLineWords;
use crate::{Ending, interrupt};

/// Time to the first line where there is no terminal.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// Time between two of them.
const LINE_EVERY: Duration = Duration::from_secs(15);

pub(crate) fn run(arguments: &ReproduceArguments, quiet: bool) -> Result<Ending> {
    let workshop = ExperimentFolder::open(&arguments.out, wanted(arguments))?;
    interrupt::listen()?;
    if !quiet {
        tell(&workshop.describe());
    }
    let screen = Screen::new(quiet);
    let ended = workshop.run(&screen);
    screen.finish();
    match ended? {
        Ended::Done => {
            let tables = workshop.publish(&CommandLineWords)?;
            if !quiet {
                let page = workshop.root().join("report.html");
                print(&format!("{}\nreport         {}\n", tables.lines(), page.display()))?;
            }
            Ok(Ending::Done)
        }
        Ended::Interrupted => {
            if !quiet {
                tell(&format!(
                    "saved; {} continues it",
                    CommandLineWords
                        .action(&Action::Reproduce(arguments.out.display().to_string()))
                ));
            }
            Ok(Ending::Interrupted)
        }
    }
}

/// The size that was asked for, if any was.
fn wanted(arguments: &ReproduceArguments) -> Option<Size> {
    let ReproduceArguments { quick, updates, seeds, .. } = *arguments;
    if !quick && updates.is_none() && seeds.is_none() {
        return None;
    }
    let base = if quick { Size::QUICK } else { Size::FULL };
    Some(Size { updates: updates.unwrap_or(base.updates), seeds: seeds.unwrap_or(base.seeds) })
}

/// What a person sees while the experiment goes on.
struct Screen {
    bar: Option<ProgressBar>,
    quiet: bool,
    begun: Instant,
    next_line: Mutex<Instant>,
}

impl Screen {
    fn new(quiet: bool) -> Screen {
        let now = Instant::now();
        let bar = (!quiet && std::io::stderr().is_terminal()).then(bar);
        Screen { bar, quiet, begun: now, next_line: Mutex::new(now + FIRST_LINE) }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// The time left, from what was done since the command began.
    fn left(&self, progress: Progress) -> Option<Duration> {
        let Progress { work, fresh, all_work, .. } = progress;
        let left = all_work.saturating_sub(work) as f64;
        let seconds = self.begun.elapsed().as_secs_f64();
        (fresh > 0).then(|| Duration::from_secs_f64((left / fresh as f64 * seconds).min(1e9)))
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

impl Watcher for Screen {
    fn progress(&self, progress: Progress) {
        let Progress { work, all_work, runs, all_runs, .. } = progress;
        let left = || match self.left(progress) {
            Some(left) => format!("{} left", clock(left)),
            None => "…".to_owned(),
        };
        if let Some(bar) = &self.bar {
            bar.set_length(all_work);
            bar.set_position(work);
            bar.set_message(format!("{runs} of {all_runs} runs  {}", left()));
        } else if !self.quiet
            && let Ok(mut next) = self.next_line.try_lock()
            && Instant::now() >= *next
        {
            *next = Instant::now() + LINE_EVERY;
            let percent = 100 * work / all_work.max(1);
            tell(&format!("{percent:3} %  {runs} of {all_runs} runs  {}", left()));
        }
    }

    fn raised(&self, run: &Path, diagnostic: &Diagnostic) {
        let line = format!("warning: {}: {}", run.display(), diagnostic.words(&CommandLineWords));
        match &self.bar {
            Some(bar) => bar.println(line),
            None => tell(&line),
        }
    }

    fn should_stop(&self) -> bool {
        interrupt::asked()
    }
}

/// Minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}
