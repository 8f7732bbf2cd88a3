//! Two computations at once, where a source is large enough for that to pay.

use std::{panic::resume_unwind, thread};

/// What a source of fewer bytes takes is done before a second thread has started.
pub const BESIDE_FROM_BYTES: usize = 1 << 20;

/// Calls `here` and `there` and gives what both give: for a source of [`BESIDE_FROM_BYTES`] or more at the same time, `there` in a second
/// thread. Neither knows of the other, so that it makes no difference to what they give.
///
/// ```
/// let source = "all is well\n".repeat(200_000);
/// let lines = || source.lines().count();
/// let words = || source.split_whitespace().count();
/// assert_eq!(recto_outline::beside(source.len(), lines, words), (200_000, 600_000));
/// ```
pub fn beside<A, B: Send>(
    source_bytes: usize,
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    if source_bytes < BESIDE_FROM_BYTES {
        return (here(), there());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &there);
        let one = here();
        let other = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Where no thread can be had, one does both.
            Err(_) => there(),
        };
        (one, other)
    })
}
