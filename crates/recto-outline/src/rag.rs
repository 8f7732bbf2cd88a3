//! Retrieved chunks with their sources: a unit a chunk, the lines that say where it is from its head.
//!
//! Whatever is kept of a chunk stands under its head, and before its closing tag, if it has one. The text of a chunk is read as prose is, without sections.

mod head;

use head::{Form, LABELS, TAGS, bracket, is_close_tag, is_head, label, names_source};

use crate::{
    Builder, ContentType, Fuel, Kind, LINE_NOTES, OutlineError, Role,
    lines::{Line, Lines},
    parser::{Context, Parser},
    prose::{Style, add_blocks},
    sentences::{skip_blanks, trim_end},
};

/// Lines looked at to find the form.
const LINES: usize = 600;
/// A chunk's head has at most this many lines.
const HEAD_LINES: usize = 12;

/// Wrapping elements have at most this many tags.
const WRAPPERS: usize = 8;

/// The parser for retrieved chunks.
pub(crate) struct Rag;

impl Parser for Rag {
    fn content_type(&self) -> ContentType {
        ContentType::Rag
    }

    fn surest(&self) -> u8 {
        86
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        best_form(head).map_or(0, |(_, sure)| sure)
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        // Twice: once for the heads of chunks, once for their text.
        fuel.burn(2 * (end - start))?;
        let source = builder.source();
        let region = source.get(start..end).unwrap_or_default();
        let form = best_form(region.get(..crate::detect::HEAD_BYTES).unwrap_or(region)).map(|(form, _)| form);
        let style = Style::of(region, false);
        let mut chunks = Chunks { builder, context, style, form, wrappers: WRAPPERS, done: start };
        let mut open: Option<Line> = None;
        let mut from = start;
        let mut last = start;
        for line in Lines::new(source, start, end) {
            if form.is_some_and(|form| is_head(line.of(source), form)) {
                chunks.add(open, from, last);
                open = Some(line);
                from = line.start;
            }
            last = line.end;
            if let (Some(Form::Tag(name)), Some(_)) = (form, open)
                && is_close_tag(line.of(source), name)
            {
                chunks.add(open.take(), from, last);
                from = line.next;
            }
        }
        chunks.add(open, from, last);
        Ok(())
    }
}

struct Chunks<'b, 's> {
    builder: &'b mut Builder<'s>,
    context: Context,
    style: Style,
    form: Option<Form>,
    /// How many more tags outside the chunks are needed to read the rest.
    wrappers: usize,
    done: usize,
}

impl Chunks<'_, '_> {
    /// Adds the chunk that begins with the line `open`, or what stands between chunks, up to `end`.
    fn add(&mut self, open: Option<Line>, start: usize, end: usize) {
        let source = self.builder.source();
        let end = trim_end(source, start, end.max(start));
        let Some(line) = open else { return self.between(start, end) };
        let (text, text_end) = self.text_of(line, end);
        if end - line.start <= self.context.atom_bytes || text >= text_end {
            self.builder.leaf(self.done, line.start, end, Role::Record, Kind::Turn);
        } else {
            self.builder.open(self.done, line.start, Role::Record, Kind::Turn, LINE_NOTES);
            let head_end = trim_end(source, line.start, text);
            self.builder.leaf(line.start, line.start, head_end, Role::Frame, Kind::Header);
            add_blocks(self.builder, head_end, text, text_end, self.context, self.style);
            self.builder.close(end);
        }
        self.done = end;
    }

    /// What stands outside the chunks: a wrapping element's tags are needed by whoever reads the rest.
    fn between(&mut self, start: usize, end: usize) {
        if !matches!(self.form, Some(Form::Tag(_))) {
            self.done = add_blocks(self.builder, self.done, start, end, self.context, self.style);
            return;
        }
        let source = self.builder.source();
        let mut from = start;
        for line in Lines::new(source, start, end) {
            let text = line.of(source).trim_ascii();
            if text.starts_with(b"<")
                && text.ends_with(b">")
                && memchr::memchr(b'>', text) == Some(text.len() - 1)
            {
                self.done = add_blocks(self.builder, self.done, from, line.start, self.context, self.style);
                let role = if self.wrappers > 0 { Role::Frame } else { Role::Line };
                self.wrappers = self.wrappers.saturating_sub(1);
                self.builder.leaf(self.done, line.start, line.end, role, Kind::Header);
                self.done = line.end;
                from = line.next;
            }
        }
        self.done = add_blocks(self.builder, self.done, from, end, self.context, self.style);
    }

    /// Where the text of the chunk that begins with `line` and ends at `end` begins and ends, without its head and its
    /// closing tags.
    fn text_of(&self, line: Line, end: usize) -> (usize, usize) {
        let source = self.builder.source();
        let is_tag = matches!(self.form, Some(Form::Tag(_)));
        let mut text = line.next.min(end);
        if let Some(found) = label(line.of(source))
            && found.begins_text()
        {
            return (line.start + found.value, end);
        }
        let after_tag =
            if is_tag { memchr::memchr(b'>', line.of(source)).map(|at| line.start + at + 1) } else { None };
        if let Some(after) = after_tag
            && skip_blanks(source, after, line.end) < line.end
        {
            // The text begins in the tag's own line.
            text = after;
        } else {
            for next in Lines::new(source, line.next, end).take(HEAD_LINES) {
                let content = next.of(source);
                let trimmed = content.trim_ascii();
                match label(content) {
                    Some(found) if found.begins_text() => {
                        text = next.start + found.value;
                        break;
                    }
                    Some(_) => text = next.next,
                    None if is_tag && (is_head_element(trimmed) || is_opening_tag(trimmed)) => {
                        text = next.next
                    }
                    None if trimmed.is_empty() && next.start == text => text = next.next,
                    None => break,
                }
            }
        }
        let text = skip_blanks(source, text.min(end), end);
        let text_end = if is_tag { before_close_tags(source, text, end) } else { end };
        (line_start(source, text, line.start), text_end)
    }
}

