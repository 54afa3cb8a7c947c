//! A file that is opened as often as it is looked at, gzipped or not.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use isotherm::data::values::Origin;
use isotherm::{Error, Result};

/// How every gzipped file begins: its mark and the only method there is.
const GZIP: &[u8] = b"\x1f\x8b\x08";

/// Bytes by which a format is recognised.
const HEAD: u64 = 4096;

/// What a file may unpack to whatever its size, and how many times its size beyond that: enough for
/// sparse 0/1 text, and short of a file made to fill a disk.
const ALWAYS_ALLOWED: u64 = 256 << 20;
const MOST_TIMES: u64 = 500;

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
    /// Opens a file and, if it is gzipped, measures its content: with the length known before
    /// anything is made of it, a header's promise can be checked as for a file that is not packed.
    pub(super) fn new(path: &'a Path) -> Result<Input<'a>> {
        let io_error = |error: io::Error| Error::io("read", path, &error);
        // Asked before opening, because opening a named pipe waits for a writer.
        let metadata = fs::metadata(path).map_err(io_error)?;
        if metadata.is_dir() {
            return Err(io_error(io::ErrorKind::IsADirectory.into()));
        }
        let file_len = metadata.len();
        let origin = Origin { path, len: file_len };
        if !metadata.is_file() {
            return Err(origin.refuse("this is not a regular file; save the data to one first"));
        }
        if file_len == 0 {
            return Err(origin.refuse("the file is empty; write the data again"));
        }
        let mut input = Input { origin, head: Vec::new(), packed: false, file_len };
        input.head = input.start()?;
        if input.head.starts_with(GZIP) {
            input.packed = true;
            let mut content = input.open()?;
            let len = io::copy(&mut content, &mut io::sink());
            input.origin.len = len.map_err(|error| input.origin.io(&error))?;
            if input.origin.len == 0 {
                let why = "there is nothing in the gzipped file; write the data again";
                return Err(input.origin.refuse(why));
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

    /// The content as a file, for formats whose directory is at the end. A gzipped one is unpacked
    /// into a file without a name, which goes when it is closed.
    pub(super) fn open_seekable(&self) -> Result<File> {
        if !self.packed {
            return self.file();
        }
        let refuse = |error: io::Error| {
            let why = shown_io(&error);
            self.origin.refuse(format!("it cannot be unpacked into a temporary file: {why}"))
        };
        let mut file = tempfile::tempfile().map_err(refuse)?;
        io::copy(&mut self.open()?, &mut file).map_err(refuse)?;
        file.rewind().map_err(refuse)?;
        Ok(file)
    }

    /// What is unpacked from this file, which must not be without end.
    pub(super) fn limited<R: Read>(&self, inner: R) -> Limited<R> {
        Limited { inner, left: self.most_unpacked() }
    }

    /// How many bytes that may be.
    pub(super) fn most_unpacked(&self) -> u64 {
        ALWAYS_ALLOWED.max(self.file_len.saturating_mul(MOST_TIMES))
    }

    fn file(&self) -> Result<File> {
        File::open(self.origin.path).map_err(|error| self.origin.io(&error))
    }

    fn start(&self) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let read = self.open()?.take(HEAD).read_to_end(&mut head);
        read.map_err(|error| self.origin.io(&error))?;
        Ok(head)
    }
}

fn shown_io(error: &io::Error) -> String {
    super::shown(&error.to_string(), 80)
}

/// A reader that fails once it has given more than it may.
pub(super) struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it unpacks to more than {MOST_TIMES} times its size"),
            )
        })?;
        Ok(count)
    }
}
