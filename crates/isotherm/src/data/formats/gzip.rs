//! Gzipped files: unpacked while they are read, never as a whole.

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use super::Origin;
use crate::Result;

/// How every gzipped file begins: its mark and the only method there is.
pub(super) const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// What a file may unpack to whatever its size, and how many times its size beyond that: enough for
/// sparse 0/1 text, and short of a file made to fill a disk.
const ALWAYS_ALLOWED: u64 = 256 << 20;
const MOST_TIMES: u64 = 500;

/// The content of a gzipped file.
pub(super) fn unpack(file: BufReader<File>) -> BufReader<MultiGzDecoder<BufReader<File>>> {
    BufReader::new(MultiGzDecoder::new(file))
}

/// How long the content is. Known before anything is made of it, a header's promise can be checked
/// as for a file that is not packed. `origin` has the length of the packed file.
pub(super) fn unpacked_len(origin: &Origin, file: BufReader<File>) -> Result<u64> {
    let most = ALWAYS_ALLOWED.max(origin.len.saturating_mul(MOST_TIMES));
    let mut content = unpack(file).take(most + 1);
    let len = io::copy(&mut content, &mut io::sink()).map_err(|error| origin.io(&error))?;
    if len > most {
        return Err(origin.refuse(format!(
            "it unpacks to more than {MOST_TIMES} times its size; if that is right, unpack it with \
             gunzip first"
        )));
    }
    if len == 0 {
        return Err(origin.refuse("there is nothing in the gzipped file; write the data again"));
    }
    Ok(len)
}
