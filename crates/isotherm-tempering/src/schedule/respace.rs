//! Where the rungs should be, given what the ladder has seen.

use serde::{Deserialize, Serialize};

use super::interpolate::invert_linear;
use super::ladder::Ladder;
use super::monotone_cubic::{MonotoneCubic, Search};

/// The rule by which rungs are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Respace {
    /// The paper's: make f_up linear in the rung's index, by inverting it.
    Flow,
    /// Katzgraber's feedback: equal masses √Δf_i. Same fixed point, steps half as long.
    FlowSqrt,
    /// Equal rejection: equal steps of the barrier Λ(β), the sum of the rejection rates.
    Rejection,
    /// Leave the rungs where they are.
    Fixed,
}

/// How much of a straight line is mixed in, so that flat stretches can be inverted.
const TILT: f64 = 1e-3;

/// The ladder that the rule asks for, from the monotone f_up and the rejection rates.
pub(crate) fn target(rule: Respace, ladder: &Ladder, f_up: &[f64], rejections: &[f64]) -> Ladder {
    let mut targets = Targets::default();
    Ladder::from_betas(targets.find(rule, ladder, f_up, rejections).to_vec())
        .unwrap_or_else(|| ladder.clone())
}

/// The ladder of `gaps` gaps that cuts the barrier Λ(β), as these rejection rates show it, into equal
/// parts; nothing if rounding would merge two rungs.
pub(crate) fn equal_rejection(ladder: &Ladder, rejections: &[f64], gaps: usize) -> Option<Ladder> {
    let mut ys = vec![0.0];
    ys.extend(rejections);
    accumulate(&mut ys[1..]);
    let xs: Vec<f64> = ladder.betas().iter().map(|beta| 1.0 - beta).collect();
    let heights = (1..gaps).map(|i| i as f64 / gaps as f64);
    let mut betas = vec![1.0];
    betas.extend(invert_linear(&xs, &ys, heights).map(|x| 1.0 - x));
    betas.push(0.0);
    Ladder::from_betas(betas)
}

/// Finds targets, in buffers that are kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// The curve to be cut into equal parts runs over 1 − β, so that everything increases.
    xs: Vec<f64>,
    ys: Vec<f64>,
    slopes: Vec<f64>,
    searches: Vec<Search>,
    betas: Vec<f64>,
}

impl Targets {
    /// The inverse temperatures of the ladder that the rule asks for.
    pub(crate) fn find(
        &mut self,
        rule: Respace,
        ladder: &Ladder,
        f_up: &[f64],
        rejections: &[f64],
    ) -> &[f64] {
        let gaps = ladder.gaps();
        if gaps < 2 || rule == Respace::Fixed {
            return self.stay(ladder);
        }
        self.ys.clear();
        self.ys.push(0.0);
        let falls = f_up.windows(2).map(|f| f[0] - f[1]);
        match rule {
            Respace::Flow => self.ys.extend(falls),
            // A density of rungs ∝ √((1/Δβ)(Δf/Δβ)), over a gap of width Δβ.
            Respace::FlowSqrt => self.ys.extend(falls.map(f64::sqrt)),
            Respace::Rejection => self.ys.extend(rejections),
            Respace::Fixed => return self.stay(ladder),
        }
        accumulate(&mut self.ys[1..]);
        self.xs.clear();
        self.xs.extend(ladder.betas().iter().map(|beta| 1.0 - beta));
        let (xs, ys) = (&self.xs, &self.ys);
        let heights = (1..gaps).map(|i| i as f64 / gaps as f64);
        self.betas.clear();
        self.betas.push(1.0);
        if rule == Respace::Rejection {
            let curve = MonotoneCubic::new(xs, ys, &mut self.slopes);
            self.betas.extend(curve.invert(heights, &mut self.searches).map(|x| 1.0 - x));
        } else {
            self.betas.extend(invert_linear(xs, ys, heights).map(|x| 1.0 - x));
        }
        self.betas.push(0.0);
        // Rounding can merge two rungs at a cliff of the curve; then the step is left out.
        if Ladder::is_ladder(&self.betas) { &self.betas } else { self.stay(ladder) }
    }

    fn stay(&mut self, ladder: &Ladder) -> &[f64] {
        self.betas.clear();
        self.betas.extend_from_slice(ladder.betas());
        &self.betas
    }
}

