//! Originals that arrive in pieces. That they survive a kill is for each implementation to show, with a process.

use super::{Fixture, log_lines, noise};
use crate::{ArchiveError, CHUNK_BYTES, Digest, RunState, Scope, Writer, block_on};

fn begin(fixture: &Fixture, label: &str) -> Box<dyn Writer> {
    block_on(fixture.archive.begin(&Scope::local(), label)).unwrap()
}

/// Finishing gives the digest of all that was written; the run is then over.
pub fn a_finished_run_is_an_original(fixture: &Fixture) {
    let mut writer = begin(fixture, "echo");
    let run = writer.run_id().clone();
    for piece in [&b"one\n"[..], b"", b"two\n"] {
        writer.write(piece).unwrap();
    }
    let digest = writer.finish().unwrap();
    assert_eq!(digest, Digest::of(b"one\ntwo\n"));
    assert_eq!(fixture.get(&digest).unwrap(), b"one\ntwo\n");
    assert_eq!(block_on(fixture.archive.runs(&Scope::local())).unwrap(), []);
    assert_eq!(block_on(fixture.archive.adopt(&Scope::local(), &run)).unwrap(), digest);
    let gone = block_on(fixture.archive.read_run(&Scope::local(), &run, 0..9));
    assert!(matches!(gone, Err(ArchiveError::NotFound { .. })));
}

/// What is flushed can be read while the run lives; flushed and unflushed together are all that was written.
pub fn flushed_bytes_can_be_read(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let mut writer = begin(fixture, "cargo test");
    writer.write(b"first ").unwrap();
    assert_eq!((writer.flushed_bytes(), writer.unflushed()), (0, &b"first "[..]));
    writer.flush().unwrap();
    writer.write(b"second").unwrap();
    assert_eq!((writer.flushed_bytes(), writer.unflushed()), (6, &b"second"[..]));
    let runs = block_on(archive.runs(&scope)).unwrap();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((&run.id, run.label.as_str(), run.bytes), (writer.run_id(), "cargo test", 6));
    assert_eq!((run.state, run.started_unix_ms), (RunState::Live, super::START_UNIX_MS));
    assert_eq!(block_on(archive.read_run(&scope, &run.id, 0..99)).unwrap(), b"first ");
    writer.flush().unwrap();
    writer.flush().unwrap();
    assert_eq!(block_on(archive.read_run(&scope, &run.id, 4..8)).unwrap(), b"t se");
}

/// A writer that is dropped leaves its run, with all that it was given, to whoever adopts it.
pub fn an_abandoned_run_is_adopted(fixture: &Fixture) {
    let (archive, scope) = (&fixture.archive, Scope::local());
    let bytes = log_lines(5, 300_000);
    let mut writer = begin(fixture, "left");
    bytes.chunks(10_000).for_each(|piece| writer.write(piece).unwrap());
    drop(writer);
    let runs = block_on(archive.runs(&scope)).unwrap();
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((run.state, run.bytes), (RunState::Abandoned, 300_000));
    let digest = block_on(archive.adopt(&scope, &run.id)).unwrap();
    assert_eq!(digest, Digest::of(&bytes));
    assert!(fixture.get(&digest).unwrap() == bytes);
    assert_eq!(block_on(archive.runs(&scope)).unwrap(), []);
}

/// Many adopters at once get one digest.
pub fn adopting_is_idempotent_and_safe(fixture: &Fixture) {
    let bytes = noise(8, 3_000_000);
    let mut writer = begin(fixture, "left");
    writer.write(&bytes).unwrap();
    let run = writer.run_id().clone();
    drop(writer);
    std::thread::scope(|threads| {
        let adopt = || block_on(fixture.archive.adopt(&Scope::local(), &run)).unwrap();
        let adopters: Vec<_> = (0..6).map(|_| threads.spawn(adopt)).collect();
        for adopter in adopters {
            assert_eq!(adopter.join().unwrap(), Digest::of(&bytes));
        }
    });
    assert!(fixture.get(&Digest::of(&bytes)).unwrap() == bytes);
    let unknown = "0000".parse().unwrap();
    assert!(matches!(
        block_on(fixture.archive.adopt(&Scope::local(), &unknown)),
        Err(ArchiveError::NotFound { .. })
    ));
}

/// A run whose writer lives cannot be adopted, and loses nothing by the attempt.
pub fn a_live_run_is_left_alone(fixture: &Fixture) {
    let mut writer = begin(fixture, "live");
    writer.write(b"a").unwrap();
    writer.flush().unwrap();
    let run = writer.run_id().clone();
    let refused = block_on(fixture.archive.adopt(&Scope::local(), &run));
    assert!(matches!(refused, Err(ArchiveError::RunLive { .. })), "{refused:?}");
    writer.write(b"b").unwrap();
    assert_eq!(writer.finish().unwrap(), Digest::of(b"ab"));
}

/// Pieces of all sizes, flushed at odd moments, come back as one.
pub fn small_flushes_and_long_writes_tile(fixture: &Fixture) {
    let bytes = [noise(4, 200_000), log_lines(4, 4 * CHUNK_BYTES + 123)].concat();
    let mut writer = begin(fixture, "odd");
    let (mut rest, mut turn) = (bytes.as_slice(), 0_usize);
    while !rest.is_empty() {
        turn += 1;
        let sizes = [1, 7, 4096, 65_536, 65_535, 65_537, 100, 3 * CHUNK_BYTES / 2, 13];
        let (piece, after) = rest.split_at(sizes[turn % sizes.len()].min(rest.len()));
        writer.write(piece).unwrap();
        if turn % 4 != 0 {
            writer.flush().unwrap();
        }
        rest = after;
    }
    let digest = writer.finish().unwrap();
    assert_eq!(digest, Digest::of(&bytes));
    assert!(fixture.get(&digest).unwrap() == bytes);
    for at in (0..bytes.len()).step_by(99_991) {
        let got =
            block_on(fixture.archive.get(&Scope::local(), &digest, at as u64..at as u64 + 70_000)).unwrap();
        assert!(got == bytes[at..bytes.len().min(at + 70_000)], "at {at}");
    }
}

/// A command that prints nothing leaves an empty original.
pub fn an_empty_run_is_an_empty_original(fixture: &Fixture) {
    assert_eq!(begin(fixture, "true").finish().unwrap(), Digest::of(b""));
    let writer = begin(fixture, "killed");
    let run = writer.run_id().clone();
    drop(writer);
    assert_eq!(block_on(fixture.archive.adopt(&Scope::local(), &run)).unwrap(), Digest::of(b""));
    assert_eq!(fixture.get(&Digest::of(b"")).unwrap(), b"");
}

/// The same output twice is one original.
pub fn a_run_of_known_bytes_is_stored_once(fixture: &Fixture) {
    let bytes = noise(6, 500_000);
    fixture.put(&bytes);
    for _ in 0..2 {
        let mut writer = begin(fixture, "again");
        writer.write(&bytes).unwrap();
        assert_eq!(writer.finish().unwrap(), Digest::of(&bytes));
    }
    let described = block_on(fixture.archive.describe()).unwrap();
    assert_eq!((described.originals, described.source_bytes), (1, 500_000));
    assert!(fixture.get(&Digest::of(&bytes)).unwrap() == bytes);
}
