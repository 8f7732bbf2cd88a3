use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs a future to its end on this thread.
///
/// For programs without an async runtime; a future that waits, as those of a database server do, parks the thread until
/// it is woken. May be called inside a future that is itself run so.
///
/// ```
/// use recto_archive::{Archive, MemoryArchive, Scope, block_on};
/// let archive = MemoryArchive::new();
/// let digest = block_on(archive.put(&Scope::local(), b"hello"))?;
/// assert_eq!(block_on(archive.get(&Scope::local(), &digest, 1..3))?, b"el");
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    let signal = Arc::new(Signal { thread: thread::current(), is_set: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            // The thread's own token will not do: one that was meant for this future may have been taken by another that
            // was run inside it.
            Poll::Pending => {
                while !signal.is_set.swap(false, Ordering::Acquire) {
                    thread::park();
                }
            }
        }
    }
}

struct Signal {
    thread: Thread,
    is_set: AtomicBool,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.is_set.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_a_wake_from_another_thread() {
        let mut polls = 0;
        let answer = block_on(std::future::poll_fn(|context| {
            polls += 1;
            if polls == 3 {
                return Poll::Ready(polls);
            }
            let waker = context.waker().clone();
            thread::spawn(move || waker.wake());
            Poll::Pending
        }));
        assert_eq!(answer, 3);
    }

    #[test]
    fn a_wake_is_not_lost_to_a_future_that_is_run_inside() {
        let mut is_woken = false;
        block_on(std::future::poll_fn(|context| {
            if std::mem::replace(&mut is_woken, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            let mut polls = 0;
            block_on(std::future::poll_fn(|context| {
                polls += 1;
                let waker = context.waker().clone();
                thread::spawn(move || waker.wake());
                if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
            }));
            Poll::Pending
        }));
    }
}
