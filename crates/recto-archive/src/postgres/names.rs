//! Binding names and looking them up.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::columns::int;
use super::failure::Failure;
use super::originals;
use super::pool::Repeat;
use super::session::Session;
use super::store::Store;
use crate::binding::{self, Binding, Bound};
use crate::retention::USED_STEP_MS;
use crate::{ArchiveError, Digest, Ref, Scope, Target};

const CANDIDATES: &str = include_str!("sql/candidates.sql");
const BIND: &str = include_str!("sql/bind.sql");
const SETTLE_MAP: &str = include_str!("sql/settle_map.sql");
const RESOLVE: &str = include_str!("sql/resolve.sql");
const FIND: &str = include_str!("sql/find_refs.sql");
const LIST: &str = include_str!("sql/refs.sql");

/// Times that another may be faster at binding one of the names.
const MOST_ATTEMPTS: u32 = 20;

pub(super) async fn issue(store: &Store, scope: &Scope, target: &Target) -> Result<Ref, ArchiveError> {
    let (Target::Original(original) | Target::View { original, .. }) = target else {
        return Err(ArchiveError::NoName { why: "the target is gone" });
    };
    let now = store.now();
    for _ in 0..MOST_ATTEMPTS {
        let (chosen, used_unix_ms) = choose(store, scope, target).await?;
        let (name, done) = match chosen {
            Binding::Stands(name) => {
                if used_unix_ms.is_some_and(|used| now.saturating_sub(used) > USED_STEP_MS) {
                    originals::touch(store, scope, original, now).await;
                }
                return Ok(name);
            }
            Binding::New { name, reserved } => {
                let done = bind(store, scope, target, &name, reserved, now).await?;
                (name, done)
            }
            Binding::SettleMap(name) => {
                let done = settle_map(store, scope, target, &name).await?;
                (name, done)
            }
        };
        if done {
            return Ok(name);
        }
        // Either something is missing, or another one was faster.
        check_needed(store, scope, target).await?;
    }
    Err(ArchiveError::NoName { why: "others bind its names faster: try again" })
}

/// The originals and maps that a name needs, each once.
fn needed(target: &Target) -> Vec<Digest> {
    let mut needed = match target {
        Target::Original(original) => vec![*original],
        Target::View { original, map, .. } => vec![*original, *map],
        Target::Gone { .. } => Vec::new(),
    };
    needed.dedup();
    needed
}

async fn check_needed(store: &Store, scope: &Scope, target: &Target) -> Result<(), ArchiveError> {
    let (scope, needed) = (scope.clone(), needed(target));
    store
        .call(Repeat::Yes, async move |session| {
            for digest in &needed {
                originals::needed(session, &scope, digest).await?;
            }
            Ok(())
        })
        .await
}

/// Chooses a name, and tells when the original was last used, if the name stands.
async fn choose(
    store: &Store,
    scope: &Scope,
    target: &Target,
) -> Result<(Binding, Option<u64>), ArchiveError> {
    let owner = scope.clone();
    let digits: Vec<String> = Ref::candidates(target).map(|name| name.digits().to_owned()).collect();
    let (bound, used): (BTreeMap<Ref, Bound>, BTreeMap<Ref, u64>) = store
        .call(Repeat::Yes, async move |session| {
            let (mut bound, mut used) = (BTreeMap::new(), BTreeMap::new());
            for row in session.rows(CANDIDATES, &[&owner, &digits]).await? {
                let name: Ref = row.try_get(0)?;
                let target = target_of(&row)?;
                bound.insert(name.clone(), Bound { target, reserved: row.try_get(4)? });
                if let Some(used_unix_ms) = row.try_get::<_, Option<i64>>(5)? {
                    used.insert(name, u64::try_from(used_unix_ms).unwrap_or(0));
                }
            }
            Ok((bound, used))
        })
        .await?;
    let mut bound = bound;
    let chosen = binding::choose(target, |name| Ok(bound.remove(name)))?;
    let used_unix_ms = match &chosen {
        Binding::Stands(name) => used.get(name).copied(),
        Binding::New { .. } | Binding::SettleMap(_) => None,
    };
    Ok((chosen, used_unix_ms))
}

