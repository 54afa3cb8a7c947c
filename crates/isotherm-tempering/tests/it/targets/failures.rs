//! Targets that fail, and callers that stop.

use std::sync::atomic::{AtomicUsize, Ordering};

use isotherm_tempering::causes::{ForeignError, NonFinite};
use isotherm_tempering::targets::{LocalFields, PerState, Target, TargetRequest, sample_target};
use isotherm_tempering::{Kind, Result};

use super::random_qubo;

#[test]
fn an_energy_that_is_no_number_is_named() {
    // Only one state of 256 is bad: it is met on the way.
    let bad = [1, 0, 1, 1, 0, 0, 1, 0];
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let target = PerState::new(8, |x| if x == bad { value } else { f64::from(x[0]) });
        let error = sample_target(&target, &TargetRequest::default(), |_| true).unwrap_err();
        assert_eq!(error.kind(), Kind::NonFinite, "{error}");
        let Some(NonFinite::Energy { state, flipped, energy }) = error.cause() else {
            panic!("{error:?}")
        };
        assert_eq!(energy.to_bits(), value.to_bits());
        // The state itself, or a neighbour and which variable of it is flipped.
        let mut met = state.clone();
        if let Some(variable) = *flipped {
            met[variable] ^= 1;
        }
        assert_eq!(met, bad);
    }
}

/// A target whose code fails at its 500th call.
struct Failing(AtomicUsize);

impl Target for Failing {
    fn n(&self) -> usize {
        6
    }

    fn energies(&self, _states: &[u8], energies: &mut [f64]) -> Result<()> {
        energies.fill(0.0);
        match self.0.fetch_add(1, Ordering::Relaxed) {
            499 => Err(ForeignError("division by zero in line 3".into()).into()),
            500.. => panic!("called again after an error"),
            _ => Ok(()),
        }
    }
}

#[test]
fn an_error_of_the_target_ends_the_sampling_and_is_handed_on() {
    let error = sample_target(&Failing(AtomicUsize::new(0)), &TargetRequest::default(), |_| true)
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Foreign);
    let ForeignError(cause) = error.cause().unwrap();
    assert_eq!(cause.to_string(), "division by zero in line 3", "the target's own words");
}

/// Fields that are no numbers once variable 2 was flipped.
struct BadFields;

impl Target for BadFields {
    fn n(&self) -> usize {
        4
    }

    fn energies(&self, _states: &[u8], energies: &mut [f64]) -> Result<()> {
        energies.fill(0.0);
        Ok(())
    }

    fn local_fields(&self) -> Option<&dyn LocalFields> {
        Some(self)
    }
}

impl LocalFields for BadFields {
    fn begin(&self, _state: &[u8], fields: &mut [f64]) -> f64 {
        fields.fill(0.0);
        0.0
    }

    fn follow(&self, _state: &[u8], j: usize, fields: &mut [f64]) {
        if j == 2 {
            fields[3] = f64::NAN;
        }
    }
}

#[test]
fn a_field_that_is_no_number_is_an_error() {
    let error = sample_target(&BadFields, &TargetRequest::default(), |_| true).unwrap_err();
    assert_eq!(error.kind(), Kind::NonFinite);
    assert!(
        matches!(error.cause(), Some(NonFinite::Field { variable: 3, field }) if field.is_nan())
    );
}

#[test]
fn who_says_stop_gets_what_there_is() {
    let target = random_qubo(6, 1.0, 1);
    let request = TargetRequest::default().warm_up(100).thin(10);
    let stopped_after = |steps: usize| {
        let mut calls = 0;
        let found = sample_target(&target, &request, |_| {
            calls += 1;
            calls < steps
        });
        assert_eq!(calls, steps, "not asked again");
        found.unwrap()
    };
    let early = stopped_after(50);
    assert!(!early.complete && early.log_z.is_none() && early.mean_energy.is_none());
    assert!(early.states.is_empty() && early.steps == 0);
    let later = stopped_after(125);
    assert_eq!((later.complete, later.steps, later.rows().len()), (false, 25, 40));
    assert!(later.log_z.is_some());
}

#[test]
fn progress_rises_to_one_and_requests_are_checked() {
    let target = random_qubo(6, 1.0, 1);
    let mut last = 0.0;
    let found = sample_target(&target, &TargetRequest::default(), |share| {
        assert!(share > last);
        last = share;
        true
    });
    assert_eq!(last, 1.0);
    assert_eq!(found.unwrap().rows().len(), 1000);
    let request = TargetRequest::default().columns(1);
    assert_eq!(sample_target(&target, &request, |_| true).unwrap_err().kind(), Kind::Options);
}