/// The beginning of the line that `at` is in, if only blanks stand between: indentation belongs to the text.
fn line_start(source: &[u8], at: usize, least: usize) -> usize {
    let before = source.get(least..at).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match before.len().checked_sub(blanks + 1).and_then(|index| before.get(index)) {
        Some(b'\n' | b'\r') => at - blanks,
        _ => at,
    }
}

/// Says whether a line is a whole small element: `<source>guide.md</source>`.
fn is_head_element(text: &[u8]) -> bool {
    text.len() <= 300
        && text.starts_with(b"<")
        && text.ends_with(b">")
        && memchr::memmem::rfind(text, b"</").is_some_and(|close| close > 0)
}

fn is_opening_tag(text: &[u8]) -> bool {
    text.starts_with(b"<")
        && text.get(1).is_some_and(u8::is_ascii_alphabetic)
        && memchr::memchr(b'>', text) == Some(text.len() - 1)
}

/// `end` without the closing tags before it.
fn before_close_tags(source: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    loop {
        let rest = source.get(start..end).unwrap_or_default().trim_ascii_end();
        let open = if rest.ends_with(b">") { memchr::memrchr(b'<', rest) } else { None };
        match open {
            Some(open) if rest.get(open + 1) == Some(&b'/') => end = start + open,
            _ => return start + rest.len(),
        }
    }
}

/// The form in which `head` tells its chunks apart, and how sure we are that it holds chunks.
fn best_form(head: &[u8]) -> Option<(Form, u8)> {
    // A comment of code may hold anything.
    if [&b"/*"[..], b"//", b"#!"].iter().any(|mark| head.trim_ascii_start().starts_with(mark)) {
        return None;
    }
    let mut tags = [(0_usize, 0_usize); TAGS.len()];
    let mut labels = [0_usize; LABELS.len()];
    let (mut rules, mut numbered, mut numbered_sources, mut brackets, mut sources) = (0, 0, 0, 0, 0);
    let mut text_labels = 0;
    let mut lines = 0;
    for line in Lines::new(head, 0, head.len()).take(LINES) {
        let text = line.of(head);
        let Some(first) = text.iter().find(|byte| !byte.is_ascii_whitespace()) else { continue };
        lines += 1;
        match first {
            b'<' => {
                if let Some(index) =
                    head::open_tag(text).and_then(|name| TAGS.iter().position(|known| *known == name))
                {
                    tags[index].0 += 1;
                }
            }
            b'[' if bracket(text).is_some_and(|number| number == brackets + 1 || number + brackets == 0) => {
                brackets += 1;
                sources += usize::from(names_source(text));
            }
            b'-' | b'=' | b'~' if is_head(text, Form::Rule) => rules += 1,
            b'#' | b'*' if is_head(text, Form::Rule) => rules += 1,
            _ => {}
        }
        if first.is_ascii_alphabetic() || matches!(first, b'#' | b'*' | b'-' | b'[') {
            if is_head(text, Form::Numbered) {
                numbered += 1;
                numbered_sources += usize::from(names_source(text));
            }
            if let Some(found) = label(text) {
                labels[found.index] += 1;
                text_labels += usize::from(found.begins_text());
            }
        }
        for (name, count) in TAGS.iter().zip(&mut tags) {
            count.1 += usize::from(count.0 > 0 && is_close_tag(text, name));
        }
    }
    if let Some(index) = tags.iter().position(|(opened, closed)| *opened >= 1 && *closed >= 1)
        && let Some(name) = TAGS.get(index)
        && is_chunk_markup(head, name)
    {
        return Some((Form::Tag(name), 86));
    }
    if rules >= 2 {
        return Some((Form::Rule, 82));
    }
    if brackets >= 2 && sources * 2 >= brackets && lines >= brackets * 2 {
        return Some((Form::Bracket, 80));
    }
    let any_source: usize = labels.iter().take(4).sum();
    if numbered >= 2 && (numbered_sources > 0 || any_source >= numbered) && lines >= numbered * 2 {
        return Some((Form::Numbered, 78));
    }
    // The first label that begins as many chunks as there are texts.
    let first = labels.iter().position(|count| *count >= 2)?;
    let known = *LABELS.get(first)?;
    if text_labels >= 2 && first < 8 && labels[first] <= 2 * text_labels && text_labels <= 2 * labels[first] {
        return Some((Form::Label(known), 76));
    }
    None
}

/// Says whether elements `name` hold retrieved text: they have a source or an index, and text without markup.
fn is_chunk_markup(head: &[u8], name: &[u8]) -> bool {
    if head.trim_ascii_start().starts_with(b"<?xml") || head.trim_ascii_start().starts_with(b"<!") {
        return false;
    }
    let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
    let marks = has(b"<source>")
        || has(b" index=")
        || has(b"document_content")
        || has(b" score=")
        || has(b" source=")
        || has(b"<url>");
    // Elements nobody else uses for anything.
    marks || matches!(name, b"search_result" | b"passage" | b"chunk" | b"snippet")
}
