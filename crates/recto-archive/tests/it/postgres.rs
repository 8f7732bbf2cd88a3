use std::path::Path;
use std::sync::Arc;

use recto_archive::conformance::Fixture;
use recto_archive::{Archive, PostgresArchive, PostgresOptions};
use recto_testkit::postgres::{self, Database};

fn make() -> Option<Fixture> {
    let database = postgres::database()?;
    let fixture = Fixture::new(|clock| {
        let archive = PostgresOptions::new().clock(clock).open(&database.url()).unwrap();
        (Arc::new(archive) as Arc<dyn Archive>, database)
    });
    Some(fixture.with_server_clock())
}

recto_archive::conformance_tests!(make);

/// An archive with the defaults in a database of its own.
fn open() -> Option<(Database, PostgresArchive)> {
    let database = postgres::database()?;
    let archive = open_at(&database);
    Some((database, archive))
}

fn open_at(database: &Database) -> PostgresArchive {
    PostgresArchive::open(&database.url(), &PostgresOptions::new()).unwrap()
}

/// What a child process is given as the place of its store.
fn place(database: &Database) -> Box<Path> {
    Path::new(&database.url()).into()
}

mod address;
mod async_callers;
mod damage;
mod processes;
mod restart;
mod sharing;
mod writers;
