//! Pairwise energies against their definition.

use isotherm_tempering::causes::{EnergyError, NonFinite};
use isotherm_tempering::targets::{LocalFields, Quadratic, Target};
use proptest::prelude::*;

use super::{all_states, lattice};

/// Σ over all ordered pairs, as xᵀQx is written.
fn by_definition(n: usize, q: &[f64], x: &[u8]) -> f64 {
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| x[i] == 1 && x[j] == 1).map(|(i, j)| q[i * n + j]).sum()
}

fn spins(x: &[u8]) -> Vec<f64> {
    x.iter().map(|&x| 2.0 * f64::from(x) - 1.0).collect()
}

/// −Σ J s s − Σ h s.
fn ising(bonds: &[(usize, usize, f64)], h: &[f64], x: &[u8]) -> f64 {
    let s = spins(x);
    let bonds: f64 = bonds.iter().map(|&(i, j, coupling)| coupling * s[i] * s[j]).sum();
    -bonds - h.iter().zip(&s).map(|(h, s)| h * s).sum::<f64>()
}

/// Size, density, entries and states of a problem: sparse and dense ones.
fn problem() -> impl Strategy<Value = (usize, Vec<f64>, Vec<u8>)> {
    (1usize..20, 0.0..1.0f64).prop_flat_map(|(n, density)| {
        let entry = (0.0..1.0f64, -10.0..10.0f64)
            .prop_map(move |(u, value)| if u < density { value } else { 0.0 });
        let matrix = prop::collection::vec(entry, n * n);
        (Just(n), matrix, prop::collection::vec(0..2u8, 6 * n))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Energies, flips and fields, the last also when they are carried over a walk of flips. Sums of
    /// up to 400 terms up to 20: 10⁻¹⁰ is far above their rounding.
    #[test]
    fn energies_flips_and_fields_follow_the_definition((n, q, states) in problem()) {
        let target = Quadratic::from_qubo(n, &q).unwrap();
        let mut states = states;
        let rows = states.len() / n;
        let energy = |x: &[u8]| by_definition(n, &q, x);
        let mut energies = vec![0.0; rows];
        target.energies(&states, &mut energies).unwrap();
        for (x, e) in states.chunks(n).zip(&energies) {
            prop_assert!((energy(x) - e).abs() < 1e-10);
            prop_assert_eq!(target.energy(x), *e);
        }
        let before = states.clone();
        let mut changes = vec![0.0; rows];
        for j in 0..n {
            target.flip_changes(j, &mut states, &energies, &mut changes).unwrap();
            prop_assert_eq!(&states, &before);
            for (row, x) in states.chunks(n).enumerate() {
                let mut y = x.to_vec();
                y[j] ^= 1;
                prop_assert!((energy(&y) - energy(x) - changes[row]).abs() < 1e-10);
            }
        }
        let (mut x, mut fields) = (states[..n].to_vec(), vec![0.0; n]);
        let mut carried = target.begin(&x, &mut fields);
        prop_assert!((carried - energies[0]).abs() < 1e-10);
        for (step, &coin) in states.iter().enumerate() {
            let j = (7 * step + usize::from(coin)) % n;
            carried += if x[j] == 0 { fields[j] } else { -fields[j] };
            x[j] ^= 1;
            target.follow(&x, j, &mut fields);
            prop_assert!((carried - energy(&x)).abs() < 1e-10);
        }
        for (j, field) in fields.iter().enumerate() {
            let (mut on, mut off) = (x.clone(), x.clone());
            (on[j], off[j]) = (1, 0);
            prop_assert!((energy(&on) - energy(&off) - field).abs() < 1e-10);
        }
    }

    /// Spins from bonds, from a symmetric matrix and from each of its triangles are one energy.
    #[test]
    fn spins_follow_the_definition((n, j, states) in problem()) {
        let h = &j[..n];
        let bonds: Vec<_> = (0..n)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| (a, b, j[a * n + b]))
            .collect();
        let matrix = |keep: fn(usize, usize) -> bool| -> Vec<f64> {
            let entry = |at: usize| {
                let (a, b) = (at / n, at % n);
                if a != b && keep(a, b) { j[a.max(b) * n + a.min(b)] } else { 0.0 }
            };
            (0..n * n).map(entry).collect()
        };
        let targets = [
            Quadratic::from_ising(&bonds, h).unwrap(),
            Quadratic::from_ising_matrix(&matrix(|_, _| true), h).unwrap(),
            Quadratic::from_ising_matrix(&matrix(|a, b| a < b), h).unwrap(),
            Quadratic::from_ising_matrix(&matrix(|a, b| a > b), h).unwrap(),
        ];
        for x in states.chunks(n) {
            for target in &targets {
                prop_assert!((target.energy(x) - ising(&bonds, h, x)).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_triangles_of_a_qubo_are_added() {
    let upper = Quadratic::from_qubo(2, &[1.0, 3.0, 0.0, 10.0]).unwrap();
    let symmetric = Quadratic::from_qubo(2, &[1.0, 3.0, 3.0, 10.0]).unwrap();
    assert_eq!(upper.energy(&[1, 1]), 14.0);
    assert_eq!(symmetric.energy(&[1, 1]), 17.0);
    let terms = Quadratic::new(2.0, vec![1.0, 10.0], &[(0, 1, 1.0), (1, 0, 2.0)]).unwrap();
    assert_eq!(terms.energy(&[1, 1]), 16.0, "both ways round, added");
    assert_eq!(terms.energy(&[0, 0]), 2.0);
}

#[test]
fn a_lattice_has_the_energies_it_should() {
    let target = Quadratic::from_ising(&lattice(4, 1.0), &[0.0; 16]).unwrap();
    assert_eq!(target.energy(&[0; 16]), -32.0);
    assert_eq!(target.energy(&[1; 16]), -32.0);
    let board: Vec<u8> = (0..16).map(|i| ((i % 4 + i / 4) % 2) as u8).collect();
    assert_eq!(target.energy(&board), 32.0);
    let states = all_states(16);
    let ground = states.chunks(16).filter(|x| target.energy(x) == -32.0).count();
    assert_eq!(ground, 2);
}

#[test]
fn what_is_no_energy_is_refused() {
    let refusal = |outcome: isotherm_tempering::Result<Quadratic>| {
        outcome.unwrap_err().into_cause::<EnergyError>().unwrap()
    };
    let not_square = EnergyError::NotSquare { name: "Q", entries: 3, variables: 2 };
    assert_eq!(refusal(Quadratic::from_qubo(2, &[0.0; 3])), not_square);
    assert_eq!(refusal(Quadratic::from_qubo(0, &[])), EnergyError::NoVariables);
    let not_a_pair = |pair| EnergyError::NotAPair { pair, variables: 2 };
    let itself = Quadratic::new(0.0, vec![0.0; 2], &[(1, 1, 1.0)]);
    assert_eq!(refusal(itself), not_a_pair((1, 1)));
    assert_eq!(refusal(Quadratic::from_ising(&[(0, 2, 1.0)], &[0.0; 2])), not_a_pair((0, 2)));
    let of_matrix = |j: &[f64]| refusal(Quadratic::from_ising_matrix(j, &[0.0; 2]));
    assert_eq!(of_matrix(&[0.0, 1.0, 2.0, 0.0]), EnergyError::NeitherSymmetricNorTriangular);
    assert_eq!(of_matrix(&[1.0, 0.0, 0.0, 0.0]), EnergyError::SelfCoupling { spin: 0 });
    let nan = Quadratic::from_qubo(1, &[f64::NAN]).unwrap_err();
    assert_eq!(nan.cause(), Some(&NonFinite::Coefficient));
}
