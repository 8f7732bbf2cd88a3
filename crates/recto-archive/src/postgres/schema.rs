//! The stored form: its version, and the steps from one version to the next.

use std::path::PathBuf;

use tokio_postgres::Row;

use super::failure::Failure;
use super::session::Session;
use crate::ArchiveError;

/// Step number n leads from version n to n + 1. Steps are never edited once released.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// "recto", as the number of the lock under which the schema is changed.
const LOCK: &str = "SELECT pg_advisory_xact_lock(x'726563746f'::bigint)";

/// Whether it only takes reads, its encoding, and whether there is an archive. This and what follows look at the catalogue
/// itself: functions such as `to_regclass` may go by what they found before others made it.
const STATE: &str =
    "SELECT current_setting('transaction_read_only')::boolean, current_setting('server_encoding'),
    EXISTS (SELECT FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
        WHERE nspname = 'recto' AND relname = 'schema_version')";
const VERSION: &str = "SELECT coalesce(max(version), 0) FROM recto.schema_version";
const STRANGERS: &str = "SELECT count(*) FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
    WHERE nspname = 'recto'";
const HAS_SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'recto')";

/// Version that this code writes.
pub(super) fn newest() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}

/// Checks whose database it is, and brings it to the version that this code writes; gives whether it only takes reads.
pub(super) async fn open(session: &Session, place: &str) -> Result<bool, Failure> {
    let state = session.one(STATE, &[]).await?;
    let (read_only, encoding): (bool, &str) = (state.try_get(0)?, state.try_get(1)?);
    if encoding != "UTF8" {
        return Err(foreign(place, format!("its encoding is {encoding}, UTF8 is needed")));
    }
    let version = version(session, &state).await?;
    check(version, place)?;
    if version < newest() {
        if read_only {
            let hint = "it has no archive of this version yet: open it once where it can be written";
            return Err(ArchiveError::ReadOnly { path: PathBuf::from(place), hint }.into());
        }
        migrate(session, STEPS, place).await?;
    }
    Ok(read_only)
}

async fn version(session: &Session, state: &Row) -> Result<u32, Failure> {
    if !state.try_get::<_, bool>(2)? {
        return Ok(0);
    }
    Ok(u32::try_from(session.one(VERSION, &[]).await?.try_get::<_, i32>(0)?).unwrap_or(0))
}

fn check(version: u32, place: &str) -> Result<(), ArchiveError> {
    if version > newest() {
        let (found, known) = (version, newest());
        return Err(ArchiveError::NewerSchema { path: PathBuf::from(place), found, known });
    }
    Ok(())
}

async fn migrate(session: &Session, steps: &[&str], place: &str) -> Result<(), Failure> {
    session
        .transaction(async || {
            // Others may be at it, and take longer than ordinary locks are waited for.
            session.batch("SET LOCAL lock_timeout = '50s'").await?;
            session.batch(LOCK).await?;
            // Read again under the lock: another process may have done it meanwhile.
            let version = version(session, &session.one(STATE, &[]).await?).await?;
            check(version, place)?;
            if version == 0 {
                let strangers: i64 = session.one(STRANGERS, &[]).await?.try_get(0)?;
                if strangers > 0 {
                    return Err(foreign(place, "its schema recto holds tables of something else".to_owned()));
                }
                // Whoever runs the server may have made it for a user who may make none.
                if !session.one(HAS_SCHEMA, &[]).await?.try_get::<_, bool>(0)? {
                    session.batch("CREATE SCHEMA recto").await?;
                }
                session.batch("CREATE TABLE recto.schema_version (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())").await?;
            }
            for (number, step) in (1_u32..).zip(steps) {
                if number > version {
                    session.batch(step).await?;
                    session.batch(&format!("INSERT INTO recto.schema_version (version) VALUES ({number})")).await?;
                }
            }
            Ok(())
        })
        .await
}

fn foreign(place: &str, found: String) -> Failure {
    ArchiveError::Foreign { path: PathBuf::from(place), found }.into()
}
