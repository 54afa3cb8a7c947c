//! Where the rungs should be, given what the ladder has seen.

use serde::{Deserialize, Serialize};

use super::interpolate::{MonotoneCubic, invert_linear};
use super::ladder::Ladder;

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
    let gaps = ladder.gaps();
    if gaps < 2 || rule == Respace::Fixed {
        return ladder.clone();
    }
    let betas = ladder.betas();
    // From here on the curve runs over `xs` = 1 − β, so that everything increases.
    let xs: Vec<f64> = betas.iter().map(|beta| 1.0 - beta).collect();
    let masses: Vec<f64> = match rule {
        Respace::Flow => f_up.windows(2).map(|f| f[0] - f[1]).collect(),
        // A density of rungs ∝ √((1/Δβ)(Δf/Δβ)), over a gap of width Δβ.
        Respace::FlowSqrt => f_up.windows(2).map(|f| (f[0] - f[1]).sqrt()).collect(),
        Respace::Rejection => rejections.to_vec(),
        Respace::Fixed => return ladder.clone(),
    };
    let ys = cumulative(&masses);
    let xs_new = (1..gaps).map(|i| {
        let y = i as f64 / gaps as f64;
        match rule {
            Respace::Rejection => MonotoneCubic::new(&xs, &ys).invert(y),
            _ => invert_linear(&xs, &ys, y),
        }
    });
    let mut target = vec![1.0];
    target.extend(xs_new.map(|x| 1.0 - x));
    target.push(0.0);
    // Rounding can merge two rungs at a cliff of the curve; then the step is left out.
    Ladder::from_betas(target).unwrap_or_else(|| ladder.clone())
}

/// The masses summed up from 0 to 1, each gap with at least a sliver of the straight line.
fn cumulative(masses: &[f64]) -> Vec<f64> {
    let total: f64 = masses.iter().sum();
    let share = 1.0 / masses.len() as f64;
    let normal = |mass: &f64| if total > 0.0 { mass / total } else { share };
    let mut sum = 0.0;
    let mut ys = vec![0.0];
    for mass in masses {
        sum += (1.0 - TILT) * normal(mass) + TILT * share;
        ys.push(sum);
    }
    ys
}
