//! Files as agents' read tools print them: each line behind its number.

use crate::{
    Builder, ContentType, Fuel, Kind, LINE_NOTES, OutlineError, Role,
    code::{Blocks, CodeLine, Language, guess_language},
    lines::{Line, Lines, add_line},
    log::Log,
    parser::{Context, Parser},
};

/// Lines looked at to be sure.
const LINES: usize = 240;

/// How sure the parser of logs must be of numbered lines.
const LIKELY: u8 = 60;
/// How sure we are of lines whose numbers go up one by one.
const SUREST: u8 = 94;

/// The file's name stands in the first lines.
const HEAD_LINES: usize = 12;

/// The parser.
pub(crate) struct Numbered;

impl Parser for Numbered {
    fn content_type(&self) -> ContentType {
        ContentType::Numbered
    }

    fn surest(&self) -> u8 {
        SUREST
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let mut counts = Counts::default();
        for line in Lines::new(head, 0, head.len()).take(LINES) {
            counts.add(line.of(head));
        }
        counts.sure()
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end.saturating_sub(start))?;
        let source = builder.source();
        let lines = Lines::new(source, start, end);
        let language = language(source, &lines);
        let mut blocks = Blocks::new(start, language, LINE_NOTES);
        let mut is_inside = false;
        let mut next = 0;
        for line in lines {
            let text = line.of(source);
            match split(text) {
                Some(numbered) => {
                    // A gap in the numbers: another part of the file.
                    if is_inside && numbered.number != next {
                        blocks.leave(builder);
                    }
                    is_inside = true;
                    next = numbered.number + 1;
                    if language == Language::Unknown {
                        blocks.plain(builder, line, prose_kind(numbered.text));
                    } else {
                        blocks.push(builder, CodeLine::of(line, numbered.text));
                    }
                }
                None => {
                    blocks.leave(builder);
                    is_inside = false;
                    add_outside(builder, &mut blocks, line, text);
                }
            }
        }
        blocks.finish(builder);
        Ok(())
    }
}

/// The parser of logs that a read tool has numbered: a log, but for the numbers.
pub(crate) struct NumberedLog;

impl Parser for NumberedLog {
    fn content_type(&self) -> ContentType {
        ContentType::Log
    }

    fn surest(&self) -> u8 {
        SUREST + 1
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        let sure = Numbered.sniff(head, whole);
        if sure == 0 {
            return 0;
        }
        let lines = Lines::new(head, 0, head.len());
        if language(head, &lines) != Language::Unknown {
            return 0;
        }
        let mut unnumbered = Vec::with_capacity(head.len());
        for line in lines.take(LINES) {
            unnumbered.extend_from_slice(text(line.of(head)).unwrap_or_default());
            unnumbered.push(b'\n');
        }
        // Surer than that they are numbered lines.
        if Log::sure(&unnumbered, whole) >= LIKELY { sure + 1 } else { 0 }
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        Log::parse_lines(builder, start, end, true, fuel)
    }
}

/// The language of numbered lines: that of the file's name, where the tool says it, else what they look like.
fn language(source: &[u8], lines: &Lines<'_>) -> Language {
    let inner = lines.clone().filter_map(|line| text(line.of(source)));
    let named =
        lines.clone().take(HEAD_LINES).find_map(|line| Language::of_path(file_name(line.of(source))?));
    named.unwrap_or_else(|| guess_language(inner))
}

/// The text of a numbered line.
pub(crate) fn text(line: &[u8]) -> Option<&[u8]> {
    split(line).map(|numbered| numbered.text)
}

/// A line of the tool itself: the file's name, how many lines are left out.
fn add_outside(builder: &mut Builder<'_>, blocks: &mut Blocks, line: Line, text: &[u8]) {
    let text = text.trim_ascii();
    let names = text.starts_with(b"[File: ")
        || text.starts_with(b"<file")
        || text.starts_with(b"Here's the result of");
    if names && line.end - line.start < 300 {
        add_line(builder, blocks.last_end(), line, Role::Frame, Kind::Heading);
        blocks.pass(line.end);
    } else {
        blocks.plain(builder, line, if text.is_empty() { Kind::Blank } else { Kind::Plain });
    }
}

/// The file that a line of the tool names: `[File: src/lib.rs (94 lines total)]`, `<file path="src/lib.rs">`,
/// `Here's the result of running `cat -n` on src/lib.rs:`.
fn file_name(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let rest = [&b"[File: "[..], b"<file path=\"", b"Here's the result of running `cat -n` on "]
        .iter()
        .find_map(|start| line.strip_prefix(*start))?;
    let end = rest.iter().position(|byte| matches!(byte, b' ' | b'"' | b']' | b'>')).unwrap_or(rest.len());
    let name = rest.get(..end)?;
    Some(name.strip_suffix(b":").unwrap_or(name))
}

