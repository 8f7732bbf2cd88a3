use std::ops::ControlFlow;

use recto_archive::{Archive, Digest, MemoryArchive, Ref, Scope, Target, block_on};
use recto_outline::Fuel;
use recto_recall::{Asked, Found, PageLimit, Part, RecallError, Search, base64};
use recto_tokens::Tokenizer;
use recto_view::{Budget, Policy, Source, SpanMap, view};

pub(crate) fn text(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line} of a source \u{e9}\n")).collect()
}

/// An archive with a view of a text; the view's ref, and its span map.
pub(crate) fn stored(text: &str) -> (MemoryArchive, Ref, SpanMap) {
    let (archive, scope) = (MemoryArchive::new(), Scope::local());
    let policy = Policy { budget: Budget::bytes(text.len() as u64 / 3), ..Policy::default() };
    let source = Source::new(text.as_bytes());
    let made = view(&source, &policy, None, &mut Fuel::unlimited()).unwrap();
    let map = made.map().unwrap().clone();
    let original = block_on(archive.put(&scope, text.as_bytes())).unwrap();
    let stored = block_on(archive.put_map(&scope, &serde_json::to_vec(&map).unwrap())).unwrap();
    let target = Target::View { original, policy: Digest::of(b"policy"), map: stored };
    let name = block_on(archive.issue(&scope, &target)).unwrap();
    (archive, name, map)
}

pub(crate) fn asked(text: &str) -> Asked {
    text.parse().unwrap()
}

fn all(found: &Found<'_>, part: Part) -> Result<String, RecallError> {
    let mut bytes = Vec::new();
    part.over(found)?.stream(found, &mut |piece| {
        bytes.extend_from_slice(piece);
        ControlFlow::Continue(())
    })?;
    Ok(String::from_utf8(bytes).unwrap())
}

#[test]
fn kept_spans_and_elisions_are_the_original() {
    let text = text(300);
    let (archive, name, map) = stored(&text);
    let scope = Scope::local();
    let whole = Found::by_ref(&archive, &scope, &asked(&name.to_string()[..10])).unwrap();
    assert_eq!(whole.name(), Some(&name));
    assert_eq!((whole.elision(), whole.range()), (None, 0..text.len() as u64));
    assert_eq!(all(&whole, Part::all()).unwrap(), text);
    assert!(!map.elisions.is_empty());
    let mut pieces: Vec<(u64, String)> = Vec::new();
    for number in 1..=map.elisions.len() {
        let found = Found::by_ref(&archive, &scope, &asked(&format!("{name}#{number}"))).unwrap();
        assert_eq!(found.total_bytes(), text.len() as u64);
        pieces.push((found.range().start, all(&found, Part::all()).unwrap()));
    }
    for span in &map.spans {
        let (start, end) = (usize::try_from(span.s).unwrap(), usize::try_from(span.e).unwrap());
        pieces.push((span.s, text[start..end].to_owned()));
    }
    pieces.sort();
    assert_eq!(pieces.into_iter().map(|(_, piece)| piece).collect::<String>(), text);
}

#[test]
fn a_ref_a_map_a_file_and_bytes_answer_alike() {
    let text = text(200);
    let (archive, name, map) = stored(&text);
    let scope = Scope::local();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("source");
    std::fs::write(&path, &text).unwrap();
    let ways = [
        Found::by_ref(&archive, &scope, &asked(&name.to_string())).unwrap(),
        Found::by_map(text.clone().into_bytes(), &map, None).unwrap(),
        Found::by_file(&path).unwrap(),
        Found::by_bytes(text.clone().into_bytes()),
    ];
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for found in &ways {
        assert_eq!(found.digest().unwrap(), Digest::of(text.as_bytes()));
        assert_eq!(all(found, Part::lines("3:5").unwrap()).unwrap(), lines[2..5].concat());
        assert_eq!(all(found, Part::lines("200").unwrap()).unwrap(), lines[199]);
        assert_eq!(all(found, Part::bytes("5:15").unwrap()).unwrap(), text[5..15]);
        let search = Search::new("LINE 7\\b", true, 0).unwrap();
        assert_eq!(all(found, Part::matches(search)).unwrap(), format!("7:{}", lines[6]));
    }
}

