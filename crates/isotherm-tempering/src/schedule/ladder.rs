//! The ladder: β_0 = 1 > β_1 > … > β_{M−1} = 0. (The paper counts from 1.)

use serde::{Deserialize, Serialize};

/// The smallest gap that adaptation leaves: rungs that are closer have the same distribution.
pub(crate) const NARROWEST: f64 = 1e-6;

/// How the rungs of a new ladder are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios down to 1/(M − 1), then 0.
    Geometric,
}

/// The inverse temperatures, cold end first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    betas: Vec<f64>,
}

impl Ladder {
    /// A ladder of `rungs` rungs; a single one is the model itself.
    pub fn new(rungs: usize, spacing: Spacing) -> Ladder {
        assert!(rungs >= 1, "a ladder has at least one rung");
        let gaps = (rungs - 1) as f64;
        let betas = (0..rungs).map(|i| match spacing {
            _ if i == 0 => 1.0,
            _ if i == rungs - 1 => 0.0,
            Spacing::Linear => 1.0 - i as f64 / gaps,
            Spacing::Geometric => libm::pow(gaps, -(i as f64) / (gaps - 1.0)),
        });
        Ladder { betas: betas.collect() }
    }

    /// The ladder with these inverse temperatures, or `None` if they do not form one.
    pub fn from_betas(betas: Vec<f64>) -> Option<Ladder> {
        Ladder::is_ladder(&betas).then_some(Ladder { betas })
    }

    /// Whether these inverse temperatures form a ladder.
    pub fn is_ladder(betas: &[f64]) -> bool {
        let falls = betas.windows(2).all(|pair| pair[0] > pair[1]);
        falls && betas.first() == Some(&1.0) && (betas.len() == 1 || betas.last() == Some(&0.0))
    }

    /// The inverse temperatures, cold end first.
    pub fn betas(&self) -> &[f64] {
        &self.betas
    }

    /// Number of rungs, M.
    pub fn rungs(&self) -> usize {
        self.betas.len()
    }

    /// Number of neighbouring pairs, M − 1.
    pub fn gaps(&self) -> usize {
        self.betas.len() - 1
    }

    /// Moves the inner rungs the fraction `mu` of the way to `target`, the inverse temperatures of
    /// a ladder of the same size: β_i ← β_i + μ(β'_i − β_i). A mean of two ladders is a ladder, but
    /// rungs that would come closer than [`NARROWEST`] are held apart.
    pub(crate) fn move_towards(&mut self, target: &[f64], mu: f64) {
        assert_eq!(self.rungs(), target.len(), "rungs of the target ladder");
        let gaps = self.gaps();
        for (rung, wanted) in target.iter().enumerate().take(gaps).skip(1) {
            let moved = self.betas[rung] + mu * (wanted - self.betas[rung]);
            let highest = self.betas[rung - 1] - NARROWEST;
            let lowest = NARROWEST * (gaps - rung) as f64;
            self.betas[rung] = moved.min(highest).max(lowest);
        }
    }

    /// Adds a rung halfway between rungs `gap` and `gap + 1`; it becomes rung `gap + 1`.
    pub(crate) fn insert(&mut self, gap: usize) {
        self.betas.insert(gap + 1, 0.5 * (self.betas[gap] + self.betas[gap + 1]));
    }

    /// Removes an inner rung.
    pub(crate) fn remove(&mut self, rung: usize) {
        assert!(0 < rung && rung < self.gaps(), "only an inner rung can be removed");
        self.betas.remove(rung);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_never_meet_however_hard_they_are_pushed() {
        let mut ladder = Ladder::new(6, Spacing::Linear);
        let target = Ladder::from_betas(vec![1.0, 0.5 + 3e-9, 0.5 + 2e-9, 0.5 + 1e-9, 0.5, 0.0])
            .expect("a ladder");
        for mu in [1.0, 0.3, 1.0, 0.01, 1.0] {
            ladder.move_towards(target.betas(), mu);
            assert!(Ladder::from_betas(ladder.betas().to_vec()).is_some(), "{ladder:?}");
        }
        let hot = Ladder::from_betas(vec![1.0, 4e-12, 3e-12, 2e-12, 1e-12, 0.0]).expect("a ladder");
        ladder.move_towards(hot.betas(), 1.0);
        assert!(Ladder::from_betas(ladder.betas().to_vec()).is_some(), "{ladder:?}");
    }
}
