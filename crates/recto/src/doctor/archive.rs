//! Whether the archive can be written and read.

use std::{io, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use recto::archive::{Archive, ArchiveError, OpenOptions, block_on};
use rustix::fs::{Access, access};

use super::{Finding, State};
use crate::{
    output,
    settings::Settings,
    store::{self, Store},
    usage::{Sessions, Usage},
};

/// A hook has no more time than this for a lock.
const PATIENCE: Duration = Duration::from_millis(200);
/// A server that does not answer in this time is no archive for a hook.
const SERVER_PATIENCE: Duration = Duration::from_secs(2);

const ABOUT: &str = "archive";

pub(super) fn examine(settings: &Settings, found: &mut Vec<Finding>) {
    let path = store::path(settings);
    if let Err(error) = store::check(settings, false) {
        found.push(Finding::new(ABOUT, State::Failure, error.to_string()));
        return;
    }
    examine_notes(settings, found);
    if let Some(url) = store::server(settings) {
        examine_server(url, settings, found);
        return;
    }
    if !path.exists() {
        found.push(absent(&path));
        return;
    }
    let archive: Store = match OpenOptions::new().create(false).busy_timeout(PATIENCE).open(&path) {
        Ok(archive) => Box::new(archive),
        Err(error) => {
            found.push(unusable(&store::said(settings), &error));
            return;
        }
    };
    examine_open(&*archive, settings, found);
    let mode = std::fs::metadata(&path).map_or(0, |about| about.permissions().mode() & 0o777);
    if mode & 0o077 != 0 {
        found.push(
            Finding::new(ABOUT, State::Warning, format!("others may read it: its mode is {mode:o}"))
                .hint(format!("chmod 600 {}", path.display())),
        );
    }
}

/// An archive in a database.
fn examine_server(url: &str, settings: &Settings, found: &mut Vec<Finding>) {
    match store::at_server().connect_timeout(SERVER_PATIENCE).busy_timeout(PATIENCE).open(url) {
        Ok(archive) => examine_open(&archive, settings, found),
        Err(error) => found.push(unusable(&store::said(settings), &error)),
    }
}

/// An archive that is open: what it is, whether it takes writes, what its keeper should know.
fn examine_open(archive: &dyn Archive, settings: &Settings, found: &mut Vec<Finding>) {
    let said = store::said(settings);
    let mut is_writable = true;
    match block_on(archive.describe()) {
        Ok(about) => {
            is_writable = about.mode.is_writable();
            found.push(Finding::new(
                ABOUT,
                State::Ok,
                format!(
                    "{said}: {}, {}, {} of sources in {}",
                    about.engine,
                    output::count(about.originals, "original and map")
                        .replace("original and maps", "originals and maps"),
                    output::size(about.source_bytes),
                    output::size(about.occupied_bytes)
                ),
            ));
        }
        Err(error) => found.push(unusable(&said, &error)),
    }
    if !is_writable {
        found.push(
            Finding::new(ABOUT, State::Failure, "it can only be read: hooks leave every result as it is")
                .hint("name one that can be written: `store.path` in the configuration, or RECTO_STORE"),
        );
    }
    match block_on(archive.health()) {
        Ok(health) => {
            found.extend(health.notes.into_iter().map(|note| Finding::new(ABOUT, State::Warning, note)))
        }
        Err(error) => found.push(unusable(&said, &error)),
    }
}

/// Whether hooks can write down what they did: where they cannot, nothing else tells.
fn examine_notes(settings: &Settings, found: &mut Vec<Finding>) {
    let usage = Usage::of(settings);
    if let Err(error) = usage.can_be_written() {
        found.push(
            Finding::new(ABOUT, State::Failure, format!("nothing can be written down beside it: {error}"))
                .hint("hooks leave results as they are then, and cannot say so; free some space, or name another place by RECTO_STORE"),
        );
    }
    if let Err(damaged) =
        usage.sessions().map(Sessions::needed).and_then(|needed| needed.map_err(io::Error::other))
    {
        found.push(
            Finding::new(ABOUT, State::Warning, damaged.to_string())
                .hint("until then `recto gc` removes nothing"),
        );
    }
}

fn absent(path: &Path) -> Finding {
    let folder = path.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(path);
    if folder.is_dir() && access(folder, Access::WRITE_OK).is_ok() {
        return Finding::new(
            ABOUT,
            State::Ok,
            format!("{}: made when something is first stored", path.display()),
        );
    }
    Finding::new(
        ABOUT,
        State::Failure,
        format!("{} cannot be made: {} takes no files", path.display(), folder.display()),
    )
    .hint("name another place: `store.path` in the configuration, or RECTO_STORE")
}

fn unusable(said: &str, error: &ArchiveError) -> Finding {
    let finding = Finding::new(ABOUT, State::Failure, format!("{said}: {error}"));
    match error {
        ArchiveError::Busy { .. } => {
            finding.hint("something holds it: while it does, hooks leave results as they are")
        }
        _ => finding.hint("`recto store verify` reads all of it; another place is named by RECTO_STORE"),
    }
}
