//! Decoders of other crates that may panic on a damaged file.

use std::cell::Cell;

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread would be caught and reported as an error, so that a panic hook can
/// stay silent.
pub fn panics_are_caught() -> bool {
    CAUGHT.get()
}

/// Runs a decoder; nothing if it panics, which means that the file is damaged.
#[cfg(feature = "parquet")]
pub(super) fn guarded<T>(decode: impl FnOnce() -> T) -> Option<T> {
    CAUGHT.set(true);
    let decoded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode));
    CAUGHT.set(false);
    decoded.ok()
}
