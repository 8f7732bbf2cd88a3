//! What keeping costs: bytes in and out beside a plain copy, names, events, and opening a store as a command line does.
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use recto_archive::conformance::{log_lines, noise};
use recto_archive::{Archive, Digest, LogId, MemoryArchive, Scope, SqliteArchive, Target, block_on};

fn main() {
    divan::main();
}

fn place() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recto.db");
    (folder, path)
}

const SIZES: [usize; 3] = [4 << 10, 256 << 10, 16 << 20];

#[divan::bench(args = SIZES)]
fn memcpy(bencher: Bencher<'_, '_>, size: usize) {
    let bytes = log_lines(1, size);
    bencher.counter(BytesCount::new(size)).bench(|| black_box(&bytes).to_vec());
}

#[divan::bench(args = SIZES, sample_count = 30, sample_size = 1)]
fn put_log(bencher: Bencher<'_, '_>, size: usize) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
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
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
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
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let bytes = log_lines(1, size);
    bencher.counter(BytesCount::new(size)).bench(|| block_on(archive.put(&Scope::local(), &bytes)).unwrap());
}

#[divan::bench(args = SIZES)]
fn get_whole(bencher: Bencher<'_, '_>, size: usize) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let digest = block_on(archive.put(&Scope::local(), &log_lines(1, size))).unwrap();
    bencher
        .counter(BytesCount::new(size))
        .bench(|| block_on(archive.get(&Scope::local(), &digest, 0..u64::MAX)).unwrap());
}

/// 4 KiB out of the middle of 16 MiB.
#[divan::bench]
fn get_range(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let digest = block_on(archive.put(&Scope::local(), &log_lines(1, 16 << 20))).unwrap();
    let range = (9 << 20) + 5..(9 << 20) + 4101;
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.get(&Scope::local(), &digest, range.clone())).unwrap());
}

/// 16 MiB as a pipe gives them, in pieces of 64 KiB that are each safe when the next one comes.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn journal(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let mut seed = 0;
    bencher
        .counter(BytesCount::new(16_usize << 20))
        .with_inputs(|| {
            seed += 1_000_000;
            log_lines(seed, 16 << 20)
        })
        .bench_local_refs(|bytes| {
            let mut writer = block_on(archive.begin(&Scope::local(), "bench")).unwrap();
            bytes.chunks(64 << 10).for_each(|piece| writer.write(piece).unwrap());
            writer.finish().unwrap()
        });
}

/// One line of output made safe.
#[divan::bench]
fn flush_line(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let mut writer = block_on(archive.begin(&Scope::local(), "bench")).unwrap();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        writer.write(b"test result: ok. 212 passed; 0 failed; 0 ignored\n").unwrap();
        writer.flush().unwrap();
    });
}

fn target(archive: &dyn Archive, number: u64) -> Target {
    let original = block_on(archive.put(&Scope::local(), b"original")).unwrap();
    let map = block_on(archive.put_map(&Scope::local(), b"map")).unwrap();
    Target::View { original, policy: Digest::of(&number.to_le_bytes()), map }
}

#[divan::bench]
fn issue_new(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
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
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let target = target(&archive, 0);
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.issue(&Scope::local(), &target)).unwrap());
}

#[divan::bench]
fn resolve(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let name = block_on(archive.issue(&Scope::local(), &target(&archive, 0))).unwrap();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.resolve(&Scope::local(), &name)).unwrap());
}

#[divan::bench]
fn resolve_in_memory(bencher: Bencher<'_, '_>) {
    let archive = MemoryArchive::new();
    let name = block_on(archive.issue(&Scope::local(), &target(&archive, 0))).unwrap();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| block_on(archive.resolve(&Scope::local(), &name)).unwrap());
}

const BATCHES: [usize; 3] = [1, 16, 100];
const EVENT_BYTES: [usize; 2] = [300, 3_000];

