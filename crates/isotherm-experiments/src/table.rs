//! The results as tables: `claims.json` for programs, lines for the terminal.

use serde::Serialize;

use super::claims::claims;
use super::experiment::{Setting, Size};
use super::results::{Results, RunResult, SettingResult};
use super::statistics::Estimate;
use super::verdict::{Claim, Evidence, RULE};
use isotherm_report::figure::minus;

/// `claims.json`.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimsFile {
    /// The version of isotherm.
    pub version: &'static str,
    /// The size of the experiment.
    #[serde(flatten)]
    pub size: Size,
    /// Whether that is the paper's: a verdict on a smaller one says nothing about the paper.
    pub full: bool,
    /// The best mean log-likelihood that any model can have, in nats.
    pub entropy_limit: f64,
    /// The mean log-likelihood of independent pixels.
    pub independent_pixels: f64,
    /// Every algorithm at its best setting.
    pub algorithms: Vec<Line>,
    /// Every setting that was tried.
    pub tried: Vec<Line>,
    /// How verdicts are reached.
    pub rule: &'static str,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// An algorithm at a setting. All but `seconds` is the same for the same seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// Its hyper-parameters.
    #[serde(flatten)]
    pub setting: Setting,
    /// Mean log-likelihood over the last fifth of the updates.
    pub log_likelihood: Option<Estimate>,
    /// Rungs after the last update.
    pub rungs: Option<Estimate>,
    /// Mean swap rate after the last update.
    pub swap_rate: Option<Estimate>,
    /// Largest distance of f_up from linear after the last update.
    pub flow_deviation: Option<Estimate>,
    /// The paper's return time after the last update.
    pub return_time: Option<Estimate>,
    /// Round trips completed in the sampling phase, over all seeds.
    pub round_trips: Option<u64>,
    /// Steps of a replica for each of them; nothing if there was none.
    pub round_trip_steps: Option<f64>,
    /// Total variation distance of the models' mode masses from the data's.
    pub mode_distance: Option<Estimate>,
    /// Seconds for all updates.
    pub seconds: Option<Estimate>,
}

impl ClaimsFile {
    /// The tables of these results.
    pub fn of(results: &Results) -> ClaimsFile {
        ClaimsFile {
            version: env!("CARGO_PKG_VERSION"),
            size: results.size,
            full: results.size == Size::FULL,
            entropy_limit: results.limit,
            independent_pixels: results.independent,
            algorithms: results.bests().map(Line::of).collect(),
            tried: results.settings.iter().map(Line::of).collect(),
            rule: RULE,
            claims: claims(results),
        }
    }

    /// The caveat of an experiment that is not the paper's in full.
    pub fn caveat(&self) -> String {
        let Size { updates, seeds } = Size::FULL;
        match self.full {
            true => String::new(),
            false => format!(
                "Not the paper's {updates} updates and {seeds} seeds: a verdict here says nothing \
                 about the paper.\n"
            ),
        }
    }

    /// Both tables as text, a line for each algorithm and each claim.
    pub fn lines(&self) -> String {
        let mut text = format!(
            "{:26}{:>18}{:>8}{:>8}{:>10}{:>13}{:>10}\n",
            "", "log-likelihood", "rungs", "swap", "f_up off", "round trip", "seconds"
        );
        for line in &self.algorithms {
            let of = |estimate: Option<Estimate>, digits| number(estimate, digits);
            text += &format!(
                "{:26}{:>18}{:>8}{:>8}{:>10}{:>13}{:>10}\n",
                line.name,
                line.log_likelihood.map_or("–".to_owned(), |value| with_error(value, 1)),
                of(line.rungs, 0),
                of(line.swap_rate, 2),
                of(line.flow_deviation, 2),
                line.round_trip(),
                of(line.seconds, 1),
            );
        }
        text += &format!(
            "{:27}{:>9}\n",
            "limit (entropy of the data)",
            minus_number(self.entropy_limit, 1)
        );
        text.push('\n');
        text += &self.caveat();
        for claim in &self.claims {
            let (measured, claimed) = (claim.measured(), claim.claimed);
            let evidence = claim.evidence_lines().join("; ");
            text += &format!("{:14} {}\n", claim.verdict, claim.claim);
            text += &format!("{:14} {measured}, holds if {claimed}: {}\n", "", claim.quantity);
            text += &format!("{:14} {evidence}\n", "");
        }
        text.push('\n');
        text + &wrapped(self.rule, 100)
    }
}

