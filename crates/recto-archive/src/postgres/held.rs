//! The locks of this archive's live runs, all held by one connection: the server releases them when it ends, however the
//! process does.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::failure::{Failure, Remedy};
use super::pool::Access;
use super::session::Session;

/// How often the connection is looked after while runs are live.
const LOOK: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(50);

const TAKE: &str = "SELECT pg_try_advisory_lock($1)";
const RELEASE: &str = "SELECT pg_advisory_unlock($1)";

pub(super) struct HeldLocks {
    access: Access,
    /// The locks that runs of this process need.
    needed: RefCell<BTreeSet<i64>>,
    /// Those of them that were lost with a connection and are not taken again yet.
    lost: RefCell<BTreeSet<i64>>,
    session: Mutex<Option<Session>>,
    is_watched: Cell<bool>,
}

impl HeldLocks {
    pub(super) fn new(access: Access) -> Self {
        Self {
            access,
            needed: RefCell::default(),
            lost: RefCell::default(),
            session: Mutex::new(None),
            is_watched: Cell::new(false),
        }
    }

    /// Takes a lock that nobody knows yet; `false` if another has that number.
    pub(super) async fn take(self: &Rc<Self>, key: i64) -> Result<bool, Failure> {
        let since = Instant::now();
        loop {
            match self.take_once(key).await {
                // What was taken on a connection that broke was released with it.
                Err(failure)
                    if failure.remedy() == Remedy::Reconnect
                        && since.elapsed() < self.access.connect_timeout =>
                {
                    sleep(PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    async fn take_once(self: &Rc<Self>, key: i64) -> Result<bool, Failure> {
        let mut slot = self.session.lock().await;
        let session = self.connected(&mut slot).await?;
        let is_taken = take(session, key).await?;
        if is_taken {
            self.needed.borrow_mut().insert(key);
            if !self.is_watched.replace(true) {
                tokio::task::spawn_local(Rc::clone(self).watch());
            }
        }
        Ok(is_taken)
    }

    pub(super) async fn release(&self, key: i64) -> Result<(), Failure> {
        self.needed.borrow_mut().remove(&key);
        self.lost.borrow_mut().remove(&key);
        let slot = self.session.lock().await;
        // With its connection a lock is gone too.
        if let Some(session) = slot.as_ref().filter(|session| session.is_usable()) {
            session.one(RELEASE, &[&key]).await?;
        }
        Ok(())
    }

    /// Gives the connection, a new one with all the locks if the last one broke.
    async fn connected<'s>(&self, slot: &'s mut Option<Session>) -> Result<&'s Session, Failure> {
        if !slot.as_ref().is_some_and(Session::is_usable) {
            *slot = Some(self.access.connect().await?);
            let needed = self.needed.borrow().clone();
            *self.lost.borrow_mut() = needed;
        }
        let session = slot.as_ref().ok_or(Failure::Ended)?;
        let lost = self.lost.borrow().clone();
        for key in lost {
            // Not to be had: the server has not noticed yet that the last connection broke, or the run is being adopted.
            if take(session, key).await? {
                self.lost.borrow_mut().remove(&key);
            }
        }
        Ok(session)
    }

    /// Takes lost locks again as soon as can be, before somebody takes the runs for abandoned.
    async fn watch(self: Rc<Self>) {
        while !self.needed.borrow().is_empty() {
            sleep(LOOK).await;
            let mut slot = self.session.lock().await;
            // The server may be restarting: the next look may find it.
            let _ = self.connected(&mut slot).await;
        }
        self.is_watched.set(false);
    }
}

async fn take(session: &Session, key: i64) -> Result<bool, Failure> {
    Ok(session.one(TAKE, &[&key]).await?.try_get(0)?)
}
