//! A file that is opened as often as it is read, gzipped or not.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::origin::Origin;
use crate::problems::FileProblem;
use isotherm::{IoError, Result};

/// How every gzipped file begins: its mark and the only method there is.
const GZIP: &[u8] = b"\x1f\x8b\x08";

/// Bytes by which a format is recognised.
const HEAD: u64 = 4096;

/// A file may unpack to this many bytes, or to this many times its size if that is more: enough for sparse
/// 0/1 text, and less than a decompression bomb.
const ALWAYS_ALLOWED: u64 = 256 << 20;
pub(super) const MOST_TIMES: u64 = 500;

/// A file, its content and how it begins.
pub(super) struct Input<'a> {
    /// With the length of the content.
    pub(super) origin: Origin<'a>,
    /// The first bytes of the content.
    pub(super) head: Vec<u8>,
    packed: bool,
    /// Length of the file itself.
    file_len: u64,
}

impl<'a> Input<'a> {
    /// Opens a file and, if it is gzipped, measures its content: with the length known in advance, the
    /// claims of a header can be checked as for a file that is not packed.
    pub(super) fn new(path: &'a Path) -> Result<Input<'a>> {
        let refused = |error| IoError { doing: "read", path: path.to_owned(), error };
        // Asked before opening, because opening a named pipe waits for a writer.
        let metadata = fs::metadata(path).map_err(refused)?;
        if metadata.is_dir() {
            return Err(refused(io::ErrorKind::IsADirectory.into()).into());
        }
        let origin = Origin { path, len: metadata.len() };
        if !metadata.is_file() {
            return Err(origin.refuse(FileProblem::NotRegular));
        }
        if origin.len == 0 {
            return Err(origin.refuse(FileProblem::Empty));
        }
        let file_len = origin.len;
        let mut input = Input { origin, head: Vec::new(), packed: false, file_len };
        input.head = input.start()?;
        if input.head.starts_with(GZIP) {
            input.packed = true;
            let len = io::copy(&mut input.open()?, &mut io::sink());
            input.origin.len = len.map_err(|error| input.origin.io(error))?;
            if input.origin.len == 0 {
                return Err(input.origin.refuse(FileProblem::EmptyContent));
            }
            input.head = input.start()?;
        }
        Ok(input)
    }

    /// Whether the file is gzipped.
    pub(super) fn is_packed(&self) -> bool {
        self.packed
    }

    /// Whether the content is gzipped once more.
    pub(super) fn is_packed_twice(&self) -> bool {
        self.packed && self.head.starts_with(GZIP)
    }

    /// The content from its beginning.
    pub(super) fn open(&self) -> Result<Box<dyn BufRead>> {
        let file = BufReader::new(self.file()?);
        Ok(match self.packed {
            true => Box::new(BufReader::new(self.limited(MultiGzDecoder::new(file)))),
            false => Box::new(file),
        })
    }

    /// The content as a file, for formats whose directory is at the end. The content of a gzipped file
    /// is unpacked into a temporary file without a name, which disappears when it is closed.
    #[cfg(any(feature = "npz", feature = "parquet"))]
    pub(super) fn open_seekable(&self) -> Result<File> {
        if !self.packed {
            return self.file();
        }
        let refuse = |error: io::Error| {
            self.origin.refuse(FileProblem::CannotUnpack { why: error.to_string() })
        };
        let mut file = tempfile::tempfile().map_err(refuse)?;
        io::copy(&mut self.open()?, &mut file).map_err(refuse)?;
        io::Seek::rewind(&mut file).map_err(refuse)?;
        Ok(file)
    }

    /// A limit on what is unpacked from this file, which could otherwise be endless.
    pub(super) fn limited<R: Read>(&self, inner: R) -> Limited<R> {
        Limited { inner, left: self.most_unpacked() }
    }

    /// The most bytes that may be unpacked from this file.
    pub(super) fn most_unpacked(&self) -> u64 {
        ALWAYS_ALLOWED.max(self.file_len.saturating_mul(MOST_TIMES))
    }

    fn file(&self) -> Result<File> {
        File::open(self.origin.path).map_err(|error| self.origin.io(error))
    }

    fn start(&self) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let read = self.open()?.take(HEAD).read_to_end(&mut head);
        read.map_err(|error| self.origin.io(error))?;
        Ok(head)
    }
}

/// A reader that fails once it has given more than it may.
pub(super) struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(count)
    }
}
