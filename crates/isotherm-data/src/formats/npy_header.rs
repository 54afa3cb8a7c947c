//! The header of a NumPy array file, checked before and after `npyz` parses it.

use std::io::Read;

use npyz::NpyHeader;

use isotherm::Result;
use isotherm::data::values::{Origin, shown};

/// How every npy file begins; two bytes of version follow.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// What to do about a file that NumPy would not have written.
pub(super) const SAVE_AGAIN: &str = "save the array again with numpy.save";

/// Longest header text that is read; NumPy itself refuses longer ones.
const MAX_TEXT: u64 = 10_000;

/// Reads the header; also returns its length in bytes, after which the values begin.
pub(super) fn read(origin: &Origin, reader: &mut impl Read) -> Result<(NpyHeader, u64)> {
    let start = read_bytes(origin, reader, MAGIC.len() as u64 + 2)?;
    let len_size = match start.strip_prefix(MAGIC) {
        Some([1, 0]) => 2,
        Some([2 | 3, 0]) => 4,
        Some(_) => {
            let why = "the npy version is not 1, 2 or 3";
            return Err(origin.refuse(format!("{why}; {SAVE_AGAIN}")));
        }
        None => return Err(origin.refuse(format!("this is not an npy file; {SAVE_AGAIN}"))),
    };
    let len_bytes = read_bytes(origin, reader, len_size)?;
    let text_len = len_bytes.iter().rev().fold(0, |len, &byte| len << 8 | u64::from(byte));
    if text_len > MAX_TEXT {
        let why = format!("the npy header is longer than {MAX_TEXT} bytes");
        return Err(origin.refuse(format!("{why}; {SAVE_AGAIN}")));
    }
    let text = read_bytes(origin, reader, text_len)?;
    if count_openings(&text) > 2 {
        let why = "the array does not hold plain numbers";
        return Err(origin.refuse(format!("{why}; save it as bool, integer or float")));
    }
    let all = [start, len_bytes, text.clone()].concat();
    let header = if multiplies(&text) { NpyHeader::from_reader(&all[..]).ok() } else { None };
    match header {
        Some(header) => Ok((header, all.len() as u64)),
        None => {
            let text = shown(String::from_utf8_lossy(&text).trim(), 80);
            Err(origin.refuse(format!("the npy header \"{text}\" cannot be used; {SAVE_AGAIN}")))
        }
    }
}

/// The next bytes of the header.
fn read_bytes(origin: &Origin, reader: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // `take` allocates for what the file holds, not for what it promises.
    reader.take(count).read_to_end(&mut bytes).map_err(|error| origin.io(&error))?;
    if (bytes.len() as u64) < count {
        return Err(origin.refuse("the file ends inside its npy header; copy or save it again"));
    }
    Ok(bytes)
}

/// How many brackets a header text opens.
///
/// For a plain array there are two, of the dictionary and of the shape. Structured and time types
/// have more; they are of no use here, and the parser behind `npyz` takes time exponential in the
/// nesting of brackets.
fn count_openings(text: &[u8]) -> usize {
    text.iter().filter(|byte| b"{[(".contains(byte)).count()
}

/// Whether all numbers in a header text are plain decimals whose product fits into 64 bits.
///
/// `npyz` multiplies the shape without looking, which panics where overflow checks are on.
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

/// Checks that the shape is that of a matrix, or more, and that just its values are `present`.
pub(super) fn check_size(origin: &Origin, shape: &[u64], item: u64, present: u64) -> Result<()> {
    if shape.len() < 2 {
        let why = format!("the array has {} dimension(s), not two", shape.len());
        return Err(origin.refuse(format!("{why}; reshape it to examples by values")));
    }
    let spelled = shown(&shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x "), 60);
    if shape.contains(&0) {
        let why = format!("the array is empty ({spelled})");
        return Err(origin.refuse(format!("{why}; give it at least one row and one column")));
    }
    let promised = shape.iter().try_fold(item, |bytes, &size| bytes.checked_mul(size));
    if promised != Some(present) {
        return Err(origin.refuse(format!(
            "the header promises {spelled} values of {item} byte(s), but {present} bytes follow it; \
             copy or save the file again"
        )));
    }
    Ok(())
}
