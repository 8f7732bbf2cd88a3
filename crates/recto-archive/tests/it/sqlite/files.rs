//! Whose file it is, and who may read it.

use std::fs;
use std::path::Path;

use recto_archive::{Archive, ArchiveError, OpenOptions, Scope, SqliteArchive, block_on};
use rusqlite::Connection;

use super::{beside, place};

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn all_files_are_private() {
    let (folder, _) = place();
    let path = folder.path().join("a/b/recto.db");
    let archive = SqliteArchive::open(&path).unwrap();
    let mut run = block_on(archive.begin(&Scope::local(), "run")).unwrap();
    run.write(b"a").unwrap();
    run.flush().unwrap();
    for made in ["a", "a/b", "a/b/recto.db-runs"] {
        assert_eq!(mode(&folder.path().join(made)), 0o700, "{made}");
    }
    let locks = fs::read_dir(beside(&path, "-runs")).unwrap().map(|entry| entry.unwrap().path());
    for file in locks.chain([path.clone(), beside(&path, "-wal"), beside(&path, "-shm")]) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    let mut names: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["recto.db", "recto.db-runs", "recto.db-shm", "recto.db-wal"]);
    assert_eq!(block_on(archive.health()).unwrap().notes, [""; 0]);
}

#[cfg(unix)]
#[test]
fn wider_rights_are_taken_away_and_told() {
    let (folder, path) = place();
    drop(SqliteArchive::open(&path).unwrap());
    set_mode(&path, 0o644);
    set_mode(folder.path(), 0o777);
    let archive = SqliteArchive::open(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(folder.path()), 0o777, "a folder that was there is its owner's affair");
    let notes = block_on(archive.health()).unwrap().notes;
    let [file, around] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(file.contains("recto.db") && file.contains("0644") && file.contains("is private now"), "{file}");
    assert!(around.contains("others may change the folder"), "{around}");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed() {
    let (folder, path) = place();
    let real = folder.path().join("real");
    drop(SqliteArchive::open(real.join("recto.db")).unwrap());
    std::os::unix::fs::symlink(real.join("recto.db"), &path).unwrap();
    for read_only in [false, true] {
        let error = OpenOptions::new().read_only(read_only).open(&path).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
    }
    let dangling = folder.path().join("dangling.db");
    std::os::unix::fs::symlink(folder.path().join("nowhere.db"), &dangling).unwrap();
    assert!(SqliteArchive::open(&dangling).is_err());
    assert!(!folder.path().join("nowhere.db").exists());
    // A link to the folder is somebody's way to lay it elsewhere: it is resolved.
    std::os::unix::fs::symlink(&real, folder.path().join("link")).unwrap();
    let archive = SqliteArchive::open(folder.path().join("link/recto.db")).unwrap();
    assert_eq!(archive.path(), real.canonicalize().unwrap().join("recto.db"));
}

#[test]
fn foreign_files_are_refused_and_left_alone() {
    let (folder, _) = place();
    let database = folder.path().join("other.db");
    Connection::open(&database)
        .unwrap()
        .execute_batch("CREATE TABLE a (x); INSERT INTO a VALUES (1)")
        .unwrap();
    let text = folder.path().join("text.db");
    fs::write(&text, "Dear diary,\n".repeat(1000)).unwrap();
    let empty = folder.path().join("empty.db");
    fs::write(&empty, "").unwrap();
    for (file, found) in
        [(database, "application_id"), (text, "not a SQLite database"), (empty, "an empty file")]
    {
        let before = fs::read(&file).unwrap();
        for read_only in [false, true] {
            let error = OpenOptions::new().read_only(read_only).open(&file).unwrap_err();
            assert!(matches!(error, ArchiveError::Foreign { .. }), "{error}");
            let error = error.to_string();
            assert!(error.contains(found) && error.contains(&file.display().to_string()), "{error}");
        }
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    assert!(OpenOptions::new().open(folder.path()).is_err(), "a folder is not a file");
}

#[test]
fn a_newer_schema_is_refused() {
    let (_folder, path) = place();
    drop(SqliteArchive::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for read_only in [false, true] {
        let error = OpenOptions::new().read_only(read_only).open(&path).unwrap_err();
        assert!(matches!(error, ArchiveError::NewerSchema { found: 99, known: 2, .. }), "{error}");
    }
}

#[test]
fn a_store_that_is_not_there_is_made_only_if_asked() {
    let (_folder, path) = place();
    for options in [OpenOptions::new().create(false), OpenOptions::new().read_only(true)] {
        let error = options.open(&path).unwrap_err();
        assert!(matches!(error, ArchiveError::Io { .. }), "{error}");
        assert!(!path.exists());
    }
}