#[test]
fn pages_joined_are_the_answer() {
    let text = text(400);
    let found = Found::by_bytes(text.clone().into_bytes());
    let search = || Part::matches(Search::new("7", false, 1).unwrap());
    for part in [Part::all, || Part::lines("20:300").unwrap(), || Part::bytes("7:9001").unwrap(), search] {
        let whole = all(&found, part()).unwrap();
        for page_bytes in [2, 61, 4096] {
            let answer = part().over(&found).unwrap();
            let (mut joined, mut cursor) = (Vec::new(), Some(0));
            while let Some(at) = cursor {
                let (page, _) = answer.page(&found, at, &PageLimit::bytes(page_bytes)).unwrap();
                assert!(!page.bytes.is_empty() && page.bytes.len() as u64 <= page_bytes);
                joined.extend_from_slice(&page.bytes);
                cursor = page.next;
            }
            assert!(joined == whole.as_bytes(), "{page_bytes}");
        }
    }
}

#[test]
fn base64_is_for_what_is_no_text() {
    assert_eq!(base64(b"\xff\x00\n"), "/wAK");
}

/// The pages of a text by tokens, each checked to be within them.
fn pages(text: &[u8], max_tokens: u64, tokenizer: Tokenizer) -> Vec<Vec<u8>> {
    let found = Found::by_bytes(text.to_vec());
    let answer = Part::all().over(&found).unwrap();
    let (mut pages, mut cursor) = (Vec::new(), Some(0));
    while let Some(at) = cursor {
        let (page, _) = answer.page(&found, at, &PageLimit::tokens(max_tokens, tokenizer)).unwrap();
        let tokens = tokenizer.counter().count(&String::from_utf8_lossy(&page.bytes));
        let is_one_character = String::from_utf8_lossy(&page.bytes).chars().count() == 1;
        assert!(tokens <= max_tokens || is_one_character, "{tokens} > {max_tokens}");
        assert!(!page.bytes.is_empty() || text.is_empty());
        cursor = page.next;
        pages.push(page.bytes);
    }
    assert!(pages.concat() == text, "pages joined are the text");
    pages
}

#[test]
fn pages_by_tokens_are_full_and_end_with_lines() {
    let text = text(400);
    let all_tokens = Tokenizer::O200k.counter().count(&text);
    for tokenizer in Tokenizer::ALL {
        for max_tokens in [30, 200, 2_000, 100_000] {
            let pages = pages(text.as_bytes(), max_tokens, tokenizer);
            assert!(pages.iter().all(|page| page.ends_with(b"\n")));
            // A line has some ten tokens, so much may stay free in each page.
            let fewest = all_tokens.div_ceil(max_tokens);
            assert!(pages.len() as u64 <= fewest * 3, "{} pages of {max_tokens}", pages.len());
        }
    }
}

#[test]
fn pages_by_tokens_of_any_bytes() {
    let one_line = "{\"key\":[1,2,3]},".repeat(500);
    let wide = "\u{1f600}\u{e9}\u{4e2d}".repeat(300);
    let binary: Vec<u8> = (0..3_000_u32).map(|at| ((at * 7919) >> 3) as u8).collect();
    let blank = "\n".repeat(5_000) + &" ".repeat(9_000);
    let texts: [&[u8]; 6] = [one_line.as_bytes(), wide.as_bytes(), &binary, blank.as_bytes(), b"", b"\xff"];
    for text in texts {
        for max_tokens in [1, 7, 150, 3_000] {
            if max_tokens > 1 || text.len() < 4_000 {
                pages(text, max_tokens, Tokenizer::O200k);
            }
        }
    }
    for page in pages(wide.as_bytes(), 10, Tokenizer::O200k) {
        assert!(String::from_utf8(page).is_ok(), "no page ends inside a character");
    }
}
