//! What is printed. Output that cannot be written is never a panic.

use std::io::{ErrorKind, Write};

use isotherm::{Error, Result};

/// Prints a result. A reader that has gone wants no more of it; a full disk is an error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::run(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Tells whoever watches. What they miss is no reason to stop.
pub(crate) fn tell(sentence: &str) {
    let _ = writeln!(std::io::stderr(), "{sentence}");
}
