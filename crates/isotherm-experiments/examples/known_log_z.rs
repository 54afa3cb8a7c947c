//! How often is an evaluation fooled? Evaluates every model of known log Z from each variant of its rows:
//!
//! `cargo run --release -p isotherm-experiments --example known_log_z -- [--quick] [--only NAME]... [--variant NAME]...
//! [--seed N]`
//!
//! `--only` names a part of a model's name. The log-likelihood is that of rows drawn from the whole model, its error that of
//! log Z. The seconds are CPU time of the process, all threads together; `RAYON_NUM_THREADS=1` runs one.
#![allow(clippy::expect_used)]

use std::io::Write;

use isotherm::data::Dataset;
use isotherm::likelihood::{Budget, bracket, minus_free_energies};
use isotherm::model::Rbm;
use isotherm::prelude::*;
use isotherm_experiments::known_log_z::{CATALOGUE, Entry, Variant};

/// What an evaluation says of log Z.
struct Outcome {
    value: f64,
    lower: f64,
    upper: f64,
    converged: bool,
}

/// The library's evaluation, given rows.
fn evaluate(
    model: &Rbm,
    rows: &Dataset,
    budget: &Budget,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Outcome> {
    let found = bracket::log_z(model, rows, budget, progress)?;
    let (value, lower, upper) = (found.value, found.lower, found.upper);
    Ok(Outcome { value, lower, upper, converged: found.verdict.converged })
}

/// What is to be done.
struct Arguments {
    budget: Budget,
    only: Vec<String>,
    variants: Vec<Variant>,
}

impl Arguments {
    fn read() -> Option<Arguments> {
        let (mut quick, mut seed) = (false, 1);
        let (mut only, mut variants) = (Vec::new(), Vec::new());
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => quick = true,
                "--seed" => seed = words.next()?.parse().ok()?,
                "--only" => only.push(words.next()?),
                "--variant" => {
                    let name = words.next()?;
                    variants.push(Variant::ALL.into_iter().find(|it| it.name() == name)?);
                }
                _ => return None,
            }
        }
        if variants.is_empty() {
            variants = Variant::ALL.to_vec();
        }
        let budget = if quick { Budget::quick() } else { Budget::full() };
        Some(Arguments { budget: Budget { seed, ..budget }, only, variants })
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let wanted = |entry: &&Entry| {
            self.only.is_empty() || self.only.iter().any(|name| entry.name.contains(name))
        };
        CATALOGUE.iter().filter(wanted)
    }
}

/// How many evaluations of a variant ended in each way.
#[derive(Clone, Copy, Default)]
struct Counts {
    converged_and_holds: usize,
    converged_and_misses: usize,
    not_converged: usize,
    /// Of those not converged.
    not_converged_and_misses: usize,
    /// Log-likelihoods above 0.
    impossible: usize,
}

impl Counts {
    fn add(&mut self, converged: bool, holds: bool, impossible: bool) {
        match (converged, holds) {
            (true, true) => self.converged_and_holds += 1,
            (true, false) => self.converged_and_misses += 1,
            (false, _) => {
                self.not_converged += 1;
                self.not_converged_and_misses += usize::from(!holds);
            }
        }
        self.impossible += usize::from(impossible);
    }
}

pub(crate) fn main() -> Result<()> {
    let Some(arguments) = Arguments::read() else {
        eprintln!(
            "known_log_z [--quick] [--only NAME]... [--variant present|rare|absent|apart]... [--seed N]"
        );
        std::process::exit(2);
    };
    println!(
        "| model | rows | heavy | truth | value | bracket | verdict | bracket | held-out LL | its error | CPU s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut counts = [Counts::default(); 4];
    for entry in arguments.entries() {
        let known = entry.model();
        let held_out =
            minus_free_energies(&known.model, &known.rows(Variant::Present, 1000, 2).bits);
        let held_out = held_out.iter().sum::<f64>() / held_out.len() as f64;
        for &variant in arguments.variants.iter().filter(|it| it.is_for(known.withheld())) {
            let rows = Dataset::from_bits(known.rows(variant, entry.rows, 1).bits)?;
            let begun = cpu_seconds();
            let mut tell = |stage: &str, share: f64| {
                eprint!(
                    "\r{} {}: {stage} {:.0} %\x1b[K",
                    entry.name,
                    variant.name(),
                    100.0 * share
                );
                true
            };
            let it = evaluate(&known.model, &rows, &arguments.budget, &mut tell)?;
            eprint!("\r\x1b[K");
            let (truth, likelihood) = (known.log_z, held_out - it.value);
            let holds = it.lower <= truth && truth <= it.upper;
            counts[variant as usize].add(it.converged, holds, likelihood > 0.0);
            println!(
                "| {} | {} | {:.3} | {truth:.3} | {:.3} | {:.3} … {:.3} | {} | {} | {likelihood:.3} | {:+.3} | {:.1} |",
                entry.name,
                variant.name(),
                1.0 - known.share_without(),
                it.value,
                it.lower,
                it.upper,
                if it.converged { "converged" } else { "not converged" },
                if holds { "holds" } else { "**misses**" },
                truth - it.value,
                cpu_seconds() - begun,
            );
            std::io::stdout().flush().ok();
        }
    }
    println!(
        "\n| rows | converged, holds | converged, MISSES | not converged | of these, misses | log-likelihood above 0 |"
    );
    println!("|---|---|---|---|---|---|");
    for &variant in &arguments.variants {
        let it = counts[variant as usize];
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            variant.name(),
            it.converged_and_holds,
            it.converged_and_misses,
            it.not_converged,
            it.not_converged_and_misses,
            it.impossible
        );
    }
    Ok(())
}

/// CPU time of this process in seconds, where the system tells it: user and system time are fields 14 and 15 of
/// /proc/self/stat, in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
