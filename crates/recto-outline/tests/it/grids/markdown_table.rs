use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use recto_outline::{ContentType, Role, UnitId, detect};
use recto_testkit::{corpus, generate};

use super::view::{assert_listing, exact, outline_of};

/// For each table that a Markdown reader sees: its columns and its rows.
fn tables(text: &str) -> Vec<(usize, usize)> {
    let mut tables: Vec<(usize, usize)> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(columns)) => tables.push((columns.len(), 0)),
            Event::Start(Tag::TableRow) => tables.last_mut().unwrap().1 += 1,
            _ => {}
        }
    }
    tables
}

#[test]
fn sections_hold_tables_and_text() {
    let source = b"# APIs\n\nA list of\nthem all.\n\n| API | Auth |\n|:---|---|\n| [Cats](x) | `a\\|b` |\n| Dogs | No |\n\n## More\n```sh\n| no | table |\n```\n";
    assert_listing(
        &outline_of(source, ContentType::MarkdownTable),
        r"
        Block Section 0+0..125 # APIs\n\nA list of\nthem all.\n\n| API | Auth |\n|:---|---|\n| [Ca
          Frame Heading 0+0..6 # APIs
          Block Paragraph 6+8..27 A list of\nthem all.
            Line Plain 8+8..17 A list of
            Line Plain 17+18..27 them all.
          Block Section 27+29..91 | API | Auth |\n|:---|---|\n| [Cats](x) | `a\\|b` |\n| Dogs | No
            Frame Header 29+29..43 | API | Auth |
            Frame Header 43+44..54 |:---|---|
            Record Row 54+55..77 | [Cats](x) | `a\\|b` |
            Record Row 77+78..91 | Dogs | No |
          Block Section 91+93..125 ## More\n```sh\n| no | table |\n```
            Frame Heading 93+93..100 ## More
            Block Embedded 100+101..125 ```sh\n| no | table |\n```
              Frame Plain 101+101..106 ```sh
              Line Plain 106+107..121 | no | table |
              Frame Plain 121+122..125 ```
        ",
    );
}

#[test]
fn a_table_by_itself_never_loses_its_header() {
    let source = b"a | b\n--|--\n1 | 2\n3 | 4\n";
    let outline = outline_of(source, ContentType::MarkdownTable);
    assert_eq!(exact(&outline, |_| false), b"a | b\n--|--\n");
    let last = UnitId(outline.units.len() as u32 - 1);
    assert_eq!(exact(&outline, |id| id == last), b"a | b\n--|--\n3 | 4\n");
}

#[test]
fn text_never_runs_into_a_table() {
    let source = b"| a | b |\n|---|---|\n| 1 | 2 |\n\nfirst\nsecond\n\n| c | d |\n|---|---|\n| 3 | 4 |\n";
    let outline = outline_of(source, ContentType::MarkdownTable);
    // All but the first line of the text.
    let shown = exact(&outline, |id| outline.text(id) != b"first");
    assert_eq!(tables(std::str::from_utf8(&shown).unwrap()), [(2, 1), (2, 1)]);
}

#[test]
fn detection() {
    assert_eq!(detect(b"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"), ContentType::MarkdownTable);
    assert_eq!(detect(b"# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"), ContentType::MarkdownTable);
    assert_ne!(detect(b"```\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n```\n"), ContentType::MarkdownTable);
    assert_ne!(detect(b"| not | a table |\n| 1 | 2 |\n| 3 | 4 |\n"), ContentType::MarkdownTable);
}

#[test]
fn the_tables_of_the_corpus_stay_tables_in_part() {
    let Some(files) = corpus::outputs() else { return };
    for file in files.iter().filter(|file| file.kind == "mdtable") {
        let bytes = file.read();
        let outline = outline_of(&bytes, ContentType::MarkdownTable);
        if file.relative.ends_with("public-apis-readme.md") {
            assert_eq!(outline.tables.len(), tables(std::str::from_utf8(&bytes).unwrap()).len());
        }
        for step in [2, 7, 50] {
            let keeps = |id: UnitId| id.0.is_multiple_of(step) && outline.unit(id).role == Role::Record;
            let shown = exact(&outline, keeps);
            let rows = outline.units.iter().enumerate().filter(|(at, _)| keeps(UnitId(*at as u32))).count();
            let seen: usize = tables(std::str::from_utf8(&shown).unwrap()).iter().map(|table| table.1).sum();
            assert_eq!(seen, rows, "{} by {step}", file.relative);
        }
    }
}

proptest! {
    #[test]
    fn any_subset_of_a_document_keeps_its_tables_apart(seed in any::<u64>(), keep in any::<u64>()) {
        let input = generate::Kind::MarkdownTable.generate(seed, 2_000);
        let text = std::str::from_utf8(&input.bytes).unwrap();
        let outline = outline_of(&input.bytes, ContentType::MarkdownTable);
        let shown = exact(&outline, |id| (keep >> (id.0 % 64)) & 1 == 1);
        let (all, part) = (tables(text), tables(std::str::from_utf8(&shown).unwrap()));
        prop_assert_eq!(part.len(), 1);
        prop_assert_eq!(part[0].0, all[0].0);
        prop_assert!(part[0].1 <= all[0].1);
    }
}
