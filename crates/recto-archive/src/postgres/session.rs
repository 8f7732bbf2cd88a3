//! One connection: statements prepared once, answers within a time limit.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::failure::{Failure, STATEMENT_TIMEOUT};
use super::pool::Access;

pub(super) type Parameters<'p> = &'p [&'p (dyn ToSql + Sync)];

/// The server ends a statement before this; only one that has fallen silent makes the client give up.
const ANSWER_TIMEOUT: Duration = STATEMENT_TIMEOUT.saturating_add(Duration::from_secs(5));

pub(super) struct Session {
    client: Client,
    statements: RefCell<HashMap<&'static str, Statement>>,
    /// Somebody stopped in the middle of something: the next one must not go on from there.
    is_amiss: Cell<bool>,
    is_in_transaction: Cell<bool>,
    /// Something was sent whose effect stays, though no answer may have come.
    may_have_done: Cell<bool>,
}

impl Session {
    pub(super) async fn connect(access: &Access) -> Result<Self, Failure> {
        let limit = access.connect_timeout;
        let connect = async {
            let (client, connection) = access.config.connect(NoTls).await.map_err(Failure::Connecting)?;
            // Ends with the client; its error is the one that the client gets.
            tokio::task::spawn_local(async move { drop(connection.await) });
            let settings = format!(
                "SET lock_timeout = {}; SET statement_timeout = {}; SET client_min_messages = warning;
                 SET idle_in_transaction_session_timeout = {}; SET default_transaction_read_only = {};
                 SET default_transaction_isolation = 'read committed';
                 SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3",
                access.busy_timeout.as_millis().max(1),
                STATEMENT_TIMEOUT.as_millis(),
                STATEMENT_TIMEOUT.as_millis(),
                access.read_only,
            );
            client.batch_execute(&settings).await?;
            Ok(Self {
                client,
                statements: RefCell::default(),
                is_amiss: Cell::new(false),
                is_in_transaction: Cell::new(false),
                may_have_done: Cell::new(false),
            })
        };
        timeout(limit, connect).await.map_err(|_| Failure::Silent(limit))?
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && !self.is_amiss.get()
    }

    /// Says that what was sent so far has changed nothing: where work begins, and where it has only looked.
    pub(super) fn has_only_read(&self) {
        self.may_have_done.set(false);
    }

    /// Tells whether something may have been done for good since then.
    pub(super) fn may_have_done(&self) -> bool {
        self.may_have_done.get()
    }

    /// What is sent from here on has its effect at once, unless a transaction holds it back.
    fn send(&self) {
        if !self.is_in_transaction.get() {
            self.may_have_done.set(true);
        }
    }

    /// Waits for an answer; one that does not come leaves the connection in an unknown state.
    async fn within<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        match timeout(ANSWER_TIMEOUT, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => {
                self.is_amiss.set(true);
                Err(Failure::Silent(ANSWER_TIMEOUT))
            }
        }
    }

    async fn statement(&self, sql: &'static str) -> Result<Statement, Failure> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.within(self.client.prepare(sql)).await?;
        self.statements.borrow_mut().insert(sql, statement.clone());
        Ok(statement)
    }

    pub(super) async fn rows(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let statement = self.statement(sql).await?;
        self.send();
        self.within(self.client.query(&statement, parameters)).await
    }

    pub(super) async fn row(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Option<Row>, Failure> {
        Ok(self.rows(sql, parameters).await?.into_iter().next())
    }

    /// As [`row`](Self::row), for a query that always has one.
    pub(super) async fn one(&self, sql: &'static str, parameters: Parameters<'_>) -> Result<Row, Failure> {
        let statement = self.statement(sql).await?;
        self.send();
        self.within(self.client.query_one(&statement, parameters)).await
    }

    pub(super) async fn execute(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<u64, Failure> {
        let statement = self.statement(sql).await?;
        self.send();
        self.within(self.client.execute(&statement, parameters)).await
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), Failure> {
        self.send();
        self.within(self.client.batch_execute(sql)).await
    }

    /// Does `work` wholly or not at all.
    pub(super) async fn transaction<T>(
        &self,
        work: impl AsyncFnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // If this is dropped half-way, the connection is not used again, and the server undoes what was begun.
        self.is_amiss.set(true);
        self.is_in_transaction.set(true);
        let begun = self.batch("BEGIN").await;
        let done = match begun {
            Ok(()) => work().await,
            Err(failure) => Err(failure),
        };
        self.is_in_transaction.set(false);
        match &done {
            Ok(_) => self.batch("COMMIT").await?,
            Err(_) if self.client.is_closed() => return done,
            Err(_) => self.within(self.client.batch_execute("ROLLBACK")).await?,
        }
        self.is_amiss.set(false);
        done
    }
}
