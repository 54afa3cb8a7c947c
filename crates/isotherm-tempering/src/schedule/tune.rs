//! Spacing the ladder of a model that does not change, for samplers that tune it in rounds and then measure
//! with it fixed.
//!
//! Training changes the model at every step, and its ladder follows in small steps. A sampler of a fixed
//! model can do better: observe a fixed ladder for a while, then compute the ladder that would reject
//! equally often at every gap, with as many rungs as that takes. Once replicas have made round trips, the
//! flow shows where states change slowly, and the rungs can follow it.

use super::ladder::Ladder;
use super::respace::{Respace, equal_rejection, target};
use crate::engine::{Tempering, TemperingState};
use crate::ensemble::Ensemble;
use crate::flow::Histograms;

/// Fewest gaps that a ladder is given.
const FEWEST_GAPS: usize = 3;
/// The most rungs that a warm-up uses.
pub const MOST_RUNGS: usize = 100;
/// The rejection rate that every gap should have: half of the swaps succeed.
const REJECTION: f64 = 0.5;
/// The shares of a warm-up after which the ladder is respaced, if every gap has been tried by then. In the
/// remaining steps the replicas equilibrate.
const TUNED_AFTER: [f64; 4] = [0.1, 0.2, 0.4, 0.6];
/// The share of further steps in which the rungs follow the flow. In the remaining steps the replicas
/// equilibrate.
const FOLLOWED: f64 = 0.75;
/// How far they move: n moves of μ = 4/n leave e⁻⁴ of the distance to the target.
const FOLLOWED_FAR: f64 = 4.0;
/// The largest μ: the flow has to show the effect of earlier moves.
const LARGEST_MU: f64 = 0.01;

impl<E: Ensemble> Tempering<E> {
    /// Respaces the ladder at the end of a round, before step `step` of a warm-up of `steps` steps.
    pub(crate) fn tune_between_rounds(&mut self, step: u64, steps: u64) {
        let ends_a_round = |share: &f64| (share * steps as f64) as u64 == step;
        if step > 0 && TUNED_AFTER.iter().any(ends_a_round) {
            self.tune(REJECTION, MOST_RUNGS);
        }
    }

    /// Moves the rungs towards an even flow after step `step` of `steps`; in the last quarter they stay.
    /// Equal rejection does not show how slowly states change on a rung, the flow does. But the flow is
    /// known only after replicas have made round trips, so this follows a warm-up and some steps of
    /// measuring.
    pub(crate) fn follow_flow(&mut self, step: u64, steps: u64) {
        let followed = FOLLOWED * steps as f64;
        if (step as f64) < followed {
            self.move_by_flow((FOLLOWED_FAR / followed).min(LARGEST_MU));
        }
    }

    /// Moves the rungs by the fraction `mu` towards a compromise: half of the mass is placed by the flow,
    /// as in the paper, and half by rejection. Each gap then has at most twice its share of the barrier, so
    /// no gap becomes too wide for swaps or for BAR.
    fn move_by_flow(&mut self, mu: f64) {
        let s = &mut self.state;
        let (rejections, before) = (s.rates.rejections(), s.ladder.betas().to_vec());
        let barrier: f64 = rejections.iter().sum();
        if !s.rates.are_known() || barrier <= 0.0 {
            return;
        }
        let mut falling = s.flow.curve.f_up_fitted();
        let mut passed = 0.0;
        for (rung, f) in falling.iter_mut().enumerate() {
            *f = 0.5 * (*f + 1.0 - passed / barrier);
            passed += rejections.get(rung).copied().unwrap_or(0.0);
        }
        let wanted = target(Respace::Flow, &s.ladder, &falling, &rejections);
        s.ladder.move_towards(wanted.betas(), mu);
        s.flow.move_rungs(&before, s.ladder.betas(), &mut Histograms::default());
    }

    /// Respaces the ladder so that all gaps would reject with this probability, by the rates observed since
    /// it was last respaced, with at most `most_rungs` rungs. The barrier Λ, the sum of the rejection
    /// rates, hardly depends on the rungs it is measured with, but too few rungs underestimate it: a ladder
    /// on which nothing swaps is doubled. Does nothing before every gap was tried, because an untried gap
    /// would count as one without rejection.
    fn tune(&mut self, rejection: f64, most_rungs: usize) {
        if !self.state.rates.are_known() {
            return;
        }
        let rejections = self.state.rates.rejections();
        let barrier: f64 = rejections.iter().sum();
        let gaps = ((barrier / rejection).ceil() as usize).clamp(FEWEST_GAPS, most_rungs - 1);
        if let Some(ladder) = equal_rejection(&self.state.ladder, &rejections, gaps) {
            self.lay(ladder);
        }
    }

