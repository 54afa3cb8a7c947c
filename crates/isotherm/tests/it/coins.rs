//! A toy distribution with a known density, written with public items only: independent biased coins.

use isotherm::data::KnownDensity;
use isotherm::{BitMatrix, Key, Purpose};

/// Independent coins with these log odds of heads.
#[derive(Clone, Debug)]
pub struct Coins(pub Vec<f32>);

fn probability(log_odds: &f32) -> f64 {
    1.0 / (1.0 + (-f64::from(*log_odds)).exp())
}

impl KnownDensity for Coins {
    fn name(&self) -> &str {
        "coins"
    }

    fn n_visible(&self) -> usize {
        self.0.len()
    }

    fn draw(&self, rows: usize, key: Key, purpose: Purpose, out: &mut BitMatrix) {
        out.clear_rows();
        for row in 0..rows {
            let mut rng = key.lanes(purpose, row);
            out.push_row(&vec![0; out.words_per_row()]);
            for (coin, p) in self.marginals().into_iter().enumerate() {
                out.set(row, coin, f64::from(rng.next_uniforms().0[0]) < p);
            }
        }
    }

    fn log_density(&self, x: &[u64]) -> f64 {
        let is_heads = |coin: usize| x[coin / 64] >> (coin % 64) & 1 == 1;
        let coins = self.marginals().into_iter().enumerate();
        coins.map(|(coin, p)| if is_heads(coin) { p.ln() } else { (1.0 - p).ln() }).sum()
    }

    fn entropy(&self) -> f64 {
        self.marginals().into_iter().map(|p| -p * p.ln() - (1.0 - p) * (1.0 - p).ln()).sum()
    }

    fn marginals(&self) -> Vec<f64> {
        self.0.iter().map(probability).collect()
    }

    fn identity(&self) -> Vec<u8> {
        self.0.iter().flat_map(|log_odds| log_odds.to_le_bytes()).collect()
    }
}
