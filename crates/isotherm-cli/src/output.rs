//! What is printed. Output that cannot be written is never a panic.

use std::io::{ErrorKind, Write};

use isotherm::Result;
use isotherm::diagnostics::Diagnostic;

use crate::error::CliError;
use crate::words::CommandLineWords;

/// Prints a result. A closed pipe is no error, because nobody reads it; a full disk is one.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::Output { error }.into())
        }
        _ => Ok(()),
    }
}

/// Prints a message to standard error. A message that cannot be printed is lost, and that is no error.
pub(crate) fn tell(sentence: &str) {
    let _ = writeln!(std::io::stderr(), "{sentence}");
}

/// Prints diagnostics as warnings.
pub(crate) fn warn<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
    for diagnostic in diagnostics {
        tell(&format!("isotherm: warning: {}", diagnostic.words(&CommandLineWords)));
    }
}
