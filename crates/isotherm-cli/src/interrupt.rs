//! Ctrl-C and SIGTERM: the first asks the command to save and stop, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

use isotherm::{Error, Result};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen.
pub(crate) fn listen() -> Result<()> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
    })
    .map_err(|error| Error::config(format!("cannot listen for Ctrl-C: {error}")))
}

/// Whether the command was asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
