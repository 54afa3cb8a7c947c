//! States of replicas that begin at given visible states.

use isotherm_kernels::{BitMatrix, Level, Matrix, bernoulli};
use isotherm_tempering::streams::{Key, Purpose};

use crate::model::Rbm;
use crate::references::Distribution;

/// h given each row of visible units.
pub(crate) fn hidden_given(model: &Rbm, v: &BitMatrix, key: Key) -> BitMatrix {
    let mut fields = Matrix::zeros(v.rows(), model.n_hidden());
    model.hidden_field(v.as_rows(), fields.tiles_mut());
    let mut h = BitMatrix::zeros(v.rows(), model.n_hidden());
    for row in 0..v.rows() {
        // Stream 0 may have chosen the rows.
        let mut rng = key.lanes(Purpose::Start, row + 1);
        let (level, cols) = (Level::detect(), model.n_hidden());
        bernoulli::draw_row(level, fields.row_tiles(row), &[], 1.0, cols, &mut rng, h.row_mut(row));
    }
    h
}

/// The units of a replica's state on a path, so many of them, given each row of visible units: h and, from the first
/// unit after it, what the reference adds, the most probable component or the hidden units of a small RBM.
pub(crate) fn units_given(
    model: &Rbm,
    v: &BitMatrix,
    (units_of_path, reference): (usize, &Distribution),
    key: Key,
) -> BitMatrix {
    let h = hidden_given(model, v, key);
    let mut units = BitMatrix::zeros(v.rows(), units_of_path);
    for row in 0..v.rows() {
        units.row_mut(row)[..h.words_per_row()].copy_from_slice(h.row(row));
    }
    let of_reference = units_of_path - model.n_hidden();
    let mut set = |row: usize, unit: usize, on: bool| units.set(row, model.n_hidden() + unit, on);
    match reference {
        _ if of_reference == 0 => {}
        Distribution::BaseRates => {}
        Distribution::Mixture(mixture) => {
            for (row, component) in mixture.assign(v).into_iter().enumerate() {
                (0..of_reference).for_each(|unit| set(row, unit, component >> unit & 1 == 1));
            }
        }
        Distribution::Rbm(small) => {
            let of_small = hidden_given(small.model(), v, Key { step: key.step + 1, ..key });
            for row in 0..v.rows() {
                (0..of_reference).for_each(|unit| set(row, unit, of_small.get(row, unit)));
            }
        }
    }
    units
}