impl Line {
    fn of(arm: &SettingResult) -> Line {
        let estimate = |figure: fn(&RunResult) -> Option<f64>| Estimate::of(&arm.each(figure));
        let ladders: Vec<_> = arm.runs.iter().filter_map(RunResult::sampled).collect();
        let trips: u64 = ladders.iter().map(|ladder| ladder.round_trips).sum();
        let steps: u64 = ladders.iter().map(|ladder| ladder.replica_steps).sum();
        Line {
            name: arm.setting.arm.label(),
            in_paper: arm.setting.arm.in_paper(),
            setting: arm.setting,
            log_likelihood: estimate(RunResult::log_likelihood),
            rungs: estimate(RunResult::rungs),
            swap_rate: estimate(RunResult::swap_rate),
            flow_deviation: estimate(RunResult::flow_deviation),
            return_time: estimate(RunResult::return_time),
            round_trips: (!ladders.is_empty()).then_some(trips),
            round_trip_steps: (trips > 0).then(|| steps as f64 / trips as f64),
            mode_distance: estimate(RunResult::mode_distance),
            seconds: estimate(RunResult::seconds),
        }
    }

    /// Steps a round trip, in words where there was none.
    pub fn round_trip(&self) -> String {
        match (self.round_trips, self.round_trip_steps) {
            (_, Some(steps)) => format!("{steps:.0}"),
            (Some(_), None) => "none".to_owned(),
            (None, None) => "–".to_owned(),
        }
    }
}

impl Claim {
    /// The quantity with its interval.
    pub fn measured(&self) -> String {
        match self.value {
            Some(value) if value.high.is_finite() => format!(
                "{} [{}, {}]",
                signed(value.estimate, 3),
                signed(value.low, 3),
                signed(value.high, 3)
            ),
            Some(value) => format!("{} (one seed: no interval)", signed(value.estimate, 3)),
            None => "not measured".to_owned(),
        }
    }

    /// What it was computed from, a line each.
    pub fn evidence_lines(&self) -> Vec<String> {
        let line = |evidence: &Evidence| {
            let figure = evidence.estimate.map_or("–".to_owned(), significant);
            format!("{} {figure}", evidence.name)
        };
        self.evidence.iter().map(line).collect()
    }
}

/// A text wrapped to at most `width` characters.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// A mean with its standard error.
pub(super) fn with_error(value: Estimate, digits: usize) -> String {
    match value.std_error {
        Some(error) => format!("{} ± {error:.digits$}", minus_number(value.mean, digits)),
        None => minus_number(value.mean, digits),
    }
}

/// The learning rates of a setting, as tables have them.
pub(super) fn setting(setting: &Setting) -> String {
    let beta_lr = setting.beta_lr.map_or(String::new(), |it| minus(format!(", β {it:e}")));
    minus(format!("{:e}", setting.lr)) + &beta_lr
}

/// A number with `digits` decimals.
pub(super) fn minus_number(value: f64, digits: usize) -> String {
    minus(format!("{value:.digits$}"))
}

/// A mean alone.
fn number(estimate: Option<Estimate>, digits: usize) -> String {
    estimate.map_or("–".to_owned(), |value| minus_number(value.mean, digits))
}

/// A mean with its standard error, three significant digits of it.
fn significant(value: Estimate) -> String {
    match value.std_error {
        Some(error) => format!("{} ± {}", signed(value.mean, 3), signed(error, 2)),
        None => signed(value.mean, 3),
    }
}

/// A number with `digits` significant digits.
pub fn signed(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return minus(value.to_string()).replace("inf", "∞");
    }
    let decimals = (digits - 1 - libm::log10(value.abs()).floor() as i32).max(0) as usize;
    match value.abs() {
        x if x < 1e-3 => minus(format!("{value:.*e}", digits as usize - 1)),
        _ => minus(format!("{value:.decimals$}")),
    }
}
