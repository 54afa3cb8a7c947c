//! How work is handed out to threads.
//!
//! A step of a small model takes less time than waking a thread that has gone to sleep, which is
//! tens of µs. Whoever runs many steps keeps the threads awake meanwhile, see [`keep_awake`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isotherm_kernels::vector::Readers;
use rayon::Yield;

/// The work, in nanoseconds, for which it pays to use a thread that is awake: it builds its own tables, and
/// the weights have to reach its caches.
const WORTH_A_THREAD: f64 = 30_000.0;

/// The work, in nanoseconds, for which it pays to wake a thread.
const WORTH_WAKING: f64 = 150_000.0;

/// How often a thread checks for work before it first sleeps: about a millisecond of checks of a fraction
/// of a µs each.
const LOOKS: u32 = 5_000;

/// Sleeps double in length up to this.
const LONGEST_NAP: Duration = Duration::from_millis(5);

/// Whether work has been cut into several chunks.
static SHARED: AtomicBool = AtomicBool::new(false);

/// Whether a caller of [`keep_awake`] is active.
static KEPT_AWAKE: AtomicBool = AtomicBool::new(false);

/// Rows of a block for each of the current threads, given roughly what a row costs. Rows never
/// share anything, so how they are cut into chunks cannot change a result.
pub fn rows_per_thread(rows: usize, nanoseconds_a_row: f64) -> usize {
    let awake = KEPT_AWAKE.load(Ordering::Relaxed);
    let worth = if awake { WORTH_A_THREAD } else { WORTH_WAKING };
    let size = cut(rows, nanoseconds_a_row, rayon::current_num_threads(), worth);
    if size < rows {
        SHARED.store(true, Ordering::Relaxed);
    }
    size
}

/// Rows a chunk: a share for each thread, but not less than is worth one.
fn cut(rows: usize, nanoseconds_a_row: f64, threads: usize, worth: f64) -> usize {
    let at_least = (worth / nanoseconds_a_row).ceil() as usize;
    rows.div_ceil(threads).max(at_least).max(1)
}

/// Which threads read what is written now: other threads too, once work has been divided among them.
pub fn readers() -> Readers {
    if SHARED.load(Ordering::Relaxed) { Readers::Many } else { Readers::One }
}

/// Runs `work` on this thread while the other threads of its pool wait, awake, for parts of it. A thread
/// that finds nothing for a while sleeps, for longer and longer, so that many threads with little work do
/// not keep a machine busy.
///
/// Only one caller in a process at a time is served; any other just runs its work. Otherwise a thread that
/// waits for a part of its own work could start waiting for another caller's, and neither would return.
pub fn keep_awake<T>(work: impl FnOnce() -> T) -> T {
    let Some(here) = rayon::current_thread_index().filter(|_| rayon::current_num_threads() > 1)
    else {
        return work();
    };
    if KEPT_AWAKE.swap(true, Ordering::Relaxed) {
        return work();
    }
    let _guard = ClearOnDrop(&KEPT_AWAKE);
    let done = AtomicBool::new(false);
    rayon::in_place_scope(|scope| {
        // A broadcast and not a task for each: this thread must never pick up another's watch.
        scope.spawn_broadcast(|_, context| {
            if context.index() != here {
                look_out(&done);
            }
        });
        let finished = SetOnDrop(&done);
        let answer = work();
        drop(finished);
        answer
    })
}

/// Takes on work until `done`.
fn look_out(done: &AtomicBool) {
    let (mut looks, mut nap) = (0, Duration::from_micros(20));
    while !done.load(Ordering::Acquire) {
        if let Some(Yield::Executed) = rayon::yield_now() {
            (looks, nap) = (0, Duration::from_micros(20));
        } else if looks < LOOKS {
            looks += 1;
            std::hint::spin_loop();
        } else {
            std::thread::sleep(nap);
            nap = (2 * nap).min(LONGEST_NAP);
        }
    }
}

/// Lets the next caller be served, also when the work panics.
struct ClearOnDrop<'a>(&'a AtomicBool);

impl Drop for ClearOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Lets the other threads go, also when the work panics: the scope waits for them.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
    }

    #[test]
    fn work_is_cut_where_it_pays() {
        assert_eq!(cut(1000, 1e3, 4, WORTH_WAKING), 250, "a millisecond among four");
        assert_eq!(cut(400, 1e3, 4, WORTH_WAKING), 150, "not less than 150 µs each");
        assert_eq!(cut(100, 1e3, 4, WORTH_WAKING), 150, "one chunk of a short step");
        assert_eq!(cut(100, 1e3, 4, WORTH_A_THREAD), 30, "awake, not less than 30 µs each");
        assert_eq!(cut(3, 1e9, 4, WORTH_WAKING), 1, "a row each");
        let split = |rows, cost| pool(4).install(|| rows_per_thread(rows, cost));
        assert_eq!(split(1000, 1e6), 250, "a second among four");
    }

    #[test]
    fn work_is_shared_and_everybody_goes_home() {
        for threads in [1, 2, 3, 8] {
            pool(threads).install(|| {
                for _ in 0..20 {
                    let sum: u64 = keep_awake(|| {
                        use rayon::prelude::*;
                        (0..200).map(|_| (0..64u64).into_par_iter().sum::<u64>()).sum()
                    });
                    assert_eq!(sum, 200 * 2016);
                }
            });
        }
        assert_eq!(keep_awake(|| 7), 7, "outside any pool");
    }

    /// Two that wait for each other's watch would never end.
    #[test]
    fn several_at_once_come_back() {
        let late = || {
            std::thread::sleep(Duration::from_millis(20));
            keep_awake(|| {
                use rayon::prelude::*;
                (0..300).map(|_| (0..64u64).into_par_iter().sum::<u64>()).sum::<u64>()
            })
        };
        for threads in [2, 4] {
            let sums = pool(threads).install(|| rayon::join(late, late));
            assert_eq!(sums, (300 * 2016, 300 * 2016));
        }
    }

    #[test]
    fn a_panic_lets_the_others_go() {
        let outcome = std::panic::catch_unwind(|| {
            pool(2).install(|| keep_awake(|| panic!("on purpose")));
        });
        assert!(outcome.is_err());
        let after = pool(2).install(|| keep_awake(|| 1));
        assert_eq!(after, 1);
    }
}
