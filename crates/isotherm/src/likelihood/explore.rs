//! States that a model may hold much of, found by plain Gibbs sampling from starts that lie far from each other.
//!
//! A sampler and a reference know only the modes that they were shown. Plain Gibbs steps do not leave a mode, so
//! each start shows the mode whose basin it lies in. The starts are: rows of the data, chosen at random, those with
//! the highest −F, and some of every component of a mixture; samples of a short ladder, from the base rates or, for at
//! most 32 hidden units, on the hidden-marginal path; and hidden patterns that have nothing to do with the data: of any
//! density, and the complements of those of the data.
//!
//! Where a model is made of independent parts, each with modes of its own, its modes are all their combinations, and the
//! rows may hold few of these. So what was reached is also recombined: a ⊕ b ⊕ c of three hidden states has, in every
//! part where two of them are in the same mode, the mode of the third, whichever units the part consists of.

use isotherm_kernels::BitMatrix;
use rand::RngExt;
use rand::seq::index;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::covering::Explored;
use super::evaluating_sampler::{EvaluatingSampler, Length};
use super::known::KnownStates;
use crate::error::Result;
use crate::model::Rbm;
use crate::paths::joint::joint;
use crate::paths::{PathContext, PathKind, RbmEnsemble, SwapOn, hidden_given};
use crate::references::fit;
use isotherm_tempering::Ensemble;
use isotherm_tempering::causes::{Interrupted, unless_interrupted};
use isotherm_tempering::streams::{Key, Purpose};

/// Gibbs steps before the first state is kept, and between two that are kept.
const SETTLE: usize = 100;
const APART: usize = 25;

/// How often what was reached so far is recombined: of modes in single parts one round makes those of up to three parts,
/// and two rounds those of up to nine.
const ROUNDS: usize = 2;

/// States that are kept of each start.
const KEPT: usize = 4;

/// Rows that a mixture is fitted to, and rows of each component that are starts.
const ROWS_OF_CLUSTERS: usize = 2000;
const OF_EACH: usize = 2;

/// The short ladder.
const LADDER: Length =
    Length { columns: 8, warm_up: 200, steps: 200, most_steps: 200, in_full: false };

/// P(h = 1) in patterns far from the data.
const DENSITIES: [f64; 7] = [0.5, 0.02, 0.98, 0.1, 0.9, 0.25, 0.75];

/// Adds the states that are found to the known ones, which are rows of the data so far, and returns them. `starts` is
/// about how many starts there are. The ladder has a key of its own.
pub(super) fn explore<'a>(
    model: &'a Rbm,
    known: &mut KnownStates<'_>,
    marginals: &[f64],
    starts: usize,
    [of_ladder, key]: [Key; 2],
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Explored<'a>> {
    let mut hidden = from_ladder(model, marginals, starts / 8, of_ladder, progress)?;
    let rng = &mut key.sequence(Purpose::Explore, 0);
    let rows = rows_to_start_from(known, starts / 8, key, rng)?;
    let of_rows = hidden_given(model, &known.rows().select(&rows), key);
    hidden.append(&of_rows);
    hidden.append(&complements(&of_rows, starts / 8));
    hidden.append(&patterns(model.n_hidden(), starts / 2, rng));
    let mut settled = BitMatrix::zeros(0, model.n_hidden());
    for round in 0..=ROUNDS {
        let tell = &mut |share| progress(0.5 + 0.4 * (round as f64 + share) / (ROUNDS + 1) as f64);
        let key = Key { step: round as u64, ..key };
        settled.append(&steps(model, hidden, SETTLE, key, tell)?);
        hidden = recombined(&settled, starts / 4, rng);
    }
    let samplers = settled.rows();
    let key = Key { step: ROUNDS as u64 + 1, ..key };
    let found = keep(model, settled, key, &mut |share| progress(0.9 + 0.1 * share))?;
    known.add(&found);
    Ok(Explored::new(model, found, samplers, Key { step: key.step + KEPT as u64, ..key }))
}

/// What Gibbs steps reach from hidden patterns alone, so many of them: all there is of a model without data.
pub(crate) fn reached_from_patterns(model: &Rbm, starts: usize, key: Key) -> Result<BitMatrix> {
    let rng = &mut key.sequence(Purpose::Explore, 0);
    let hidden = patterns(model.n_hidden(), starts, rng);
    let settled = steps(model, hidden, SETTLE, key, &mut |_| true)?;
    keep(model, settled, Key { step: key.step + 1, ..key }, &mut |_| true)
}

