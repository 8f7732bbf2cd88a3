//! The same for PostgreSQL, on a Unix socket and without waiting for the disk, where a server is to be had.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use recto_archive::conformance::{log_lines, noise};
use recto_archive::{Archive, PostgresArchive, PostgresOptions, Scope, block_on};
use recto_testkit::postgres::{self, Database};

use super::{BATCHES, EVENT_BYTES, SIZES, append, target};

fn open() -> Option<(Database, PostgresArchive)> {
    let database = postgres::database()?;
    let archive = open_at(&database);
    Some((database, archive))
}

fn open_at(database: &Database) -> PostgresArchive {
    PostgresArchive::open(&database.url(), &PostgresOptions::new()).unwrap()
}

#[divan::bench(args = SIZES, sample_count = 30, sample_size = 1)]
fn put_log(bencher: Bencher<'_, '_>, size: usize) {
    let Some((_database, archive)) = open() else { return };
    let mut seed = 0;
    bencher
        .counter(BytesCount::new(size))
        .with_inputs(|| {
            seed += 1_000_000;
            log_lines(seed, size)
        })
        .bench_local_refs(|bytes| block_on(archive.put(&Scope::local(), bytes)).unwrap());
}

#[divan::bench(args = SIZES, sample_count = 30, sample_size = 1)]
fn put_noise(bencher: Bencher<'_, '_>, size: usize) {
    let Some((_database, archive)) = open() else { return };
    let mut seed = 0;
    bencher
        .counter(BytesCount::new(size))
        .with_inputs(|| {
            seed += 1;
            noise(seed, size)
        })
        .bench_local_refs(|bytes| block_on(archive.put(&Scope::local(), bytes)).unwrap());
}

#[divan::bench(args = SIZES)]
fn put_again(bencher: Bencher<'_, '_>, size: usize) {
    let Some((_database, archive)) = open() else { return };
    let bytes = log_lines(1, size);
    bencher.counter(BytesCount::new(size)).bench(|| block_on(archive.put(&Scope::local(), &bytes)).unwrap());
}

#[divan::bench(args = SIZES)]
fn get_whole(bencher: Bencher<'_, '_>, size: usize) {
    let Some((_database, archive)) = open() else { return };
    let digest = block_on(archive.put(&Scope::local(), &log_lines(1, size))).unwrap();
    bencher
        .counter(BytesCount::new(size))
        .bench(|| block_on(archive.get(&Scope::local(), &digest, 0..u64::MAX)).unwrap());
}

/// One line of output made safe.
#[divan::bench]
fn flush_line(bencher: Bencher<'_, '_>) {
    let Some((_database, archive)) = open() else { return };
    let mut writer = block_on(archive.begin(&Scope::local(), "bench")).unwrap();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        writer.write(b"test result: ok. 212 passed; 0 failed; 0 ignored\n").unwrap();
        writer.flush().unwrap();
    });
}

#[divan::bench]
fn issue_new(bencher: Bencher<'_, '_>) {
    let Some((_database, archive)) = open() else { return };
    let mut number = 0;
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| {
            number += 1;
            target(&archive, number)
        })
        .bench_local_refs(|target| block_on(archive.issue(&Scope::local(), target)).unwrap());
}

#[divan::bench]
fn issue_again(bencher: Bencher<'_, '_>) {
    let Some((_database, archive)) = open() else { return };
    let target = target(&archive, 0);
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.issue(&Scope::local(), &target)).unwrap());
}

#[divan::bench]
fn resolve(bencher: Bencher<'_, '_>) {
    let Some((_database, archive)) = open() else { return };
    let name = block_on(archive.issue(&Scope::local(), &target(&archive, 0))).unwrap();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.resolve(&Scope::local(), &name)).unwrap());
}

#[divan::bench(args = BATCHES, consts = EVENT_BYTES, sample_count = 100, sample_size = 20)]
fn append_events<const BYTES: usize>(bencher: Bencher<'_, '_>, batch: usize) {
    let Some((_database, archive)) = open() else { return };
    append(bencher, &archive, batch, BYTES);
}

/// Taking a lease and giving it back.
#[divan::bench]
fn lease_and_release(bencher: Bencher<'_, '_>) {
    let Some((_database, archive)) = open() else { return };
    let name = "session/bench".parse().unwrap();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let lease = block_on(archive.lease(&Scope::local(), &name, 30)).unwrap();
        block_on(archive.release(&Scope::local(), &name, lease.fence)).unwrap();
    });
}

/// Connecting to a database that has an archive.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn open_again(bencher: Bencher<'_, '_>) {
    let Some((database, _archive)) = open() else { return };
    bencher.bench_local(|| open_at(&database));
}
