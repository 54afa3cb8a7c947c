//! The header of a NumPy array file, checked before and after `npyz` parses it.

use std::io::Read;

use npyz::NpyHeader;

use super::origin::Origin;
use crate::problems::{FileProblem, NpyProblem};
use isotherm::Result;

/// How every npy file begins; two bytes of version follow.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header text that is read; NumPy itself refuses longer ones.
const MAX_TEXT: u64 = 10_000;

/// Reads the header; also returns its length in bytes, after which the values begin.
pub(super) fn read(origin: &Origin, reader: &mut impl Read) -> Result<(NpyHeader, u64)> {
    let start = read_bytes(origin, reader, MAGIC.len() as u64 + 2)?;
    let len_size = match start.strip_prefix(MAGIC) {
        Some([1, 0]) => 2,
        Some([2 | 3, 0]) => 4,
        Some(_) => return Err(origin.refuse(NpyProblem::Version)),
        None => return Err(origin.refuse(NpyProblem::NotNpy)),
    };
    let len_bytes = read_bytes(origin, reader, len_size)?;
    let text_len = len_bytes.iter().rev().fold(0, |len, &byte| len << 8 | u64::from(byte));
    if text_len > MAX_TEXT {
        return Err(origin.refuse(NpyProblem::HeaderTooLong { most: MAX_TEXT }));
    }
    let text = read_bytes(origin, reader, text_len)?;
    if count_openings(&text) > 2 {
        return Err(origin.refuse(NpyProblem::NotNumbers));
    }
    let all = [start, len_bytes, text.clone()].concat();
    let header = if multiplies(&text) { NpyHeader::from_reader(&all[..]).ok() } else { None };
    match header {
        Some(header) => Ok((header, all.len() as u64)),
        None => {
            let text = String::from_utf8_lossy(&text).into_owned();
            Err(origin.refuse(NpyProblem::Header { text }))
        }
    }
}

/// The next bytes of the header.
fn read_bytes(origin: &Origin, reader: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // `take` allocates for what the file holds, not for what it claims.
    reader.take(count).read_to_end(&mut bytes).map_err(|error| origin.io(error))?;
    if (bytes.len() as u64) < count {
        return Err(origin.refuse(NpyProblem::HeaderEnds));
    }
    Ok(bytes)
}

/// How many brackets a header text opens.
///
/// For a plain array there are two, of the dictionary and of the shape. Structured and time types
/// have more; they are of no use here, and the parser behind `npyz` takes time that is exponential in
/// the nesting of brackets.
fn count_openings(text: &[u8]) -> usize {
    text.iter().filter(|byte| b"{[(".contains(byte)).count()
}

/// Whether all numbers in a header text are plain decimals whose product fits into 64 bits.
///
/// `npyz` multiplies the dimensions unchecked, which panics with overflow checks.
fn multiplies(text: &[u8]) -> bool {
    let mut words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let product = words.try_fold(1u64, |product, word| {
        if !word.first().is_some_and(u8::is_ascii_digit) {
            return Some(product);
        }
        // This fails for other spellings, such as 0xff, 1_000 and 10L.
        let number: u64 = std::str::from_utf8(word).ok()?.parse().ok()?;
        product.checked_mul(number.max(1))
    });
    // The parser also adds and subtracts; a sum can exceed the product of its terms.
    product.is_some() && !text.iter().any(|byte| b"+-".contains(byte))
}

/// Checks that the array has two dimensions or more, and that its values take the bytes that follow.
pub(super) fn check_size(origin: &Origin, shape: &[u64], size: u64, present: u64) -> Result<()> {
    let claimed = shape.iter().try_fold(size, |bytes, &length| bytes.checked_mul(length));
    let problem = if shape.len() < 2 {
        FileProblem::TooFewDimensions { dimensions: shape.len() }
    } else if shape.contains(&0) {
        FileProblem::EmptyArray { shape: shape.to_vec() }
    } else if claimed != Some(present) {
        FileProblem::WrongLength { shape: shape.to_vec(), size, present }
    } else {
        return Ok(());
    };
    Err(origin.refuse(problem))
}
