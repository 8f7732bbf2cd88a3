//! A Markdown parser as the judge of headings and code blocks, over the Markdown of the corpus.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use recto_outline::{ContentType, Kind, UnitId};
use recto_testkit::corpus;

use super::view::outline_of;

/// What both sides say: the heading lines and the first lines of code, by byte offset of the line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    headings: Vec<usize>,
    code: Vec<usize>,
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// What the judge says of blocks outside quotes; front matter is not Markdown.
fn judged(source: &str, from: usize) -> Blocks {
    let mut blocks = Blocks::default();
    let mut quotes = 0;
    for (event, range) in Parser::new_ext(&source[from..], Options::ENABLE_TABLES).into_offset_iter() {
        let start = line_start(source, from + range.start);
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            Event::Start(Tag::Heading { .. }) if quotes == 0 => blocks.headings.push(start),
            Event::Start(Tag::CodeBlock(_)) if quotes == 0 => blocks.code.push(start),
            _ => {}
        }
    }
    blocks
}

fn ours(source: &str) -> (Blocks, usize) {
    let outline = outline_of(source.as_bytes(), ContentType::Prose);
    let mut blocks = Blocks::default();
    let mut from = 0;
    for (index, unit) in outline.units.iter().enumerate() {
        let id = UnitId(index as u32);
        let start = line_start(source, unit.body.s as usize);
        let text = outline.text(id);
        match unit.kind {
            Kind::Heading => blocks.headings.push(start),
            Kind::Embedded if start == 0 && text.starts_with(b"---") => from = unit.body.e as usize,
            Kind::Embedded if outline.tables.iter().any(|table| table.container == id) => {}
            // A small table is one unit, and no grid.
            Kind::Embedded
                if text.contains(&b'|')
                    && !text.trim_ascii_start().starts_with(b"`")
                    && outline.is_leaf(id) => {}
            Kind::Embedded => blocks.code.push(start),
            _ => {}
        }
    }
    (blocks, from)
}

/// Where we differ on purpose: a heading directly below a line of tags is one for us (and for the dialects that read
/// inside HTML blocks), and text below a lone list marker is the item's, not code.
fn is_on_purpose(source: &str, at: usize) -> bool {
    let mut above = source[..at].lines().rev();
    let line = above.next().unwrap_or_default();
    let text = above.find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.starts_with('<') || (line.is_empty() && text.trim() == "-")
}

/// The lines that only one side takes for `what`.
fn differences(source: &str, file: &str, what: &str, ours: &[usize], judged: &[usize]) -> Vec<String> {
    let say = |side: &str, at: usize| {
        let line = source[at..].lines().next().unwrap_or_default();
        format!("{file}:{at}: {what} for {side} only: {line}")
    };
    let ours_only = ours
        .iter()
        .filter(|at| !judged.contains(at) && !is_on_purpose(source, **at))
        .map(|at| say("us", *at));
    let judged_only = judged
        .iter()
        .filter(|at| !ours.contains(at) && !is_on_purpose(source, **at))
        .map(|at| say("the judge", *at));
    ours_only.chain(judged_only).collect()
}

#[test]
fn headings_and_code_are_where_a_markdown_parser_finds_them() {
    let Some(files) = corpus::outputs() else { return };
    let (mut headings, mut code) = (0, 0);
    let mut differing = Vec::new();
    for file in files.iter().filter(|file| file.relative.ends_with(".md")) {
        let bytes = file.read();
        let Ok(source) = std::str::from_utf8(&bytes) else { continue };
        let (ours, from) = ours(source);
        let judged = judged(source, from);
        headings += judged.headings.len();
        code += judged.code.len();
        differing.extend(differences(source, &file.relative, "heading", &ours.headings, &judged.headings));
        differing.extend(differences(source, &file.relative, "code", &ours.code, &judged.code));
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(headings > 500 && code > 100, "the corpus has {headings} headings and {code} code blocks");
}
