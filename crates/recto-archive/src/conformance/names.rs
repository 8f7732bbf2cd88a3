//! Refs: bound for ever, longer where they are taken.

use super::Fixture;
use crate::{ArchiveError, Digest, Ref, Scope, Target, block_on};

/// Two policies under which [`COLLIDING_ORIGINAL`] has the same 15 digits; found by hashing 50 million of them.
const COLLIDING_POLICIES: [u64; 2] = [8_577_642, 22_535_779];
const COLLIDING_ORIGINAL: &[u8] = b"an original whose views collide\n";

pub(super) fn colliding_view(fixture: &Fixture, which: usize, map: &[u8]) -> Target {
    let mut policy = Digest([0; 32]);
    policy.0[..8].copy_from_slice(&COLLIDING_POLICIES[which].to_be_bytes());
    match fixture.view(COLLIDING_ORIGINAL, "", map) {
        Target::View { original, map, .. } => Target::View { original, policy, map },
        other => panic!("{other:?}"),
    }
}

/// The name that everybody computes is the one that is bound.
pub fn a_name_is_known_beforehand(fixture: &Fixture) {
    let target = fixture.view(b"bytes", "policy", b"map");
    let name = fixture.issue(&target);
    assert_eq!(name, Ref::for_view(&Digest::of(b"bytes"), &Digest::of(b"policy")));
    assert_eq!(fixture.resolve(&name), Some(target));
    let original = Target::Original(Digest::of(b"bytes"));
    assert_eq!(fixture.issue(&original), Ref::for_original(&Digest::of(b"bytes")));
    assert_eq!(fixture.resolve(&Ref::for_original(&Digest::of(b"bytes"))), Some(original));
    assert_eq!(fixture.resolve(&Ref::for_original(&Digest::of(b"other"))), None);
}

/// Asking again changes nothing.
pub fn issuing_again_gives_the_same_name(fixture: &Fixture) {
    let target = fixture.view(b"bytes", "policy", b"map");
    let name = fixture.issue(&target);
    assert_eq!(fixture.issue(&target), name);
    assert_eq!(block_on(fixture.archive.refs(&Scope::local(), None, 9)).unwrap(), [(name, target)]);
}

/// No name for what cannot be had: an original or a map that was not put, or a target that is gone.
pub fn a_name_needs_its_original_and_map(fixture: &Fixture) {
    let issue = |target| block_on(fixture.archive.issue(&Scope::local(), &target));
    let (original, policy, map) = (fixture.put(b"bytes"), Digest::of(b"p"), Digest::of(b"no map"));
    let missing = Digest::of(b"no original");
    for target in [
        Target::Original(missing),
        Target::View { original, policy, map },
        Target::View { original: missing, policy, map: original },
    ] {
        assert!(matches!(issue(target.clone()), Err(ArchiveError::NotFound { .. })), "{target:?}");
    }
    let gone = Target::Gone { why: "removed".to_owned() };
    assert!(matches!(issue(gone), Err(ArchiveError::NoName { .. })));
    assert_eq!(block_on(fixture.archive.refs(&Scope::local(), None, 9)).unwrap(), []);
}

/// Of two views with the same 15 digits the first keeps them, the second gets 18: a made collision.
pub fn a_collision_takes_three_digits(fixture: &Fixture) {
    let (first, second) = (colliding_view(fixture, 0, b"a"), colliding_view(fixture, 1, b"b"));
    let names = [fixture.issue(&first), fixture.issue(&second)];
    assert_eq!(names.each_ref().map(|name| name.digits().len()), [15, 18]);
    assert_eq!(names[1].digits().get(..15), Some(names[0].digits()));
    for _ in 0..2 {
        assert_eq!([fixture.issue(&first), fixture.issue(&second)], names);
        assert_eq!(fixture.resolve(&names[0]), Some(first.clone()));
        assert_eq!(fixture.resolve(&names[1]), Some(second.clone()));
    }
}

/// A view that is rendered again with its longer name has another map: that one stands, and only that one.
pub fn a_reserved_name_takes_its_second_map(fixture: &Fixture) {
    let original = fixture.put(super::names::COLLIDING_ORIGINAL);
    fixture.issue(&colliding_view(fixture, 0, b"a"));
    let short = colliding_view(fixture, 1, b"rendered with 15 digits");
    let long = colliding_view(fixture, 1, b"rendered with 18 digits");
    let name = fixture.issue(&short);
    assert_eq!(fixture.issue(&short), name);
    assert_eq!(fixture.issue(&long), name);
    assert_eq!(fixture.resolve(&name), Some(long.clone()));
    // The next caller begins with the short name again.
    assert_eq!(fixture.issue(&short), name);
    assert_eq!(fixture.resolve(&name), Some(long));
    assert_eq!(fixture.issue(&Target::Original(original)), Ref::for_original(&original));
}

/// What `#3` means never changes: a later map for the same view is not taken.
pub fn later_maps_change_nothing(fixture: &Fixture) {
    let first = fixture.view(b"bytes", "policy", b"map");
    let name = fixture.issue(&first);
    assert_eq!(fixture.issue(&fixture.view(b"bytes", "policy", b"another map")), name);
    assert_eq!(fixture.resolve(&name), Some(first));
}

/// The beginning of a name finds it, if it is the only one; an exact name comes before those it begins.
pub fn names_are_found_by_their_beginning(fixture: &Fixture) {
    let scope = Scope::local();
    let find = |text: &str| block_on(fixture.archive.find_ref(&scope, text));
    let names =
        [fixture.issue(&colliding_view(fixture, 0, b"a")), fixture.issue(&colliding_view(fixture, 1, b"b"))];
    assert_eq!(find(&names[0].to_string()).unwrap(), names[0]);
    assert_eq!(find(names[1].digits()).unwrap(), names[1]);
    assert_eq!(find(&names[1].to_string()[..19]).unwrap(), names[1]);
    match find(&names[0].to_string()[..9]) {
        Err(ArchiveError::AmbiguousRef { candidates, .. }) => assert_eq!(candidates, names),
        other => panic!("{other:?}"),
    }
    assert!(matches!(find("r:000000"), Err(ArchiveError::NotFound { .. })));
    for text in ["", "r:", "12x", "r:%", "r:1#2", "r:1'--"] {
        assert!(matches!(find(text), Err(ArchiveError::InvalidRef { .. })), "{text}");
    }
    assert_eq!(block_on(fixture.archive.find_refs(&scope, names[0].digits(), 1)).unwrap(), names[..1]);
}

/// Paging visits every name once, in the order of the digits.
pub fn names_are_listed_page_by_page(fixture: &Fixture) {
    let mut all: Vec<Ref> =
        (0..20).map(|n| fixture.issue(&fixture.view(b"x", &n.to_string(), b"m"))).collect();
    all.sort();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = block_on(fixture.archive.refs(&Scope::local(), after.as_ref(), 6)).unwrap();
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        seen.extend(page.into_iter().map(|(name, _)| name));
    }
    assert_eq!(seen, all);
}