/// Events of one log, appended in batches that are each safe when the next one comes.
fn append(bencher: Bencher<'_, '_>, archive: &dyn Archive, batch: usize, event_bytes: usize) {
    let log = LogId::new("session/bench").unwrap();
    let events: Vec<Vec<u8>> =
        (0..batch).map(|number| log_lines(number as u64 * 1_000, event_bytes)).collect();
    let events: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
    let mut end = 0;
    bencher.counter(ItemsCount::new(batch)).bench_local(|| {
        end = block_on(archive.append(&Scope::local(), &log, end, None, &events, &[])).unwrap();
    });
}

#[divan::bench(args = BATCHES, consts = EVENT_BYTES, sample_count = 100, sample_size = 100)]
fn append_events<const BYTES: usize>(bencher: Bencher<'_, '_>, batch: usize) {
    let (_folder, path) = place();
    append(bencher, &SqliteArchive::open(path).unwrap(), batch, BYTES);
}

#[divan::bench(args = BATCHES, sample_count = 100, sample_size = 100)]
fn append_events_in_memory(bencher: Bencher<'_, '_>, batch: usize) {
    append(bencher, &MemoryArchive::new(), batch, 300);
}

/// 500 events of a log that has 10,000.
#[divan::bench(consts = EVENT_BYTES)]
fn read_events<const BYTES: usize>(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let log = LogId::new("session/bench").unwrap();
    let events: Vec<Vec<u8>> = (0..10_000).map(|number| log_lines(number * 1_000, BYTES)).collect();
    let events: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
    block_on(archive.append(&Scope::local(), &log, 0, None, &events, &[])).unwrap();
    bencher
        .counter(ItemsCount::new(500_usize))
        .bench(|| block_on(archive.read(&Scope::local(), &log, 7_000, 500)).unwrap());
}

/// Taking a lease and giving it back.
#[divan::bench]
fn lease_and_release(bencher: Bencher<'_, '_>) {
    let (_folder, path) = place();
    let archive = SqliteArchive::open(path).unwrap();
    let name = LogId::new("session/bench").unwrap();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let lease = block_on(archive.lease(&Scope::local(), &name, 30)).unwrap();
        block_on(archive.release(&Scope::local(), &name, lease.fence)).unwrap();
    });
}

/// A store with 2,000 originals, closed by everybody.
#[divan::bench]
fn open_closed(bencher: Bencher<'_, '_>) {
    let (_folder, path) = filled();
    bencher.bench(|| SqliteArchive::open(&path).unwrap());
}

/// The same while another process has it open.
#[divan::bench]
fn open_shared(bencher: Bencher<'_, '_>) {
    let (_folder, path) = filled();
    let _other = SqliteArchive::open(&path).unwrap();
    bencher.bench(|| SqliteArchive::open(&path).unwrap());
}

/// All that a small command does: open, put, put a map, issue, close.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn one_command(bencher: Bencher<'_, '_>) {
    let (_folder, path) = filled();
    let mut seed = 1 << 40;
    bencher
        .with_inputs(|| {
            seed += 1_000_000;
            log_lines(seed, 20_000)
        })
        .bench_local_refs(|bytes| {
            let archive = SqliteArchive::open(&path).unwrap();
            let original = block_on(archive.put(&Scope::local(), bytes)).unwrap();
            let map = block_on(archive.put_map(&Scope::local(), &bytes[..300])).unwrap();
            let target = Target::View { original, policy: Digest::of(b"p"), map };
            block_on(archive.issue(&Scope::local(), &target)).unwrap()
        });
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn create(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(place).bench_local_refs(|(_folder, path)| SqliteArchive::open(path).unwrap());
}

fn filled() -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, path) = place();
    let archive = SqliteArchive::open(&path).unwrap();
    for number in 0..2_000_u64 {
        let digest = block_on(archive.put(&Scope::local(), &log_lines(number * 1000, 3_000))).unwrap();
        block_on(archive.issue(&Scope::local(), &Target::Original(digest))).unwrap();
    }
    (folder, path)
}
