//! Who holds the write lock, where the system tells.

use std::path::{Path, PathBuf};

/// Byte of the shared-memory file that a writer locks (`WAL_WRITE_LOCK`, <https://sqlite.org/walformat.html>).
const WRITE_LOCK_BYTE: u64 = 120;

/// How often the system's table is read: a line may be missed while others of it come and go.
const READINGS: usize = 5;

/// Names the process that writes to the database at `path`, as in "process 4711 (recto)". Linux only.
pub(super) fn of_write_lock(path: &Path) -> Option<String> {
    let inode = inode(&suffixed(path, "-shm"))?;
    let read = || holder(&std::fs::read_to_string("/proc/locks").ok()?, inode);
    let process = (0..READINGS).find_map(|_| read())?;
    let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    Some(match name.trim() {
        "" => format!("process {process}"),
        name => format!("process {process} ({name})"),
    })
}

/// Gives `path` with something appended to its file name.
pub(super) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|found| found.ino())
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<u64> {
    None
}

/// Finds the process in a table whose lines read `1: POSIX ADVISORY WRITE 4711 fd:00:131 120 120`.
fn holder(locks: &str, inode: u64) -> Option<u32> {
    let inode = inode.to_string();
    locks.lines().filter(|line| !line.contains("->")).find_map(|line| {
        let [_, _, _, "WRITE", process, file, first, last] =
            *line.split_ascii_whitespace().collect::<Vec<_>>()
        else {
            return None;
        };
        // Locks of one process that touch are one.
        let is_it = first.parse::<u64>().ok()? <= WRITE_LOCK_BYTE && WRITE_LOCK_BYTE <= last.parse().ok()?;
        (is_it && file.rsplit(':').next() == Some(&inode)).then(|| process.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_writer_of_that_file_is_named() {
        let locks = "1: POSIX  ADVISORY  READ  11 fd:00:131 123 123\n\
                     2: POSIX  ADVISORY  WRITE 12 fd:00:132 120 120\n\
                     2: -> POSIX  ADVISORY  WRITE 13 fd:00:131 120 120\n\
                     3: POSIX  ADVISORY  WRITE 14 fd:00:131 120 120\n";
        assert_eq!(holder(locks, 131), Some(14));
        assert_eq!(holder(locks, 133), None);
        assert_eq!(holder("3: POSIX ADVISORY WRITE 14 fd:00:131 120 122", 131), Some(14));
        assert_eq!(holder("3: POSIX ADVISORY WRITE 14 fd:00:131 121 EOF", 131), None);
    }
}
