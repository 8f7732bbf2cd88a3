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
    let archive = PostgresArchive::open(&database.url(), &PostgresOptions::new()).unwrap();
    Some((database, archive))
}
