//! Many processes that append to one log, and are killed.

use std::time::Duration;

use recto_archive::Archive;
use recto_testkit::postgres;

use super::{open_at, place};
use crate::killed_writers;

#[test]
fn killed_writers_lose_and_double_nothing() {
    let Some(database) = postgres::database() else { return };
    // Made before all begin, as the many might not have it made in the time that they have.
    drop(open_at(&database));
    let open = || Box::new(open_at(&database)) as Box<dyn Archive>;
    killed_writers::lose_and_double_nothing(&place(&database), open, Duration::from_secs(10), 200);
}
