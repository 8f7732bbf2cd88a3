//! Unified diffs: git's and plain ones, combined ones, several in one text with commit messages between.

mod line;

use line::{HunkCounts, is_file_head, is_generated};

use crate::{
    Builder, Comment, ContentType, Fuel, Kind, NoteSyntax, OutlineError, Role,
    lines::{Line, Lines, add_line},
    parser::{Context, Parser},
};

const NOTES: NoteSyntax = NoteSyntax::Line(Comment::Hash);

/// The parser.
pub(crate) struct Diff;

impl Parser for Diff {
    fn content_type(&self) -> ContentType {
        ContentType::Diff
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let mut files = 0;
        let mut hunks = 0;
        let mut lines = Lines::new(head, 0, head.len()).take(400).peekable();
        let mut before_file = 0;
        while let Some(line) = lines.next() {
            let text = line.of(head);
            let next = lines.peek().map(|next| next.of(head)).unwrap_or_default();
            if is_file_head(text, next) {
                files += 1;
            } else if HunkCounts::of(text).is_some() {
                hunks += 1;
            } else if files == 0 {
                before_file += 1;
            }
        }
        match (files, hunks) {
            (0, _) => 0,
            // A commit message may be long; a few diff lines quoted in a long text are no diff.
            _ if before_file > 200 => 0,
            (_, 0) => 60,
            _ if before_file > 60 => 60,
            _ => 92,
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
        fuel.burn(end - start)?;
        if builder.current() == crate::UnitId::ROOT {
            builder.set_root_notes(NOTES);
        }
        let source = builder.source();
        let mut state = State { lead: start, depth: Depth::Text, counts: HunkCounts::default(), generated: false };
        let mut lines = Lines::new(source, start, end).peekable();
        while let Some(line) = lines.next() {
            let text = line.of(source);
            let next = lines.peek().map(|next| next.of(source)).unwrap_or_default();
            if state.is_in_hunk(text) {
                state.hunk_line(builder, line);
            } else if let Some(counts) = HunkCounts::of(text).filter(|_| state.depth != Depth::Text) {
                state.open_hunk(builder, line, counts);
            } else if is_file_head(text, next) {
                // The file's head is one unit: up to the first hunk, or the next file.
                let mut last = line;
                while let Some(more) = lines.peek() {
                    let text = more.of(source);
                    let is_over = HunkCounts::of(text).is_some()
                        || text.starts_with(b"diff ")
                        || text.starts_with(b"commit ")
                        || text.is_empty()
                        || (last.of(source).starts_with(b"+++ "));
                    if is_over {
                        break;
                    }
                    last = *more;
                    lines.next();
                }
                state.open_file(builder, line, last);
            } else {
                state.close_to(builder, Depth::Text);
                let kind = if text.trim_ascii().is_empty() { Kind::Blank } else { Kind::Plain };
                add_line(builder, state.lead, line, Role::Line, kind);
                state.lead = line.end;
            }
        }
        state.close_to(builder, Depth::Text);
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Text,
    File,
    Hunk,
}

/// Where the parser stands.
struct State {
    /// Where the separator before the next unit begins: the end of the last line.
    lead: usize,
    depth: Depth,
    counts: HunkCounts,
    generated: bool,
}

impl State {
    fn is_in_hunk(&self, text: &[u8]) -> bool {
        self.depth == Depth::Hunk && (!self.counts.is_done() || text.starts_with(b"\\"))
    }

    fn close_to(&mut self, builder: &mut Builder<'_>, depth: Depth) {
        while self.depth > depth {
            builder.close(self.lead);
            self.depth = if self.depth == Depth::Hunk { Depth::File } else { Depth::Text };
        }
    }

    fn open_file(&mut self, builder: &mut Builder<'_>, first: Line, last: Line) {
        self.close_to(builder, Depth::Text);
        builder.open(self.lead, first.start, Role::Frame, Kind::File, NOTES);
        builder.leaf(first.start, first.start, last.end, Role::Frame, Kind::Heading);
        let head = builder.source().get(first.start..last.end).unwrap_or_default();
        self.generated = is_generated(head);
        self.depth = Depth::File;
        self.lead = last.end;
    }

    fn open_hunk(&mut self, builder: &mut Builder<'_>, line: Line, counts: HunkCounts) {
        self.close_to(builder, Depth::File);
        builder.open(self.lead, line.start, Role::Frame, Kind::Hunk, NOTES);
        builder.leaf(line.start, line.start, line.end, Role::Frame, Kind::Heading);
        self.depth = Depth::Hunk;
        self.counts = counts;
        self.lead = line.end;
    }

    fn hunk_line(&mut self, builder: &mut Builder<'_>, line: Line) {
        let text = line.of(builder.source());
        let kind = match self.counts.take(text) {
            _ if self.generated => Kind::Boilerplate,
            b'+' => Kind::Added,
            b'-' => Kind::Removed,
            _ => Kind::Context,
        };
        add_line(builder, self.lead, line, Role::Line, kind);
        self.lead = line.end;
    }
}