/// Turns masses into cumulative sums up to 1. A small share of a straight line is added, so that no gap is
/// empty.
fn accumulate(masses: &mut [f64]) {
    let total: f64 = masses.iter().sum();
    let share = 1.0 / masses.len() as f64;
    let normal = |mass: f64| if total > 0.0 { mass / total } else { share };
    let mut sum = 0.0;
    for mass in masses {
        sum += (1.0 - TILT) * normal(*mass) + TILT * share;
        *mass = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Flow, Histograms};

    /// Where the rungs should go for an f_up that is known: 0.6 of it falls in the gap from 0.8 to 0.6.
    #[test]
    fn targets_match_their_rules_by_hand() {
        let ladder = Ladder::from_betas(vec![1.0, 0.8, 0.6, 0.3, 0.0]).expect("a ladder");
        let (f_up, rejections) = ([1.0, 0.9, 0.3, 0.1, 0.0], [0.5, 0.1, 0.1, 0.1]);
        let close = |rule, wanted: [f64; 3]| {
            let got = target(rule, &ladder, &f_up, &rejections);
            for (got, wanted) in got.betas()[1..4].iter().zip(wanted) {
                // A thousandth of a straight line is mixed in.
                assert!((got - wanted).abs() < 2e-3, "{rule:?}: {:?}", got);
            }
        };
        // f_up = 0.75, 0.5 and 0.25: 0.15/0.6 and 0.4/0.6 into the second gap, 0.05/0.2 into the third.
        close(Respace::Flow, [0.75, 0.8 - 0.2 * 2.0 / 3.0, 0.525]);
        // Masses √0.1, √0.6, √0.2, √0.1, each spread evenly over its gap.
        let masses = [0.1f64.sqrt(), 0.6f64.sqrt(), 0.2f64.sqrt(), 0.1f64.sqrt()];
        let quarter = masses.iter().sum::<f64>() / 4.0;
        let into = |gap: usize, mass: f64| mass / masses[gap];
        close(
            Respace::FlowSqrt,
            [
                0.8 - 0.2 * into(1, quarter - masses[0]),
                0.8 - 0.2 * into(1, 2.0 * quarter - masses[0]),
                0.6 - 0.3 * into(2, 3.0 * quarter - masses[0] - masses[1]),
            ],
        );
        close(Respace::Fixed, [0.8, 0.6, 0.3]);
        // Λ is reached to a quarter, a half and three quarters in order, the first inside gap 0.
        let got = target(Respace::Rejection, &ladder, &f_up, &rejections);
        assert!(got.betas()[1] > 0.8 && got.betas()[2] > 0.8 && got.betas()[3] < 0.8, "{got:?}");
    }

    /// What was seen stays at its β. The rungs then come to rest where f_up is linear; if it moved with
    /// them they would be sent the same way again and again, until they meet.
    #[test]
    fn the_curve_stays_where_it_was_seen_while_rungs_move() {
        let settle = |carry: bool| {
            let mut ladder = Ladder::from_betas(vec![1.0, 0.8, 0.6, 0.3, 0.0]).expect("a ladder");
            let mut flow = Flow::new(5);
            flow.curve.up = vec![1.0, 0.9, 0.3, 0.1, 0.0];
            flow.curve.down = flow.curve.up.iter().map(|up| 1.0 - up).collect();
            for _ in 0..3000 {
                let f_up = flow.curve.f_up_fitted();
                let wanted = target(Respace::Flow, &ladder, &f_up, &[0.5; 4]);
                let before = ladder.clone();
                ladder.move_towards(wanted.betas(), 0.01);
                if carry {
                    flow.move_rungs(before.betas(), ladder.betas(), &mut Histograms::default());
                }
            }
            let narrowest = ladder.betas().windows(2).map(|b| b[0] - b[1]).fold(1.0, f64::min);
            (narrowest, flow.curve.f_up_fitted())
        };
        let (narrowest, f_up) = settle(true);
        assert!(narrowest > 0.05, "{narrowest}");
        assert!(f_up.iter().enumerate().all(|(i, f)| (f - (1.0 - 0.25 * i as f64)).abs() < 1e-6));
        let (narrowest, _) = settle(false);
        assert!(narrowest < 1e-3, "{narrowest}");
    }
}