/// Binds a name that is free; `false` if it is not any more, or the scope lacks what it needs.
async fn bind(
    store: &Store,
    scope: &Scope,
    target: &Target,
    name: &Ref,
    reserved: bool,
    now: u64,
) -> Result<bool, ArchiveError> {
    store.check_writable()?;
    let (scope, target, digits) = (scope.clone(), target.clone(), name.digits().to_owned());
    store
        .call(Repeat::Yes, async move |session| {
            let (policy, map) = match &target {
                Target::View { policy, map, .. } => (Some(policy), Some(map)),
                _ => (None, None),
            };
            let (needed, before) = (needed(&target), int(now.saturating_sub(USED_STEP_MS)));
            let row = session
                .one(
                    BIND,
                    &[
                        &scope,
                        &digits,
                        &target.original(),
                        &policy,
                        &map,
                        &reserved,
                        &int(now),
                        &needed,
                        &before,
                    ],
                )
                .await?;
            Ok(row.try_get::<_, i64>(0)? == 1)
        })
        .await
}

/// Gives a reserved name its map; `false` if another has done so, or the scope lacks what it needs.
async fn settle_map(store: &Store, scope: &Scope, target: &Target, name: &Ref) -> Result<bool, ArchiveError> {
    store.check_writable()?;
    let Target::View { map, .. } = target else { return Ok(false) };
    let (scope, map, digits, needed) = (scope.clone(), *map, name.digits().to_owned(), needed(target));
    store
        .call(Repeat::Yes, async move |session| {
            Ok(session.execute(SETTLE_MAP, &[&scope, &digits, &map, &needed]).await? == 1)
        })
        .await
}

/// Reads a target from the columns after the first.
fn target_of(row: &Row) -> Result<Target, Failure> {
    let original = row.try_get(1)?;
    Ok(match (row.try_get(2)?, row.try_get(3)?) {
        (Some(policy), Some(map)) => Target::View { original, policy, map },
        _ => Target::Original(original),
    })
}

fn named(row: &Row) -> Result<(Ref, Target), Failure> {
    let target = match row.try_get(4)? {
        Some(why) => Target::Gone { why },
        None => target_of(row)?,
    };
    Ok((row.try_get(0)?, target))
}

pub(super) async fn resolve(
    store: &Store,
    scope: &Scope,
    name: &Ref,
) -> Result<Option<Target>, ArchiveError> {
    let (scope, digits) = (scope.clone(), name.digits().to_owned());
    store
        .call(Repeat::Yes, async move |session| {
            let row = session.row(RESOLVE, &[&scope, &digits]).await?;
            Ok(row.as_ref().map(named).transpose()?.map(|(_, target)| target))
        })
        .await
}

pub(super) async fn find(
    store: &Store,
    scope: &Scope,
    prefix: &str,
    limit: u32,
) -> Result<Vec<Ref>, ArchiveError> {
    let (scope, digits) = (scope.clone(), Ref::check_prefix(prefix)?.to_owned());
    store
        .call(Repeat::Yes, async move |session: &Session| {
            let rows = session.rows(FIND, &[&scope, &digits, &i64::from(limit)]).await?;
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
        })
        .await
}

pub(super) async fn list(
    store: &Store,
    scope: &Scope,
    after: Option<&Ref>,
    limit: u32,
) -> Result<Vec<(Ref, Target)>, ArchiveError> {
    let (scope, after) = (scope.clone(), after.map_or("", Ref::digits).to_owned());
    store
        .call(Repeat::Yes, async move |session| {
            let rows = session.rows(LIST, &[&scope, &after, &i64::from(limit)]).await?;
            rows.iter().map(named).collect()
        })
        .await
}
