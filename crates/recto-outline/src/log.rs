//! Logs of programs, builds, test runs and continuous integration.
//!
//! Each line is read in three steps: its [`prefix`] (time, level, names), the [`mark`] its message makes by its form, and the
//! [`events`] that gather a message with what follows it. Nothing here knows words for failure: only levels at a level's
//! place, and the forms that tools print.

pub(crate) mod ansi;
mod emit;
mod events;
mod mark;
mod pairs;
mod place;
mod prefix;
mod sniff;

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::{Line, Lines},
    numbered,
    parser::{Context, Parser},
};
use events::{Events, Fact, Habit};
use mark::Mark;
pub use prefix::Level;
use prefix::Prefix;

/// Lines looked at to learn a log's habit.
const HABIT_LINES: usize = 200;
/// A caret stands no further below the head of its diagnostic.
const CARET_LINES: usize = 4;

/// The parser.
pub(crate) struct Log;

impl Parser for Log {
    fn content_type(&self) -> ContentType {
        ContentType::Log
    }

    fn surest(&self) -> u8 {
        78
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        Self::sure(head, whole)
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        Self::parse_lines(builder, start, end, false, fuel)
    }
}

impl Log {
    /// How sure it is that a text is a log.
    pub(crate) fn sure(head: &[u8], whole: bool) -> u8 {
        sniff::sure(head, whole)
    }

    /// Parses a log whose lines stand behind their numbers in a file, if they are `numbered`.
    pub(crate) fn parse_lines(
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        numbered: bool,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end.saturating_sub(start))?;
        let source = builder.source();
        let (has_escapes, redrawn) = controls(source.get(start..end).unwrap_or_default());
        let coloured = has_escapes && ansi::silence(builder, start, end);
        let mut lines = Lines::new(source, start, end);
        let reader = Reader { source, numbered, coloured, redrawn };
        let mut scratch = Vec::new();
        let habit = reader.habit(lines.clone(), &mut scratch);
        let mut events = Events::new(builder, start, habit);
        while let Some(line) = lines.next() {
            if habit.pairs {
                events.count_pairs(line);
            }
            let fact = reader.fact(line, &mut scratch);
            events.push(fact, || reader.caret(lines.clone()));
        }
        events.finish();
        Ok(())
    }
}

/// Reads single lines.
struct Reader<'s> {
    source: &'s [u8],
    /// Whether each line stands behind its number.
    numbered: bool,
    /// Whether there are escape sequences to look past.
    coloured: bool,
    /// Whether there are carriage returns inside lines.
    redrawn: bool,
}

impl Reader<'_> {
    fn fact<'t>(&self, line: Line, scratch: &'t mut Vec<u8>) -> Fact<'t>
    where
        Self: 't,
    {
        let whole = line.of(self.source);
        let mut text = whole;
        if self.numbered {
            text = numbered::text(whole).unwrap_or(whole);
        }
        let unnumbered = text;
        let mut redrawn = false;
        if self.redrawn && memchr::memchr(b'\r', text).is_some() {
            redrawn = true;
            text = text.get(emit::last_drawn(text)).unwrap_or_default();
        }
        if self.coloured {
            text = ansi::visible(text, scratch);
        }
        let prefix = Prefix::of(text);
        let rest = text.get(prefix.rest..).unwrap_or_default();
        let indent = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let message = rest.get(indent..).unwrap_or_default().trim_ascii_end();
        let mark = Mark::of(message, indent);
        // Of a line that is not read as it stands, no one knows where in it the message begins.
        let is_plain = std::ptr::eq(text, unnumbered);
        let number_bytes = whole.len() - unnumbered.len();
        let prefix_bytes = if is_plain { number_bytes + prefix.rest + indent } else { 0 };
        Fact {
            line,
            prefix_bytes,
            message,
            indent,
            stamped: prefix.stamped,
            level: prefix.level,
            mark,
            redrawn,
        }
    }

    /// Whether most of the first lines are stamped, and whether the region is a list of commits.
    fn habit(&self, lines: Lines<'_>, scratch: &mut Vec<u8>) -> Habit {
        let mut seen = 0_usize;
        let mut stamped = 0_usize;
        let mut commits = false;
        let mut starts = false;
        let mut paired = 0_usize;
        for line in lines.take(HABIT_LINES) {
            let fact = self.fact(line, scratch);
            if fact.mark == Mark::Blank {
                continue;
            }
            commits |= seen == 0 && events::is_commit(fact.message);
            starts |= seen == 0 && fact.stamped;
            seen += 1;
            paired += usize::from(pairs::pairs(fact.message).nth(1).is_some());
            stamped += usize::from(fact.stamped);
        }
        // A few events with long traces are stamped seldom.
        let often = if starts { 8 } else { 3 };
        Habit { stamped: stamped * often >= seen && stamped > 1, commits, pairs: paired * 2 > seen }
    }

    /// How many lines below the head of a diagnostic its caret stands: 0 where there is none.
    fn caret(&self, lines: Lines<'_>) -> usize {
        let mut scratch = Vec::new();
        for (count, line) in lines.take(CARET_LINES).enumerate() {
            let fact = self.fact(line, &mut scratch);
            let caret = fact.message.iter().all(|byte| matches!(byte, b'^' | b'~' | b' '));
            if caret && fact.message.contains(&b'^') {
                return count + 1;
            }
            if matches!(fact.mark, Mark::Blank | Mark::Diagnostic { .. }) {
                return 0;
            }
        }
        0
    }
}

/// Whether there are escape characters, and whether a carriage return stands somewhere else than at the end of a line. Both in one
/// pass, by parts that stay in the nearest cache.
fn controls(region: &[u8]) -> (bool, bool) {
    const PART_BYTES: usize = 16 << 10;
    let (mut has_escapes, mut redrawn) = (false, false);
    let mut start = 0;
    for part in region.chunks(PART_BYTES) {
        has_escapes = has_escapes || memchr::memchr(ansi::ESCAPE, part).is_some();
        redrawn = redrawn
            || memchr::memchr_iter(b'\r', part)
                .any(|at| !matches!(region.get(start + at + 1), None | Some(b'\n')));
        start += part.len();
    }
    (has_escapes, redrawn)
}
