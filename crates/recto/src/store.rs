//! The archive that a command works with.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use recto::archive::{Archive, ArchiveError, Digest, OpenOptions, PostgresOptions, Scope, SqliteArchive};

use crate::{
    environment,
    failure::{Failure, Outcome},
    settings::Settings,
};

/// An archive of whatever kind.
pub(crate) type Store = Box<dyn Archive>;

/// Everything that this binary stores belongs to the person who runs it.
pub(crate) fn scope() -> Scope {
    Scope::local()
}

/// Opens the archive for writing, making it if need be.
pub(crate) fn open(settings: &Settings) -> Result<Store, ArchiveError> {
    if let Some(url) = server(settings) {
        return Ok(Box::new(at_server().open(url)?));
    }
    check(settings, true)?;
    Ok(Box::new(SqliteArchive::open(path(settings))?))
}

/// Opens the archive for reading, and never makes one.
pub(crate) fn open_existing(settings: &Settings) -> Result<Store, ArchiveError> {
    if let Some(url) = server(settings) {
        return Ok(Box::new(at_server().open(url)?));
    }
    check(settings, false)?;
    Ok(Box::new(OpenOptions::new().create(false).open(path(settings))?))
}

/// Opens the archive so that nothing is written, not even that something was read.
pub(crate) fn open_for_reading(settings: &Settings) -> Result<Store, ArchiveError> {
    if server(settings).is_some() {
        return open_existing(settings);
    }
    check(settings, false)?;
    Ok(Box::new(OpenOptions::new().read_only(true).open(path(settings))?))
}

/// How a database is opened.
pub(crate) fn at_server() -> PostgresOptions {
    let options = PostgresOptions::new();
    match environment::postgres_password() {
        Some(password) => options.password(password),
        None => options,
    }
}

/// The address of the database that is the archive, if it is one.
pub(crate) fn server(settings: &Settings) -> Option<&str> {
    settings.store.value.to_str().filter(|text| is_address(text))
}

/// Whether a store's name is a database's address, not a path.
pub(crate) fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// An address without its password.
pub(crate) fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let hide = |text: &str| {
        let (before, query) =
            text.split_once('?').map_or((text, None), |(before, query)| (before, Some(query)));
        let mut shown = before.to_owned();
        for (number, part) in query.into_iter().flat_map(|query| query.split('&')).enumerate() {
            shown.push(if number == 0 { '?' } else { '&' });
            shown.push_str(if part.starts_with("password=") { "password=***" } else { part });
        }
        shown
    };
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user.to_owned(), |(user, _)| format!("{user}:***"));
            format!("{scheme}://{user}@{host}{}", hide(path))
        }
        None => format!("{scheme}://{authority}{}", hide(path)),
    }
}

/// Whether there may be an archive: its file is there, or it is a database.
pub(crate) fn is_there(settings: &Settings) -> bool {
    server(settings).is_some() || path(settings).exists()
}

/// Refuses to go on where nothing was ever stored.
pub(crate) fn check_is_there(settings: &Settings) -> Outcome<()> {
    if is_there(settings) {
        return Ok(());
    }
    Err(Failure::job(format!("there is no archive at {}", said(settings)))
        .hint("it is made when something is stored; name another one with `--store PATH`"))
}

/// Where the archive is, in words.
pub(crate) fn said(settings: &Settings) -> String {
    server(settings).map_or_else(|| path(settings).display().to_string(), without_password)
}

/// The archive's path; of a database, a path that has the files which lie beside an archive on this machine.
pub(crate) fn path(settings: &Settings) -> PathBuf {
    let Some(address) = server(settings) else { return settings.store.value.clone() };
    let digest = Digest::of(without_password(address).as_bytes()).to_string();
    let name = format!("database-{}", digest.get(..16).unwrap_or_default());
    settings.usual_store.with_file_name(name)
}

/// The archive's folder, where it lies in one that all users share: for want of a home.
pub(crate) fn folder_in_shared(settings: &Settings) -> Option<PathBuf> {
    if !settings.store_is_without_home() {
        return None;
    }
    path(settings).parent().map(Path::to_owned)
}

/// Refuses an archive for want of a home that somebody else could read or has put there.
pub(crate) fn check(settings: &Settings, may_be_made: bool) -> Result<(), ArchiveError> {
    let Some(folder) = folder_in_shared(settings) else { return Ok(()) };
    is_own(&folder, may_be_made).map_err(|source| ArchiveError::Io {
        action: "keep an archive without HOME in",
        path: folder,
        source,
    })
}

/// Makes sure that a folder is this user's alone, and makes it if it may be made.
pub(crate) fn is_own(folder: &Path, may_be_made: bool) -> io::Result<()> {
    let about = match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !may_be_made {
                return Ok(());
            }
            match DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => folder.symlink_metadata()?,
            }
        }
        other => other?,
    };
    let why = if !about.is_dir() {
        "it is not a folder"
    } else if about.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to somebody else"
    } else if about.mode() & 0o077 != 0 {
        "others may use it"
    } else {
        return Ok(());
    };
    Err(io::Error::other(format!("{why}: name an archive, as by RECTO_STORE")))
}
