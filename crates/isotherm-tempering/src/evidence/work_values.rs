//! log Z from a tempered sampler on a fixed ladder.
//!
//! For every gap, the work value u = log π_cold(x) − log π_hot(x) is recorded of the states on both of
//! its rungs.
//! Three estimates of Δ = log Z_cold − log Z_hot:
//!
//! - **stepping stone up**, Δ = log E_hot[e^u], low where the hot rung misses what the cold one
//!   holds;
//! - **stepping stone down**, Δ = −log E_cold[e^−u], high for the same reason;
//! - **BAR** (Bennett), the Δ with Σ_hot σ(u − Δ) = Σ_cold σ(Δ − u), which uses both.
//!
//! The gaps add up to log Z_1 − log Z_0. Columns are independent, the steps and the gaps of one are
//! not, so errors come from the spread over columns: each column's influence on the estimate is
//! summed over the gaps, then squared.

use isotherm_kernels::scalar::sigmoid;
use rayon::prelude::*;

use super::estimate::{End, Estimate, spread};
use crate::Tempering;
use crate::ensemble::Densities;

/// Halvings of the interval that BAR's Δ is sought in.
const HALVINGS: usize = 45;

/// The smallest overlap for each column at which BAR of a single step is used. On a well-spaced ladder the
/// overlap is at least three times as large.
const OVERLAP: f64 = 0.02;

/// The work values of the states on both rungs of every gap.
#[derive(Clone, Debug, Default)]
pub struct WorkValues {
    columns: usize,
    /// For each gap, cold end first: of the states on its colder rung, all columns at a time.
    cold: Vec<Vec<f64>>,
    /// Of the states on its hotter rung.
    hot: Vec<Vec<f64>>,
}

/// log Z by the three estimators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderLogZ {
    /// Stepping stone from the reference.
    pub up: Estimate,
    /// Stepping stone from the cold end.
    pub down: Estimate,
    /// Bennett's acceptance ratio.
    pub bar: Estimate,
}

impl WorkValues {
    /// Nothing recorded yet.
    pub fn new(gaps: usize, columns: usize) -> WorkValues {
        WorkValues { columns, cold: vec![Vec::new(); gaps], hot: vec![Vec::new(); gaps] }
    }

    /// Records the work values of the replicas after a step.
    pub fn record<P: Densities + Sync>(&mut self, tempering: &Tempering<P>) {
        let (betas, replicas) = (tempering.state.ladder.betas(), &tempering.state.replicas);
        let ensemble = &tempering.ensemble;
        let columns: Vec<Vec<(f64, f64)>> = (0..self.columns)
            .into_par_iter()
            .map(|column| work_values_of_column(ensemble, betas, replicas.column(column)))
            .collect();
        for column in columns {
            for (gap, (of_cold, of_hot)) in column.into_iter().enumerate() {
                self.cold[gap].push(of_cold);
                self.hot[gap].push(of_hot);
            }
        }
    }

    /// log Z, given that of the reference.
    pub fn log_z(&self, of_reference: f64) -> LadderLogZ {
        let estimate = |estimator| {
            let (climb, influences) = self.add_up(&self.gaps(estimator));
            let (std_error, freedom) = spread(&influences);
            Estimate::around(climb, std_error, freedom).plus(of_reference)
        };
        // Where a rung misses states that its neighbour holds, a stepping stone is off by more than its
        // spread shows.
        let bar = estimate(bar);
        LadderLogZ {
            up: estimate(step_up).bounding_beside(End::Lower, &bar),
            down: estimate(step_down).bounding_beside(End::Upper, &bar),
            bar,
        }
    }

    /// BAR's log Z minus that of the reference, and the influence of each column on it. `None` if the
    /// states on the two rungs of some gap hardly overlap: Δ is then undetermined, and its error would be
    /// too small.
    pub fn bennett(&self) -> Option<(f64, Vec<f64>)> {
        let (gaps, overlaps): (Vec<Step>, Vec<f64>) =
            self.gaps(bar_and_overlap).into_iter().unzip();
        let bears = |&overlap: &f64| overlap >= OVERLAP * self.columns as f64;
        overlaps.iter().all(bears).then(|| self.add_up(&gaps))
    }

    /// An estimator applied to every gap.
    fn gaps<T: Send>(&self, estimator: fn(&[f64], &[f64], usize) -> T) -> Vec<T> {
        let gaps = self.cold.par_iter().zip(&self.hot);
        gaps.map(|(cold, hot)| estimator(cold, hot, self.columns)).collect()
    }

