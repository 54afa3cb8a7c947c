//! Ctrl-C and SIGTERM: the first asks the command to save and stop, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

use isotherm::Result;

use crate::error::CliError;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen.
pub(crate) fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
    })
    .map_err(|error| CliError::Signals { reason: error.to_string() }.into())
}

/// Whether the command was asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
