//! A look at what a Parquet file claims before the decoder believes it: lengths of pages and of the
//! footer, for which it would make room at once.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use parquet::file::metadata::ColumnChunkMetaData;

use super::{Origin, shown};
use crate::{Error, Result};

/// A page may be as long as the file, and this long in any case: writers make pages of 1 MiB.
const ALWAYS_ALLOWED: u64 = 4 << 20;
/// How deep structures in a page's header may be nested.
const DEEPEST: usize = 8;

/// Checks the length of the footer, which the last eight bytes claim.
pub(super) fn check_footer(origin: &Origin, file: &File) -> Result<()> {
    let mut file = file;
    let damaged = || origin.refuse("the Parquet file has no valid end; copy or write it again");
    let at = file.seek(SeekFrom::End(-8)).map_err(|_| damaged())?;
    let mut end = [0; 8];
    file.read_exact(&mut end).map_err(|error| origin.io(&error))?;
    let [a, b, c, d, magic @ ..] = end;
    if magic != *super::parquet::MAGIC || u64::from(u32::from_le_bytes([a, b, c, d])) > at {
        return Err(damaged());
    }
    file.rewind().map_err(|error| origin.io(&error))
}

/// Checks the pages of one column in one row group.
pub(super) fn check(
    origin: &Origin,
    file: &File,
    group: usize,
    chunk: &ColumnChunkMetaData,
) -> Result<()> {
    let damaged = |why: &str| -> Error {
        let column = shown(&chunk.column_descr().path().string(), 40);
        let place = format!("row group {}, column \"{column}\"", group + 1);
        origin.refuse_at(place, format!("{why}; write the file again"))
    };
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(start), Ok(len)) = (u64::try_from(start), u64::try_from(chunk.compressed_size()))
    else {
        return Err(damaged("it claims to lie before the file"));
    };
    let end = start.checked_add(len).filter(|&end| end <= origin.len);
    let Some(end) = end else { return Err(damaged("it claims to reach beyond the file")) };
    let most = ALWAYS_ALLOWED.max(origin.len);
    let mut file = BufReader::new(file);
    let mut at = start;
    while at < end {
        file.seek(SeekFrom::Start(at)).map_err(|error| origin.io(&error))?;
        let mut header = Header { input: file.by_ref().take(end - at), used: 0 };
        let Some([_, unpacked, packed]) = header.sizes() else {
            return Err(damaged("the header of a page is damaged"));
        };
        let sizes = (u64::try_from(unpacked), u64::try_from(packed));
        let (Ok(unpacked), Ok(packed)) = sizes else {
            return Err(damaged("a page claims a negative length"));
        };
        if unpacked > most || header.used + packed > end - at {
            return Err(damaged(&format!(
                "a page claims {packed} bytes that unpack to {unpacked}, which does not fit the file"
            )));
        }
        at += header.used + packed;
    }
    Ok(())
}

/// The header of a page, in Thrift's compact protocol: fields of a type, each with the distance of
/// its number from the one before. The first three are numbers: kind, length unpacked, length.
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

    /// A number of seven bits a byte.
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

    /// The first three fields; the rest is passed over.
    fn sizes(&mut self) -> Option<[i64; 3]> {
        let mut found = [None; 3];
        let mut field = 0i64;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                let [kind, unpacked, packed] = found;
                return Some([kind?, unpacked?, packed?]);
            }
            field = self.field_number(byte, field)?;
            match (byte & 0x0f, usize::try_from(field - 1)) {
                // An integer is zigzag coded: the sign is the lowest bit.
                (4..=6, Ok(at @ 0..3)) => {
                    let value = self.varint()?;
                    found[at] = Some((value >> 1) as i64 ^ -((value & 1) as i64));
                }
                (kind, _) => self.skip(kind, DEEPEST)?,
            }
        }
    }

    fn field_number(&mut self, byte: u8, before: i64) -> Option<i64> {
        match byte >> 4 {
            0 => Some(self.varint()? as u16 as i64 >> 1),
            distance => Some(before + i64::from(distance)),
        }
    }

    fn skip(&mut self, kind: u8, deepest: usize) -> Option<()> {
        match kind {
            // truth values lie in the type itself
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
            12 => {
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
