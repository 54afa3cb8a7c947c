//! A mixture of products of Bernoulli distributions: q(v) = Σ_k w_k Π_j q_kj(v_j).
//!
//! It has as many modes as components, can be sampled exactly, and its normaliser is one. With c_k the
//! log-odds of component k, log q(v | k) = c_k·v − Σ_j softplus(c_kj).

use isotherm_kernels::affine::{Grouping, affine};
use isotherm_kernels::bits::{BitRows, words_for};
use isotherm_kernels::mixture::add_selected_rows;
use isotherm_kernels::{BitMatrix, LaneRng, Level, Matrix, Tile, bernoulli, scalar};
use isotherm_tempering::streams::{Key, Purpose};

/// The most components of a mixture that can be a reference.
pub const MOST_COMPONENTS: usize = 256;

/// Words of a row of bits that are gathered at a time.
const MOST_WORDS: usize = 64;

/// A mixture of products of Bernoulli distributions.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// w_k; they sum to one.
    weights: Vec<f64>,
    log_weights: Vec<f64>,
    /// w_0, w_0 + w_1, ….
    cumulative: Vec<f64>,
    /// c_k, a row for each component.
    log_odds: Matrix,
    /// The same, a row for each visible unit.
    by_unit: Matrix,
    /// log q(0 | k) = −Σ_j softplus(c_kj), one row.
    log_of_zeros: Matrix,
}

impl Mixture {
    /// A mixture with these weights, which need not be normalised, and the log-odds of each component in a
    /// row.
    pub fn new(weights: &[f64], log_odds: Matrix) -> Mixture {
        assert!(!weights.is_empty() && weights.len() == log_odds.rows(), "a weight a component");
        let total: f64 = weights.iter().sum();
        Mixture::with_weights(weights.iter().map(|w| w / total).collect(), log_odds)
    }

    /// The same with weights that sum to one: what a file holds comes back bit for bit.
    pub(super) fn with_weights(weights: Vec<f64>, log_odds: Matrix) -> Mixture {
        let log_weights = weights.iter().map(|&w| libm::log(w)).collect();
        let running = weights.iter().scan(0.0, |sum, w| {
            *sum += w;
            Some(*sum)
        });
        let cumulative = running.collect();
        let of_zeros = |k: usize| -> f64 {
            log_odds.row(k).iter().map(|&c| -scalar::softplus(f64::from(c))).sum()
        };
        let log_of_zeros: Vec<f32> = (0..log_odds.rows()).map(|k| of_zeros(k) as f32).collect();
        let mut by_unit = Matrix::zeros(log_odds.cols(), log_odds.rows());
        log_odds.transpose_into(Level::detect(), &mut by_unit);
        let log_of_zeros = Matrix::from_row(&log_of_zeros);
        Mixture { weights, log_weights, cumulative, log_odds, by_unit, log_of_zeros }
    }

    /// Number of components.
    pub fn components(&self) -> usize {
        self.log_weights.len()
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.log_odds.cols()
    }

    /// w_k.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// log w_k.
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// c_k, a row for each component.
    pub fn log_odds(&self) -> &Matrix {
        &self.log_odds
    }

    /// P(v_j = 1).
    pub fn marginals(&self) -> Vec<f64> {
        let mean = |odds: f32| 1.0 / (1.0 + libm::exp(-f64::from(odds)));
        let of_unit = |j: usize| {
            let odds = self.by_unit.row(j);
            self.weights.iter().zip(odds).map(|(weight, &odds)| weight * mean(odds)).sum()
        };
        (0..self.n_visible()).map(of_unit).collect()
    }

    /// log q(v | k) into the columns of `out`, a row for each row of bits.
    pub fn log_conditionals(&self, v: BitRows<'_>) -> Matrix {
        let mut out = Matrix::zeros(v.rows(), self.components());
        let grouping = Grouping::of(v.rows(), self.n_visible());
        self.log_conditionals_into(grouping, v, out.tiles_mut());
        out
    }

    /// The same in this grouping, a row of tiles for each row of bits.
    pub(crate) fn log_conditionals_into(
        &self,
        grouping: Grouping,
        v: BitRows<'_>,
        out: &mut [Tile],
    ) {
        affine(Level::detect(), grouping, v, &self.by_unit, self.log_of_zeros.tiles(), out);
    }

