use std::{
    io,
    path::{Path, PathBuf},
};

use recto_wire::{Format, Layout, Record};

/// A file of a transcript.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
}

impl Part {
    /// Adds what a file's place says and its bytes do not.
    pub(super) fn complete(&self, record: &mut Record) {
        let _ = record;
    }
}

/// The files of the session that `path` is of.
pub(super) fn of(path: &Path, format: Format) -> io::Result<Vec<Part>> {
    if format.layout() != Layout::Files {
        return Ok(vec![Part { path: path.to_owned() }]);
    }
    Ok(vec![Part { path: path.to_owned() }])
}
