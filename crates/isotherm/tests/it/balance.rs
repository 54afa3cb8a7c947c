//! The weights of a mixture's components along the path from it, as replicas learn them.

use crate::common::*;
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::Key;
use isotherm_tempering::{Densities, Ladder, Spacing, Tempering, TemperingState};

const RUNGS: usize = 21;
const COLUMNS: usize = 400;
const COMPONENTS: usize = 3;

/// log Z_z(β) = log Σ_{v,h} q(v | z)^(1−β) exp(−β E(v, h)) up to a term that all components share, from the masses that
/// components with the weights w have.
fn log_zs(rbm: &isotherm::model::Rbm, beta: f64) -> Vec<f64> {
    let distribution = Kind::Mixture.distribution(rbm, beta);
    let states = 1 << (rbm.n_visible() + rbm.n_hidden());
    let weights = mixture(rbm.n_visible());
    let masses = distribution.chunks(states).map(|of_z| of_z.iter().sum::<f64>());
    masses.zip(weights.log_weights()).map(|(mass, log_w)| mass.ln() - log_w).collect()
}

/// Replicas in random states learn a_z(β) = log w_z − log Z_z(β), and the components then have their weights on every
/// rung. The errors are those of the trapezoidal rule, about 0.01 here, and those of means over some 40 000 states.
#[test]
fn components_learn_to_keep_their_weights() {
    let rbm = random_rbm(6, 5, 3.0, 4);
    let ladder = Ladder::new(RUNGS, Spacing::Linear);
    let betas = ladder.betas().to_vec();
    let mut path = Kind::Mixture.path(&rbm);
    path.set_hidden(BitMatrix::zeros(COLUMNS * RUNGS, Kind::Mixture.units(&rbm)));
    let mut tempering = Tempering::new(path, TemperingState::new(ladder, COLUMNS));
    let mut counts = vec![[0.0; COMPONENTS]; RUNGS];
    for step in 0..800 {
        tempering.step(&rbm, 1, Key { seed: 2, step }).unwrap();
        if step < 600 {
            tempering.learn();
            continue;
        }
        let units = tempering.ensemble().hidden();
        for column in 0..COLUMNS {
            for (rung, &row) in tempering.state().replicas().column(column).iter().enumerate() {
                counts[rung][(units.row(row)[0] >> rbm.n_hidden()) as usize] += 1.0;
            }
        }
    }
    let learned = tempering.ensemble().learned();
    let weights = mixture(6);
    let mut constant_is_wrong = 0.0_f64;
    // Nodes rise in β, rungs fall. At β = 1 the component is independent of the state.
    for (node, values) in learned.chunks(1 + 3 * COMPONENTS).enumerate().take(RUNGS - 1) {
        let (beta, rung) = (values[0], RUNGS - 1 - node);
        assert_eq!(beta, betas[rung]);
        let log_zs = log_zs(&rbm, beta);
        let of = |z: usize| (values[1 + z], weights.log_weights()[z] - log_zs[z]);
        for z in 1..COMPONENTS {
            let (got, wanted) = (of(z).0 - of(0).0, of(z).1 - of(0).1);
            assert!((got - wanted).abs() < 0.1, "β = {beta}, component {z}: {got}, not {wanted}");
            constant_is_wrong = constant_is_wrong.max((log_zs[z] - log_zs[0]).abs());
        }
        let total: f64 = counts[rung].iter().sum();
        for (count, weight) in counts[rung].iter().zip(weights.weights()) {
            assert!((count / total - weight).abs() < 0.03, "β = {beta}: {:?}", counts[rung]);
        }
    }
    assert!(constant_is_wrong > 1.0, "{constant_is_wrong}: there is something to learn");
}

/// The path may learn whatever it likes: log Z of the model comes out right.
#[test]
fn what_is_learned_comes_back_and_only_its_own() {
    let rbm = random_rbm(6, 5, 3.0, 4);
    let path = Kind::Balanced.path(&rbm);
    let mut other = Kind::Mixture.path(&rbm);
    let learned = path.learned();
    assert!(other.set_learned(&learned));
    assert_eq!(other.learned(), learned);
    assert_eq!(other.log_z_of_reference(), path.log_z_of_reference());
    let bad = |change: &dyn Fn(&mut Vec<f64>)| {
        let mut values = learned.clone();
        change(&mut values);
        values
    };
    let width = 1 + 3 * COMPONENTS;
    for values in [
        bad(&|values| values.truncate(values.len() - 1)),
        bad(&|values| values.truncate(width)),
        bad(&|values| values[width] = -0.1),
        bad(&|values| values.clear()),
        // A number that is none, the weights of another mixture, weights of the model that do not add up to one, and
        // fewer observations than none.
        bad(&|values| values[width + 1] = f64::NAN),
        bad(&|values| values[width + 1 + COMPONENTS] = f64::INFINITY),
        bad(&|values| values.swap(1, 2)),
        bad(&|values| *values.iter_mut().rev().nth(2 * COMPONENTS).unwrap() += 0.1),
        bad(&|values| values[1 + 2 * COMPONENTS] = -1.0),
    ] {
        assert!(!other.set_learned(&values), "{values:?}");
    }
    assert!(!Kind::HiddenMarginal.path(&rbm).set_learned(&learned));
}
