//! The archive that a command works with.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use recto::archive::{Archive, ArchiveError, OpenOptions, Scope, SqliteArchive};

use crate::{
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
    check(settings, true)?;
    Ok(Box::new(SqliteArchive::open(path(settings))?))
}

/// Opens the archive for reading, and never makes one.
pub(crate) fn open_existing(settings: &Settings) -> Result<Store, ArchiveError> {
    check(settings, false)?;
    Ok(Box::new(OpenOptions::new().create(false).open(path(settings))?))
}

/// Whether there may be an archive: a file is there.
pub(crate) fn is_there(settings: &Settings) -> bool {
    path(settings).exists()
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
    path(settings).display().to_string()
}

/// The archive's path.
pub(crate) fn path(settings: &Settings) -> PathBuf {
    settings.store.value.clone()
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
