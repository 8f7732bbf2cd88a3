//! HTML and XML, without a document tree: a tag scanner, and an explicit stack that finds each element's end.
//!
//! Of XML every element is a unit whose tags are its frame, so any units of a well-formed document are one. HTML is read
//! for its text: blocks, lists and tables below their headings; the wrappers between them can be left out alone, as
//! every reader of HTML allows.

mod attributes;
mod html;
mod names;
mod pairs;
mod tags;
mod text;
mod xml;

use names::Class;
use text::NOTES;

use crate::{
    Builder, ContentType, Fuel, OutlineError, UnitId,
    parser::{Context, Parser},
};

/// A page may begin within this many bytes of other output.
const PREAMBLE_BYTES: usize = 2_048;

/// The parser for HTML and XML.
pub(crate) struct Markup;

impl Parser for Markup {
    fn content_type(&self) -> ContentType {
        ContentType::Markup
    }

    fn surest(&self) -> u8 {
        92
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        certainty(head, whole)
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        // Once for the tags, once for the text between them.
        fuel.burn(2 * (end - start))?;
        let source = builder.source();
        let is_html = is_html(source.get(start..end).unwrap_or_default());
        let mut tags = tags::scan(source, start, end, is_html);
        let outer_count = pairs::pair(source, &mut tags, start, end, is_html);
        if builder.current() == UnitId::ROOT {
            builder.set_root_notes(NOTES);
        }
        if is_html {
            html::add(builder, &tags, (start, end), context);
        } else {
            xml::add(builder, &tags, (start, end), outer_count, context);
        }
        Ok(())
    }
}

/// Says how sure we are that `head` is HTML or XML.
fn certainty(head: &[u8], whole: bool) -> u8 {
    let mut rest = head.trim_ascii_start();
    if rest.first() != Some(&b'<') {
        return if has_page(rest) { 68 } else { 0 };
    }
    for _ in 0..8 {
        if !rest.starts_with(b"<!--") {
            break;
        }
        let Some(close) = memchr::memmem::find(rest, b"-->") else { return 0 };
        rest = rest.get(close + 3..).unwrap_or_default().trim_ascii_start();
    }
    if rest.starts_with(b"<?xml") || starts_ignoring_case(rest, b"<!doctype html") {
        return 92;
    }
    if starts_ignoring_case(rest, b"<html") || rest.starts_with(b"<!DOCTYPE ") || rest.starts_with(b"<svg") {
        return 88;
    }
    let name = element_name(rest);
    if name.is_empty() || is_markdown(head) {
        return 0;
    }
    let has_end = memchr::memmem::find_iter(rest, b"</")
        .any(|at| rest.get(at + 2..at + 2 + name.len()).is_some_and(|other| other == name));
    let ends = memchr::memmem::find_iter(rest, b"</").take(4).count();
    let is_empty =
        whole && memchr::memmem::find(rest, b"/>").is_some_and(|at| at + 2 == rest.trim_ascii_end().len());
    match (has_end, whole) {
        (true, _) => 74,
        // The end of the whole lies beyond what is looked at.
        (false, false) if ends == 4 || memchr::memmem::find_iter(rest, b"/>").take(4).count() == 4 => 70,
        _ if is_empty => 70,
        _ => 0,
    }
}

/// The name of the element that `text` begins with.
fn element_name(text: &[u8]) -> &[u8] {
    let rest = text.get(1..).unwrap_or_default();
    let length = rest
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.'))
        .count();
    let follows =
        rest.get(length).is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    if follows && rest.first().is_some_and(u8::is_ascii_alphabetic) {
        rest.get(..length).unwrap_or_default()
    } else {
        b""
    }
}

/// Says whether a page begins a line near the beginning: after front matter, or the headers of an answer.
fn has_page(head: &[u8]) -> bool {
    let preamble = head.get(..PREAMBLE_BYTES).unwrap_or(head);
    memchr::memmem::find_iter(preamble, b"\n<").any(|at| {
        let rest = preamble.get(at + 1..).unwrap_or_default();
        let begins = starts_ignoring_case(rest, b"<!doctype html")
            || starts_ignoring_case(rest, b"<html")
            || rest.starts_with(b"<?xml ");
        begins && memchr::memmem::find(preamble.get(..at).unwrap_or_default(), b"```").is_none()
    })
}

/// Says whether a text that begins with a tag is a Markdown document all the same.
fn is_markdown(head: &[u8]) -> bool {
    [&b"\n# "[..], b"\n## ", b"\n```", b"]("].iter().any(|mark| memchr::memmem::find(head, mark).is_some())
}

/// Says whether the rules of HTML hold: no XML declaration, and HTML's own elements.
fn is_html(source: &[u8]) -> bool {
    let head = source.get(..4_096).unwrap_or(source).trim_ascii_start();
    if head.starts_with(b"<?xml") {
        return false;
    }
    let first = memchr::memchr_iter(b'<', head).find_map(|at| {
        let rest = head.get(at..).unwrap_or_default();
        if starts_ignoring_case(rest, b"<!doctype html") {
            return Some(true);
        }
        if rest.starts_with(b"<?xml") {
            return Some(false);
        }
        let name = element_name(rest);
        if name.is_empty() {
            return None;
        }
        const INLINE: &[&[u8]] =
            &[b"a", b"b", b"i", b"span", b"em", b"strong", b"code", b"font", b"small", b"button", b"label"];
        Some(Class::of(name) != Class::Inline || INLINE.iter().any(|known| known.eq_ignore_ascii_case(name)))
    });
    first.unwrap_or(false)
}

fn starts_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}
