//! What a store tells whoever runs it.

use super::holder::suffixed;
use super::store::Store;
use super::{locks, logs, objects, schema};
use crate::{ArchiveError, Description, Health, Mode, RunId};

/// Free pages are worth a word from this many bytes on.
const FREE_BYTES: u64 = 16 << 20;

pub(super) fn describe(store: &Store) -> Result<Description, ArchiveError> {
    let (schema, sums, (originals, source_bytes, stored_bytes)) = store.read(|connection| {
        let mut originals = connection.prepare_cached(
            "SELECT count(*), coalesce(sum(bytes), 0), coalesce(sum(stored_bytes), 0) FROM objects WHERE state = ?1",
        )?;
        let originals =
            originals.query_row([objects::WHOLE], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok((schema::version(connection)?, logs::sums(connection)?, originals))
    })?;
    let path = store.path();
    let files = [path.to_owned(), suffixed(path, "-wal"), suffixed(path, "-shm")];
    Ok(Description {
        engine: format!("SQLite {}", rusqlite::version()),
        schema,
        path: Some(path.to_owned()),
        mode: store.mode(),
        originals,
        source_bytes,
        stored_bytes,
        logs: sums.logs,
        events: sums.events,
        event_bytes: sums.bytes,
        occupied_bytes: files.iter().filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum(),
    })
}

pub(super) fn health(store: &Store) -> Result<Health, ArchiveError> {
    let mut notes = store.notes.clone();
    match store.mode() {
        Mode::ReadWrite => {}
        mode => notes.push(format!("{} is open {mode}: nothing can be stored", store.path().display())),
    }
    let (free_bytes, dead_bytes, runs) = store.read(|connection| {
        let free: u64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        let page: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let dead: u64 = connection.query_row(
            "SELECT coalesce(sum(stored_bytes), 0) FROM objects WHERE state = ?1",
            [objects::DEAD],
            |row| row.get(0),
        )?;
        let mut open = connection.prepare_cached("SELECT id FROM runs WHERE object IS NOT NULL")?;
        let runs = open.query_map([], |row| row.get::<_, RunId>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok((free * page, dead, runs))
    })?;
    if free_bytes + dead_bytes > FREE_BYTES {
        let mib = (free_bytes + dead_bytes) >> 20;
        notes.push(format!("{mib} MiB are free or no longer needed: a removal by retention gives them back"));
    }
    let abandoned = runs.iter().filter(|run| !locks::is_live(store.path(), run)).count();
    if abandoned > 0 {
        notes.push(format!("{abandoned} runs were abandoned and can be adopted"));
    }
    Ok(Health { notes })
}
