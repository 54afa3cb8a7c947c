//! The flow of replicas between the ends of the ladder: labels, the fraction f_up of replicas on
//! each rung that come from the cold end, return times and completed round trips.

use crate::replicas::{Label, Replicas};
use crate::schedule::IsotonicFit;
use crate::schedule::places_falling;

/// The shortest time constant of the flow histograms, in steps.
const SHORTEST_MEMORY: f64 = 100.0;

/// The longest. If round trips become rare, the return time grows without bound, and histograms that
/// remember as long would not show the ladder that its flow has stopped.
const LONGEST_MEMORY: f64 = 5000.0;

/// Decaying numbers of up- and down-replicas on each rung.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histograms {
    /// n_u.
    pub(crate) up: Vec<f64>,
    /// n_d.
    pub(crate) down: Vec<f64>,
}

impl Histograms {
    /// Nothing seen yet.
    pub fn new(rungs: usize) -> Histograms {
        Histograms { up: vec![0.0; rungs], down: vec![0.0; rungs] }
    }

    /// The histograms of these counts, or `None` if they have different numbers of rungs.
    pub fn from_parts(up: Vec<f64>, down: Vec<f64>) -> Option<Histograms> {
        (up.len() == down.len()).then_some(Histograms { up, down })
    }

    /// n_u of each rung.
    pub fn up(&self) -> &[f64] {
        &self.up
    }

    /// n_d of each rung.
    pub fn down(&self) -> &[f64] {
        &self.down
    }

    /// Decays both histograms of a rung by the fraction `share` and adds the labels present. (The paper's
    /// text changes only the histogram of the label that arrives, which does not give a usable f_up.)
    fn take_in(&mut self, rung: usize, present: Present, share: f64) {
        self.up[rung] += share * (f64::from(present.up) - self.up[rung]);
        self.down[rung] += share * (f64::from(present.down) - self.down[rung]);
    }

    /// f_up(i) = n_u(i) / (n_u(i) + n_d(i)); `None` where no labelled replica has been.
    pub fn f_up(&self) -> Vec<Option<f64>> {
        self.each_f_up().map(|(f_up, _)| f_up).collect()
    }

    /// f_up of each rung with its weight, n_u + n_d.
    fn each_f_up(&self) -> impl Iterator<Item = (Option<f64>, f64)> + Clone {
        let fraction =
            |(up, down): (&f64, &f64)| ((up + down > 0.0).then(|| up / (up + down)), up + down);
        self.up.iter().zip(&self.down).map(fraction)
    }

    /// f_up made monotone from 1 to 0: isotonic fit weighted by the counts, gaps interpolated.
    pub fn f_up_fitted(&self) -> Vec<f64> {
        self.fit_f_up(&mut IsotonicFit::default()).to_vec()
    }

    /// [`f_up_fitted`](Histograms::f_up_fitted) in the buffers of `fit`.
    pub(crate) fn fit_f_up<'a>(&self, fit: &'a mut IsotonicFit) -> &'a [f64] {
        let fitted = fit.decreasing(self.each_f_up().map(|(f, weight)| (f.unwrap_or(0.5), weight)));
        if let Some(first) = fitted.first_mut() {
            *first = 1.0;
        }
        if let [_, .., last] = fitted {
            *last = 0.0;
        }
        fitted
    }

    fn insert(&mut self, gap: usize) {
        for histogram in [&mut self.up, &mut self.down] {
            histogram.insert(gap + 1, 0.5 * (histogram[gap] + histogram[gap + 1]));
        }
    }

    fn remove(&mut self, rung: usize) {
        self.up.remove(rung);
        self.down.remove(rung);
    }
}

/// How many replicas of each label are on a rung.
#[derive(Clone, Copy)]
struct Present {
    up: u32,
    down: u32,
}

impl Present {
    fn on(rung: usize, replicas: &Replicas) -> Present {
        let mut present = Present { up: 0, down: 0 };
        for &row in replicas.row_at()[rung..].iter().step_by(replicas.rungs()) {
            present.up += u32::from(replicas.labels[row] == Label::Up);
            present.down += u32::from(replicas.labels[row] == Label::Down);
        }
        present
    }
}

/// Flow statistics of a ladder, pooled over its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Counts by rung, wherever the rung was at the time: the paper's f_up, which is reported.
    pub(crate) seen: Histograms,
    /// Counts as a curve over β, which stays in place when rungs move: the rungs are placed by it.
    pub(crate) curve: Histograms,
    /// Round trips completed since the last restart of the count.
    pub(crate) round_trips: u64,
    /// Steps times replicas since the last restart of the count.
    pub(crate) replica_steps: u64,
}

