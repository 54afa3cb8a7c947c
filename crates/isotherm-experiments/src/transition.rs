//! Why the paper's path limits the sampler: the exact mass of every mode along three paths.
//!
//! At β the hidden states have weights that can be enumerated,
//!   joint            β b·h + Σ_j softplus(β f_j),
//!   base-rate        β b·h + Σ_j softplus((1 − β) c₀_j + β f_j),
//!   hidden-marginal  β (b·h + Σ_j softplus(f_j)),           f = c + Wh.
//! Softplus is convex, so on the first two a narrow mode (large |f|) weighs far less at β < 1 than at
//! its ends, and comes up only in a sudden transition; on the third all modes keep their order.

use isotherm_kernels::bits::BitRows;
use isotherm_kernels::{BitMatrix, Level, Matrix, softplus};

use super::experiment::{Arm, data};
use super::results::Results;
use isotherm::Result;
use isotherm::data::{KnownDensity, Mixture};
use isotherm::model::{Rbm, log_odds};
use isotherm_report::figure::{Axis, Figure, Panel, Plot, Series, Shape};

/// Values of β.
const STEPS: usize = 100;

/// A path from the reference to the model.
#[derive(Clone, Copy)]
enum Along {
    Joint,
    BaseRate,
    HiddenMarginal,
}

/// All hidden states of a model, with what their weights are made of.
struct States {
    /// b·h.
    linear: Vec<f64>,
    /// c + Wh.
    fields: Vec<Vec<f64>>,
    /// Σ_j softplus(f_j).
    sums: Vec<f64>,
    /// The mode that the visible units are closest to; none if they are far from all.
    modes: Vec<Option<usize>>,
    /// c₀, the log-odds of the data's marginals.
    base: Vec<f64>,
}

impl States {
    fn of(model: &Rbm, mixture: &Mixture) -> States {
        let (n_visible, n_hidden) = (model.n_visible(), model.n_hidden());
        let b = model.parameters().b.row(0);
        let mut states =
            States { linear: vec![], fields: vec![], sums: vec![], modes: vec![], base: vec![] };
        states.base = mixture.marginals().into_iter().map(log_odds).collect();
        for state in 0..1u64 << n_hidden {
            let mut field = Matrix::zeros(1, n_visible);
            model.visible_field(BitRows::by_rows(&[state], 1), field.tiles_mut());
            let field: Vec<f64> = field.row(0).iter().map(|&x| f64::from(x)).collect();
            let likeliest: Vec<u8> = field.iter().map(|&x| u8::from(x > 0.0)).collect();
            let likeliest = BitMatrix::from_rows(n_visible, &[likeliest]);
            let on = (0..n_hidden).filter(|unit| state >> unit & 1 == 1);
            states.linear.push(on.map(|unit| f64::from(b[unit])).sum());
            states.sums.push(softplus::softplus_sum_f64(Level::detect(), &field));
            states.modes.push(mixture.known_modes().nearest(likeliest.row(0)));
            states.fields.push(field);
        }
        states
    }

    fn log_weight(&self, state: usize, along: Along, beta: f64) -> f64 {
        let tempered = |base: f64| {
            let field = self.fields[state].iter().zip(&self.base);
            let field: Vec<f64> = field.map(|(f, c)| base * c + beta * f).collect();
            softplus::softplus_sum_f64(Level::detect(), &field)
        };
        beta * self.linear[state]
            + match along {
                Along::Joint => tempered(0.0),
                Along::BaseRate => tempered(1.0 - beta),
                Along::HiddenMarginal => beta * self.sums[state],
            }
    }

    /// The mass of every mode at β, and of what belongs to none.
    fn masses(&self, along: Along, beta: f64, modes: usize) -> Vec<f64> {
        let logs: Vec<f64> =
            (0..self.linear.len()).map(|state| self.log_weight(state, along, beta)).collect();
        let top = logs.iter().fold(f64::NEG_INFINITY, |top, &log| top.max(log));
        let mut masses = vec![0.0; modes + 1];
        for (log, mode) in logs.iter().zip(&self.modes) {
            masses[mode.unwrap_or(modes)] += libm::exp(log - top);
        }
        let total: f64 = masses.iter().sum();
        masses.into_iter().map(|mass| mass / total).collect()
    }
}

/// The masses of the modes of the best model along the three paths.
pub(super) fn transition(results: &Results) -> Result<Option<Figure>> {
    let run = results.best(Arm::Perfect).and_then(|arm| arm.best_run());
    let Some(run) = run else { return Ok(None) };
    let mixture = data();
    let states = States::of(&run.model()?, &mixture);
    let modes = mixture.weights().len();
    let plot = |(title, along): (&str, Along)| {
        let y = Axis::linear("mass of the mode").over(0.0, 1.0);
        let mut plot = Plot::new(title, Axis::linear("β").over(0.0, 1.0), y);
        let betas: Vec<f64> = (0..=STEPS).map(|step| step as f64 / STEPS as f64).collect();
        let masses: Vec<Vec<f64>> =
            betas.iter().map(|&beta| states.masses(along, beta, modes)).collect();
        for mode in 0..=modes {
            let name = if mode < modes { format!("mode {}", mode + 1) } else { "none".to_owned() };
            let points = betas.iter().zip(&masses).map(|(&beta, masses)| (beta, masses[mode]));
            plot.series.push(Series::of(&name, mode, Shape::Line, points));
        }
        Panel::Plot(plot)
    };
    let paths = [
        ("joint path (the paper's)", Along::Joint),
        ("base-rate path", Along::BaseRate),
        ("hidden-marginal path", Along::HiddenMarginal),
    ];
    Ok(Some(Figure {
        name: "5-paths".to_owned(),
        title: "Mode masses along the paths".to_owned(),
        caption: format!(
            "Exact, by enumerating the hidden states of the best model of the perfect sampler (seed \
             {}): the mass near each mode of the data at every β. Where a mode appears only close to \
             β = 1, replicas from the reference reach it only by a transition in the last stretch, \
             however the rungs are placed. \"None\": further than a quarter of the pixels from every \
             mode.",
            run.seed
        ),
        panels: paths.map(plot).into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotherm::model::Initial;

    const PATHS: [Along; 3] = [Along::Joint, Along::BaseRate, Along::HiddenMarginal];

    /// All paths end in the model, and begin with all hidden states alike.
    #[test]
    fn the_paths_meet_at_their_ends() {
        let mixture = data();
        let model = Initial { n_hidden: 5, std: 1.0, seed: 3 }.model(&mixture.marginals());
        let states = States::of(&model, &mixture);
        let log_z = isotherm::likelihood::exact::log_z(&model).unwrap_or(f64::NAN);
        for along in PATHS {
            let logs: Vec<f64> =
                (0..32).map(|state| states.log_weight(state, along, 1.0)).collect();
            let top = logs.iter().fold(f64::NEG_INFINITY, |top, &log| top.max(log));
            let sum = top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln();
            assert!((sum - log_z).abs() < 1e-3, "{sum} and {log_z}");
            let hot: Vec<f64> = (0..32).map(|state| states.log_weight(state, along, 0.0)).collect();
            assert!(hot.iter().all(|log| (log - hot[0]).abs() < 1e-9), "{hot:?}");
            let total: f64 = states.masses(along, 0.5, 5).iter().sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }
}
