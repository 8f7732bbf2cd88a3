//! Lines of code to nested definitions, by their indentation.

use crate::{
    Builder, Kind, NoteSyntax, Role,
    code::{
        Language,
        sort::{self, Sort},
    },
    lines::{LONG_LINE_BYTES, Line, add_line},
};

/// A definition's head is at most so long.
const MAX_HEAD_BYTES: usize = 1200;
/// Lines before a definition that wait for it: more of them are no comment of it.
const MAX_HELD_LINES: usize = 400;

/// A line and the code in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeLine<'t> {
    line: Line,
    /// The code, without the blanks around it.
    text: &'t [u8],
    /// Columns before the code.
    indent: usize,
}

impl<'t> CodeLine<'t> {
    /// A line whose code is `code`: all of it, or what stands behind a line number.
    pub(crate) fn of(line: Line, code: &'t [u8]) -> Self {
        let mut indent = 0;
        let mut blanks = 0;
        for byte in code {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent += 4,
                _ => break,
            }
            blanks += 1;
        }
        Self { line, text: code.get(blanks..).unwrap_or_default().trim_ascii_end(), indent }
    }
}

/// A comment, an attribute or a blank line whose place the next line of code decides.
#[derive(Clone, Copy, Debug)]
struct Held {
    line: Line,
    kind: Kind,
    rank: usize,
}

/// The first lines of a definition, until it is known whether it has a body.
#[derive(Debug)]
struct Head {
    lead: usize,
    start: usize,
    end: usize,
    rank: usize,
    sort: Sort,
    /// Parentheses still open.
    depth: i32,
    /// Whether nothing more of the head is to come.
    is_complete: bool,
    /// Comments and attributes just before.
    docs: Vec<Held>,
}

/// What ends a comment or a string over several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Slash,
    Quotes(u8),
}

/// Adds lines of code to an outline: those of a definition in a container whose head is a frame.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// The end of the last line added.
    end: usize,
    language: Language,
    notes: NoteSyntax,
    /// The ranks of the open definitions.
    open: Vec<usize>,
    held: Vec<Held>,
    head: Option<Head>,
    inside: Option<Until>,
    /// Parentheses that an attribute left open.
    attribute_depth: i32,
    /// The rank of an import that goes on.
    import: Option<usize>,
    /// The rank of the line, or of the first line of a comment that goes on.
    group_rank: usize,
    /// Whether no code has been seen yet.
    is_start: bool,
}

impl Blocks {
    pub(crate) fn new(start: usize, language: Language, notes: NoteSyntax) -> Self {
        Self {
            end: start,
            language,
            notes,
            open: Vec::new(),
            held: Vec::new(),
            head: None,
            inside: None,
            attribute_depth: 0,
            import: None,
            group_rank: 0,
            is_start: true,
        }
    }

    /// Takes the next line.
    pub(crate) fn push(&mut self, builder: &mut Builder<'_>, code: CodeLine<'_>) {
        let goes_on = self.inside.is_some() || self.attribute_depth > 0;
        let sort = self.sort(code);
        if !goes_on {
            self.group_rank = self.rank(code.indent, sort);
        }
        // The lines of one comment stand where it begins.
        let rank = self.group_rank;
        let kind = match sort {
            Sort::Blank => Kind::Blank,
            Sort::Comment => Kind::Comment,
            Sort::Attribute => Kind::Import,
            _ => {
                self.code_line(builder, code, sort, rank);
                return;
            }
        };
        if self.held.len() >= MAX_HELD_LINES {
            self.resolve(builder, usize::MAX);
            self.settle(builder, rank, self.held.len());
        }
        self.held.push(Held { line: code.line, kind, rank });
    }

    /// Ends the region.
    pub(crate) fn finish(mut self, builder: &mut Builder<'_>) {
        self.leave(builder);
    }

    /// Adds what waits and closes all that is open: the next line is of another text.
    pub(crate) fn leave(&mut self, builder: &mut Builder<'_>) {
        self.resolve(builder, 0);
        let lines = self.held.iter().rposition(|held| held.kind != Kind::Blank).map_or(0, |at| at + 1);
        self.settle(builder, 0, lines);
        self.close_to(builder, 0);
        self.settle(builder, 0, self.held.len());
        self.inside = None;
        self.import = None;
    }

    /// Adds a line that is no code, behind what has been added.
    pub(crate) fn plain(&mut self, builder: &mut Builder<'_>, line: Line, kind: Kind) {
        self.emit(builder, line, kind);
    }

    /// The end of the last line added.
    pub(crate) fn last_end(&self) -> usize {
        self.end
    }

