//! Many processes that append to one log, and are killed.

use std::time::Duration;

use recto_archive::SqliteArchive;

use super::place;
use crate::killed_writers;

#[test]
fn killed_writers_lose_and_double_nothing() {
    let (_folder, path) = place();
    let open = || Box::new(SqliteArchive::open(&path).unwrap()) as Box<dyn recto_archive::Archive>;
    killed_writers::lose_and_double_nothing(&path, open, Duration::from_secs(6), 500);
}
