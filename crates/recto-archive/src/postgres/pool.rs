//! The connections of one archive, and what is done when one breaks.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Config;

use super::failure::{Failure, Remedy, STATEMENT_TIMEOUT};
use super::held::HeldLocks;
use super::session::Session;

/// Times that work is repeated because the server undid it for another's sake.
const MOST_CONFLICTS: u32 = 20;
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// What may be done when a connection broke while work was on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Do it again: once or twice make no difference.
    Yes,
    /// Only if it was certainly not done.
    No,
}

/// How to connect.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) config: Config,
    pub(super) connect_timeout: Duration,
    pub(super) busy_timeout: Duration,
    pub(super) max_connections: usize,
    pub(super) read_only: bool,
}

impl Access {
    pub(super) async fn connect(&self) -> Result<Session, Failure> {
        Session::connect(self).await
    }
}

pub(super) struct Pool {
    pub(super) access: Access,
    pub(super) held: Rc<HeldLocks>,
    idle: RefCell<Vec<Session>>,
    free: Semaphore,
}

impl Pool {
    pub(super) fn new(access: Access) -> Self {
        let free = Semaphore::new(access.max_connections);
        let held = Rc::new(HeldLocks::new(access.clone()));
        Self { access, held, idle: RefCell::default(), free }
    }

    /// Does work on a connection of its own. A server that restarts is waited for as long as for one that connects.
    pub(super) async fn run<T>(
        &self,
        repeat: Repeat,
        work: impl AsyncFn(&Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Ok(Ok(_place)) = timeout(STATEMENT_TIMEOUT, self.free.acquire()).await else {
            return Err(Failure::Crowded(STATEMENT_TIMEOUT));
        };
        let patience = self.access.connect_timeout;
        let since = Instant::now();
        let (mut conflicts, mut pause) = (0, SHORTEST_PAUSE);
        loop {
            let failure = match self.take().await {
                Ok(session) => {
                    session.has_only_read();
                    let done = work(&session).await;
                    let may_repeat = repeat == Repeat::Yes || !session.may_have_done();
                    self.give_back(session);
                    match done {
                        Ok(done) => return Ok(done),
                        Err(failure) => match failure.remedy() {
                            Remedy::Repeat if conflicts < MOST_CONFLICTS => {
                                conflicts += 1;
                                failure
                            }
                            Remedy::Reconnect if may_repeat => failure,
                            _ => return Err(failure),
                        },
                    }
                }
                Err(failure) if failure.remedy() == Remedy::Reconnect => failure,
                Err(failure) => return Err(failure),
            };
            if since.elapsed() > patience {
                return Err(failure);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn take(&self) -> Result<Session, Failure> {
        loop {
            let idle = self.idle.borrow_mut().pop();
            match idle {
                Some(session) if session.is_usable() => return Ok(session),
                Some(_) => {}
                None => return self.access.connect().await,
            }
        }
    }

    /// Takes a connection for later.
    pub(super) fn give_back(&self, session: Session) {
        if session.is_usable() {
            self.idle.borrow_mut().push(session);
        }
    }
}
