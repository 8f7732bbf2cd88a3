use recto_archive::{Archive, ArchiveError, MemoryArchive, Scope, Target, block_on};
use recto_recall::{Asked, Found, PageLimit, Part, RecallError, Search};
use recto_view::ViewError;

use crate::parts::{asked, stored, text};

fn wrong<T>(result: Result<T, RecallError>) -> RecallError {
    result.err().unwrap()
}

#[test]
fn questions_that_are_wrong_say_so() {
    let text = text(10);
    let have = text.len();
    let found = Found::by_bytes(text.into_bytes());
    let over = |part: Result<Part, RecallError>| wrong(part.and_then(|part| part.over(&found)));
    let said = [
        (wrong("r:123456#two".parse::<Asked>()), "\"two\" is no number of an elision"),
        (
            wrong("r:123".parse::<Asked>()),
            "\"r:123\" is too short for a ref: give its first 6 digits at least",
        ),
        (wrong("nonsense".parse::<Asked>()), "\"nonsense\" is not a ref: only decimal digits may follow r:"),
        (over(Part::lines("0:4")), "lines 0:4: lines are counted from 1"),
        (over(Part::lines("a:b")), "lines a:b: write A:B, A: or :B with whole numbers"),
        (over(Part::lines("9:3")), "lines 9:3 ends before it begins"),
        (over(Part::lines("40:")), "lines 40: lies outside: there are 10 lines"),
        (over(Part::bytes("7")), "bytes 7: write A:B, A: or :B with whole numbers"),
        (over(Part::bytes("5000:")), &format!("bytes 5000:{have} lies outside: there are {have} bytes")),
        (
            wrong(Part::all().over(&found).and_then(|answer| answer.page(&found, 999, &PageLimit::none()))),
            &format!("cursor 999 lies outside: the answer has {have} bytes"),
        ),
    ];
    for (error, expected) in said {
        assert!(error.is_usage(), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
    let pattern = wrong(Search::new("a(b", false, 0));
    assert!(pattern.is_usage() && pattern.to_string().contains("unclosed group"), "{pattern}");
    assert!(pattern.advice().unwrap().contains("literal"));
}

#[test]
fn refs_that_name_nothing_of_this_principal() {
    let (archive, name, map) = stored(&text(300));
    let (scope, stranger) = (Scope::local(), Scope::new("somebody else").unwrap());
    let by = |scope, text: &str| wrong(Found::by_ref(&archive, scope, &asked(text)));
    let unknown = by(&stranger, &name.to_string());
    assert!(matches!(unknown, RecallError::Archive(ArchiveError::NotFound { .. })) && !unknown.is_usage());
    let beyond = by(&scope, &format!("{name}#9999"));
    let have = map.elisions.len() as u64;
    assert!(
        matches!(beyond, RecallError::View(ViewError::NoSuchElision { asked: 9999, have: h }) if h == have)
    );
    assert!(beyond.is_usage());
}

#[test]
fn a_whole_original_has_no_elisions() {
    let (archive, scope) = (MemoryArchive::new(), Scope::local());
    let original = block_on(archive.put(&scope, b"all of it")).unwrap();
    let name = block_on(archive.issue(&scope, &Target::Original(original))).unwrap();
    let error = wrong(Found::by_ref(&archive, &scope, &asked(&format!("{name}#1"))));
    assert_eq!(error.to_string(), format!("{name} names a whole original: it has no elision #1"));
}

#[test]
fn foreign_bytes_are_not_taken_for_the_source() {
    let (_, _, map) = stored(&text(300));
    let error = wrong(Found::by_map(b"something else".to_vec(), &map, None));
    assert!(matches!(error, RecallError::View(ViewError::ForeignSource { .. })) && !error.is_usage());
    assert!(wrong(Found::by_file("absent".as_ref())).to_string().starts_with("cannot open absent: "));
}
