//! Array files of NumPy.

use std::io::{self, BufRead, Write};

use isotherm_kernels::BitMatrix;
use npyz::{DType, Endianness, TypeChar, WriterBuilder};

use super::npy_header;
use super::numbers::{Kind, NumberType, Order, visit_array};
use super::origin::Origin;
use crate::problems::NpyProblem;
use isotherm::Result;
use isotherm::data::values::{Visitor, shown};

/// Visits an array of rank 2 or more; the dimensions after the first become one, in C order.
pub(super) fn read(
    origin: &Origin,
    mut input: &mut dyn BufRead,
    visitor: &mut dyn Visitor,
) -> Result<()> {
    let (header, header_len) = npy_header::read(origin, &mut input)?;
    let dtype = header.dtype().descr();
    let Some(number) = number_type(&header.dtype()) else {
        return Err(origin.refuse(NpyProblem::Dtype { dtype }));
    };
    let present = origin.len.saturating_sub(header_len);
    npy_header::check_size(origin, header.shape(), number.size as u64, present)?;
    let sizes: Option<Vec<usize>> = header.shape().iter().map(|&n| n.try_into().ok()).collect();
    let shape = sizes.ok_or_else(|| origin.too_large())?;
    let order = match header.order() {
        npyz::Order::C => Order::C,
        npyz::Order::Fortran => Order::Fortran,
    };
    visitor.kind(shown(&dtype, 40).trim_matches('\''));
    let mut input = input;
    visit_array(origin, &mut input, number, &shape, order, visitor)
}

/// How numbers of a type are stored, if it is supported.
fn number_type(dtype: &DType) -> Option<NumberType> {
    let DType::Plain(plain) = dtype else { return None };
    let kind = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, 1) => Kind::Bool,
        (TypeChar::Uint, 1 | 2 | 4 | 8) => Kind::Unsigned,
        (TypeChar::Int, 1 | 2 | 4 | 8) => Kind::Signed,
        (TypeChar::Float, 4 | 8) => Kind::Float,
        _ => return None,
    };
    let big_endian = plain.endianness() == Endianness::Big;
    Some(NumberType { kind, size: usize::try_from(plain.size_field()).ok()?, big_endian })
}

/// Writes a matrix as a C-order npy array of unsigned bytes.
///
/// # Errors
///
/// If writing fails.
pub fn write_npy(writer: impl Write, bits: &BitMatrix) -> io::Result<()> {
    let mut writer = npyz::WriteOptions::<u8>::new()
        .default_dtype()
        .shape(&[bits.rows() as u64, bits.cols() as u64])
        .writer(writer)
        .write_header_only()?;
    let mut values = vec![0; bits.cols()];
    for row in 0..bits.rows() {
        for (col, value) in values.iter_mut().enumerate() {
            *value = u8::from(bits.get(row, col));
        }
        writer.write_all(&values)?;
    }
    writer.flush()
}