/// Hidden states at the cold end of a short ladder, from the base rates or on the hidden-marginal path.
fn from_ladder(
    model: &Rbm,
    marginals: &[f64],
    count: usize,
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<BitMatrix> {
    let ensemble = PathKind::Auto.ensemble(&PathContext::new(marginals, model.n_hidden()));
    let mut sampler = EvaluatingSampler::from_reference(model, ensemble, LADDER.columns, key)?;
    let tell = &mut |share| progress(0.5 * share);
    let found = sampler.measure(LADDER, count.max(LADDER.columns), &mut [], tell)?;
    Ok(found.ok_or(Interrupted)?.samples)
}

/// Rows at random, those with the highest −F, and some of every component.
fn rows_to_start_from(
    known: &KnownStates<'_>,
    count: usize,
    key: Key,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Vec<usize>> {
    let all = known.rows().rows();
    let mut rows = index::sample(rng, all, count.min(all)).into_vec();
    rows.extend(known.highest(count));
    let sought = index::sample(rng, all, ROWS_OF_CLUSTERS.min(all)).into_vec();
    let bits = known.rows().select(&sought);
    let clusters = fit(&bits, (count / OF_EACH).max(2), key, &mut |_| true)?.mixture;
    let mut left = vec![OF_EACH; clusters.components()];
    for (row, k) in sought.into_iter().zip(clusters.assign(&bits)) {
        if left[k] > 0 {
            left[k] -= 1;
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The opposite of hidden states, of an even spread of at most `count`.
fn complements(h: &BitMatrix, count: usize) -> BitMatrix {
    let count = count.min(h.rows());
    let mut out = BitMatrix::zeros(count, h.cols());
    for row in 0..count {
        let of = row * h.rows() / count;
        (0..h.cols()).for_each(|i| out.set(row, i, !h.get(of, i)));
    }
    out
}

/// Hidden patterns of several densities.
fn patterns(n_hidden: usize, count: usize, rng: &mut Xoshiro256PlusPlus) -> BitMatrix {
    let mut out = BitMatrix::zeros(count, n_hidden);
    for row in 0..count {
        let density = DENSITIES[row % DENSITIES.len()];
        (0..n_hidden).for_each(|i| out.set(row, i, rng.random_bool(density)));
    }
    out
}

/// a ⊕ b ⊕ c of so many triples of hidden states.
fn recombined(h: &BitMatrix, count: usize, rng: &mut Xoshiro256PlusPlus) -> BitMatrix {
    let mut out = BitMatrix::zeros(count, h.cols());
    for row in 0..count {
        for of in [0; 3].map(|_| rng.random_range(0..h.rows())) {
            out.row_mut(row).iter_mut().zip(h.row(of)).for_each(|(out, word)| *out ^= word);
        }
    }
    out
}

/// Hidden states after Gibbs steps.
fn steps(
    model: &Rbm,
    hidden: BitMatrix,
    count: usize,
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<BitMatrix> {
    unless_interrupted(progress(0.0))?;
    let cold = vec![1.0; hidden.rows()];
    let mut gibbs = joint(model.n_visible(), model.n_hidden(), SwapOn::Energy);
    gibbs.set_hidden(hidden);
    gibbs.sweep(model, &cold, count, key)?;
    Ok(gibbs.hidden())
}

/// The visible states that further Gibbs steps lead to, [`KEPT`] of each.
fn keep(
    model: &Rbm,
    hidden: BitMatrix,
    key: Key,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<BitMatrix> {
    let cold = vec![1.0; hidden.rows()];
    let mut gibbs = joint(model.n_visible(), model.n_hidden(), SwapOn::Energy);
    gibbs.set_hidden(hidden);
    let mut found = BitMatrix::zeros(0, model.n_visible());
    for kept in 0..KEPT {
        unless_interrupted(progress(kept as f64 / KEPT as f64))?;
        gibbs.sweep(model, &cold, APART, Key { step: key.step + kept as u64, ..key })?;
        found.append(&gibbs.states.visible_states());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts of three units with two patterns each; in one of them units are off where they are on in the other.
    #[test]
    fn recombined_states_are_combinations_of_modes() {
        let mode = |first: bool, second: bool| {
            let (a, b) = (u8::from(first), u8::from(second));
            [a, a, 1 - a, b, 1 - b, 1 - b]
        };
        let known = [mode(false, false), mode(true, false), mode(false, true)];
        let rng = &mut Key { seed: 1, step: 0 }.sequence(Purpose::Explore, 0);
        let found = recombined(&BitMatrix::from_rows(6, &known), 200, rng);
        let all = BitMatrix::from_rows(6, &[known.as_slice(), &[mode(true, true)]].concat());
        let mut seen = [false; 4];
        for row in 0..found.rows() {
            let which = (0..4).find(|&it| all.row(it) == found.row(row));
            seen[which.expect("a combination of modes")] = true;
        }
        assert_eq!(seen, [true; 4]);
    }
}
