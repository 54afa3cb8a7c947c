//! Long work beside Python: on threads of its own and without the interpreter's lock, while the calling
//! thread listens for Ctrl-C and hands on what the work has to tell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long Ctrl-C may wait to be noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// What the work tells while it goes on, and hears.
pub(crate) struct Line<'a, M> {
    messages: Sender<M>,
    stop: &'a AtomicBool,
}

impl<M> Line<'_, M> {
    /// Tells something.
    pub(crate) fn tell(&self, message: M) {
        // Nobody listens once it is to stop.
        let _ = self.messages.send(message);
    }

    /// Whether to stop, because of Ctrl-C or because a callback raised.
    pub(crate) fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What came of work, and the exception that interrupted it, if one did.
pub(crate) struct Done<T> {
    pub(crate) answer: T,
    pub(crate) interrupted: Option<PyErr>,
}

/// Does work on so many threads, all cores if none are named. They end with it, so that a process may
/// fork afterwards. `listen` is given each message, with the lock.
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
        let mut interrupted = None;
        std::thread::scope(|scope| {
            let line = Line { messages: sender, stop: &stop };
            let worker = scope.spawn(|| {
                // Moved in, so that the channel closes when the work is done.
                let line = line;
                pool.install(|| work(&line))
            });
            loop {
                let heard = receiver.recv_timeout(PATIENCE);
                let outcome = match heard {
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
            }
            let answer = worker.join().map_err(|_| {
                PyRuntimeError::new_err("a thread panicked: this is a mistake in isotherm")
            })?;
            Ok(Done { answer, interrupted })
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
