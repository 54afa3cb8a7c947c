//! Numbers as bytes, one after the other: the content of npy, IDX and MATLAB files after their headers.

use std::io::Read;

use super::origin::Origin;
use crate::problems::FileProblem;
use isotherm::Result;
use isotherm::data::Place;
use isotherm::data::values::{Visitor, flattened, spelled};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 15;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
}

/// How a number is stored. Its size is 1, 2, 4 or 8 bytes, 4 or 8 for floats, 1 for booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberType {
    pub(super) kind: Kind,
    pub(super) size: usize,
    pub(super) big_endian: bool,
}

/// Which index varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The last: row by row.
    C,
    /// The first: column by column.
    Fortran,
}

impl NumberType {
    /// The number in these bytes, whose length is its size.
    fn decode(self, bytes: &[u8]) -> f64 {
        let mut wide = [0; 8];
        wide[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            wide[..self.size].reverse();
        }
        let word = u64::from_le_bytes(wide);
        let unused = 64 - 8 * self.size as u32;
        match self.kind {
            Kind::Bool | Kind::Unsigned => word as f64,
            // Shifted up and down again, which spreads the sign.
            Kind::Signed => ((word << unused) as i64 >> unused) as f64,
            Kind::Float if self.size == 4 => f64::from(f32::from_bits(word as u32)),
            Kind::Float => f64::from_bits(word),
        }
    }
}

/// Visits the numbers of an array of this shape, in C order of what comes after the rows. There is
/// at least one dimension, and all of them fit into memory sizes.
pub(super) fn visit_array(
    origin: &Origin,
    input: &mut dyn Read,
    number: NumberType,
    shape: &[usize],
    order: Order,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let Some((rows, cols)) = flattened(shape).filter(|_| visitor.dimensions(shape)) else {
        return Err(origin.too_large());
    };
    let (total, mut index) = (rows * cols, 0);
    let mut chunk = vec![0; CHUNK];
    // In Fortran order the column changes every `rows` values only.
    let mut fortran_col = 0;
    while index < total {
        let bytes = &mut chunk[..CHUNK.min((total - index).saturating_mul(number.size))];
        input.read_exact(bytes).map_err(|error| origin.io(error))?;
        for value in bytes.chunks_exact(number.size) {
            let (row, col) = match order {
                Order::C => (index / cols, index % cols),
                Order::Fortran => {
                    if index % rows == 0 {
                        fortran_col = c_order(index / rows, &shape[1..]);
                    }
                    (index % rows, fortran_col)
                }
            };
            let value = number.decode(value);
            let place = || vec![Place::Row(row + 1), Place::Column(col + 1)];
            if number.kind == Kind::Bool && value > 1.0 {
                let problem = FileProblem::NotBoolean { value: value as u8 };
                return Err(origin.refuse_at(place(), problem));
            }
            visitor
                .value(row, col, value)
                .map_err(|problem| origin.refuse_value(place(), spelled(value), problem))?;
            index += 1;
        }
    }
    Ok(())
}

/// The position in C order of the element that Fortran order puts at `position`.
fn c_order(position: usize, shape: &[usize]) -> usize {
    let mut rest = position;
    shape.iter().fold(0, |at, &size| {
        let index = rest % size;
        rest /= size;
        at * size + index
    })
}