    /// Notes that a line which ends at `end` was added elsewhere.
    pub(crate) fn pass(&mut self, end: usize) {
        self.end = end;
    }

    fn sort(&mut self, code: CodeLine<'_>) -> Sort {
        if let Some(until) = self.inside {
            let ends = match until {
                Until::Slash => crate::words::find(code.text, b"*/").is_some(),
                Until::Quotes(quote) => crate::words::find(code.text, &[quote; 3]).is_some(),
            };
            if ends {
                self.inside = None;
            }
            return if code.text.is_empty() { Sort::Blank } else { Sort::Comment };
        }
        if self.attribute_depth > 0 && !code.text.is_empty() {
            self.attribute_depth += sort::parentheses(code.text);
            return Sort::Attribute;
        }
        let sort = Sort::of(code.text, self.language, !self.open.is_empty() || self.head.is_some());
        if !matches!(sort, Sort::Blank | Sort::Comment) {
            self.is_start = false;
        }
        match (sort, code.text.first()) {
            (Sort::Attribute, _) => self.attribute_depth = sort::parentheses(code.text).max(0),
            (Sort::Comment, Some(b'/'))
                if code.text.starts_with(b"/*")
                    && crate::words::find(code.text.get(2..).unwrap_or_default(), b"*/").is_none() =>
            {
                self.inside = Some(Until::Slash);
            }
            (Sort::Comment, Some(quote @ (b'"' | b'\''))) => {
                // Quotes alone open a text where one is due; elsewhere they end one whose beginning is not here.
                let is_due = self.head.is_some() || self.is_start;
                let ends = crate::words::find(code.text.get(3..).unwrap_or_default(), &[*quote; 3]).is_some();
                if !ends && (is_due || code.text.len() > 3) {
                    self.inside = Some(Until::Quotes(*quote));
                }
            }
            _ => {}
        }
        sort
    }

    /// How deep a line stands. Items of a list stand below a key of the same indentation, tables of TOML above all.
    fn rank(&self, indent: usize, sort: Sort) -> usize {
        match self.language {
            Language::Toml if matches!(sort, Sort::Section | Sort::Comment) => 1,
            Language::Toml => 2 * indent + 3,
            Language::Yaml if sort == Sort::Item => 2 * indent + 2,
            _ => 2 * indent + 1,
        }
    }

    fn code_line(&mut self, builder: &mut Builder<'_>, code: CodeLine<'_>, sort: Sort, rank: usize) {
        if self.continues_head(code, rank) {
            if let Some(head) = &mut self.head {
                head.end = code.line.end;
                head.depth += sort::parentheses(code.text);
                head.is_complete = is_complete(code.text, head.depth, self.language);
                self.held.clear();
            }
            return;
        }
        let closes_head = sort == Sort::Closing
            && self.head.as_ref().is_some_and(|head| head.rank == rank)
            && self.held.is_empty();
        if closes_head && let Some(head) = self.head.take() {
            // An empty body.
            self.one_line(builder, Head { end: code.line.end, ..head });
            return;
        }
        self.resolve(builder, rank);
        let docs = if matches!(sort, Sort::Definition | Sort::Section) { self.docs(rank) } else { 0 };
        if sort == Sort::Closing && self.open.contains(&rank) {
            self.settle(builder, rank + 1, self.held.len());
            self.close_to(builder, rank + 1);
            self.open.pop();
            builder.close(code.line.end);
            self.end = code.line.end;
            return;
        }
        self.settle(builder, rank, self.held.len() - docs);
        self.close_to(builder, rank);
        let long = code.line.end - code.line.start > LONG_LINE_BYTES;
        if matches!(sort, Sort::Definition | Sort::Section | Sort::Item) && !long {
            let depth = if sort == Sort::Definition && self.language != Language::Sql {
                sort::parentheses(code.text)
            } else {
                0
            };
            let docs: Vec<Held> = self.held.drain(..).collect();
            self.head = Some(Head {
                lead: self.end,
                start: code.line.start,
                end: code.line.end,
                rank,
                sort,
                depth,
                is_complete: sort != Sort::Definition || is_complete(code.text, depth, self.language),
                docs,
            });
            return;
        }
        self.settle(builder, rank, self.held.len());
        let kind = self.line_kind(code, sort, rank);
        self.emit(builder, code.line, kind);
    }

