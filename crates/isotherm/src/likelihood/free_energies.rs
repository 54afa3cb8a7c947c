//! −F(v) = c·v + Σ_i softplus(b_i + (Wᵀv)_i) of many rows, in `f64`.
//!
//! As the kernels do it in `f32`: four visible units can add only 16 different rows of weights to
//! the hidden field. These are tabulated, for 64 visible units at a time, and looked up for a block
//! of rows. The visible bias is one more column of the weights.

use isotherm_kernels::{BitMatrix, Level, Matrix, Tile, bernoulli, softplus};
use rayon::prelude::*;

use crate::model::{Parameters, Rbm};

/// Rows that share the work of tabulating. Enough that it is little beside their own.
const BLOCK: usize = 256;
/// Visible units a table covers, its entries, and the tables that cover a word.
const GROUP: usize = 4;
const ENTRIES: usize = 1 << GROUP;
const GROUPS: usize = 64 / GROUP;

/// −F(v) of each row.
pub fn minus_free_energies(rbm: &Rbm, rows: &BitMatrix) -> Vec<f64> {
    let words = rows.words_per_row();
    rows.words()
        .par_chunks(BLOCK * words)
        .flat_map_iter(|block| of_block(rbm, block, words))
        .collect()
}

/// The same from fields in `f32`, several times as fast: for following a run.
pub fn quick_minus_free_energies(rbm: &Rbm, rows: &BitMatrix) -> Vec<f64> {
    let Parameters { b, c, .. } = rbm.parameters();
    let mut fields = Matrix::zeros(rows.rows(), b.cols());
    rbm.hidden_field(rows.as_rows(), fields.tiles_mut());
    bias_and_softplus(rows, c, &fields)
}

/// −F(h) = b·h + Σ_j softplus(c_j + (Wh)_j) of each row of hidden units, likewise.
pub fn quick_minus_free_energies_of_hidden(rbm: &Rbm, rows: &BitMatrix) -> Vec<f64> {
    let Parameters { b, c, .. } = rbm.parameters();
    let mut fields = Matrix::zeros(rows.rows(), c.cols());
    rbm.visible_field(rows.as_rows(), fields.tiles_mut());
    bias_and_softplus(rows, b, &fields)
}

/// What a row's own bias and the fields that it puts on the other layer come to.
fn bias_and_softplus(rows: &BitMatrix, bias: &Matrix, fields: &Matrix) -> Vec<f64> {
    let level = Level::detect();
    let value = |row| {
        let (mut scratch, mut linear, units) = ([Tile::ZERO], [0.0], bias.cols());
        let bits = rows.row(row);
        bernoulli::selected_sums(level, bias.tiles(), bits, units, &mut scratch, &mut linear);
        linear[0] + softplus::softplus_sum(level, fields.row_tiles(row), 1.0, fields.cols())
    };
    (0..rows.rows()).map(value).collect()
}

fn of_block(rbm: &Rbm, block: &[u64], words: usize) -> Vec<f64> {
    let n_hidden = rbm.n_hidden();
    let width = n_hidden + 1;
    let mut start: Vec<f64> = rbm.parameters().b.row(0).iter().map(|&b| f64::from(b)).collect();
    start.push(0.0);
    let mut fields = start.repeat(block.len() / words);
    let mut tables = vec![0.0; GROUPS * ENTRIES * width];
    for word in 0..words {
        tabulate(rbm, word * 64, &mut tables);
        for (row, field) in block.chunks_exact(words).zip(fields.chunks_exact_mut(width)) {
            let mut rest = row[word];
            for table in tables.chunks_exact(ENTRIES * width) {
                let entry = &table[rest as usize % ENTRIES * width..][..width];
                for (x, y) in field.iter_mut().zip(entry) {
                    *x += y;
                }
                rest >>= GROUP;
            }
        }
    }
    let value = |field: &[f64]| {
        field[n_hidden] + softplus::softplus_sum_f64(Level::detect(), &field[..n_hidden])
    };
    fields.chunks_exact(width).map(value).collect()
}

/// The sums of all subsets of each four of the 64 visible units from `first` on; there are no
/// bits beyond the last unit to ask for more.
fn tabulate(rbm: &Rbm, first: usize, tables: &mut [f64]) {
    let (p, width) = (rbm.parameters(), rbm.n_hidden() + 1);
    let n_visible = rbm.n_visible();
    for (group, table) in tables.chunks_exact_mut(ENTRIES * width).enumerate() {
        let units = first + group * GROUP..n_visible.min(first + (group + 1) * GROUP);
        for (bit, j) in units.enumerate() {
            let (without, with) = table.split_at_mut(width << bit);
            let weights = p.w.row(j).iter().chain([&p.c.row(0)[j]]);
            for (x, &weight) in weights.enumerate() {
                for subset in 0..1 << bit {
                    let at = subset * width + x;
                    with[at] = without[at] + f64::from(weight);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Initial;

    #[test]
    fn the_quick_way_comes_to_the_same() {
        for (n_visible, n_hidden) in [(1, 1), (70, 33), (784, 130)] {
            let marginals = vec![0.3; n_visible];
            let rbm = Initial { n_hidden, std: 0.5, seed: 3 }.model(&marginals);
            let words = (0..5 * n_visible.div_ceil(64) as u64)
                .map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .map(|word| if n_visible < 64 { word >> (64 - n_visible) } else { word });
            let mut rows = BitMatrix::zeros(5, n_visible);
            rows.words_mut().iter_mut().zip(words).for_each(|(to, from)| *to = from);
            let last = u64::MAX >> ((64 - n_visible % 64) % 64);
            let words = rows.words_per_row();
            rows.words_mut().iter_mut().skip(words - 1).step_by(words).for_each(|w| *w &= last);
            let exact = minus_free_energies(&rbm, &rows);
            // The same rows as hidden units of the model turned round.
            let Parameters { w, b, c } = rbm.parameters().clone();
            let mut turned = Matrix::zeros(n_hidden, n_visible);
            w.transpose_into(Level::detect(), &mut turned);
            let turned = Rbm::new(Parameters { w: turned, b: c, c: b });
            let of_hidden = quick_minus_free_energies_of_hidden(&turned, &rows);
            for quick in [quick_minus_free_energies(&rbm, &rows), of_hidden] {
                for (quick, exact) in quick.iter().zip(&exact) {
                    assert!(
                        (quick - exact).abs() < 1e-5 * exact.abs().max(1.0),
                        "{quick}, {exact}"
                    );
                }
            }
        }
    }
}
