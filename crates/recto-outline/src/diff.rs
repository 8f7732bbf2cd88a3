//! Diffs: git's and plain ones, combined ones, several in one text with commit messages between, and normal ones (`5c5`).

mod hunk;
mod parts;

use parts::{Part, Parts};

use crate::{
    Builder, Comment, ContentType, Fuel, Kind, NoteSyntax, OutlineError, Role, UnitId,
    lines::{LONG_LINE_BYTES, Line, Lines, add_line, add_pieces},
    log::ansi,
    parser::{Context, Parser},
};

const NOTES: NoteSyntax = NoteSyntax::Line(Comment::Hash);
/// Lines looked at to be sure.
const LINES: usize = 300;

/// The parser.
pub(crate) struct Diff;

impl Parser for Diff {
    fn content_type(&self) -> ContentType {
        ContentType::Diff
    }

    fn surest(&self) -> u8 {
        92
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let mut parts = Parts::new();
        let (mut lines, mut files, mut hunks, mut inside, mut headed) = (0, 0, 0, 0, false);
        let mut rest = Lines::new(head, 0, head.len());
        let mut scratch = Vec::new();
        while let Some(line) = rest.next() {
            let text = ansi::visible(line.of(head), &mut scratch);
            if text.is_empty() && inside == 0 {
                continue;
            }
            let part = parts.read(text, |below| peek(&rest, head, below));
            headed |= lines == 0 && matches!(part, Part::Commit | Part::FileHead);
            lines += 1;
            files += usize::from(part == Part::FileHead);
            hunks += usize::from(part == Part::HunkHead);
            inside += usize::from(!matches!(part, Part::Text | Part::Commit));
            if lines == LINES {
                break;
            }
        }
        match (files, hunks) {
            (0, 0) => 0,
            // Hunks of nothing: a part of a diff, or a normal one.
            (0, _) => u8::from(inside * 10 >= lines * 8 && lines > 2) * 80,
            (_, 0) => u8::from(inside * 2 >= lines) * 75,
            _ if inside * 2 >= lines => 92,
            // A long message, or several short changes with theirs.
            _ if headed => 86,
            // A message without a commit's line before it.
            _ if inside * 4 >= lines => 60,
            _ => 0,
        }
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
        if builder.current() == UnitId::ROOT {
            builder.set_root_notes(NOTES);
        }
        let source = builder.source();
        let coloured = ansi::silence(builder, start, end);
        let mut scratch = Vec::new();
        let mut parts = Parts::new();
        let mut state = State::new(start);
        let mut lines = Lines::new(source, start, end);
        while let Some(line) = lines.next() {
            let raw = line.of(source);
            let text = if coloured { ansi::visible(raw, &mut scratch) } else { raw };
            let part = parts.read(text, |below| peek(&lines, source, below));
            let signs = parts.sign_bytes() + raw.len() - text.len();
            state.add(builder, line, part, text, signs);
        }
        state.close_to(builder, Depth::Text);
        state.close_commit(builder);
        Ok(())
    }
}

/// The line `below` lines below the one just read, past colours at its start.
fn peek<'s>(rest: &Lines<'_>, source: &'s [u8], below: usize) -> &'s [u8] {
    let Some(line) = rest.clone().nth(below.saturating_sub(1)) else { return &[] };
    let text = source.get(line.start..line.end).unwrap_or_default();
    let mut at = 0;
    while text.get(at) == Some(&0x1B) {
        at = ansi::escape_end(text, at, text.len()).max(at + 1);
    }
    text.get(at..).unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Text,
    File,
    Hunk,
}

/// A unit that the next line may lengthen.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    lead: usize,
    line: Line,
    role: Role,
    kind: Kind,
    signs: usize,
}

/// Where the parser stands.
struct State {
    /// The end of the last line.
    end: usize,
    depth: Depth,
    /// Whether a file is open; a hunk may stand in none.
    in_file: bool,
    in_commit: bool,
    /// Whether the commit's subject is still to come.
    awaits_subject: bool,
    generated: bool,
    waiting: Option<Waiting>,
}

impl State {
    fn new(start: usize) -> Self {
        Self {
            end: start,
            depth: Depth::Text,
            in_file: false,
            in_commit: false,
            awaits_subject: false,
            generated: false,
            waiting: None,
        }
    }