    fn line_kind(&mut self, code: CodeLine<'_>, sort: Sort, rank: usize) -> Kind {
        if let Some(import) = self.import {
            let goes_on = rank > import;
            if !goes_on {
                self.import = None;
            }
            if goes_on || matches!(code.text.first(), Some(b'}' | b')')) {
                return Kind::Import;
            }
        }
        match sort {
            Sort::Import => {
                if matches!(code.text.last(), Some(b'{' | b'(' | b'[' | b',' | b'\\')) {
                    self.import = Some(rank);
                }
                Kind::Import
            }
            Sort::Definition => Kind::Definition,
            _ => Kind::Plain,
        }
    }

    /// Whether a line still belongs to the head that waits.
    fn continues_head(&self, code: CodeLine<'_>, rank: usize) -> bool {
        let Some(head) = &self.head else { return false };
        if head.is_complete || code.line.end - head.start > MAX_HEAD_BYTES {
            return false;
        }
        head.depth > 0
            || rank > head.rank
            || rank == head.rank
                && (matches!(code.text.first(), Some(b'{' | b')' | b']' | b':'))
                    || code.text.starts_with(b"where")
                    || code.text.starts_with(b"->"))
    }

    /// How many of the last held lines are comments and attributes right above a definition of this rank.
    fn docs(&self, rank: usize) -> usize {
        self.held.iter().rev().take_while(|held| held.kind != Kind::Blank && held.rank == rank).count()
    }

    /// Opens the definition whose head waits, if the next line of code, of `rank`, is inside it.
    fn resolve(&mut self, builder: &mut Builder<'_>, rank: usize) {
        let Some(head) = self.head.take() else { return };
        if rank <= head.rank {
            self.one_line(builder, head);
            return;
        }
        let (role, kind) = match head.sort {
            Sort::Item => (Role::Record, Kind::Object),
            Sort::Section => (Role::Block, Kind::Section),
            _ => (Role::Block, Kind::Definition),
        };
        let start = head.docs.first().map_or(head.start, |held| held.line.start);
        builder.open(head.lead, start, role, kind, self.notes);
        for held in &head.docs {
            self.emit(builder, held.line, held.kind);
        }
        builder.leaf(self.end, head.start, head.end, Role::Frame, Kind::Heading);
        self.end = head.end;
        self.open.push(head.rank);
    }

    /// A definition without a body is a line like others.
    fn one_line(&mut self, builder: &mut Builder<'_>, head: Head) {
        for held in &head.docs {
            self.emit(builder, held.line, held.kind);
        }
        let kind = if head.sort == Sort::Definition { Kind::Definition } else { Kind::Plain };
        builder.leaf(self.end, head.start, head.end, Role::Line, kind);
        self.end = head.end;
    }

    /// Adds the first `count` held lines, each where it stands: inside a definition that the line after them, of `rank`,
    /// is outside of, if they are indented as its body is.
    fn settle(&mut self, builder: &mut Builder<'_>, rank: usize, count: usize) {
        let mut blanks = 0;
        let held = std::mem::take(&mut self.held);
        let count = count.min(held.len());
        for (at, line) in held.iter().take(count).enumerate() {
            if line.kind == Kind::Blank {
                blanks += 1;
                continue;
            }
            self.close_to(builder, line.rank.max(rank));
            for line in held.get(at - blanks..=at).unwrap_or_default() {
                self.emit(builder, line.line, line.kind);
            }
            blanks = 0;
        }
        if blanks > 0 {
            self.close_to(builder, if count < held.len() || rank > 0 { rank } else { 0 });
            for line in held.get(count - blanks..count).unwrap_or_default() {
                self.emit(builder, line.line, line.kind);
            }
        }
        self.held = held;
        self.held.drain(..count);
    }

    /// Closes the definitions that a line of `rank` is not inside of. A line that closes a definition is still in it.
    fn close_to(&mut self, builder: &mut Builder<'_>, rank: usize) {
        while self.open.last().is_some_and(|open| *open >= rank) {
            self.open.pop();
            builder.close(self.end);
        }
    }

    fn emit(&mut self, builder: &mut Builder<'_>, line: Line, kind: Kind) {
        add_line(builder, self.end, line, Role::Line, kind);
        self.end = line.end;
    }
}

/// Whether a head ends with this line, after which so many parentheses are open.
fn is_complete(text: &[u8], depth: i32, language: Language) -> bool {
    if !language.has_braces() {
        return depth <= 0;
    }
    // `describe("a", () => {` opens a body inside parentheses, `function a({` does not.
    if text.ends_with(b"{") && !text.ends_with(b"({") {
        return true;
    }
    depth <= 0
        && (language == Language::Go
            || matches!(text.last(), Some(b'{' | b'}' | b';' | b'='))
            || text.ends_with(b"=>")
            || language == Language::Unknown && text.ends_with(b":"))
}
