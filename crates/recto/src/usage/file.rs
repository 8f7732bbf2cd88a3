//! Files of lines that several processes append to.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

use rustix::fs::OFlags;

/// Longest line that is read: what is written is shorter, whatever stands in it.
pub(super) const MOST_LINE_BYTES: u64 = 64 << 10;

/// Opens a plain file: no link, which somebody else may have put there, and no pipe, which would be waited for.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path).map_err(|error| {
        if path.is_symlink() {
            io::Error::other("it is a symbolic link, which is not followed")
        } else {
            error
        }
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a plain file")) }
}

/// Appends whole lines by one write, below a line that a full disk has cut. Makes the file, and its folder, if need be; gives the
/// file's length.
pub(crate) fn append(path: &Path, lines: &[u8]) -> io::Result<u64> {
    let options = || OpenOptions::new().read(true).append(true).create(true).mode(0o600).to_owned();
    let mut file = match open(path, &mut options()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            open(path, &mut options())?
        }
        other => other?,
    };
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        // Whoever cut the file meanwhile left no half line.
        let _ = file.read(&mut last)?;
    }
    if last == [b'\n'] {
        file.write_all(lines)?;
    } else {
        file.write_all(&[b"\n", lines].concat())?;
    }
    Ok(length.saturating_add(lines.len() as u64))
}

/// Hands every line of a file to `each`, but empty ones; `None` for one that is too long. No file has no lines.
pub(crate) fn lines(path: &Path, mut each: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let file = match open(path, OpenOptions::new().read(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let mut file = BufReader::with_capacity(256 << 10, file);
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        line.clear();
        let read = file.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut line)?;
        let is_whole = line.pop_if(|last| *last == b'\n').is_some();
        if read == 0 {
            if is_too_long {
                each(None);
            }
            return Ok(());
        }
        if !is_whole && read as u64 == MOST_LINE_BYTES {
            is_too_long = true;
        } else if std::mem::take(&mut is_too_long) {
            each(None);
        } else if !line.is_empty() {
            each(Some(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        lines(path, |line| found.push(line.map(<[u8]>::len))).unwrap();
        found
    }

    #[test]
    fn a_half_line_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/lines");
        assert!(read(&path).is_empty());
        append(&path, b"one\n").unwrap();
        append(&path, b"half").unwrap();
        append(&path, b"two\n").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\nhalf\ntwo\n");
        append(&path, &vec![b'x'; 200_000]).unwrap();
        append(&path, b"three\n").unwrap();
        assert_eq!(read(&path), [Some(3), Some(4), Some(3), None, Some(5)]);
    }

    #[test]
    fn links_and_pipes_are_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link, pipe) =
            (folder.path().join("target"), folder.path().join("link"), folder.path().join("pipe"));
        std::fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for path in [&link, &pipe, &folder.path().to_owned()] {
            assert!(append(path, b"x\n").is_err() && lines(path, |_| ()).is_err(), "{}", path.display());
        }
        assert_eq!(std::fs::read(&target).unwrap(), b"kept");
    }
}
