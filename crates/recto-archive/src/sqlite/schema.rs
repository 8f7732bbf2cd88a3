//! The stored form: whose file it is, its version, and the steps from one version to the next.

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;

/// "rcto", in the file's header.
pub(super) const APPLICATION_ID: i32 = 0x7263_746f;

/// Step number n leads from version n to n + 1. Steps are never edited once released.
const STEPS: &[&str] = &[include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// Version from which on there are logs and leases.
const LOGS_VERSION: u32 = 2;

/// Version that this code writes.
pub(super) fn newest() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}

/// What the header of a database says.
pub(super) struct Header {
    pub(super) application_id: i32,
    pub(super) version: u32,
}

/// Reads the header; also a proof that the file can be read at all.
pub(super) fn header(connection: &Connection) -> Result<Header, rusqlite::Error> {
    // The first query opens the write-ahead log, which the two pragmas alone might not do.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let application_id = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(Header { application_id, version })
}

/// Tells whether a store can have logs: one that is only read may be older than this code.
pub(super) fn has_logs(connection: &Connection) -> Result<bool, Failure> {
    Ok(version(connection)? >= LOGS_VERSION)
}

pub(super) fn version(connection: &Connection) -> Result<u32, Failure> {
    Ok(connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?)
}

/// Lays out an empty database file that nobody else knows of yet. Nothing is made safe on the disk: that is for whoever moves it
/// into place, and a file that was left half made is worth nothing.
pub(super) fn create(connection: &mut Connection) -> Result<(), Failure> {
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update_and_check(None, "journal_mode", "memory", |_| Ok(()))?;
    connection.pragma_update(None, "page_size", 4096)?;
    connection.pragma_update(None, "auto_vacuum", "incremental")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate(connection, STEPS)?;
    // The log itself begins with the first write after this.
    Ok(connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?)
}

/// Brings an older database to the version that this code writes.
pub(super) fn upgrade(connection: &mut Connection) -> Result<(), Failure> {
    migrate(connection, STEPS)
}

fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another process may have done it meanwhile.
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (number, step) in (1_u32..).zip(steps) {
        if number > version {
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", number)?;
        }
    }
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_runs_once_and_a_failed_one_leaves_the_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        let version = |connection: &Connection| -> u32 {
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
        };
        migrate(&mut connection, &["CREATE TABLE a (x)"]).unwrap();
        migrate(&mut connection, &["CREATE TABLE a (x)", "ALTER TABLE a ADD y"]).unwrap();
        assert_eq!(version(&connection), 2);
        let third = ["CREATE TABLE a (x)", "ALTER TABLE a ADD y", "CREATE TABLE b (x); nonsense"];
        assert!(migrate(&mut connection, &third).is_err());
        assert_eq!(version(&connection), 2);
        connection.execute("INSERT INTO a (x, y) VALUES (1, 2)", []).unwrap();
        assert!(connection.execute("INSERT INTO b (x) VALUES (1)", []).is_err());
    }
}