    fn add(&mut self, builder: &mut Builder<'_>, line: Line, part: Part, text: &[u8], signs: usize) {
        match part {
            Part::HeadMore | Part::NoNewline if self.lengthen(line) => return,
            _ => self.flush(builder),
        }
        let (role, kind) = match part {
            Part::Commit => {
                self.close_to(builder, Depth::Text);
                self.close_commit(builder);
                builder.open(self.end, line.start, Role::Frame, Kind::Section, NOTES);
                self.in_commit = true;
                self.awaits_subject = true;
                (Role::Frame, Kind::Heading)
            }
            Part::FileHead => {
                self.close_to(builder, Depth::Text);
                builder.open(self.end, line.start, Role::Frame, Kind::File, NOTES);
                self.depth = Depth::File;
                self.in_file = true;
                self.generated = false;
                (Role::Frame, Kind::Heading)
            }
            Part::HunkHead => {
                self.close_to(builder, Depth::File);
                builder.open(self.end, line.start, Role::Frame, Kind::Hunk, NOTES);
                self.depth = Depth::Hunk;
                (Role::Frame, Kind::Heading)
            }
            Part::Divider => (Role::Frame, Kind::Context),
            Part::Binary => (Role::Line, Kind::Boilerplate),
            _ if self.generated && part != Part::Text => (Role::Line, Kind::Boilerplate),
            Part::Added => (Role::Line, Kind::Added),
            Part::Removed => (Role::Line, Kind::Removed),
            Part::Context | Part::NoNewline | Part::HeadMore => (Role::Line, Kind::Context),
            Part::Text => {
                self.close_to(builder, Depth::Text);
                (Role::Line, self.text_kind(text))
            }
        };
        self.waiting = Some(Waiting { lead: self.end, line, role, kind, signs });
        self.end = line.end;
    }

    /// Makes the waiting unit reach over `line`: a file's head, a line without a newline.
    fn lengthen(&mut self, line: Line) -> bool {
        let Some(waiting) = &mut self.waiting else { return false };
        // A long line is cut into pieces: none of them may be both it and what follows it.
        if waiting.role != Role::Frame && waiting.line.end - waiting.line.start > LONG_LINE_BYTES {
            return false;
        }
        waiting.line.end = line.end;
        waiting.line.next = line.next;
        self.end = line.end;
        true
    }

    fn flush(&mut self, builder: &mut Builder<'_>) {
        let Some(Waiting { lead, line, role, kind, signs }) = self.waiting.take() else { return };
        if role == Role::Frame {
            if self.depth == Depth::File {
                self.generated = parts::is_generated(line.of(builder.source()));
            }
            builder.leaf(lead, line.start, line.end, role, kind);
        } else if line.end - line.start > LONG_LINE_BYTES && signs > 0 && self.depth == Depth::Hunk {
            // The sign is the line's own, so that each of its pieces stands behind it.
            builder.open(lead, line.start, role, kind, NoteSyntax::Inline);
            let text = first_boundary(line.of(builder.source()), signs.min(64));
            add_pieces(builder, line.start + text, line.end);
            builder.close(line.end);
        } else {
            add_line(builder, lead, line, role, kind);
        }
    }

    fn text_kind(&mut self, text: &[u8]) -> Kind {
        let words = text.trim_ascii();
        if words.is_empty() {
            return Kind::Blank;
        }
        if self.awaits_subject && (text.starts_with(b"    ") || text.starts_with(b"Subject: ")) {
            self.awaits_subject = false;
            return Kind::Heading;
        }
        // ` 3 files changed, 10 insertions(+)`
        let digits = words.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let counted = words.get(digits..).unwrap_or_default();
        if digits > 0 && (counted.starts_with(b" files changed") || counted.starts_with(b" file changed")) {
            return Kind::Summary;
        }
        Kind::Plain
    }

    fn close_to(&mut self, builder: &mut Builder<'_>, depth: Depth) {
        self.flush(builder);
        while self.depth > depth {
            builder.close(self.end);
            if self.depth == Depth::Hunk && self.in_file {
                self.depth = Depth::File;
            } else {
                self.depth = Depth::Text;
                self.in_file = false;
            }
        }
    }

    fn close_commit(&mut self, builder: &mut Builder<'_>) {
        self.flush(builder);
        if std::mem::take(&mut self.in_commit) {
            builder.close(self.end);
        }
    }
}

/// The first place at or after `at` that cuts no character.
fn first_boundary(text: &[u8], at: usize) -> usize {
    (at..at + 4).find(|at| text.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80)).unwrap_or(at)
}
