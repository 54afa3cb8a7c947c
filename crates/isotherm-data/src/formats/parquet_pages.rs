//! Checks of what a Parquet file claims, before the decoder trusts it: lengths of pages and of the
//! footer, for which it would allocate at once, and encodings whose dictionary may be missing.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;
use parquet::basic::{Compression, Type as Physical};
use parquet::file::metadata::ColumnChunkMetaData;

use super::origin::Origin;
use crate::problems::ParquetProblem;
use isotherm::data::Place;
use isotherm::{Error, Result};

/// How a Parquet file begins, and ends.
const MAGIC: &[u8] = b"PAR1";

/// A page may be as long as the file, and this long in any case: writers make pages of 1 MiB.
const ALWAYS_ALLOWED: u64 = 4 << 20;
/// Kinds of pages and encodings, by their numbers in the format.
const DICTIONARY_PAGE: i64 = 2;
const PLAIN_DICTIONARY: i64 = 2;
const RLE_DICTIONARY: i64 = 8;
const BYTE_STREAM_SPLIT: i64 = 9;
/// How deep structures in a page's header may be nested.
const DEEPEST: usize = 8;

/// The type of a structure in a header.
const STRUCTURE: u8 = 12;

/// Checks the length of the footer, which the last eight bytes claim.
pub(super) fn check_footer(origin: &Origin, file: &File) -> Result<()> {
    let mut file = file;
    let damaged = || origin.refuse(ParquetProblem::End);
    let at = file.seek(SeekFrom::End(-8)).map_err(|_| damaged())?;
    let mut end = [0; 8];
    file.read_exact(&mut end).map_err(|error| origin.io(error))?;
    let [a, b, c, d, magic @ ..] = end;
    if magic != *MAGIC || u64::from(u32::from_le_bytes([a, b, c, d])) > at {
        return Err(damaged());
    }
    file.rewind().map_err(|error| origin.io(error))
}

/// Bytes that a value of a column takes.
pub(super) fn width(chunk: &ColumnChunkMetaData) -> u64 {
    match chunk.column_type() {
        Physical::BOOLEAN => 1,
        Physical::INT32 | Physical::FLOAT => 4,
        _ => 8,
    }
}

/// Checks the pages of one column in one row group, and counts the values that they claim.
pub(super) fn check(
    origin: &Origin,
    file: &File,
    group: usize,
    chunk: &ColumnChunkMetaData,
) -> Result<u64> {
    let damaged = |problem: ParquetProblem| -> Error {
        let column = Place::NamedColumn(chunk.column_descr().path().string());
        origin.refuse_at(vec![Place::RowGroup(group + 1), column], problem)
    };
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(start), Ok(len)) = (u64::try_from(start), u64::try_from(chunk.compressed_size()))
    else {
        return Err(damaged(ParquetProblem::Outside));
    };
    let end = start.checked_add(len).filter(|&end| end <= origin.len);
    let Some(end) = end else { return Err(damaged(ParquetProblem::Outside)) };
    let most = ALWAYS_ALLOWED.max(origin.len);
    let mut file = BufReader::new(file);
    let (mut at, mut dictionary, mut values) = (start, false, 0u64);
    while at < end {
        file.seek(SeekFrom::Start(at)).map_err(|error| origin.io(error))?;
        let mut header = Header { input: file.by_ref().take(end - at), used: 0 };
        let Some(page) = header.read() else {
            return Err(damaged(ParquetProblem::PageHeader));
        };
        let used = header.used;
        match (page.kind, page.encoding()) {
            (DICTIONARY_PAGE, _) => dictionary = true,
            (_, Some(PLAIN_DICTIONARY | RLE_DICTIONARY)) if !dictionary => {
                return Err(damaged(ParquetProblem::NoDictionary));
            }
            (_, Some(BYTE_STREAM_SPLIT)) => {
                return Err(damaged(ParquetProblem::ByteStreams));
            }
            _ => {}
        }
        let sizes = (u64::try_from(page.unpacked), u64::try_from(page.packed));
        let (Ok(unpacked), Ok(packed)) = sizes else {
            return Err(damaged(ParquetProblem::Negative));
        };
        if unpacked > most || used + packed > end - at {
            return Err(damaged(ParquetProblem::PageLength { packed, unpacked }));
        }
        // The decoder allocates for a dictionary at once.
        let entries = page.entries.unwrap_or(0);
        if u64::try_from(entries).map_or(u64::MAX, |it| it.saturating_mul(width(chunk))) > unpacked
        {
            let (values, bytes) = (entries, unpacked);
            return Err(damaged(ParquetProblem::DictionaryLength { values, bytes }));
        }
        for count in page.counts.into_iter().flatten() {
            let Ok(count) = u64::try_from(count) else {
                return Err(damaged(ParquetProblem::Negative));
            };
            values = values.saturating_add(count);
        }
        if matches!(chunk.compression(), Compression::GZIP(_)) && page.is_packed {
            // The decoder unpacks everything, whatever the page claims.
            let levels = page.levels.min(packed);
            let mut content = file.by_ref().take(packed);
            io::copy(&mut content.by_ref().take(levels), &mut io::sink())
                .map_err(|error| origin.io(error))?;
            let room = unpacked.saturating_sub(levels);
            let mut unpacking = MultiGzDecoder::new(content).take(room + 1);
            // If it is damaged, the decoder will stop at the same place and report it.
            let _ = io::copy(&mut unpacking, &mut io::sink());
            if unpacking.limit() == 0 {
                return Err(damaged(ParquetProblem::UnpacksTooFar { claimed: unpacked }));
            }
        }
        at += used + packed;
    }
    Ok(values)
}

