//! Where the rungs should be, given what the ladder has seen.

use serde::{Deserialize, Serialize};

use super::interpolate::invert_linear;
use super::ladder::Ladder;
use super::monotone_cubic::{MonotoneCubic, Search};

/// The rule by which rungs are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
pub fn target(rule: Respace, ladder: &Ladder, f_up: &[f64], rejections: &[f64]) -> Ladder {
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

/// Turns masses into their running sums up to 1, each gap with at least a sliver of the straight
/// line.
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