/// What a numbered line of a text that is no code is.
fn prose_kind(text: &[u8]) -> Kind {
    let text = text.strip_prefix(b" ").unwrap_or(text).trim_ascii_end();
    if text.is_empty() {
        return Kind::Blank;
    }
    let signs = text.iter().take_while(|byte| **byte == b'#').count();
    if (1..=6).contains(&signs) && text.get(signs) == Some(&b' ') { Kind::Heading } else { Kind::Plain }
}

/// A numbered line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberedLine<'t> {
    number: u64,
    /// What stands between number and text: its first byte.
    sign: u8,
    text: &'t [u8],
}

/// Splits a line into its number and its text: `    12<tab>text`, `12: text`, `12:text`, `00012| text`, `12→text`.
fn split(line: &[u8]) -> Option<NumberedLine<'_>> {
    let blanks = line.iter().take(13).take_while(|byte| **byte == b' ').count();
    let rest = line.get(blanks..)?;
    let digits = rest.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 9 || blanks > 12 {
        return None;
    }
    let number = rest.get(..digits)?.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    let after = rest.get(digits..)?;
    let signs: [&[u8]; 5] = [b"\t", "→".as_bytes(), b":", b"|", b" |"];
    let sign = signs.into_iter().find(|sign| after.starts_with(sign))?;
    let text = after.get(sign.len()..)?;
    Some(NumberedLine { number, sign: sign.last().copied()?, text })
}

/// The lines of a text, counted.
#[derive(Debug, Default)]
struct Counts {
    lines: usize,
    numbered: usize,
    /// Numbered lines whose number is one more than that of the line before.
    rising: usize,
    /// Lines with tabs behind the first, as a table has.
    tabbed: usize,
    /// Lines that do not begin as their sign asks: `cat -n` and a tab, a colon and a clock's digits.
    odd: usize,
    last: Option<(u64, u8)>,
}

impl Counts {
    fn add(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        let Some(found) = split(line) else {
            self.last = None;
            return;
        };
        self.numbered += 1;
        self.rising +=
            usize::from(self.last.is_some_and(|last| last == (found.number.wrapping_sub(1), found.sign)));
        self.last = Some((found.number, found.sign));
        let text = found.text.trim_ascii();
        self.tabbed += usize::from(found.sign == b'\t' && !text.is_empty() && text.contains(&b'\t'));
        // `12:34:56`: a time, or a hit of a search with its column.
        let clock = found.sign == b':' && found.text.first().is_some_and(u8::is_ascii_digit);
        self.odd += usize::from(clock);
    }

    fn sure(&self) -> u8 {
        let Self { lines, numbered, rising, tabbed, odd, .. } = *self;
        // Rows of a table that happen to be numbered.
        if numbered < 3 || tabbed * 10 > numbered * 6 || odd * 2 > numbered {
            return 0;
        }
        // Numbers that go up one by one are the mark.
        if numbered * 10 >= lines * 8 && (rising + 1) * 10 >= numbered * 9 {
            SUREST
        } else if rising > 7 && numbered * 2 >= lines && rising * 10 >= numbered * 8 {
            80
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_log_is_a_log_and_numbered_code_is_not() {
        let log: String =
            (1..90).map(|n| format!("{n}\t2026-01-02 03:04:{:02} INFO took {n} ms\n", n % 60)).collect();
        let code: String = (1..90)
            .map(|n| format!("{n}\tfn f{n}() -> u8 {{ log::error!(\"error: {n}\"); {n} }}\n"))
            .collect();
        let text: String = (1..90).map(|n| format!("{n}\tA sentence of a text, number {n}.\n")).collect();
        let detected = [log, code, text].map(|text| crate::detect(text.as_bytes()));
        assert_eq!(detected, [ContentType::Log, ContentType::Numbered, ContentType::Numbered]);
    }

    #[test]
    fn numbers_of_many_tools() {
        for line in
            ["    12\tlet a = 1;", "12:let a = 1;", "00012|let a = 1;", "  12→let a = 1;", "12 |let a = 1;"]
        {
            let found = split(line.as_bytes()).unwrap();
            assert_eq!((found.number, found.text), (12, &b"let a = 1;"[..]), "{line}");
        }
        assert_eq!(split(b"12 apples"), None);
        assert_eq!(split(b"no number"), None);
        assert_eq!(split(b"1234567890: more than any file has"), None);
    }

    #[test]
    fn tables_and_times_are_not_numbered() {
        for text in [
            &b"10\ta\n12\tb\n9\tc\n40\td\n"[..],
            b"1\ta\tb\n2\tc\td\n3\te\tf\n4\tg\th\n",
            b"10:00:01 a\n11:00:02 b\n12:00:03 c\n13:00:04 d\n",
            b"3:a\n9:b\n12:c\n",
        ] {
            assert_eq!(Numbered.sniff(text, true), 0, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!(Numbered.sniff(b"[File: a.py (9 lines total)]\n7:\n8: a\n9: b\n10: c\n11: d\n", true), 94);
    }
}