    /// Puts the replicas on another ladder: each rung takes the states of the nearest old rung, or copies
    /// of them. Labels, counts and rates are reset.
    fn lay(&mut self, ladder: Ladder) {
        let (old, replicas) = (self.state.ladder.betas(), &self.state.replicas);
        let columns = replicas.columns();
        let nearest = |beta: f64| {
            let distance = |rung: &usize| (old[*rung] - beta).abs();
            (0..old.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
        };
        let rungs: Vec<usize> = ladder.betas().iter().map(|&beta| nearest(beta)).collect();
        let rows: Vec<usize> = (0..columns)
            .flat_map(|column| rungs.iter().map(move |&rung| replicas.column(column)[rung]))
            .chain(replicas.off_ladder().iter().copied())
            .collect();
        let extra = replicas.off_ladder().len();
        self.ensemble.select(&rows);
        self.state = TemperingState::with_extra_particles(ladder, columns, extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spacing;
    use crate::sampler::{Progress, Sampler, WarmUp};
    use crate::streams::Key;
    use crate::toy::FixedAcceptance;

    /// A ladder of equal differences whose gaps have been seen to accept that often.
    fn seen(acceptance: Vec<f64>, columns: usize) -> Tempering<FixedAcceptance> {
        let rungs = acceptance.len() + 1;
        let state = TemperingState::new(Ladder::new(rungs, Spacing::Linear), columns);
        let mut tempering =
            Tempering::new(FixedAcceptance::new(acceptance, columns * rungs), state);
        for step in 0..400 {
            tempering.step(&(), 1, Key { seed: 1, step }).expect("swap ratios are finite");
        }
        tempering
    }

    /// Λ = 0.2 + 0.5 + 0.7 + 0.5 takes four gaps, of 0.475 each.
    #[test]
    fn the_barrier_is_cut_into_equal_parts() {
        let mut tempering = seen(vec![0.8, 0.5, 0.3, 0.5], 3);
        tempering.tune(0.5, 100);
        let betas = tempering.state.ladder.betas();
        let wanted = [1.0, 0.6125, 0.4107, 0.2375, 0.0];
        assert_eq!(betas.len(), wanted.len());
        // A thousandth of the way is that of the straight line.
        assert!(betas.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3), "{betas:?}");
        assert_eq!(tempering.ensemble.rows(), 15);
        assert!(tempering.state.replicas.is_permutation());
        assert_eq!(tempering.state.flow.round_trips, 0, "the count restarted");
    }

    #[test]
    fn a_ladder_without_swaps_doubles_and_one_with_easy_swaps_shrinks() {
        let mut shut = seen(vec![1e-12; 5], 2);
        shut.tune(0.5, 100);
        assert_eq!(shut.state.ladder.gaps(), 10);
        let mut full = seen(vec![1e-12; 5], 2);
        full.tune(0.5, 8);
        assert_eq!(full.state.ladder.rungs(), 8, "no more than is allowed");
        let mut easy = seen(vec![0.9; 10], 2);
        easy.tune(0.5, 100);
        assert_eq!(easy.state.ladder.gaps(), FEWEST_GAPS);
    }

    /// The rung at β = 0.6 hardly swaps with what is hotter, which holds the flow up: the rungs around
    /// move there, for three quarters of the steps.
    #[test]
    fn rungs_gather_where_the_flow_is_held_up_and_then_stay() {
        let followed = seen(vec![0.9, 0.9, 0.2, 0.9, 0.9], 8);
        let mut by_hand = followed.clone();
        let key = Key { seed: 2, step: 0 };
        let mut sampler = Sampler::new(followed, key);
        let progress = &mut Progress::unreported();
        let outcome = sampler.warm_up(&(), 4000, WarmUp::FollowFlow, progress);
        outcome.expect("swap ratios are finite");
        let followed = sampler.tempering;
        let betas = followed.state.ladder.betas();
        assert_eq!(betas.len(), 6, "none comes or goes");
        assert!(betas[1..5].iter().all(|beta| (0.3..0.7).contains(beta)), "{betas:?}");
        assert_eq!(followed.state.flow.round_trips, 0, "the count restarted");
        for step in 0..3000 {
            by_hand.step(&(), 1, Key { step, ..key }).expect("swap ratios are finite");
            by_hand.move_by_flow(FOLLOWED_FAR / 3000.0);
        }
        assert_eq!(by_hand.state.ladder, followed.state.ladder);
    }

    /// One step tries every other gap; the rest would count as open.
    #[test]
    fn nothing_is_laid_before_every_gap_was_tried() {
        let state = TemperingState::new(Ladder::new(6, Spacing::Linear), 2);
        let mut tempering = Tempering::new(FixedAcceptance::new(vec![0.5; 5], 12), state);
        let laid = tempering.state.ladder.clone();
        tempering.step(&(), 1, Key { seed: 1, step: 0 }).expect("swap ratios are finite");
        tempering.tune(0.2, 100);
        assert_eq!(tempering.state.ladder, laid);
        tempering.step(&(), 1, Key { seed: 1, step: 1 }).expect("swap ratios are finite");
        tempering.tune(0.2, 100);
        assert_ne!(tempering.state.ladder, laid);
    }
}
