//! Binding names and looking them up.

use rusqlite::{Connection, OptionalExtension, Row};

use super::failure::Failure;
use super::originals;
use super::store::Store;
use crate::binding::{self, Binding, Bound};
use crate::retention::USED_STEP_MS;
use crate::{ArchiveError, Digest, Ref, Scope, Target};

pub(super) fn issue(store: &Store, scope: &Scope, target: &Target) -> Result<Ref, ArchiveError> {
    let now = store.now();
    // Most names are asked for again and again: that takes no lock, and works in a store that is only read.
    let stands = store.read(|connection| {
        let Binding::Stands(name) = choose(connection, scope, target)? else { return Ok(None) };
        let Some(original) = target.original() else { return Ok(None) };
        let held = originals::holding(connection, scope, original)?;
        let is_old = held.is_some_and(|held| now.saturating_sub(held.used_unix_ms) > USED_STEP_MS);
        Ok(Some((name, *original, is_old)))
    })?;
    if let Some((name, original, is_old)) = stands {
        if is_old {
            store.write_if_free(|connection| originals::touch(connection, scope, &original, now));
        }
        return Ok(name);
    }
    store.write(|connection| {
        let chosen = choose(connection, scope, target)?;
        let (Target::Original(original) | Target::View { original, .. }) = target else {
            return Err(ArchiveError::NoName { why: "the target is gone" }.into());
        };
        let (policy, map) = match target {
            Target::View { policy, map, .. } => (Some(policy), Some(map)),
            _ => (None, None),
        };
        if !matches!(chosen, Binding::Stands(_)) {
            originals::needed(connection, scope, original)?;
            map.map(|map| originals::needed(connection, scope, map)).transpose()?;
            originals::touch(connection, scope, original, now)?;
        }
        match chosen {
            Binding::Stands(name) => Ok(name),
            Binding::New { name, reserved } => {
                connection
                    .prepare_cached("INSERT INTO refs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                    .execute((scope, name.digits(), original, policy, map, reserved, now))?;
                Ok(name)
            }
            Binding::SettleMap(name) => {
                connection
                    .prepare_cached(
                        "UPDATE refs SET map = ?3, reserved = 0 WHERE scope = ?1 AND digits = ?2",
                    )?
                    .execute((scope, name.digits(), map))?;
                Ok(name)
            }
        }
    })
}

fn choose(connection: &Connection, scope: &Scope, target: &Target) -> Result<Binding, Failure> {
    let mut select = connection.prepare_cached(
        "SELECT original, policy, map, reserved FROM refs WHERE scope = ?1 AND digits = ?2",
    )?;
    // The engine's error goes round the algorithm, which knows none.
    let mut failed = None;
    let chosen = binding::choose(target, |name| {
        let bound = select.query_row((scope, name.digits()), |row| {
            Ok(Bound { target: target_of(row.get(0)?, row.get(1)?, row.get(2)?), reserved: row.get(3)? })
        });
        bound.optional().map_err(|error| {
            failed = Some(error);
            ArchiveError::NoName { why: "the names could not be read" }
        })
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(chosen?),
    }
}

fn target_of(original: Digest, policy: Option<Digest>, map: Option<Digest>) -> Target {
    match (policy, map) {
        (Some(policy), Some(map)) => Target::View { original, policy, map },
        _ => Target::Original(original),
    }
}

const NAMED: &str = "SELECT r.digits, r.original, r.policy, r.map, h.gone FROM refs r
    LEFT JOIN holdings h ON h.scope = r.scope AND h.sha256 = r.original WHERE r.scope = ?1";

fn named(row: &Row<'_>) -> rusqlite::Result<(Ref, Target)> {
    let target = match row.get(4)? {
        Some(why) => Target::Gone { why },
        None => target_of(row.get(1)?, row.get(2)?, row.get(3)?),
    };
    Ok((row.get(0)?, target))
}

pub(super) fn resolve(store: &Store, scope: &Scope, name: &Ref) -> Result<Option<Target>, ArchiveError> {
    store.read(|connection| {
        let mut select = connection.prepare_cached(&format!("{NAMED} AND r.digits = ?2"))?;
        let found = select.query_row((scope, name.digits()), named).optional()?;
        Ok(found.map(|(_, target)| target))
    })
}

pub(super) fn find(store: &Store, scope: &Scope, prefix: &str, limit: u32) -> Result<Vec<Ref>, ArchiveError> {
    let digits = Ref::check_prefix(prefix)?;
    store.read(|connection| {
        // ":" follows "9", so this is the range of what begins with these digits.
        let mut select = connection.prepare_cached(
            "SELECT digits FROM refs WHERE scope = ?1 AND digits >= ?2 AND digits < ?2 || ':' ORDER BY digits LIMIT ?3",
        )?;
        Ok(select.query_map((scope, digits, limit), |row| row.get(0))?.collect::<Result<_, _>>()?)
    })
}

pub(super) fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&Ref>,
    limit: u32,
) -> Result<Vec<(Ref, Target)>, ArchiveError> {
    store.read(|connection| {
        let after = after.map_or("", Ref::digits);
        let mut select =
            connection.prepare_cached(&format!("{NAMED} AND r.digits > ?2 ORDER BY r.digits LIMIT ?3"))?;
        Ok(select.query_map((scope, after, limit), named)?.collect::<Result<_, _>>()?)
    })
}
