//! Paths: families of distributions π_β that lead from a reference at β = 0, which can be drawn from
//! exactly, to the target at β = 1.

use crate::ensemble::States;

/// A family of distributions π_β, evaluated on stored states. An [`Explorer`](crate::Explorer) moves the
/// states, and [`States`] stores them.
///
/// # Order of calls
///
/// States are evaluated after a sweep. [`log_densities`](Path::log_densities) and
/// [`log_ratio`](Path::log_ratio) may use whatever the last sweep of the explorer left behind, such as fields.
/// Everything that puts other states into the rows (new states, copies of rows, [`States::select`]) makes
/// those leftovers invalid: the next call must then be a sweep, not an evaluation. A swap does not, since
/// it moves no state. [`Tempering`](crate::Tempering) keeps this order: it sweeps at the beginning of a
/// step, evaluates within it, and changes rows only between two steps. An implementation may panic where the
/// order is broken; it must not return values of states that are gone.
pub trait Path {
    /// What the distributions depend on besides β. It may change between two steps.
    type Model: ?Sized;

    /// The states on which it is evaluated. A sweep leaves in them what an evaluation needs.
    type States: States;

    /// log π_β of a row after a sweep, for each β in `betas`: not normalised, and without terms that
    /// are the same at every β. In `f64` throughout, because estimates of log Z add up thousands of
    /// differences between neighbouring β.
    fn log_densities(&self, states: &Self::States, row: usize, betas: &[f64], out: &mut [f64]);

    /// log Z of the reference under the same convention, so that log Z of the model is this plus
    /// the differences along the path.
    fn log_z_of_reference(&self) -> f64;

    /// Learns from the states after a step how to weigh the regions of the state space along the path, if the path
    /// can. `ladder` has the β of the rungs, β = 1 first, and `betas` those of the rows. The ends of the path stay as they
    /// are. While log Z is measured nothing is learned.
    fn learn(&mut self, states: &mut Self::States, ladder: &[f64], betas: &[f64]) {
        let _ = (states, ladder, betas);
    }

    /// What was learned, as numbers that a checkpoint holds.
    fn learned(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Goes on from such numbers; whether they fit this path.
    fn set_learned(&mut self, values: &[f64]) -> bool {
        values.is_empty()
    }

    /// log [π_βx(y) π_βy(x)] / [π_βx(x) π_βy(y)] after a sweep, for the rows `x` and `y` and their
    /// inverse temperatures: the logarithm of the paper's swap ratio.
    fn log_ratio(
        &self,
        states: &Self::States,
        (x, beta_x): (usize, f64),
        (y, beta_y): (usize, f64),
    ) -> f64 {
        let betas = [beta_x, beta_y];
        let (mut of_x, mut of_y) = ([0.0; 2], [0.0; 2]);
        self.log_densities(states, x, &betas, &mut of_x);
        self.log_densities(states, y, &betas, &mut of_y);
        (of_y[0] + of_x[1]) - (of_x[0] + of_y[1])
    }
}
