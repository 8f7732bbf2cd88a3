//! A source from a file or from stdin.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Longest source: offsets are 32 bits wide.
const LIMIT_BYTES: u64 = u32::MAX as u64;

/// Reads all of a file, or of stdin where the path is absent or `-`.
pub(crate) fn read(path: Option<&PathBuf>) -> Outcome<Vec<u8>> {
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => read_file(path),
        None => read_all(&mut io::stdin().lock(), Path::new("stdin"), 0),
    }
}

/// Reads all of a file.
pub(crate) fn read_file(path: &Path) -> Outcome<Vec<u8>> {
    let mut file = File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
    let about = file.metadata().map_err(|error| Failure::file(path, "read", &error))?;
    if about.is_dir() {
        return Err(Failure::usage(format!("{} is a folder", path.display()))
            .hint("name a file, or pipe something in"));
    }
    check_length(about.len(), path)?;
    read_all(&mut file, path, about.len())
}

fn read_all(from: &mut dyn Read, path: &Path, expected: u64) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(LIMIT_BYTES)).unwrap_or(0) + 1);
    let bar = output::progress(expected, "reading");
    bar.wrap_read(from)
        .take(LIMIT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::file(path, "read", &error))?;
    bar.finish_and_clear();
    check_length(bytes.len() as u64, path)?;
    Ok(bytes)
}

fn check_length(bytes: u64, path: &Path) -> Outcome<()> {
    if bytes >= LIMIT_BYTES {
        return Err(Failure::usage(format!(
            "{} has more than the limit of {LIMIT_BYTES} bytes (4 GiB)",
            path.display()
        ))
        .hint("split it, for instance with `split --line-bytes=1G`"));
    }
    Ok(())
}