    /// log q(v | k) of one row of bits, given word by word.
    pub(crate) fn log_conditionals_of(&self, v: impl Iterator<Item = u64>, out: &mut [f64]) {
        let mut words = [0; MOST_WORDS];
        let mut rest = v;
        out.fill(0.0);
        for first in (0..self.n_visible()).step_by(64 * MOST_WORDS) {
            let units = (self.n_visible() - first).min(64 * MOST_WORDS);
            let words = &mut words[..words_for(units)];
            words.iter_mut().zip(&mut rest).for_each(|(word, bits)| *word = bits);
            add_selected_rows(Level::detect(), words, &self.by_unit, first, out);
        }
        for (out, zeros) in out.iter_mut().zip(self.log_of_zeros.row(0)) {
            *out += f64::from(*zeros);
        }
    }

    /// KL(q_j, q_k), the mean of log q(v | j) − log q(v | k) over component j, for each j and then each k.
    pub(crate) fn divergences(&self) -> Vec<f64> {
        let (count, log_of_zeros) = (self.components(), self.log_of_zeros.row(0));
        let mut out = Vec::with_capacity(count * count);
        for j in 0..count {
            let own = self.log_odds.row(j);
            let means: Vec<f64> = own.iter().map(|&c| scalar::sigmoid(f64::from(c))).collect();
            for k in 0..count {
                let odds = own.iter().zip(self.log_odds.row(k)).zip(&means);
                let of_ones: f64 = odds.map(|((a, b), mean)| mean * f64::from(a - b)).sum();
                out.push((of_ones + f64::from(log_of_zeros[j] - log_of_zeros[k])).max(0.0));
            }
        }
        out
    }

    /// log q(v) of each row.
    pub fn log_densities(&self, v: &BitMatrix) -> Vec<f64> {
        let logs = self.log_conditionals(v.as_rows());
        (0..v.rows()).map(|row| log_sum_exp(self.joint_logs(logs.row(row)))).collect()
    }

    /// log P(k | v) of each row and component: a slice of as many numbers as components for each row.
    pub fn log_posteriors(&self, v: &BitMatrix) -> Vec<f64> {
        let logs = self.log_conditionals(v.as_rows());
        let mut out = Vec::with_capacity(v.rows() * self.components());
        for row in 0..v.rows() {
            let joint = self.joint_logs(logs.row(row));
            let log_density = log_sum_exp(joint.clone());
            out.extend(joint.map(|log| log - log_density));
        }
        out
    }

    /// The component that each row most probably comes from: the cluster that it belongs to.
    pub fn assign(&self, v: &BitMatrix) -> Vec<usize> {
        let logs = self.log_conditionals(v.as_rows());
        let most_probable = |row| {
            let joint = self.joint_logs(logs.row(row)).enumerate();
            joint.fold((0, f64::NEG_INFINITY), |best, it| if it.1 > best.1 { it } else { best }).0
        };
        (0..v.rows()).map(most_probable).collect()
    }

    /// log w_k + log q(v | k) of each component.
    pub(super) fn joint_logs<'a>(
        &'a self,
        conditionals: &'a [f32],
    ) -> impl Iterator<Item = f64> + Clone + 'a {
        self.log_weights.iter().zip(conditionals).map(|(w, &log)| w + f64::from(log))
    }

    /// The component that a uniform `u` in (0, 1) draws.
    pub(crate) fn component_at(&self, u: f64) -> usize {
        self.cumulative.partition_point(|&sum| sum <= u).min(self.components() - 1)
    }

    /// Independent draws, and the component of each.
    pub fn draw(&self, count: usize, key: Key) -> (BitMatrix, Vec<usize>) {
        let mut v = BitMatrix::zeros(count, self.n_visible());
        let mut components = Vec::with_capacity(count);
        for row in 0..count {
            let mut rng = key.lanes(Purpose::Mixture, row);
            let component = self.component_at(uniform(&mut rng));
            let (field, cols) = (self.log_odds.row_tiles(component), self.n_visible());
            bernoulli::draw_row(Level::detect(), field, &[], 1.0, cols, &mut rng, v.row_mut(row));
            components.push(component);
        }
        (v, components)
    }
}

