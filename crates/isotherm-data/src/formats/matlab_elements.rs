//! The arrays of a MATLAB file, one after the other, none of them held in memory.
//!
//! After 128 bytes of header come elements: a tag with a type and a length, and the content. A
//! matrix is an element of elements: flags, dimensions, name, values. A compressed element is the
//! zlib stream of another.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;

use flate2::read::ZlibDecoder;

use super::arrays::within;
use super::input::Input;
use super::numbers::{Kind, NumberType};
use super::origin::Origin;
use crate::problems::{FileProblem, MatlabProblem, NoMatrix, OtherArray};
use isotherm::data::Place;
use isotherm::data::values::{flattened, shown};
use isotherm::{Error, Result};

const HEADER: usize = 128;
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// The flag of numbers with an imaginary part.
const COMPLEX: u32 = 0x0800;
/// The flag of booleans.
const LOGICAL: u32 = 0x0200;
/// Bounds on what is kept of an array: bytes of its dimensions and of its name.
const LONGEST_SHAPE: u32 = 4 * 32;
const LONGEST_NAME: u32 = 4096;

/// An array of numbers up to its values, which `values` gives column by column.
pub(super) struct Array<'a> {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) number: NumberType,
    /// The type it has in MATLAB, for people.
    pub(super) class: &'static str,
    pub(super) values: &'a mut dyn Read,
}

/// An array of numbers, or of something else.
pub(super) enum Found<'f, 'a> {
    Array(&'f mut Array<'a>),
    Other(OtherArray),
}

/// A type and a length; content of at most four bytes lies inside the tag.
struct Tag {
    kind: u32,
    len: u32,
    small: Option<[u8; 4]>,
}

/// Visits all arrays in a file, each to its end, until `each` breaks.
pub(super) fn for_each(
    input: &Input,
    mut each: impl FnMut(Found) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let origin = &input.origin;
    let mut source = input.open()?;
    let mut header = [0; HEADER];
    source.read_exact(&mut header).map_err(|error| origin.io(error))?;
    let big_endian = header[126..] == *b"MI";
    let mut number = 0;
    loop {
        if source.fill_buf().map_err(|error| origin.io(error))?.is_empty() {
            return Ok(());
        }
        number += 1;
        let in_element = |error: Error| within(Place::Element(number), error);
        let reader = ElementReader { origin, big_endian };
        let tag = reader.tag(&mut source).map_err(in_element)?;
        let mut element = source.by_ref().take(u64::from(tag.len));
        let flow = match tag.kind {
            _ if tag.small.is_some() => ControlFlow::Continue(()),
            MATRIX => reader.matrix(&mut element, &mut each).map_err(in_element)?,
            COMPRESSED => {
                let mut unpacked = input.limited(ZlibDecoder::new(&mut element));
                let inner = reader.tag(&mut unpacked).map_err(in_element)?;
                let flow = match inner.kind {
                    MATRIX => reader.matrix(&mut unpacked, &mut each).map_err(in_element)?,
                    _ => ControlFlow::Continue(()),
                };
                if flow.is_continue() {
                    reader.drain(&mut unpacked).map_err(in_element)?;
                }
                flow
            }
            _ => ControlFlow::Continue(()),
        };
        if flow.is_break() {
            return Ok(());
        }
        reader.drain(&mut element).map_err(in_element)?;
        if element.limit() > 0 {
            return Err(in_element(origin.io(io::ErrorKind::UnexpectedEof.into())));
        }
    }
}

/// Reads the parts of elements.
struct ElementReader<'a> {
    origin: &'a Origin<'a>,
    big_endian: bool,
}

