//! IDX files, the format of MNIST: a short header, then values with the last index fastest.

use std::io::{BufRead, Read};

use super::numbers::{Kind, NumberType, Order, visit_array};
use super::origin::Origin;
use crate::problems::FileProblem;
use isotherm::Result;
use isotherm::data::values::{Visitor, flattened};

/// Most dimensions that are read.
const MOST_DIMENSIONS: u8 = 8;

/// Whether a file begins as IDX files do: two zeros, a type, and a number of dimensions.
pub(super) fn recognise(head: &[u8]) -> bool {
    matches!(head, [0, 0, kind, 1..=MOST_DIMENSIONS, ..] if number_type(*kind).is_some())
}

/// The type and the name of the numbers.
fn number_type(code: u8) -> Option<(NumberType, &'static str)> {
    let (kind, size, name) = match code {
        0x08 => (Kind::Unsigned, 1, "unsigned bytes"),
        0x09 => (Kind::Signed, 1, "signed bytes"),
        0x0b => (Kind::Signed, 2, "16-bit integers"),
        0x0c => (Kind::Signed, 4, "32-bit integers"),
        0x0d => (Kind::Float, 4, "single precision"),
        0x0e => (Kind::Float, 8, "double precision"),
        _ => return None,
    };
    Some((NumberType { kind, size, big_endian: true }, name))
}

/// Visits an array of two dimensions or more; those after the first become one.
pub(super) fn read(
    origin: &Origin,
    mut input: Box<dyn BufRead>,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let mut start = [0; 4];
    input.read_exact(&mut start).map_err(|error| origin.io(error))?;
    let [_, _, code, dimensions] = start;
    let Some((number, name)) = number_type(code) else {
        return Err(origin.refuse(FileProblem::UnknownType { code: code.into() }));
    };
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        let mut size = [0; 4];
        input.read_exact(&mut size).map_err(|error| origin.io(error))?;
        shape.push(u32::from_be_bytes(size) as usize);
    }
    if shape.len() < 2 {
        let count = shape.first().copied().unwrap_or(0);
        return Err(origin.refuse(FileProblem::Labels { count }));
    }
    let sizes: Vec<u64> = shape.iter().map(|&size| size as u64).collect();
    if shape.contains(&0) {
        return Err(origin.refuse(FileProblem::EmptyArray { shape: sizes }));
    }
    let header = 4 + 4 * shape.len() as u64;
    let present = origin.len.saturating_sub(header);
    let claimed = flattened(&shape).and_then(|(rows, cols)| (rows * cols).checked_mul(number.size));
    if claimed.map(|bytes| bytes as u64) != Some(present) {
        let size = number.size as u64;
        return Err(origin.refuse(FileProblem::WrongLength { shape: sizes, size, present }));
    }
    visitor.kind(&format!("IDX, {name}"));
    visit_array(origin, &mut input, number, &shape, Order::C, visitor)
}
