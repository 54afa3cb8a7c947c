//! An ensemble with closed answers: swaps that are accepted with a given probability, whatever the
//! states are. The round trips and the flow of such a ladder are known exactly.

use crate::ensemble::Ensemble;
use crate::error::Result;
use crate::streams::Key;

/// Gap `i` of a linear ladder accepts with probability `acceptance[i]`.
#[derive(Clone, Debug)]
pub struct FixedAcceptance {
    acceptance: Vec<f64>,
    rows: usize,
}

impl FixedAcceptance {
    /// A block of `rows` replicas without state.
    pub fn new(acceptance: Vec<f64>, rows: usize) -> FixedAcceptance {
        FixedAcceptance { acceptance, rows }
    }
}

impl Ensemble for FixedAcceptance {
    type Model = ();

    fn rows(&self) -> usize {
        self.rows
    }

    fn sweep(&mut self, _: &(), _: &[f64], _: usize, _: Key) -> Result<()> {
        Ok(())
    }

    fn log_ratio(&self, (_, beta_x): (usize, f64), _: (usize, f64)) -> f64 {
        let gap = ((1.0 - beta_x) * self.acceptance.len() as f64).round() as usize;
        libm::log(self.acceptance[gap])
    }

    fn select(&mut self, rows: &[usize]) {
        self.rows = rows.len();
    }
}