    /// The sum over the gaps, and the sum of the influences of each column.
    fn add_up(&self, gaps: &[Step]) -> (f64, Vec<f64>) {
        let mut influences = vec![0.0; self.columns];
        for gap in gaps {
            influences.iter_mut().zip(&gap.influences).for_each(|(sum, x)| *sum += x);
        }
        (gaps.iter().map(|gap| gap.value).sum(), influences)
    }
}

/// u of the state on the colder and of that on the hotter rung of every gap of a column.
fn work_values_of_column(
    ensemble: &impl Densities,
    betas: &[f64],
    rows: &[usize],
) -> Vec<(f64, f64)> {
    let mut works = vec![(0.0, 0.0); betas.len() - 1];
    let mut logs = [0.0; 3];
    for (rung, &row) in rows.iter().enumerate() {
        let first = rung.saturating_sub(1);
        let near = &betas[first..(rung + 2).min(betas.len())];
        ensemble.log_densities(row, near, &mut logs[..near.len()]);
        let at = rung - first;
        if rung > 0 {
            works[rung - 1].1 = logs[at - 1] - logs[at];
        }
        if rung + 1 < betas.len() {
            works[rung].0 = logs[at] - logs[at + 1];
        }
    }
    works
}

/// Δ over one gap, and the influence of each column on it.
struct Step {
    value: f64,
    influences: Vec<f64>,
}

fn step_up(_cold: &[f64], hot: &[f64], columns: usize) -> Step {
    log_mean_step(hot, 1.0, columns)
}

fn step_down(cold: &[f64], _hot: &[f64], columns: usize) -> Step {
    log_mean_step(cold, -1.0, columns)
}

/// `sign` · log mean e^(`sign` · u).
fn log_mean_step(u: &[f64], sign: f64, columns: usize) -> Step {
    let top = u.iter().fold(f64::NEG_INFINITY, |top, u| top.max(sign * u));
    let sum: f64 = u.iter().map(|u| libm::exp(sign * u - top)).sum();
    let n = u.len() as f64;
    let mut influences = vec![0.0; columns];
    for (i, u) in u.iter().enumerate() {
        influences[i % columns] += sign * (libm::exp(sign * u - top) / sum - 1.0 / n);
    }
    Step { value: sign * (top + libm::log(sum / n)), influences }
}

fn bar(cold: &[f64], hot: &[f64], columns: usize) -> Step {
    bar_and_overlap(cold, hot, columns).0
}

/// BAR, and the overlap of the two rungs: Σ σ(1 − σ), to which a state that is equally likely on both
/// contributes a quarter.
fn bar_and_overlap(cold: &[f64], hot: &[f64], columns: usize) -> (Step, f64) {
    let both = || cold.iter().chain(hot).copied();
    let (mut low, mut high) =
        (both().fold(f64::INFINITY, f64::min), both().fold(f64::NEG_INFINITY, f64::max));
    // Σ_hot σ(u − Δ) − Σ_cold σ(Δ − u) falls with Δ, and changes its sign between these.
    let excess = |delta: f64| {
        let from_hot: f64 = hot.iter().map(|u| sigmoid(u - delta)).sum();
        from_hot - cold.iter().map(|u| sigmoid(delta - u)).sum::<f64>()
    };
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    let value = 0.5 * (low + high);
    // dΔ = (contribution of a column to the excess) / (minus the slope of the excess).
    let mut slope = 0.0;
    let mut influences = vec![0.0; columns];
    for (i, (of_hot, of_cold)) in hot.iter().zip(cold).enumerate() {
        let (up, down) = (sigmoid(of_hot - value), sigmoid(value - of_cold));
        influences[i % columns] += up - down;
        slope += up * (1.0 - up) + down * (1.0 - down);
    }
    influences.iter_mut().for_each(|influence| *influence /= slope);
    (Step { value, influences }, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_rungs_that_hardly_overlap_does_not_bear() {
        let look = |between: f64| {
            let spread = [-1.0, -0.5, 0.0, 0.5, 1.0];
            let hot = vec![spread.to_vec()];
            let cold = vec![spread.map(|u| u + between).to_vec()];
            WorkValues { columns: 5, cold, hot }.bennett()
        };
        let (climb, _) = look(1.0).expect("rungs that overlap");
        assert!((climb - 0.5).abs() < 1e-9, "{climb}");
        assert_eq!(look(20.0), None);
        assert_eq!(look(f64::NAN), None);
        assert_eq!(look(f64::INFINITY), None);
    }
}
