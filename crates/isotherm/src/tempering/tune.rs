//! A ladder laid anew, for samplers that tune it in rounds and then measure with it as it is.
//!
//! Training changes the model at every step, and its ladder follows in small steps. A sampler of a
//! model that stays can do better: watch a fixed ladder for a while, then lay the one that would
//! reject equally often at every gap, with as many rungs as that takes.

use super::engine::{Tempering, TemperingState};
use super::ladder::Ladder;
use super::respace::equal_rejection;
use crate::path::Path;

/// Fewest gaps that a ladder is given.
const FEWEST_GAPS: usize = 3;

impl<P: Path> Tempering<P> {
    /// Lays the ladder whose gaps would all reject with this probability, by what was seen since it
    /// was laid last; at most `most_rungs` rungs. The barrier Λ, the sum of the rejections, hardly
    /// depends on the rungs it is measured with, but too few rungs show too little of it: a
    /// ladder on which nothing swaps doubles.
    pub fn tune(&mut self, rejection: f64, most_rungs: usize) {
        let rejections = self.state.rates.rejections();
        let barrier: f64 = rejections.iter().sum();
        let gaps = ((barrier / rejection).ceil() as usize).clamp(FEWEST_GAPS, most_rungs - 1);
        if let Some(ladder) = equal_rejection(&self.state.ladder, &rejections, gaps) {
            self.lay(ladder);
        }
    }

    /// Puts the replicas on another ladder: each rung takes the states of the rung nearest to it,
    /// or copies of them. Labels, counts and rates begin anew.
    pub fn lay(&mut self, ladder: Ladder) {
        let (old, replicas) = (self.state.ladder.betas(), &self.state.replicas);
        let columns = replicas.columns();
        let nearest = |beta: f64| {
            let distance = |rung: &usize| (old[*rung] - beta).abs();
            (0..old.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
        };
        let rungs: Vec<usize> = ladder.betas().iter().map(|&beta| nearest(beta)).collect();
        let rows: Vec<usize> = (0..columns)
            .flat_map(|column| rungs.iter().map(move |&rung| replicas.column(column)[rung]))
            .collect();
        self.path.select(&rows);
        self.state = TemperingState::new(ladder, columns);
    }
}
