//! How work is handed out to threads.

/// Nanoseconds of work that are worth waking a thread for.
const WORTH_A_THREAD: f64 = 150_000.0;

/// Rows of a block for each of the current threads, given roughly what a row costs. Rows never
/// share anything, so how they are cut into chunks cannot change a result.
pub(crate) fn rows_per_thread(rows: usize, nanoseconds_a_row: f64) -> usize {
    let at_least = (WORTH_A_THREAD / nanoseconds_a_row).ceil() as usize;
    rows.div_ceil(rayon::current_num_threads()).max(at_least).max(1)
}

#[cfg(test)]
mod tests {
    use super::rows_per_thread;

    #[test]
    fn threads_are_woken_for_long_work_only() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        let split =
            |rows, cost| pool.as_ref().map(|pool| pool.install(|| rows_per_thread(rows, cost)));
        assert_eq!(split(1000, 1e3).ok(), Some(250), "a millisecond among four");
        assert_eq!(split(400, 1e3).ok(), Some(150), "not less than 150 µs each");
        assert_eq!(split(100, 1e3).ok(), Some(150), "one chunk of a short step");
        assert_eq!(split(3, 1e9).ok(), Some(1), "a row each");
    }
}
