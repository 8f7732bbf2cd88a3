//! A file that takes output which the archive does not take.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Bytes copied at once.
const PIECE_BYTES: usize = 1 << 20;

/// Output in a file that only its owner can read.
#[derive(Debug)]
pub(crate) struct Spill {
    file: File,
    bytes: u64,
    path: Option<PathBuf>,
}

impl Spill {
    /// Makes a file in `folder` that stays, however recto ends.
    pub(crate) fn that_stays(folder: &Path) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix("recto-run-").suffix(".out").tempfile_in(folder)?;
        let (file, path) = file.keep().map_err(|error| error.error)?;
        Ok(Self { file, bytes: 0, path: Some(path) })
    }

    /// Makes a file in `folder` that has no name, and is gone however recto ends.
    pub(crate) fn for_now(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, bytes: 0, path: None })
    }

    /// Appends bytes, all of them or none.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        // After an error the file may hold some of them: they lie behind what counts.
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Counts what was written.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its path, if it stays.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Gives all that was written to `take`, piece by piece, in memory for one piece.
    pub(crate) fn read(&self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        let mut left = self.bytes;
        let mut piece = vec![0; PIECE_BYTES];
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE_BYTES);
            let room = piece.get_mut(..wanted).unwrap_or_default();
            file.read_exact(room)?;
            left -= room.len() as u64;
            take(room);
        }
        Ok(())
    }

    /// Takes the file away.
    pub(crate) fn remove(self) {
        if let Some(path) = self.path {
            // What cannot be removed is a file of the user's own in a folder for such files.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn all(spill: &Spill) -> Vec<u8> {
        let mut bytes = Vec::new();
        spill.read(&mut |piece| bytes.extend_from_slice(piece)).unwrap();
        bytes
    }

    #[test]
    fn what_was_written_is_read_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::for_now(folder.path()).unwrap();
        let text = vec![7; 2 * PIECE_BYTES + 5];
        spill.write(&text).unwrap();
        spill.write(b"end").unwrap();
        assert_eq!(spill.bytes(), text.len() as u64 + 3);
        let read = all(&spill);
        assert!(read.starts_with(&text) && read.ends_with(b"end") && read.len() as u64 == spill.bytes());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_stays_is_its_owners_and_can_be_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::that_stays(folder.path()).unwrap();
        spill.write(b"secret").unwrap();
        let path = spill.path().unwrap().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(all(&spill), b"secret");
        spill.remove();
        assert!(!path.exists());
    }

    #[test]
    fn a_write_that_fails_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::for_now(folder.path()).unwrap();
        spill.write(b"before").unwrap();
        let full = File::options().read(true).write(true).open("/dev/full");
        let Ok(full) = full else { return };
        let file = std::mem::replace(&mut spill.file, full);
        assert!(spill.write(b"lost").is_err());
        spill.file = file;
        assert_eq!(all(&spill), b"before");
    }
}
