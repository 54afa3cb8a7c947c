//! Long computations: on threads of their own and without the interpreter's lock, while the calling thread
//! checks for Ctrl-C and passes messages on.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long Ctrl-C may wait to be noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// The connection between a computation and the calling thread.
pub(crate) struct Line<'a, M> {
    messages: Sender<M>,
    heard: Receiver<()>,
    stop: &'a AtomicBool,
}

impl<M> Line<'_, M> {
    /// Sends a message and waits until it is handled, so that stopping takes effect exactly here.
    pub(crate) fn tell(&self, message: M) {
        if self.messages.send(message).is_ok() {
            let _ = self.heard.recv();
        }
    }

    /// Whether to stop, because of Ctrl-C or because a callback raised.
    pub(crate) fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Unwinds a computation that cannot be stopped otherwise, if it should stop.
    pub(crate) fn leave_if_asked(&self) {
        if self.should_stop() {
            resume_unwind(Box::new(Left));
        }
    }
}

/// What work is left with.
struct Left;

/// What came of work, and the exception that interrupted it, if one did.
pub(crate) struct Done<T> {
    pub(crate) answer: T,
    pub(crate) interrupted: Option<PyErr>,
}

/// Runs a computation on `threads` threads, on all cores by default. They end with it, so that a process
/// may fork afterwards. `listen` is called with each message, holding the lock.
pub(crate) fn beside<T: Send, M: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Line<'_, M>) -> T + Send,
    mut listen: impl FnMut(Python<'_>, M) -> PyResult<()> + Send,
) -> PyResult<Done<T>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("no threads to work with: {error}")))?;
    py.detach(|| {
        let stop = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let (hear, heard) = channel();
        let mut interrupted = None;
        std::thread::scope(|scope| {
            let line = Line { messages: sender, heard, stop: &stop };
            // Moved in, so that the channel closes when the work is done.
            let worker = scope.spawn(|| pool.install(move || work(&line)));
            loop {
                let news = receiver.recv_timeout(PATIENCE);
                let waiting = news.is_ok();
                let outcome = match news {
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Ok(message) => Python::attach(|py| {
                        py.check_signals()?;
                        listen(py, message)
                    }),
                };
                if let Err(error) = outcome {
                    stop.store(true, Ordering::Relaxed);
                    interrupted.get_or_insert(error);
                }
                if waiting {
                    let _ = hear.send(());
                }
            }
            match (worker.join(), interrupted) {
                (Ok(answer), interrupted) => Ok(Done { answer, interrupted }),
                (Err(why), Some(error)) if why.is::<Left>() => Err(error),
                (Err(_), _) => {
                    let message = "a thread panicked: this is a mistake in isotherm";
                    Err(PyRuntimeError::new_err(message))
                }
            }
        })
    })
}

impl<T> Done<T> {
    /// What came of work that must not be interrupted.
    pub(crate) fn whole(self) -> PyResult<T> {
        match self.interrupted {
            Some(error) => Err(error),
            None => Ok(self.answer),
        }
    }
}
