//! Which databases are opened, and what is said of those that are not.

use std::time::{Duration, Instant};

use recto_archive::{Archive, ArchiveError, Mode, PostgresArchive, PostgresOptions, Scope, block_on};
use recto_testkit::postgres;

use super::{open, open_at};

fn refused(url: &str) -> ArchiveError {
    PostgresArchive::open(url, &PostgresOptions::new()).unwrap_err()
}

/// An address that cannot be used says so, at once, and never shows its password.
#[test]
fn unusable_addresses_are_refused() {
    let Some(database) = postgres::database() else { return };
    let elsewhere = database.url().replacen("/recto_test", "/no_such_database", 1);
    let since = Instant::now();
    for (url, why) in [
        ("postgresql://me:secret@db.example/team".to_owned(), "sslmode=disable"),
        ("postgresql://me:secret@127.0.0.1:1/team".to_owned(), "postgresql://me@127.0.0.1:1/team"),
        (
            "postgresql:///team?host=/nowhere&user=me&password=secret".to_owned(),
            "postgresql://me@/nowhere/team",
        ),
        ("mysql://me:secret@127.0.0.1/team".to_owned(), "begin with postgresql://"),
        (elsewhere, "does not exist"),
    ] {
        let error = refused(&url).to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{url}: {error}");
    }
    assert!(since.elapsed() < Duration::from_secs(4), "a server that is not there was waited for");
}

/// A database that a newer recto wrote is left alone.
#[test]
fn a_newer_schema_is_refused() {
    let Some((database, _archive)) = open() else { return };
    database.execute("INSERT INTO recto.schema_version (version) VALUES (7)");
    let error = refused(&database.url());
    assert!(matches!(error, ArchiveError::NewerSchema { found: 7, known: 1, .. }), "{error}");
    assert!(error.to_string().contains("postgresql://"), "{error}");
}

/// A schema of that name with something else in it is left alone; an empty one is taken.
#[test]
fn only_an_empty_schema_is_taken() {
    let Some(database) = postgres::database() else { return };
    database.execute("CREATE SCHEMA recto; CREATE TABLE recto.cakes (x int)");
    let error = refused(&database.url());
    assert!(matches!(error, ArchiveError::Foreign { .. }), "{error}");
    assert_eq!(database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'recto'"), "1");
    database.execute("DROP TABLE recto.cakes");
    open_at(&database);
}

/// Text of all languages needs a database that holds it.
#[test]
fn another_encoding_is_refused() {
    let Some(database) = postgres::database() else { return };
    let name = format!("{}_latin", database.value("SELECT current_database()"));
    database.execute(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1'"));
    let error = refused(&database.url().replacen(&database.value("SELECT current_database()"), &name, 1));
    database.execute(&format!("DROP DATABASE {name} WITH (FORCE)"));
    assert!(error.to_string().contains("LATIN1"), "{error}");
}

/// What is opened for reading is read, not written; where there is no archive yet none is made.
#[test]
fn what_is_opened_for_reading_is_not_written() {
    let Some(database) = postgres::database() else { return };
    let reading = PostgresOptions::new().read_only(true);
    let absent = reading.open(&database.url()).unwrap_err();
    assert!(matches!(absent, ArchiveError::ReadOnly { .. }), "{absent}");
    let (archive, scope) = (open_at(&database), Scope::local());
    let digest = block_on(archive.put(&scope, b"kept")).unwrap();
    let reader = reading.open(&database.url()).unwrap();
    assert!(!reader.is_writable() && archive.is_writable());
    assert_eq!(block_on(reader.get(&scope, &digest, 0..9)).unwrap(), b"kept");
    assert_eq!(block_on(reader.describe()).unwrap().mode, Mode::ReadOnly);
    for refused in [
        block_on(reader.put(&scope, b"new")).map(drop),
        block_on(reader.begin(&scope, "run")).map(drop),
        block_on(reader.gc(&recto_archive::Retention::default(), false)).map(drop),
        block_on(reader.lease(&scope, &"log".parse().unwrap(), 9)).map(drop),
    ] {
        assert!(matches!(refused, Err(ArchiveError::ReadOnly { .. })), "{refused:?}");
    }
    assert!(block_on(reader.verify(&|_| {})).unwrap().is_sound());
}

/// A user without rights is told which are needed.
#[test]
fn missing_rights_are_told() {
    let Some((database, archive)) = open() else { return };
    block_on(archive.put(&Scope::local(), b"kept")).unwrap();
    let role = format!("{}_reader", database.value("SELECT current_database()"));
    database.execute(&format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA recto TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA recto TO {role}"
    ));
    let url = database.url().replacen("//recto@", &format!("//{role}@"), 1);
    let put = PostgresArchive::open(&url, &PostgresOptions::new())
        .and_then(|archive| block_on(archive.put(&Scope::local(), b"new")));
    database.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    let error = put.unwrap_err();
    assert!(
        matches!(error, ArchiveError::ReadOnly { .. }) && error.to_string().contains("rights"),
        "{error}"
    );
}

/// Whoever runs the store is told of what matters, and sees no password.
#[test]
fn a_store_says_what_it_is() {
    let Some((database, archive)) = open() else { return };
    let described = block_on(archive.describe()).unwrap();
    assert!(described.engine.starts_with("PostgreSQL 1"), "{described:?}");
    assert_eq!((described.schema, described.path, described.mode), (1, None, Mode::ReadWrite));
    assert!(described.occupied_bytes > 0);
    drop(block_on(archive.begin(&Scope::local(), "left")).unwrap());
    let notes = block_on(archive.health()).unwrap().notes.join("\n");
    assert!(notes.contains("1 runs were abandoned"), "{notes}");
    let fsync = database.value("SHOW fsync");
    assert_eq!(notes.contains("fsync = off"), fsync == "off", "{notes}");
    assert!(archive.place().starts_with("postgresql://") && format!("{archive:?}").contains(archive.place()));
}
