use std::path::{Path, PathBuf};
use std::sync::Arc;

use recto_archive::conformance::Fixture;
use recto_archive::{Archive, OpenOptions};

fn make() -> Fixture {
    Fixture::new(|clock| {
        let folder = tempfile::tempdir().unwrap();
        let archive = OpenOptions::new().clock(clock).open(folder.path().join("recto.db")).unwrap();
        (Arc::new(archive) as Arc<dyn Archive>, folder)
    })
}

recto_archive::conformance_tests!(make);

/// A folder of its own and a path for a store in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recto.db");
    (folder, path)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

mod damage;
mod files;
mod log;
mod migration;
mod processes;
mod room;
mod rows;
mod writers;
