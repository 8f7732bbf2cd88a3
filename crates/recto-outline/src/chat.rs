//! Transcripts of conversations as text: a unit a turn, the speaker its frame.
//!
//! A turn's prefix (`User: `, `[12:03] <nick> `, a heading) stands in its own frame, so whatever is kept of a turn says
//! who said it. What is said is read as prose is, without sections. JSON transcripts are JSON.

mod head;
mod speakers;

use head::{Form, Head, head, is_aiders};
use speakers::{Side, side};

use crate::{
    Builder, ContentType, Fuel, Kind, LINE_NOTES, OutlineError, Role,
    lines::{Line, Lines},
    parser::{Context, Parser},
    prose::{Style, add_blocks},
    sentences::trim_end,
};

/// Lines looked at to find the form.
const LINES: usize = 400;
/// A conversation begins within this many lines.
const FIRST_HEAD_LINES: usize = 20;
/// More speakers than this are no speakers, where any name could be one.
const MOST_NAMES: usize = 8;

/// The parser for transcripts.
pub(crate) struct Chat;

impl Parser for Chat {
    fn content_type(&self) -> ContentType {
        ContentType::Chat
    }

    fn surest(&self) -> u8 {
        88
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
        // Twice: once for the heads of turns, once for what is said.
        fuel.burn(2 * (end - start))?;
        let source = builder.source();
        let region = source.get(start..end).unwrap_or_default();
        let style = Style::of(region, false);
        let form = best_form(region.get(..crate::detect::HEAD_BYTES).unwrap_or(region)).map(|(form, _)| form);
        let mut turns = Turns { context, style, done: start };
        let mut open: Option<(Line, Head)> = None;
        let mut last = start;
        let mut below_asked = false;
        for line in Lines::new(source, start, end) {
            let found = form.and_then(|form| head(line.of(source), form));
            // What was asked in several lines is one turn.
            let goes_on = std::mem::replace(&mut below_asked, found.is_some() && form == Some(Form::Asked));
            if let Some(found) = found.filter(|_| !goes_on) {
                turns.add(builder, open, start, last);
                open = Some((line, found));
            }
            last = line.end;
        }
        turns.add(builder, open, start, last);
        Ok(())
    }
}

struct Turns {
    context: Context,
    style: Style,
    done: usize,
}

impl Turns {
    /// Adds the turn that `open` begins, or what stands before the first one, up to `end`.
    fn add(&mut self, builder: &mut Builder<'_>, open: Option<(Line, Head)>, start: usize, end: usize) {
        let Some((line, head)) = open else {
            self.done = add_blocks(builder, self.done, start, end, self.context, self.style);
            return;
        };
        let end = trim_end(builder.source(), line.start, end).max(line.start);
        let said = (line.start + head.prefix).min(end);
        if end - line.start <= self.context.atom_bytes || said == end {
            builder.leaf(self.done, line.start, end, Role::Record, Kind::Turn);
        } else {
            builder.open(self.done, line.start, Role::Record, Kind::Turn, LINE_NOTES);
            add_blocks(builder, said, said, end, self.context, self.style);
            builder.close(end);
        }
        self.done = end;
    }
}

/// The form in which `head` names speakers, and how sure we are that it is a transcript.
fn best_form(head: &[u8]) -> Option<(Form, u8)> {
    let mut best: Option<(Form, u8)> = None;
    let counts = count(head);
    for (form, count) in Form::ALL.into_iter().zip(&counts.forms) {
        let sure = count.certainty(form, &counts);
        if sure > best.map_or(0, |(_, sure)| sure) {
            best = Some((form, sure));
        }
    }
    best
}

#[derive(Default)]
struct Counts<'s> {
    /// Lines that are not blank.
    lines: usize,
    /// Those that begin as Markdown headings do.
    headings: usize,
    /// Those that only aider writes.
    aiders: usize,
    forms: [FormCount<'s>; Form::ALL.len()],
}

#[derive(Default)]
struct FormCount<'s> {
    heads: usize,
    /// Which line the first of them is, not counting blank ones.
    first: usize,
    asking: usize,
    answering: usize,
    /// Heads with several words after them.
    spoken: usize,
    /// The speakers in order of appearance, with how often each speaks.
    speakers: Vec<(&'s [u8], usize)>,
    too_many: bool,
}

impl FormCount<'_> {
    fn certainty(&self, form: Form, counts: &Counts<'_>) -> u8 {
        let lines = counts.lines;
        let both = self.asking > 0 && self.answering > 0;
        // A key of a listing appears once; a speaker speaks again.
        let again = self.speakers.iter().filter(|(_, turns)| *turns > 1).count();
        match form {
            Form::Token if self.heads >= 1 => 88,
            Form::Asked if self.heads >= 1 && counts.aiders > 0 => 82,
            Form::Heading if counts.headings > 2 * self.heads => 0,
            Form::Part | Form::Heading | Form::Bold if both && self.first <= FIRST_HEAD_LINES => 80,
            Form::Nick if self.heads >= 3 && self.heads * 2 >= lines && again > 0 => 80,
            Form::Stamp if self.heads >= 3 && self.heads * 3 >= lines && again > 0 => 80,
            Form::Clock
                if self.heads >= 3
                    && self.heads * 8 >= lines
                    && again > 0
                    && self.speakers.len() > 1
                    && !self.too_many =>
            {
                62
            }
            Form::Bold | Form::Name
                if self.heads >= 4
                    && !self.too_many
                    && (2..=MOST_NAMES).contains(&self.speakers.len())
                    && again >= 2
                    && again * 2 >= self.speakers.len()
                    && self.heads * 2 >= lines
                    && self.spoken * 2 >= self.heads =>
            {
                50
            }
            _ => 0,
        }
    }
}

fn count(text: &[u8]) -> Counts<'_> {
    let mut counts = Counts::default();
    for line in Lines::new(text, 0, text.len()).take(LINES) {
        let line = line.of(text);
        if line.trim_ascii().is_empty() {
            continue;
        }
        counts.lines += 1;
        counts.headings += usize::from(line.starts_with(b"#"));
        counts.aiders += usize::from(is_aiders(line));
        let lines = counts.lines;
        for (form, count) in Form::ALL.into_iter().zip(&mut counts.forms) {
            if !line.first().is_some_and(|first| form.may_begin(*first)) {
                continue;
            }
            let Some(found) = head(line, form) else { continue };
            if found.speaker.0 == found.speaker.1 {
                break;
            }
            count.heads += 1;
            if count.heads == 1 {
                count.first = lines;
            }
            let speaker = line.get(found.speaker.0..found.speaker.1).unwrap_or_default();
            match side(speaker) {
                Some(Side::Asking) => count.asking += 1,
                Some(Side::Answering) => count.answering += 1,
                _ => {}
            }
            let said = line.get(found.prefix..).unwrap_or_default();
            count.spoken += usize::from(memchr::memchr_iter(b' ', said).nth(1).is_some());
            match count.speakers.iter().position(|(known, _)| *known == speaker) {
                Some(index) => count.speakers[index].1 += 1,
                None if count.speakers.len() < 4 * MOST_NAMES => count.speakers.push((speaker, 1)),
                None => count.too_many = true,
            }
            // A line has one head at most.
            break;
        }
    }
    counts
}
