//! Bytes in, bytes out.

use std::sync::Mutex;

use super::{Fixture, log_lines, noise};
use crate::{ArchiveError, CHUNK_BYTES, Digest, Kind, Scope, block_on};

/// The same bytes have the same digest, and are there once.
pub fn putting_again_changes_nothing(fixture: &Fixture) {
    let digest = fixture.put(b"hello");
    assert_eq!(digest, Digest::of(b"hello"));
    let before = block_on(fixture.archive.describe()).unwrap();
    for _ in 0..3 {
        assert_eq!(fixture.put(b"hello"), digest);
        // Long enough for the archive to write down that it was put again.
        fixture.clock.advance(std::time::Duration::from_secs(400));
    }
    let after = block_on(fixture.archive.describe()).unwrap();
    assert_eq!((after.originals, after.source_bytes), (1, 5));
    assert_eq!((before.originals, before.stored_bytes), (after.originals, after.stored_bytes));
    assert_eq!(fixture.get(&digest).unwrap(), b"hello");
}

/// Unknown digests are `NotFound`, and have no description.
pub fn what_was_never_put_is_not_found(fixture: &Fixture) {
    let digest = Digest::of(b"never");
    assert!(matches!(fixture.get(&digest), Err(ArchiveError::NotFound { .. })));
    assert_eq!(block_on(fixture.archive.stat(&Scope::local(), &digest)).unwrap(), None);
}

/// Any range gives that slice, clipped to the bytes that there are, also across chunks.
pub fn ranges_are_slices(fixture: &Fixture) {
    let bytes = [noise(1, CHUNK_BYTES + 17), log_lines(2, 2 * CHUNK_BYTES)].concat();
    let digest = fixture.put(&bytes);
    let end = bytes.len();
    let edges = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, end - 1, end, end + 9];
    for start in edges {
        for stop in edges {
            let got =
                block_on(fixture.archive.get(&Scope::local(), &digest, start as u64..stop as u64)).unwrap();
            let wanted = bytes.get(start.min(end)..stop.min(end)).unwrap_or_default();
            assert!(got == wanted, "{start}..{stop}: {} bytes of {}", got.len(), wanted.len());
        }
    }
}

/// Zero bytes are an original like any other.
pub fn an_empty_original_is_an_original(fixture: &Fixture) {
    let digest = fixture.put(b"");
    assert_eq!(fixture.get(&digest).unwrap(), b"");
    assert_eq!(block_on(fixture.archive.stat(&Scope::local(), &digest)).unwrap().unwrap().bytes, 0);
    assert_eq!(block_on(fixture.archive.get(&Scope::local(), &digest, 3..9)).unwrap(), b"");
}

/// 100 MB come back whole, and in part.
pub fn a_large_original_comes_back(fixture: &Fixture) {
    let bytes = log_lines(7, 100_000_000);
    let digest = fixture.put(&bytes);
    assert!(fixture.get(&digest).unwrap() == bytes);
    let part = block_on(fixture.archive.get(&Scope::local(), &digest, 77_777_777..77_777_799)).unwrap();
    assert_eq!(part, bytes[77_777_777..77_777_799]);
}

/// A map that is also an original is an original, in whichever order they were put.
pub fn bytes_put_as_both_kinds_are_an_original(fixture: &Fixture) {
    let scope = Scope::local();
    let kind = |digest| block_on(fixture.archive.stat(&scope, &digest)).unwrap().unwrap().kind;
    let first = block_on(fixture.archive.put_map(&scope, b"{}")).unwrap();
    assert_eq!(kind(first), Kind::Map);
    assert_eq!(fixture.put(b"{}"), first);
    assert_eq!(kind(first), Kind::Original);
    // Late enough for the archive to write down the second putting.
    fixture.clock.advance(std::time::Duration::from_secs(400));
    block_on(fixture.archive.put_map(&scope, b"{}")).unwrap();
    assert_eq!(kind(first), Kind::Original);
}

/// Paging visits everything once, in the order of the digests.
pub fn originals_are_listed_page_by_page(fixture: &Fixture) {
    let mut all: Vec<Digest> = (0..25_u32).map(|number| fixture.put(&number.to_le_bytes())).collect();
    all.sort_unstable();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = block_on(fixture.archive.originals(&Scope::local(), after.as_ref(), 7)).unwrap();
        assert!(page.len() <= 7);
        let Some(last) = page.last() else { break };
        after = Some(last.digest);
        seen.extend(page.iter().map(|stat| stat.digest));
    }
    assert_eq!(seen, all);
}

/// Sound bytes verify, and progress ends at their length.
pub fn everything_verifies(fixture: &Fixture) {
    let sizes = [0, 1, 1000, CHUNK_BYTES, CHUNK_BYTES * 5 + 1];
    for size in sizes {
        fixture.put(&noise(3, size));
    }
    let last = Mutex::new(None);
    let report =
        block_on(fixture.archive.verify(&|progress| *last.lock().unwrap() = Some(progress))).unwrap();
    let total = sizes.iter().sum::<usize>() as u64;
    assert!(report.is_sound(), "{:?}", report.damaged);
    assert_eq!((report.originals, report.bytes), (5, total));
    let last = last.lock().unwrap().expect("progress was told");
    assert_eq!((last.done_bytes, last.total_bytes), (total, total));
}

/// Eight threads that put and issue at once find all they did.
pub fn threads_lose_nothing(fixture: &Fixture) {
    let (scope, archive) = (Scope::local(), &fixture.archive);
    std::thread::scope(|threads| {
        for thread in 0..8_u32 {
            let scope = &scope;
            threads.spawn(move || {
                for number in 0..40_u32 {
                    // Every third is the same for all threads.
                    let owner = if number % 3 == 0 { 99 } else { thread };
                    let bytes = format!("{owner} {number}");
                    let digest = block_on(archive.put(scope, bytes.as_bytes())).unwrap();
                    block_on(archive.issue(scope, &crate::Target::Original(digest))).unwrap();
                    assert_eq!(block_on(archive.get(scope, &digest, 0..99)).unwrap(), bytes.as_bytes());
                }
            });
        }
    });
    let kept = block_on(archive.originals(&scope, None, 1000)).unwrap().len();
    assert_eq!(kept, 14 + 8 * 26);
    assert_eq!(block_on(archive.refs(&scope, None, 1000)).unwrap().len(), kept);
}
