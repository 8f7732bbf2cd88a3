//! Nobody sees what another principal put.

use super::{Fixture, names};
use crate::{ArchiveError, Digest, Scope, Target, block_on};

fn other() -> Scope {
    Scope::new("somebody else").unwrap()
}

/// Another scope's originals and names get the very answers that things get which never were.
pub fn another_scope_sees_nothing(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, other());
    let target = fixture.view(b"secret", "policy", b"map");
    let name = fixture.issue(&target);
    let digest = Digest::of(b"secret");
    let never = Digest::of(b"never");

    let text = |digest: &Digest| {
        let error = block_on(archive.get(&other, digest, 0..9)).unwrap_err();
        assert!(matches!(error, ArchiveError::NotFound { .. }));
        error.to_string().replace(&digest.to_string(), "DIGEST")
    };
    assert_eq!(text(&digest), text(&never));
    assert_eq!(block_on(archive.stat(&other, &digest)).unwrap(), None);
    assert_eq!(block_on(archive.resolve(&other, &name)).unwrap(), None);
    assert_eq!(block_on(archive.find_refs(&other, name.digits(), 9)).unwrap(), []);
    assert_eq!(block_on(archive.originals(&other, None, 9)).unwrap(), []);
    assert_eq!(block_on(archive.refs(&other, None, 9)).unwrap(), []);
    for target in [&target, &Target::Original(digest), &Target::Original(never)] {
        let refused = block_on(archive.issue(&other, target));
        assert!(matches!(refused, Err(ArchiveError::NotFound { .. })), "{refused:?}");
    }
}

/// Two scopes that put the same bytes share them, and each sees its own putting only.
pub fn equal_bytes_are_stored_once(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, other());
    let bytes = super::log_lines(1, 6_000_000);
    let digest = fixture.put(&bytes);
    let before = block_on(archive.describe()).unwrap();
    fixture.clock.advance(std::time::Duration::from_secs(7200));
    assert_eq!(block_on(archive.put(&other, &bytes)).unwrap(), digest);
    let after = block_on(archive.describe()).unwrap();
    assert_eq!((before.originals, before.stored_bytes), (after.originals, after.stored_bytes));
    let put_at = |scope| block_on(archive.stat(scope, &digest)).unwrap().unwrap().put_unix_ms;
    assert_eq!(put_at(&other) - put_at(&Scope::local()), 7_200_000);
    assert!(block_on(archive.get(&other, &digest, 0..u64::MAX)).unwrap() == bytes);
    assert!(fixture.get(&digest).unwrap() == bytes);
}

/// A name that is taken in one scope is free in another: its length tells nothing about other principals.
pub fn names_collide_only_within_a_scope(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, other());
    fixture.issue(&names::colliding_view(fixture, 0, b"a"));
    let second = names::colliding_view(fixture, 1, b"b");
    block_on(archive.put(&other, &fixture.get(second.original().unwrap()).unwrap())).unwrap();
    block_on(archive.put_map(&other, b"b")).unwrap();
    let name = block_on(archive.issue(&other, &second)).unwrap();
    assert_eq!(name.digits().len(), 15);
    assert_eq!(block_on(archive.resolve(&other, &name)).unwrap(), Some(second));
}

/// Runs are seen, read and adopted by their own scope only.
pub fn runs_belong_to_their_scope(fixture: &Fixture) {
    let (archive, other) = (&fixture.archive, other());
    let mut writer = block_on(archive.begin(&Scope::local(), "cat secret")).unwrap();
    writer.write(b"secret").unwrap();
    let run = writer.run_id().clone();
    drop(writer);
    assert_eq!(block_on(archive.runs(&other)).unwrap(), []);
    assert!(matches!(block_on(archive.read_run(&other, &run, 0..9)), Err(ArchiveError::NotFound { .. })));
    assert!(matches!(block_on(archive.adopt(&other, &run)), Err(ArchiveError::NotFound { .. })));
    assert_eq!(block_on(archive.adopt(&Scope::local(), &run)).unwrap(), Digest::of(b"secret"));
    assert!(matches!(block_on(archive.adopt(&other, &run)), Err(ArchiveError::NotFound { .. })));
    assert_eq!(block_on(archive.stat(&other, &Digest::of(b"secret"))).unwrap(), None);
}
