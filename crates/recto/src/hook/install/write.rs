//! An agent's file, changed on the disk: whole or not at all, after a copy of what was in it.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
};

use crate::failure::{Failure, Outcome};

/// What a file becomes; `None`: it is not there.
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(super) copy: Copy,
    /// What the person should know besides.
    pub(crate) note: Option<String>,
}

/// Whether what was in the file is copied before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// It can be had anyway.
    No,
    /// If there is no copy: else that one was made when recto had not changed the file yet.
    Once,
    /// Even if there is a copy, which is then of another time.
    Anew,
}

/// Behind the name of the file of which it is a copy.
const BACKUP: &str = ".recto-backup";
/// Behind that, for a copy in whose place another came.
const OLD: &str = ".old";
/// Behind the name of the file that it becomes.
const NEW: &str = ".recto-new";
/// Links that lead to links, at most.
const MOST_LINKS: usize = 40;

impl Change {
    pub(crate) fn is_none(&self) -> bool {
        self.before == self.after
    }

    /// Writes it. What was there is copied first; the copy goes once the file is again as it was.
    pub(crate) fn write(&self) -> Outcome<()> {
        let failed = |error: io::Error| Failure::writing(&self.path, &error);
        let path = behind_links(&self.path).map_err(failed)?;
        let copy = backup(&self.path);
        let mode = fs::metadata(&path).map_or(0o600, |about| about.permissions().mode() & 0o777);
        self.keep(&copy, mode)?;
        let Some(after) = &self.after else { return fs::remove_file(&path).map_err(failed) };
        replace(&path, after, mode).map_err(failed)?;
        if self.before.is_some()
            && is_file(&copy)
            && fs::read_to_string(&copy).is_ok_and(|text| text == *after)
        {
            let _ = fs::remove_file(&copy);
        }
        Ok(())
    }

    /// Copies what was in the file.
    fn keep(&self, copy: &Path, mode: u32) -> Outcome<()> {
        let failed = |error: io::Error| Failure::writing(copy, &error);
        let Some(before) = self.before.as_ref().filter(|_| self.copy != Copy::No) else { return Ok(()) };
        match fs::symlink_metadata(copy) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
            Ok(about) if !about.is_file() => {
                return Err(Failure::job(format!(
                    "{}, where the copy of the file would be, is a link or a folder",
                    copy.display()
                ))
                .hint("nothing was changed; move it away first"));
            }
            Ok(_)
                if self.copy == Copy::Once || fs::read_to_string(copy).is_ok_and(|text| text == *before) =>
            {
                return Ok(());
            }
            Ok(_) => fs::rename(copy, with(copy, OLD)).map_err(failed)?,
        }
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(copy).map_err(failed)?;
        file.write_all(before.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }
}

/// Where a file's copy is.
pub(super) fn backup(path: &Path) -> PathBuf {
    with(path, BACKUP)
}

/// The text of the copy of a file, if there is one.
pub(super) fn copied(path: &Path) -> Option<String> {
    let copy = backup(path);
    is_file(&copy).then(|| fs::read_to_string(copy).ok()).flatten()
}

/// Puts a text in the place of a file, with the file's mode, and its owner if that can be.
fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = with(path, NEW);
    // One that was left behind when a recto was killed.
    if let Err(error) = fs::remove_file(&new)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    let written = || {
        file.write_all(text.as_bytes())?;
        if let Ok(about) = fs::metadata(path)
            && file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (about.uid(), about.gid()))
        {
            // Only root may.
            let _ = fchown(&file, Some(about.uid()), Some(about.gid()));
        }
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    let written = { written }();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// The file to which links lead, there or not: they stay links.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or_else(|| Path::new(".")).join(target),
            // It is no link, or not there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link that leads to too many others"))
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_file())
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
