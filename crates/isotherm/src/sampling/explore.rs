//! What short Gibbs sampling shows of a model about whose data nothing is known.

use isotherm_kernels::{BitMatrix, Level, bernoulli};
use isotherm_tempering::Ensemble;
use isotherm_tempering::streams::{Key, Purpose};
use rand::RngExt;

use crate::Result;
use crate::model::Rbm;
use crate::paths::joint::joint;
use crate::paths::{RbmEnsemble, SwapOn};

/// Samplers of each kind of first states.
const OF_EACH: usize = 200;
/// Gibbs steps of each.
const STEPS: usize = 200;

/// Visible states that independent Gibbs samplers reach from hidden units in states of four kinds: fair coins; coins
/// that are on with a probability of their own, from almost none on to almost all; a single unit on; a single unit off.
pub(super) fn explored(model: &Rbm, seed: u64) -> Result<BitMatrix> {
    let key = Key::of_log_z(seed, 0);
    let rows = 4 * OF_EACH;
    let mut gibbs = joint(model.n_visible(), model.n_hidden(), SwapOn::Energy);
    gibbs.set_hidden(patterns(model.n_hidden(), key));
    gibbs.sweep(model, &vec![1.0; rows], STEPS, key)?;
    Ok(gibbs.states.visible_states())
}

fn patterns(n_hidden: usize, key: Key) -> BitMatrix {
    let mut h = BitMatrix::zeros(4 * OF_EACH, n_hidden);
    for i in 0..OF_EACH {
        let mut lanes = key.lanes(Purpose::Patterns, i);
        bernoulli::coin_row(Level::detect(), n_hidden, &mut lanes, h.row_mut(i));
        let mut rng = key.sequence(Purpose::Patterns, OF_EACH + i);
        let share: f64 = rng.random();
        let unit = i % n_hidden;
        for j in 0..n_hidden {
            h.set(OF_EACH + i, j, rng.random::<f64>() < share);
            h.set(2 * OF_EACH + i, j, j == unit);
            h.set(3 * OF_EACH + i, j, j != unit);
        }
    }
    h
}
