//! The thread that talks to the server, and how it is asked.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::failure::Failure;
use super::pool::{Access, Pool, Repeat};
use super::session::Session;
use crate::clock::Clock;
use crate::{ArchiveError, Mode, block_on};

type Job = Box<dyn FnOnce(Rc<Pool>) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// One open archive: where it is, and the way to the thread that has its connections.
pub(super) struct Store {
    pub(super) place: String,
    pub(super) mode: Mode,
    pub(super) clock: Arc<dyn Clock>,
    busy_timeout: Duration,
    jobs: mpsc::UnboundedSender<Job>,
}

impl Store {
    /// Starts the thread; it ends with this value.
    pub(super) fn start(place: String, access: Access, clock: Arc<dyn Clock>) -> Result<Self, ArchiveError> {
        let failed =
            |source| ArchiveError::Io { action: "start a thread for", path: PathBuf::from(&place), source };
        let busy_timeout = access.busy_timeout;
        let (jobs, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        std::thread::Builder::new()
            .name("recto-postgres".to_owned())
            .spawn(move || tokio::task::LocalSet::new().block_on(&runtime, serve(received, access)))
            .map_err(failed)?;
        Ok(Self { place, mode: Mode::ReadWrite, clock, busy_timeout, jobs })
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now_unix_ms()
    }

    pub(super) fn check_writable(&self) -> Result<(), ArchiveError> {
        if self.mode.is_writable() {
            return Ok(());
        }
        let hint = "it is a standby server or was opened for reading; name the primary server";
        Err(ArchiveError::ReadOnly { path: PathBuf::from(&self.place), hint })
    }

    /// Has the thread do some work, at once; the answer is waited for when it is needed.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        repeat: Repeat,
        work: impl AsyncFn(&Session) -> Result<T, Failure> + Send + 'static,
    ) -> Pending<T> {
        self.ask_pool(async move |pool| pool.run(repeat, work).await)
    }

    /// As [`ask`](Self::ask), for what needs more than one connection.
    pub(super) fn ask_pool<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(Rc<Pool>) -> Result<T, Failure> + Send + 'static,
    ) -> Pending<T> {
        let (answer, pending) = oneshot::channel();
        // Without the thread the answer never comes, which is an answer.
        let _ = self.jobs.send(Box::new(move |pool| {
            Box::pin(async move {
                let _ = answer.send(work(pool).await);
            })
        }));
        Pending(pending)
    }

    /// Waits for an answer.
    pub(super) async fn answer<T>(&self, pending: Pending<T>) -> Result<T, ArchiveError> {
        let answer = pending.0.await.unwrap_or(Err(Failure::Ended));
        answer.map_err(|failure| self.explain(failure))
    }

    /// Asks and waits.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        repeat: Repeat,
        work: impl AsyncFn(&Session) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, ArchiveError> {
        self.answer(self.ask(repeat, work)).await
    }

    /// Asks and waits on this thread.
    pub(super) fn wait<T>(&self, pending: Pending<T>) -> Result<T, ArchiveError> {
        block_on(self.answer(pending))
    }

    pub(super) fn explain(&self, failure: impl Into<Failure>) -> ArchiveError {
        failure.into().at(&self.place, self.busy_timeout)
    }
}

/// An answer that is on its way.
pub(super) struct Pending<T>(oneshot::Receiver<Result<T, Failure>>);

async fn serve(mut jobs: mpsc::UnboundedReceiver<Job>, access: Access) {
    let pool = Rc::new(Pool::new(access));
    while let Some(job) = jobs.recv().await {
        tokio::task::spawn_local(job(Rc::clone(&pool)));
    }
}