/// The header of a page.
struct PageHeader {
    kind: i64,
    unpacked: i64,
    packed: i64,
    /// Encodings of a data page of version 1 and of version 2; a header may hold both.
    encodings: [Option<i64>; 2],
    /// Numbers of values of such pages.
    counts: [Option<i64>; 2],
    /// Number of values of a dictionary.
    entries: Option<i64>,
    /// Bytes at the start that are never packed.
    levels: u64,
    /// Whether the rest may be packed.
    is_packed: bool,
}

impl PageHeader {
    /// The encoding of the page that matters here, if it has one.
    fn encoding(&self) -> Option<i64> {
        let matters = |it: &i64| [PLAIN_DICTIONARY, RLE_DICTIONARY, BYTE_STREAM_SPLIT].contains(it);
        self.encodings.into_iter().flatten().find(matters)
    }
}

/// The header of a page, in Thrift's compact protocol: fields of a type, each with the distance of
/// its number from the one before.
struct Header<R> {
    input: R,
    used: u64,
}

impl<R: Read> Header<R> {
    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).ok()?;
        self.used += 1;
        Some(byte[0])
    }

    /// An unsigned integer, seven bits per byte.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// The fields that matter; the others are skipped.
    fn read(&mut self) -> Option<PageHeader> {
        let (mut numbers, mut field) = ([None; 3], 0);
        let (mut first, mut dictionary, mut second) = ([None; 2], [None; 1], [None; 5]);
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                let [kind, unpacked, packed] = numbers;
                let [count, encoding, defined, repeated, is_packed] = second;
                let levels = [defined, repeated].map(|len: Option<i64>| len.unwrap_or(0));
                return Some(PageHeader {
                    kind: kind?,
                    unpacked: unpacked?,
                    packed: packed?,
                    encodings: [first[1], encoding],
                    counts: [first[0], count],
                    entries: dictionary[0],
                    levels: u64::try_from(levels[0].checked_add(levels[1])?).ok()?,
                    is_packed: is_packed != Some(0),
                });
            }
            field = self.field_number(byte, field)?;
            match (field, byte & 0x0f) {
                (1..=3, 4..=6) => numbers[field as usize - 1] = Some(self.integer()?),
                // The headers of data pages of version 1, of dictionaries, and of data pages of
                // version 2. Their first field is the number of values.
                (5, STRUCTURE) => first = self.integers_in_structure([1, 2])?,
                (7, STRUCTURE) => dictionary = self.integers_in_structure([1])?,
                (8, STRUCTURE) => second = self.integers_in_structure([1, 4, 5, 6, 7])?,
                (_, kind) => self.skip(kind, DEEPEST)?,
            }
        }
    }

    /// A signed integer, whose sign is the lowest bit.
    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Some integers and booleans of a structure, as far as it has them.
    fn integers_in_structure<const N: usize>(
        &mut self,
        wanted: [i64; N],
    ) -> Option<[Option<i64>; N]> {
        let (mut found, mut field) = ([None; N], 0);
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Some(found);
            }
            field = self.field_number(byte, field)?;
            let value = match byte & 0x0f {
                kind @ 1..=2 => i64::from(kind == 1),
                4..=6 => self.integer()?,
                kind => {
                    self.skip(kind, DEEPEST)?;
                    continue;
                }
            };
            if let Some(at) = wanted.iter().position(|&number| number == field) {
                found[at] = Some(value);
            }
        }
    }

    fn field_number(&mut self, byte: u8, before: i64) -> Option<i64> {
        match byte >> 4 {
            0 => self.integer().map(|number| i64::from(number as i16)),
            distance => Some(before + i64::from(distance)),
        }
    }

    fn skip(&mut self, kind: u8, deepest: usize) -> Option<()> {
        match kind {
            // the value of a boolean is part of the type
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => (0..8).try_for_each(|_| self.byte().map(drop)),
            8 => {
                let len = self.varint()?;
                (0..len).try_for_each(|_| self.byte().map(drop))
            }
            9 | 10 => {
                let byte = self.byte()?;
                let len = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                let deepest = deepest.checked_sub(1)?;
                (0..len).try_for_each(|_| match byte & 0x0f {
                    1 | 2 => self.byte().map(drop),
                    kind => self.skip(kind, deepest),
                })
            }
            STRUCTURE => {
                let deepest = deepest.checked_sub(1)?;
                let mut field = 0;
                loop {
                    let byte = self.byte()?;
                    if byte == 0 {
                        return Some(());
                    }
                    field = self.field_number(byte, field)?;
                    self.skip(byte & 0x0f, deepest)?;
                }
            }
            _ => None,
        }
    }
}
