//! The flow of replicas between the ends of the ladder: labels, the fraction f_up of replicas on
//! each rung that come from the cold end, return times and completed round trips.

use super::interpolate::{interpolate_falling, isotonic_decreasing};
use super::replicas::{Label, Replicas};

/// The shortest time constant of the flow histograms, in steps.
const SHORTEST_MEMORY: f64 = 100.0;

/// The longest. Where round trips become rare the return time grows without bound, and histograms
/// that remember as long would hide from the ladder that its flow has stopped.
const LONGEST_MEMORY: f64 = 5000.0;

/// Decaying numbers of up- and down-replicas on each rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Histograms {
    /// n_u.
    pub up: Vec<f64>,
    /// n_d.
    pub down: Vec<f64>,
}

impl Histograms {
    /// Nothing seen yet.
    pub fn new(rungs: usize) -> Histograms {
        Histograms { up: vec![0.0; rungs], down: vec![0.0; rungs] }
    }

    /// Both histograms forget the fraction `share` and take in the labels present. (The paper's
    /// text touches only the histogram of the label that arrives; that reading does not work.)
    fn observe(&mut self, replicas: &Replicas, share: f64) {
        for rung in 0..replicas.rungs() {
            let count = |label| {
                let rows = (0..replicas.columns()).map(|column| replicas.column(column)[rung]);
                rows.filter(|&row| replicas.labels[row] == label).count() as f64
            };
            self.up[rung] += share * (count(Label::Up) - self.up[rung]);
            self.down[rung] += share * (count(Label::Down) - self.down[rung]);
        }
    }

    /// f_up(i) = n_u(i) / (n_u(i) + n_d(i)); `None` where no labelled replica has been.
    pub fn f_up(&self) -> Vec<Option<f64>> {
        let fraction = |(up, down): (&f64, &f64)| (up + down > 0.0).then(|| up / (up + down));
        self.up.iter().zip(&self.down).map(fraction).collect()
    }

    /// f_up made monotone from 1 to 0: isotonic fit weighted by the counts, gaps interpolated.
    pub fn f_up_fitted(&self) -> Vec<f64> {
        let weights: Vec<f64> = self.up.iter().zip(&self.down).map(|(u, d)| u + d).collect();
        let values: Vec<f64> = self.f_up().into_iter().map(|f| f.unwrap_or(0.5)).collect();
        let mut fitted = isotonic_decreasing(&values, &weights);
        if let Some(first) = fitted.first_mut() {
            *first = 1.0;
        }
        if let [_, .., last] = &mut fitted[..] {
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

/// Flow statistics of a ladder, pooled over its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What was seen on each rung, wherever the rung was at the time: the paper's f_up, and what
    /// is reported.
    pub seen: Histograms,
    /// The same as a curve over β, which stays where it was seen when the rungs move: what the
    /// rungs are placed by.
    pub curve: Histograms,
    /// Round trips completed since the last restart of the count.
    pub round_trips: u64,
    /// Steps times replicas since the last restart of the count.
    pub replica_steps: u64,
}

impl Flow {
    /// Nothing seen yet.
    pub fn new(rungs: usize) -> Flow {
        let (seen, curve) = (Histograms::new(rungs), Histograms::new(rungs));
        Flow { seen, curve, round_trips: 0, replica_steps: 0 }
    }

    /// Takes note of where the replicas are after a swap pass.
    ///
    /// A replica at the cold end becomes "up"; one at the hot end becomes "down". A down-replica
    /// that arrives at the cold end restarts its age, and has completed a round trip if it set
    /// out from there. The histograms then forget and take in, with the mean age as time constant.
    pub fn observe(&mut self, replicas: &mut Replicas) {
        let rungs = replicas.rungs();
        if rungs < 2 {
            return;
        }
        for age in &mut replicas.ages {
            *age += 1;
        }
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
        self.replica_steps += replicas.rows() as u64;
        let share = 1.0 / return_time(replicas).mean.clamp(SHORTEST_MEMORY, LONGEST_MEMORY);
        self.seen.observe(replicas, share);
        self.curve.observe(replicas, share);
    }

    /// Keeps the curve where it was seen while the rungs move. On the rungs it would ask for the
    /// same move again at every step until new replicas have come by, and the ladder would
    /// overshoot whenever it moves faster than the histograms forget.
    pub fn move_rungs(&mut self, from: &[f64], to: &[f64]) {
        for histogram in [&mut self.curve.up, &mut self.curve.down] {
            *histogram =
                to.iter().map(|&beta| interpolate_falling(from, histogram, beta)).collect();
        }
    }

    /// Begins a new count of round trips; the histograms stay.
    pub fn restart_count(&mut self) {
        (self.round_trips, self.replica_steps) = (0, 0);
    }

    /// Adds a rung after rung `gap`, with the mean of its neighbours' histograms.
    pub fn insert(&mut self, gap: usize) {
        self.seen.insert(gap);
        self.curve.insert(gap);
    }

    /// Removes a rung.
    pub fn remove(&mut self, rung: usize) {
        self.seen.remove(rung);
        self.curve.remove(rung);
    }
}

/// The paper's return-time counters at this moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReturnTime {
    /// Mean age of the replicas: the time constant of the histograms.
    pub mean: f64,
    /// Sum of the ages over a column's replicas, averaged over columns: the paper's τ̂_rt.
    pub sum: f64,
}

/// The return-time counters, mean and sum.
pub fn return_time(replicas: &Replicas) -> ReturnTime {
    let total: u64 = replicas.ages.iter().sum();
    ReturnTime {
        mean: total as f64 / replicas.rows() as f64,
        sum: total as f64 / replicas.columns() as f64,
    }
}
