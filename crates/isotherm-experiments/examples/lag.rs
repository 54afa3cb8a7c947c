//! What a lag of the negative samples does to the weights of clusters, all else being equal:
//! `cargo run --release -p isotherm-experiments --example lag`
//!
//! Persistent particles take Gibbs steps, which keep them in their cluster, and each of them is replaced by an exact draw
//! from the model every L updates, in turn. So L is the only thing that differs between the rows: how long the
//! cluster of a particle stays what it was while the model changes. The data are the built-in mixture with five modes, whose
//! masses under the model are exact up to counting 20 000 exact draws.

use isotherm::model::PerfectSampler;
use isotherm::options::LrDecay;
use isotherm::paths::joint::joint;
use isotherm::prelude::*;
use isotherm::seams::*;

const PARTICLES: usize = 100;
const UPDATES: u64 = 20_000;
const DRAWS: usize = 20_000;

/// Persistent particles that are replaced by exact draws in turn.
struct Lagging {
    every: usize,
    gibbs: AnyEnsemble,
    exact: PerfectSampler,
    drawn: BitMatrix,
}

impl Lagging {
    fn new(every: usize, n_visible: usize, n_hidden: usize) -> Lagging {
        let mut gibbs: AnyEnsemble = Box::new(joint(n_visible, n_hidden, SwapOn::Energy));
        gibbs.set_hidden(random_hidden(PARTICLES, n_hidden, Key { seed: 1, step: 0 }));
        let drawn = BitMatrix::zeros(PARTICLES, n_visible);
        Lagging { every, gibbs, exact: PerfectSampler::new(n_visible, n_hidden), drawn }
    }

    /// The particles that are replaced at this step: each one once in `every` steps.
    fn due(&self, step: u64) -> Vec<usize> {
        let of = |row: usize| (row * self.every / PARTICLES) as u64;
        (0..PARTICLES).filter(|&row| step % self.every as u64 == of(row)).collect()
    }
}

impl NegativeSampler for Lagging {
    fn sample(&mut self, model: &Rbm, _: &BitMatrix, key: Key, out: &mut BitMatrix) -> Result<()> {
        let due = self.due(key.step);
        if !due.is_empty() {
            self.exact.visible(model, key, &mut self.drawn);
            let means = model.hidden_mean(&self.drawn);
            let mut h = BitMatrix::zeros(due.len(), model.n_hidden());
            for (at, &row) in due.iter().enumerate() {
                let uniforms = key.lanes(Purpose::Start, row).next_uniforms();
                for (i, (mean, u)) in means.row(row).iter().zip(uniforms.0).enumerate() {
                    h.set(at, i, u < *mean);
                }
            }
            self.gibbs.put_hidden(&due, &h);
        }
        self.gibbs.sweep(model, &[1.0; PARTICLES], 1, key)?;
        let rows: Vec<usize> = (0..PARTICLES).collect();
        self.gibbs.visible(model, &rows, key, out);
        Ok(())
    }
}

/// The distance of the model's mode masses from those of the data, and its log-likelihood.
fn learn(every: usize, rate: f64, decay: LrDecay, seed: u64) -> Result<(f64, f64)> {
    let data = Dataset::mixture(1);
    let rbm = Training::on(&data)
        .hidden(10)
        .updates(UPDATES)
        .batch(100)
        .lr(rate)
        .lr_decay(decay)
        .seed(seed)
        .with_negative(|plan, marginals| {
            Lagging::new(every, marginals.len(), plan.options().hidden)
        })
        .run()?;
    let mut drawn = BitMatrix::zeros(DRAWS, rbm.n_visible());
    PerfectSampler::new(rbm.n_visible(), 10).visible(
        &rbm,
        Key { seed, step: u64::MAX },
        &mut drawn,
    );
    let distance = data.modes().map_or(f64::NAN, |modes| modes.distance(&modes.masses(&drawn)));
    Ok((distance, rbm.log_likelihood(&data)?.value))
}

fn main() -> Result<()> {
    println!("rate   falls              lag   TV of the modes, seeds 1 to 3   log-likelihood");
    for rate in [0.01, 0.05] {
        for decay in [LrDecay::Constant, LrDecay::HoldLinear, LrDecay::HoldExponential] {
            for every in [1, 10, 100, 1000] {
                let found: Result<Vec<_>> =
                    (1..=3).map(|seed| learn(every, rate, decay, seed)).collect();
                let found = found?;
                let distances: Vec<String> =
                    found.iter().map(|it| format!("{:.3}", it.0)).collect();
                let mean = found.iter().map(|it| it.1).sum::<f64>() / 3.0;
                let falls = format!("{decay:?}");
                println!("{rate:<6} {falls:<18} {every:<5} {:<31} {mean:.2}", distances.join(" "));
            }
        }
    }
    Ok(())
}
