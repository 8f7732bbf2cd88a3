use recto_archive::MemoryArchive;
use recto_view::{Budget, Mode, SpanMap, verify};

use super::*;

fn policy() -> Policy {
    Policy { mode: Mode::Marked, recall: Recall::Shell, budget: Budget::bytes(400), ..Policy::default() }
}

fn log() -> String {
    (0..300).map(|number| format!("line {number} says nothing\n")).collect()
}

/// The map that the archive holds for a name.
fn bound_map(archive: &MemoryArchive, name: &Ref) -> SpanMap {
    let scope = Scope::local();
    let Some(Target::View { map, .. }) = block_on(archive.resolve(&scope, name)).unwrap() else {
        panic!("{name} names no view")
    };
    serde_json::from_slice(&block_on(archive.get(&scope, &map, 0..u64::MAX)).unwrap()).unwrap()
}

/// Binds the name that a view of `text` would take to another target first.
fn occupy(archive: &MemoryArchive, text: &str, target: impl Fn(Digest, Digest) -> Target) {
    let scope = Scope::local();
    let original = block_on(archive.put(&scope, text.as_bytes())).unwrap();
    let map = block_on(archive.put_map(&scope, b"{\"of\":\"another engine\"}")).unwrap();
    block_on(archive.issue(&scope, &target(original, map))).unwrap();
}

#[test]
fn the_name_in_the_notes_is_bound_to_the_map_of_the_view() {
    let (archive, text) = (MemoryArchive::new(), log());
    let source = Source::new(text.as_bytes());
    let issued = compress(&source, &policy(), &Scope::local(), || Ok(Some(&archive))).unwrap();
    let name = issued.name.unwrap();
    assert_eq!(Some(&bound_map(&archive, &name)), issued.view.map());
    let again = compress(&source, &policy(), &Scope::local(), || Ok(Some(&archive))).unwrap();
    assert_eq!((Some(name), issued.view), (again.name, again.view));
}

#[test]
fn a_source_that_is_shown_whole_opens_no_store() {
    let source = Source::new(b"short\n");
    let opened =
        compress::<MemoryArchive, &MemoryArchive>(&source, &policy(), &Scope::local(), || panic!("opened"));
    assert!(opened.unwrap().name.is_none());
}

#[test]
fn without_a_store_no_name_is_stated() {
    let text = log();
    let source = Source::new(text.as_bytes());
    let issued =
        compress::<MemoryArchive, &MemoryArchive>(&source, &policy(), &Scope::local(), || Ok(None)).unwrap();
    assert!(issued.name.is_none());
    assert!(!issued.view.render(&source).unwrap().contains("r:"));
}

#[test]
fn a_name_that_another_recto_bound_to_another_map_is_left_to_it() {
    let (archive, text) = (MemoryArchive::new(), log());
    let by = Digest(policy().digest());
    occupy(&archive, &text, |original, map| Target::View { original, policy: by, map });
    let source = Source::new(text.as_bytes());
    let issued = compress(&source, &policy(), &Scope::local(), || Ok(Some(&archive))).unwrap();
    let name = issued.name.unwrap();
    assert_ne!(name, Ref::for_view(&Digest(source.sha256()), &by));
    assert!(issued.view.render(&source).unwrap().contains(&name.to_string()));
    let map = bound_map(&archive, &name);
    assert_eq!(Some(&map), issued.view.map());
    verify(&source, &map).unwrap();
    let again = compress(&source, &policy(), &Scope::local(), || Ok(Some(&archive))).unwrap();
    assert_eq!(again.name, Some(name));
}

#[test]
fn a_panic_is_an_error_that_says_what_it_said() {
    let error = guarded::<()>(|| panic!("unit {} is not there", 7)).unwrap_err();
    assert!(error.to_string().contains("unit 7 is not there"), "{error}");
    assert!(matches!(guarded(|| Ok(1)), Ok(1)));
}