impl Flow {
    /// Nothing seen yet.
    pub fn new(rungs: usize) -> Flow {
        let (seen, curve) = (Histograms::new(rungs), Histograms::new(rungs));
        Flow { seen, curve, round_trips: 0, replica_steps: 0 }
    }

    /// The flow of these parts, or `None` if the histograms have different numbers of rungs.
    pub fn from_parts(
        seen: Histograms,
        curve: Histograms,
        round_trips: u64,
        replica_steps: u64,
    ) -> Option<Flow> {
        let fits = seen.up.len() == curve.up.len();
        fits.then_some(Flow { seen, curve, round_trips, replica_steps })
    }

    /// What was seen on each rung, wherever the rung was at the time: the paper's f_up, and what is
    /// reported.
    pub fn seen(&self) -> &Histograms {
        &self.seen
    }

    /// The same as a curve over β, which stays where it was seen when the rungs move: what the rungs are
    /// placed by.
    pub fn curve(&self) -> &Histograms {
        &self.curve
    }

    /// Round trips completed since the last restart of the count.
    pub fn round_trips(&self) -> u64 {
        self.round_trips
    }

    /// Steps times replicas since the last restart of the count.
    pub fn replica_steps(&self) -> u64 {
        self.replica_steps
    }

    pub(crate) fn rungs(&self) -> usize {
        self.seen.up.len()
    }

    /// Records where the replicas are after a swap pass.
    ///
    /// A replica at the cold end becomes "up"; one at the reference becomes "down". The age of a
    /// down-replica that arrives at the cold end is reset, and it has completed a round trip if it started
    /// from there. The histograms then decay and count the labels, with the mean age as time constant.
    pub(crate) fn observe(&mut self, replicas: &mut Replicas) {
        let rungs = replicas.rungs();
        if rungs < 2 {
            return;
        }
        replicas.increment_ages();
        for column in 0..replicas.columns() {
            let (cold, hot) = (replicas.column(column)[0], replicas.column(column)[rungs - 1]);
            if replicas.labels[cold] == Label::Down {
                replicas.ages[cold] = 0;
                self.round_trips += u64::from(replicas.departed[cold]);
            }
            replicas.labels[cold] = Label::Up;
            replicas.departed[cold] = true;
            replicas.labels[hot] = Label::Down;
        }
        self.replica_steps += replicas.row_at().len() as u64;
        let share = 1.0 / return_time(replicas).mean.clamp(SHORTEST_MEMORY, LONGEST_MEMORY);
        for rung in 0..rungs {
            let present = Present::on(rung, replicas);
            self.seen.take_in(rung, present, share);
            self.curve.take_in(rung, present, share);
        }
    }

    /// Persistence the curve in place while the rungs move. If the counts stayed on the rungs, they would ask for
    /// the same move at every step until new replicas arrive, and the ladder would overshoot whenever it
    /// moves faster than the histograms decay. The curve before the move is left in `before`.
    pub(crate) fn move_rungs(&mut self, from: &[f64], to: &[f64], before: &mut Histograms) {
        std::mem::swap(&mut self.curve, before);
        let Histograms { up, down } = &mut self.curve;
        up.clear();
        down.clear();
        for (right, share) in places_falling(from, to) {
            let between = |ys: &[f64]| ys[right - 1] + (ys[right] - ys[right - 1]) * share;
            up.push(between(&before.up));
            down.push(between(&before.down));
        }
    }

    /// Begins a new count of round trips; the histograms stay.
    pub(crate) fn restart_count(&mut self) {
        (self.round_trips, self.replica_steps) = (0, 0);
    }

    /// Adds a rung after rung `gap`, with the mean of its neighbours' histograms.
    pub(crate) fn insert(&mut self, gap: usize) {
        self.seen.insert(gap);
        self.curve.insert(gap);
    }

    /// Removes a rung.
    pub(crate) fn remove(&mut self, rung: usize) {
        self.seen.remove(rung);
        self.curve.remove(rung);
    }
}

/// Whether replicas made too few round trips for what a sampler found to be relied on: fewer than one for
/// each column. Until then a column may still be where it began.
pub fn too_few_round_trips(round_trips: u64, columns: usize) -> bool {
    round_trips < columns as u64
}

/// The paper's return-time counters at this view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReturnTime {
    /// Mean age of the replicas: the time constant of the histograms.
    pub mean: f64,
    /// Sum of the ages over a column's replicas, averaged over columns: the paper's τ̂_rt.
    pub sum: f64,
}

/// The return-time counters of the replicas on the ladder, mean and sum.
pub fn return_time(replicas: &Replicas) -> ReturnTime {
    let total: u64 = replicas.row_at().iter().map(|&row| replicas.ages[row]).sum();
    ReturnTime {
        mean: total as f64 / replicas.row_at().len() as f64,
        sum: total as f64 / replicas.columns() as f64,
    }
}
