//! Rows of a run that is well, for the tests of what is made of rows. The tests of the report use them too.
#![allow(dead_code)]

use isotherm::likelihood::{Estimate, LogLikelihood, LogZ, Method, SamplerReport, Start, Verdict};
use isotherm::trainer::Phase;
use isotherm_run::record::diagnose::predicted_flow;
use isotherm_run::record::{LadderRow, Row};

/// A measured log-likelihood.
pub fn likelihood(value: f64) -> LogLikelihood {
    LogLikelihood {
        value,
        std_error: 0.1,
        method: Method::Exact,
        lower: value - 0.2,
        upper: value + 0.2,
        on: "mixture".into(),
        examples_std_error: None,
        log_z: None,
    }
}

/// An estimated one.
pub fn estimated(value: f64, verdict: Verdict) -> LogLikelihood {
    let estimate = Estimate {
        value: 100.0,
        std_error: 0.1,
        lower: 99.8,
        upper: 100.2,
        bounding_end: None,
        effective_samples: None,
    };
    let sampler = |start| SamplerReport {
        reference: None,
        start,
        stepping_stone_up: estimate,
        stepping_stone_down: estimate,
        bar: estimate,
        rungs: 12,
        columns: 16,
        steps: 600,
        round_trips: 40,
    };
    let log_z = LogZ {
        value: 100.0,
        std_error: 0.1,
        lower: 99.5,
        upper: 100.5,
        verdict,
        floor: None,
        components: vec![8, 5],
        forward_ais: vec![estimate; 2],
        reverse_ais: vec![estimate; 4],
        samplers: [Start::Random, Start::Known].repeat(2).into_iter().map(sampler).collect(),
        annealing_steps: vec![1000; 6],
        particles: vec![256; 6],
    };
    LogLikelihood { log_z: Some(Box::new(log_z)), ..likelihood(value) }
}

/// A ladder of seven rungs whose f_up is what its swap rates predict.
pub fn healthy_ladder() -> LadderRow {
    let mut ladder = LadderRow {
        betas: (0..7).map(|i| 1.0 - f64::from(i) / 6.0).collect(),
        swap_rates: vec![Some(0.5); 6],
        swap_rate: 0.5,
        f_up: Vec::new(),
        return_time_mean: 50.0,
        return_time_sum: 350.0,
        round_trips: 12,
        replica_steps: 3000,
    };
    ladder.f_up = predicted_flow(&ladder).unwrap().into_iter().map(Some).collect();
    ladder
}

/// Ten rows of a run that gets better and better.
pub fn healthy_rows() -> Vec<Row> {
    let row = |i: u64| Row {
        step: 100 * (i + 1),
        phase: Phase::Train,
        learning_rate: 0.01,
        event: None,
        log_likelihood: Some(likelihood(-200.0 + 10.0 * i as f64)),
        log_likelihood_averaged: Some(likelihood(-201.0 + 10.0 * i as f64)),
        log_likelihood_valid: None,
        log_z_averaged: None,
        ladder: Some(healthy_ladder()),
    };
    (0..10).map(row).collect()
}

/// A row with a ladder of these rungs.
pub fn ladder_row(step: u64, betas: &[f64]) -> Row {
    let ladder = LadderRow {
        betas: betas.to_vec(),
        swap_rates: vec![Some(0.5); betas.len() - 1],
        f_up: vec![Some(0.5); betas.len()],
        ..healthy_ladder()
    };
    Row { step, ladder: Some(ladder), ..healthy_rows().remove(0) }
}
