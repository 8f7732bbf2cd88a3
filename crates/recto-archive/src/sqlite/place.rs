//! The folder and the file of a store: who may read them.

use std::io;
use std::path::{Path, PathBuf};

use crate::ArchiveError;

/// Checks where a store is to be, makes the folder (0700) if asked, and gives the path without symbolic links.
pub(super) fn settle(path: &Path, create: bool) -> Result<PathBuf, ArchiveError> {
    let Some(name) = path.file_name() else {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        return Err(ArchiveError::io("open", path, source));
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if create {
        make_private_folder(folder).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => ArchiveError::read_only(path),
            _ => ArchiveError::io("create", folder, error),
        })?;
    }
    let folder = folder.canonicalize().map_err(|error| ArchiveError::io("open", folder, error))?;
    Ok(folder.join(name))
}

/// Tells whether a file is there, and refuses what is not a plain file.
pub(super) fn is_there(path: &Path) -> Result<bool, ArchiveError> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(ArchiveError::io("open", path, error)),
    };
    if found.is_symlink() {
        let text = "it is a symbolic link, which somebody else may turn elsewhere: name the real file";
        return Err(ArchiveError::io("open", path, io::Error::other(text)));
    }
    if !found.is_file() {
        return Err(ArchiveError::io("open", path, io::Error::other("it is not a plain file")));
    }
    if found.len() == 0 {
        let found = "an empty file; remove it to begin an archive here".to_owned();
        return Err(ArchiveError::Foreign { path: path.to_owned(), found });
    }
    Ok(true)
}

#[cfg(unix)]
pub(super) fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
pub(super) fn make_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Takes the rights of others from a store that is about to be written, and tells what was found.
///
/// The file itself is never opened here: closing it would release the locks that this process holds on it.
#[cfg(unix)]
pub(super) fn make_private(path: &Path) -> Vec<String> {
    use super::holder::suffixed;
    use std::os::unix::fs::PermissionsExt;

    let mut notes = Vec::new();
    for file in [path.to_owned(), suffixed(path, "-wal"), suffixed(path, "-shm")] {
        let Ok(found) = file.symlink_metadata() else { continue };
        let mode = found.permissions().mode() & 0o777;
        if !found.is_file() || mode & 0o077 == 0 {
            continue;
        }
        let private = std::fs::Permissions::from_mode(mode & 0o700);
        notes.push(match std::fs::set_permissions(&file, private) {
            Ok(()) => {
                format!("{} could be used by others (mode {mode:04o}); it is private now", file.display())
            }
            Err(error) => format!(
                "{} can be used by others (mode {mode:04o}) and could not be made private: {error}",
                file.display()
            ),
        });
    }
    if let Some(folder) = path.parent()
        && let Ok(found) = folder.metadata()
        && found.permissions().mode() & 0o022 != 0
    {
        let mode = found.permissions().mode() & 0o7777;
        notes.push(format!("others may change the folder {} (mode {mode:04o})", folder.display()));
    }
    notes
}

#[cfg(not(unix))]
pub(super) fn make_private(_: &Path) -> Vec<String> {
    Vec::new()
}