/// A uniform of 52 bits in (0, 1).
pub(crate) fn uniform(rng: &mut LaneRng) -> f64 {
    let [low, high, ..] = rng.next_words();
    let bits = u64::from(low) | u64::from(high) << 32;
    ((bits >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// log Σ exp(x).
pub(crate) fn log_sum_exp(x: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = x.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + libm::log(x.map(|x| libm::exp(x - largest)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Mixture {
        let log_odds = Matrix::from_dense(
            3,
            5,
            &[2.0, -1.0, 0.5, 3.0, -2.0, -2.0, 1.0, 0.0, -3.0, 2.0, 0.1, 0.2, -0.3, 1.0, 1.5],
        );
        Mixture::new(&[6.0, 3.0, 1.0], log_odds)
    }

    fn all_states(n: usize) -> BitMatrix {
        BitMatrix::from_words(1 << n, n, (0..1 << n).collect()).expect("a word for each state")
    }

    #[test]
    fn divergences_are_those_of_enumeration() {
        let (mixture, states) = (small(), all_states(5));
        let logs = mixture.log_conditionals(states.as_rows());
        let found = mixture.divergences();
        for (at, found) in found.iter().enumerate() {
            let of = |row: usize| [at / 3, at % 3].map(|k| f64::from(logs.row(row)[k]));
            let terms = (0..32).map(of).map(|[j, k]| libm::exp(j) * (j - k));
            assert!((found - terms.sum::<f64>()).abs() < 1e-5, "{at}: {found}");
        }
    }

    #[test]
    fn densities_add_up_to_one_and_are_those_of_the_definition() {
        let mixture = small();
        let states = all_states(5);
        let logs = mixture.log_densities(&states);
        let total: f64 = logs.iter().map(|log| log.exp()).sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
        for (row, log) in logs.iter().enumerate() {
            let of = |k: usize| -> f64 {
                let odds = mixture.log_odds().row(k).iter().enumerate();
                odds.map(|(j, &c)| {
                    let p = 1.0 / (1.0 + (-f64::from(c)).exp());
                    if states.get(row, j) { p } else { 1.0 - p }
                })
                .product()
            };
            let density = 0.6 * of(0) + 0.3 * of(1) + 0.1 * of(2);
            assert!((density.ln() - log).abs() < 1e-5, "{row}");
        }
    }

    /// 20 000 draws: frequencies within five standard errors.
    #[test]
    fn draws_have_the_density() {
        const DRAWS: usize = 20_000;
        let mixture = small();
        let (v, components) = mixture.draw(DRAWS, Key { seed: 1, step: 0 });
        let mut counts = [0.0; 32];
        v.words().iter().for_each(|&word| counts[word as usize] += 1.0);
        for (count, log) in counts.iter().zip(mixture.log_densities(&all_states(5))) {
            let p = log.exp();
            let error = (p * (1.0 - p) / DRAWS as f64).sqrt();
            assert!((count / DRAWS as f64 - p).abs() < 5.0 * error + 1e-9, "{count} {p}");
        }
        let of_last = components.iter().filter(|&&k| k == 2).count() as f64 / DRAWS as f64;
        assert!((of_last - 0.1).abs() < 5.0 * (0.09 / DRAWS as f64).sqrt(), "{of_last}");
    }

    #[test]
    fn posteriors_are_the_shares_of_the_components() {
        let (mixture, states) = (small(), all_states(5));
        let posteriors = mixture.log_posteriors(&states);
        let conditionals = mixture.log_conditionals(states.as_rows());
        let densities = mixture.log_densities(&states);
        for (row, (of_row, log)) in posteriors.chunks_exact(3).zip(densities).enumerate() {
            assert!((of_row.iter().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
            let second = mixture.log_weights()[1] + f64::from(conditionals.row(row)[1]);
            assert!((of_row[1] + log - second).abs() < 1e-9);
        }
    }

    #[test]
    fn a_uniform_draws_a_component_by_its_weight() {
        let mixture = small();
        assert_eq!(
            [0.01, 0.59, 0.61, 0.89, 0.91, 0.9999].map(|u| mixture.component_at(u)),
            [0, 0, 1, 1, 2, 2]
        );
    }
}
