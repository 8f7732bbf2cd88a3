use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs a future to its end on this thread.
///
/// For programs without an async runtime. The archives of this crate do their work when first polled, so nothing is
/// ever waited for; a future that does wait parks the thread until it is woken.
///
/// ```
/// use recto_archive::{Archive, MemoryArchive, Scope, block_on};
/// let archive = MemoryArchive::new();
/// let digest = block_on(archive.put(&Scope::local(), b"hello"))?;
/// assert_eq!(block_on(archive.get(&Scope::local(), &digest, 1..3))?, b"el");
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
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
}