impl ElementReader<'_> {
    fn bytes<const N: usize>(&self, input: &mut dyn Read) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        input.read_exact(&mut bytes).map_err(|error| self.origin.io(error))?;
        Ok(bytes)
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn tag(&self, input: &mut dyn Read) -> Result<Tag> {
        let first = self.word(self.bytes(input)?);
        let second: [u8; 4] = self.bytes(input)?;
        match first >> 16 {
            0 => Ok(Tag { kind: first, len: self.word(second), small: None }),
            len @ 1..=4 => Ok(Tag { kind: first & 0xffff, len, small: Some(second) }),
            _ => Err(self.origin.refuse(MatlabProblem::Tag)),
        }
    }

    /// The content of a short element, with the padding behind it.
    fn content(&self, input: &mut dyn Read, most: u32) -> Result<Vec<u8>> {
        let tag = self.tag(input)?;
        if let Some(small) = tag.small {
            return Ok(small[..tag.len as usize].to_vec());
        }
        if tag.len > most {
            return Err(self.origin.refuse(MatlabProblem::TooLong { length: tag.len, most }));
        }
        let mut bytes = vec![0; tag.len.next_multiple_of(8) as usize];
        input.read_exact(&mut bytes).map_err(|error| self.origin.io(error))?;
        bytes.truncate(tag.len as usize);
        Ok(bytes)
    }

    fn drain(&self, input: &mut dyn Read) -> Result<u64> {
        io::copy(input, &mut io::sink()).map_err(|error| self.origin.io(error))
    }

    /// Hands over the array that follows.
    fn matrix(
        &self,
        input: &mut dyn Read,
        each: &mut impl FnMut(Found) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let flags = self.content(input, 8)?;
        let flags = flags.first_chunk().map_or(0, |&bytes| self.word(bytes));
        let class = match (class_name(flags), flags & 0xff) {
            (Some(class), _) if flags & COMPLEX == 0 => Ok(class),
            (Some(_), _) => Err(NoMatrix::Complex),
            (None, 1) => Err(NoMatrix::Cells),
            (None, 2 | 3) => Err(NoMatrix::Structure),
            (None, 4) => Err(NoMatrix::Text),
            (None, 5) => Err(NoMatrix::Sparse),
            // Such as functions, which have no name here.
            _ => return Ok(ControlFlow::Continue(())),
        };
        let sizes = self.content(input, LONGEST_SHAPE)?;
        let (sizes, _) = sizes.as_chunks();
        let shape: Vec<usize> = sizes.iter().map(|&size| self.word(size) as usize).collect();
        let name = self.content(input, LONGEST_NAME)?;
        let name = shown(&String::from_utf8_lossy(&name), usize::MAX);
        let class = match class {
            Ok(class) => class,
            Err(what) => return each(Found::Other(OtherArray { name, what })),
        };
        let tag = self.tag(input)?;
        let in_array = vec![Place::Array(name.clone())];
        let Some(number) = self.number_type(tag.kind) else {
            let problem = FileProblem::UnknownType { code: tag.kind };
            return Err(self.origin.refuse_at(in_array, problem));
        };
        let claimed = flattened(&shape)
            .and_then(|(rows, cols)| (rows as u64 * cols as u64).checked_mul(number.size as u64));
        if claimed != Some(u64::from(tag.len)) {
            let problem = FileProblem::WrongLength {
                shape: shape.iter().map(|&size| size as u64).collect(),
                size: number.size as u64,
                present: tag.len.into(),
            };
            return Err(self.origin.refuse_at(in_array, problem));
        }
        let (small, of_small) = (tag.small.unwrap_or_default(), tag.small.map_or(0, |_| tag.len));
        let small = Cursor::new(&small[..of_small as usize]);
        let mut values = small.chain(input.take(u64::from(tag.len - of_small)));
        let mut array = Array { name, shape, number, class, values: &mut values };
        let flow = each(Found::Array(&mut array))?;
        if flow.is_continue() {
            self.drain(&mut values)?;
            if values.get_ref().1.limit() > 0 {
                return Err(self.origin.refuse_at(in_array, FileProblem::EndsEarly));
            }
        }
        Ok(flow)
    }

    fn number_type(&self, kind: u32) -> Option<NumberType> {
        let (kind, size) = match kind {
            1 => (Kind::Signed, 1),
            2 => (Kind::Unsigned, 1),
            3 => (Kind::Signed, 2),
            4 => (Kind::Unsigned, 2),
            5 => (Kind::Signed, 4),
            6 => (Kind::Unsigned, 4),
            7 => (Kind::Float, 4),
            9 => (Kind::Float, 8),
            12 => (Kind::Signed, 8),
            13 => (Kind::Unsigned, 8),
            _ => return None,
        };
        Some(NumberType { kind, size, big_endian: self.big_endian })
    }
}

/// The name of a class of numbers.
fn class_name(flags: u32) -> Option<&'static str> {
    const NAMES: [&str; 10] = [
        "double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
        "uint64",
    ];
    let name = NAMES.get((flags & 0xff).checked_sub(6)? as usize)?;
    Some(if flags & LOGICAL != 0 { "logical" } else { name })
}
