//! NumPy's array files.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufReader, Write};

use isotherm_kernels::BitMatrix;
use isotherm_kernels::bits::words_for;
use npyz::{DType, Deserialize, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder};

use super::npy_header::{self, SAVE_AGAIN};
use super::{Origin, remedy, shown};
use crate::{Error, Result};

/// Reads an array of rank 2 or more; the dimensions after the first become one, in C order.
pub(super) fn read(origin: &Origin, mut reader: BufReader<File>) -> Result<BitMatrix> {
    let (header, header_len) = npy_header::read(origin, &mut reader)?;
    let Some((item_size, read_values)) = values_reader(&header.dtype()) else {
        let dtype = shown(&header.dtype().descr(), 40);
        let remedy = "save it as bool, integer, float32 or float64";
        return Err(origin.refuse(format!("an array of dtype {dtype} is not supported; {remedy}")));
    };
    let present = origin.len.saturating_sub(header_len);
    npy_header::check_size(origin, header.shape(), item_size, present)?;
    let sizes: Option<Vec<usize>> = header.shape().iter().map(|&n| n.try_into().ok()).collect();
    let shape = sizes.ok_or_else(|| too_large(origin))?;
    read_values(origin, reader, header, &shape)
}

fn too_large(origin: &Origin) -> Error {
    origin.refuse("the array does not fit into memory; use fewer rows")
}

type ReadValues = fn(&Origin, BufReader<File>, NpyHeader, &[usize]) -> Result<BitMatrix>;

/// The size of a value and the function that reads values of this type, if it is supported.
fn values_reader(dtype: &DType) -> Option<(u64, ReadValues)> {
    let DType::Plain(plain) = dtype else { return None };
    let read_values: ReadValues = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, 1) => read_values::<bool>,
        (TypeChar::Uint, 1) => read_values::<u8>,
        (TypeChar::Uint, 2) => read_values::<u16>,
        (TypeChar::Uint, 4) => read_values::<u32>,
        (TypeChar::Uint, 8) => read_values::<u64>,
        (TypeChar::Int, 1) => read_values::<i8>,
        (TypeChar::Int, 2) => read_values::<i16>,
        (TypeChar::Int, 4) => read_values::<i32>,
        (TypeChar::Int, 8) => read_values::<i64>,
        (TypeChar::Float, 4) => read_values::<f32>,
        (TypeChar::Float, 8) => read_values::<f64>,
        _ => return None,
    };
    Some((plain.size_field(), read_values))
}

/// Reads values of one type, one after the other, into packed bits.
fn read_values<T: Deserialize + From<bool> + PartialEq + Debug>(
    origin: &Origin,
    reader: BufReader<File>,
    header: NpyHeader,
    shape: &[usize],
) -> Result<BitMatrix> {
    let mut bits = zeros(shape).ok_or_else(|| too_large(origin))?;
    let (rows, cols) = (bits.rows(), bits.cols());
    let order = header.order();
    let mut values = NpyFile::with_header(header, reader)
        .data::<T>()
        .map_err(|error| origin.refuse(shown(&error.to_string(), 80)))?;
    let mut read_one = |row: usize, col: usize| -> Result<()> {
        let place = || format!("row {}, column {}", row + 1, col + 1);
        match values.next() {
            Some(Ok(value)) if value == T::from(false) => Ok(()),
            Some(Ok(value)) if value == T::from(true) => {
                bits.set(row, col, true);
                Ok(())
            }
            Some(Ok(value)) => {
                let shown = format!("{value:?}");
                let remedy = remedy(shown.parse().unwrap_or(f64::NAN));
                Err(origin.refuse_at(place(), format!("{shown} is not 0 or 1; {remedy}")))
            }
            // A bool whose byte is neither 0 nor 1.
            Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Err(origin.refuse_at(place(), format!("{error}; {SAVE_AGAIN}")))
            }
            Some(Err(error)) => Err(origin.io(&error)),
            None => Err(origin.io(&io::ErrorKind::UnexpectedEof.into())),
        }
    };
    match order {
        Order::C => (0..rows).try_for_each(|row| (0..cols).try_for_each(|c| read_one(row, c)))?,
        Order::Fortran => (0..cols).try_for_each(|position| {
            let col = c_order(position, &shape[1..]);
            (0..rows).try_for_each(|row| read_one(row, col))
        })?,
    }
    Ok(bits)
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

/// A matrix of zeros for an array of this shape, or `None` if there is no memory for it.
fn zeros(shape: &[usize]) -> Option<BitMatrix> {
    let (&rows, inner) = shape.split_first()?;
    let cols = inner.iter().try_fold(1usize, |cols, &size| cols.checked_mul(size))?;
    let count = rows.checked_mul(words_for(cols))?;
    let mut words = Vec::new();
    words.try_reserve_exact(count).ok()?;
    words.resize(count, 0);
    BitMatrix::from_words(rows, cols, words)
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
