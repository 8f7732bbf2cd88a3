//! Lines to events: a message and what follows it, a stack trace, a diagnostic with its snippet.

use crate::{
    Builder, Kind, LINE_NOTES, Role,
    lines::Line,
    log::{
        emit::{Emitter, Entry},
        mark::{Case, Mark},
        prefix::Level,
    },
};

/// An event of more lines goes on as another one: the lines held back are bounded.
const MAX_EVENT_LINES: usize = 4096;
/// So many lines without a time, after many with one, and the times no longer begin the events.
const MAX_UNSTAMPED_LINES: usize = 300;

/// What was read of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact<'t> {
    pub(super) line: Line,
    /// What stands before the message; 0 if that is not known.
    pub(super) prefix_bytes: usize,
    /// The message, without prefix and indentation.
    pub(super) message: &'t [u8],
    pub(super) indent: usize,
    pub(super) stamped: bool,
    pub(super) level: Option<Level>,
    pub(super) mark: Mark,
    /// Whether a carriage return inside the line redraws it.
    pub(super) redrawn: bool,
}

/// How an event goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// By indentation.
    #[default]
    Plain,
    /// Python's traceback: frames, then the exception at the head's own indentation.
    Traceback,
    /// The exception has been read.
    TracebackDone,
    /// To the next blank line.
    Goroutine,
    /// As plain, and with the lines of a snippet.
    Diagnostic,
    /// As a diagnostic, over blank lines before indented ones.
    Spaced,
    /// A panic's message, to its note or a blank line.
    Panic,
    /// Lines with the same tool's prefix.
    Npm,
    /// Eclipse's problems, to the next ruler.
    Problem,
    /// To the end of the box.
    Boxed,
    /// To the next commit.
    Commit,
}

/// How the lines of a whole region are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Habit {
    /// Most lines begin with a time: those that do not go on with the event before.
    pub(super) stamped: bool,
    /// `git log`: events are commits.
    pub(super) commits: bool,
    /// Most lines hold `key=value` pairs.
    pub(super) pairs: bool,
}

/// Gathers lines into events and sections, and adds them to the outline.
pub(super) struct Events<'b, 's> {
    out: Emitter<'b, 's>,
    habit: Habit,
    entries: Vec<Entry>,
    shape: Shape,
    head_indent: usize,
    head_stamped: bool,
    has_frames: bool,
    /// Lines that belong to the event whatever they are.
    forced: usize,
    in_group: bool,
    case: Option<Case>,
    in_failure_list: bool,
    /// Whether the line before was a ruler of `=`.
    after_ruler: bool,
    /// How far the first of pytest's `E` lines just before is indented.
    reason_indent: Option<usize>,
    /// Whether the first frame of the event stands below what was thrown, as everywhere but in Python.
    is_thrown_above: bool,
}

impl<'b, 's> Events<'b, 's> {
    pub(super) fn new(builder: &'b mut Builder<'s>, start: usize, habit: Habit) -> Self {
        Self {
            out: Emitter::new(builder, start),
            habit,
            entries: Vec::new(),
            shape: Shape::Plain,
            head_indent: 0,
            head_stamped: false,
            has_frames: false,
            forced: 0,
            in_group: false,
            case: None,
            in_failure_list: false,
            after_ruler: false,
            reason_indent: None,
            is_thrown_above: false,
        }
    }

    /// Takes the next line. `caret` counts, where the line heads a diagnostic, the lines below to the one with its caret.
    pub(super) fn push(&mut self, fact: Fact<'_>, caret: impl FnOnce() -> usize) {
        let bound = self.goes_on_unstamped(&fact);
        let opened = !bound && self.forced == 0 && !self.habit.commits && self.turn(&fact);
        if fact.mark != Mark::Blank {
            self.after_ruler = fact.mark == Mark::Ruler && fact.message.first() == Some(&b'=');
        }
        if opened {
            return;
        }
        let entry = Entry::of(&fact, self.kind(&fact));
        self.reason_indent = reason_indent(fact.message).map(|indent| self.reason_indent.unwrap_or(indent));
        if self.case == Some(Case::Pytest) {
            self.out.entry(&entry);
            return;
        }
        if fact.mark == Mark::Blank && !bound && !self.spans_blanks() {
            self.flush();
            self.out.entry(&entry);
            return;
        }
        if bound || self.goes_on(&fact) {
            self.grow(&fact, entry);
        } else {
            self.flush();
            self.begin(&fact, entry, caret);
        }
    }

    /// Counts the pairs of a line.
    pub(super) fn count_pairs(&mut self, line: Line) {
        self.out.count_pairs(line);
    }

    /// Ends the region.
    pub(super) fn finish(mut self) {
        self.flush();
        self.close_case();
        self.close_group();
    }

    /// Opens and closes sections; says whether the line is dealt with.
    fn turn(&mut self, fact: &Fact<'_>) -> bool {
        let case = match fact.mark {
            Mark::Case(Case::Numbered) if !self.in_failure_list || fact.indent > 4 => None,
            Mark::Case(Case::Unittest) if !self.after_ruler => None,
            Mark::Case(case) => Some(case),
            // `ERROR: test (module.Class)`: the level was taken for a prefix.
            _ if self.after_ruler && fact.level == Some(Level::Failure) && fact.message.ends_with(b")") => {
                Some(Case::Unittest)
            }
            _ => None,
        };
        if let Some(case) = case {
            self.flush();
            self.close_case();
            self.out.open(fact.line.start, Role::Block, Kind::Failure);
            self.case = Some(case);
            self.out.entry(&Entry::of(fact, Kind::Failure));
            return true;
        }
        match fact.mark {
            Mark::GroupOpen => {
                self.flush();
                self.close_case();
                self.close_group();
                self.in_failure_list = false;
                self.out.open(fact.line.start, Role::Block, Kind::Section);
                self.in_group = true;
                self.out.entry(&Entry::of(fact, Kind::Heading));
                return true;
            }
            Mark::GroupClose => {
                self.flush();
                self.close_case();
                self.out.entry(&Entry::of(fact, Kind::Boilerplate));
                self.close_group();
                return true;
            }
            Mark::FailureList => {
                self.flush();
                self.close_case();
                self.in_failure_list = true;
            }
            Mark::Ruler | Mark::Summary if self.ends_case(fact) => {
                self.flush();
                self.close_case();
            }
            _ => {}
        }
        false
    }

    fn ends_case(&self, fact: &Fact<'_>) -> bool {
        let ruler = fact.message.first() == Some(&b'=');
        match self.case {
            None => false,
            Some(Case::Pytest) => ruler,
            Some(Case::Unittest) => ruler || fact.mark == Mark::Summary && fact.message.starts_with(b"Ran "),
            Some(Case::Cargo | Case::Jest | Case::Numbered) => fact.mark == Mark::Summary && fact.indent == 0,
        }
    }

    fn close_case(&mut self) {
        if self.case.take().is_some() {
            self.out.close();
        }
    }

    fn close_group(&mut self) {
        if std::mem::take(&mut self.in_group) {
            self.out.close();
        }
    }

    /// A line without a time, in a log whose lines have one.
    fn goes_on_unstamped(&mut self, fact: &Fact<'_>) -> bool {
        if !self.habit.stamped || fact.stamped || !self.head_stamped || self.entries.is_empty() {
            return false;
        }
        if self.entries.len() >= MAX_UNSTAMPED_LINES {
            self.habit.stamped = false;
            self.flush();
            return false;
        }
        true
    }

    fn spans_blanks(&self) -> bool {
        !self.entries.is_empty()
            && (self.forced > 0 || matches!(self.shape, Shape::Spaced | Shape::Boxed | Shape::Commit))
    }

    /// Says whether a line belongs to the event before it.
    fn goes_on(&self, fact: &Fact<'_>) -> bool {
        if self.entries.is_empty() || self.entries.len() >= MAX_EVENT_LINES {
            return false;
        }
        if self.forced > 0 {
            return true;
        }
        let deeper = fact.indent > self.head_indent;
        match self.shape {
            Shape::Commit => return !is_commit(fact.message),
            Shape::Goroutine => return true,
            Shape::Problem => return fact.mark != Mark::Ruler,
            Shape::Boxed => return self.entries.len() < MAX_UNSTAMPED_LINES,
            Shape::Panic if matches!(fact.mark, Mark::Plain | Mark::Note | Mark::Frame | Mark::Trace) => {
                return true;
            }
            Shape::Spaced if fact.mark == Mark::Blank => return true,
            Shape::Traceback if self.has_frames && fact.indent == self.head_indent => {
                return fact.message.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            }
            _ => {}
        }
        match fact.mark {
            Mark::Alone => false,
            Mark::Frame => deeper || self.has_frames,
            Mark::Cause => self.has_frames,
            Mark::Snippet | Mark::Note => deeper || matches!(self.shape, Shape::Diagnostic | Shape::Spaced),
            Mark::Npm => self.shape == Shape::Npm,
            Mark::Closer => deeper || self.entries.len() > 1 && fact.indent == self.head_indent,
            _ if fact.level == Some(Level::More) => true,
            _ => deeper,
        }
    }

    fn begin(&mut self, fact: &Fact<'_>, entry: Entry, caret: impl FnOnce() -> usize) {
        self.head_indent = fact.indent;
        self.head_stamped = fact.stamped;
        self.has_frames = fact.mark == Mark::Frame;
        self.is_thrown_above = false;
        self.shape = match fact.mark {
            Mark::Trace if fact.message.first() == Some(&b'T') => Shape::Traceback,
            Mark::Trace => Shape::TracebackDone,
            Mark::Goroutine => Shape::Goroutine,
            Mark::Diagnostic { .. } if fact.message.ends_with("━".as_bytes()) => Shape::Spaced,
            Mark::Diagnostic { .. } if fact.message.first().is_some_and(u8::is_ascii_digit) => Shape::Problem,
            Mark::Diagnostic { .. } => {
                self.forced = caret();
                Shape::Diagnostic
            }
            Mark::Panic if fact.message.first() == Some(&b't') => Shape::Panic,
            Mark::Npm => Shape::Npm,
            Mark::BoxOpen => Shape::Boxed,
            _ if self.habit.commits && is_commit(fact.message) => Shape::Commit,
            _ => Shape::Plain,
        };
        self.entries.push(entry);
    }

    fn grow(&mut self, fact: &Fact<'_>, mut entry: Entry) {
        self.forced = self.forced.saturating_sub(1);
        if fact.mark == Mark::Frame && !self.has_frames {
            self.has_frames = true;
            self.is_thrown_above = !fact.message.starts_with(b"File ");
        }
        match self.shape {
            Shape::Traceback if fact.indent > self.head_indent => {
                entry.kind = if entry.kind == Kind::Blank { Kind::Blank } else { Kind::Trace };
            }
            Shape::Traceback
                if fact.indent == self.head_indent && self.has_frames && fact.mark != Mark::Blank =>
            {
                entry.kind = Kind::Failure;
                self.shape = Shape::TracebackDone;
            }
            Shape::Goroutine if entry.kind == Kind::Plain => entry.kind = Kind::Trace,
            // The first line says enough.
            Shape::Npm => entry.kind = Kind::Plain,
            Shape::Boxed if is_boxed_error(fact.message) => entry.kind = Kind::Failure,
            Shape::Commit if fact.indent > 0 && entry.kind == Kind::Plain => {
                // The first indented line is the subject.
                if !self.has_frames {
                    entry.kind = Kind::Heading;
                }
                self.has_frames = true;
            }
            _ => {}
        }
        match fact.mark {
            // A traceback inside a stamped event.
            Mark::Trace if self.shape == Shape::Plain && fact.message.first() == Some(&b'T') => {
                self.shape = Shape::Traceback;
                self.head_indent = fact.indent;
            }
            Mark::Arrow if self.shape == Shape::Plain => {
                self.shape = Shape::Diagnostic;
                self.fail_head();
            }
            _ => {}
        }
        self.entries.push(entry);
        let ends = match self.shape {
            Shape::Boxed => fact.mark == Mark::BoxClose,
            Shape::Panic => fact.mark == Mark::Note,
            _ => false,
        };
        if ends {
            self.flush();
        }
    }

    /// A line with `-->` below it heads a diagnostic: ruff's `E501 Line too long`.
    fn fail_head(&mut self) {
        if let Some(head) = self.entries.first_mut()
            && head.kind == Kind::Plain
        {
            head.kind = Kind::Failure;
        }
    }

    /// What a line is, by its mark first and its level then.
    fn kind(&self, fact: &Fact<'_>) -> Kind {
        // Where each line of a message has a time and a level, the indented ones only go on.
        let grave = fact.level == Some(Level::Failure) && (fact.indent == 0 || !fact.stamped);
        match fact.mark {
            Mark::Blank => Kind::Blank,
            Mark::Failure
                if self
                    .reason_indent
                    .zip(reason_indent(fact.message))
                    .is_some_and(|(first, this)| this > first) =>
            {
                Kind::Plain
            }
            Mark::Summary if self.habit.commits => Kind::Plain,
            Mark::Failure | Mark::Diagnostic { failure: true } | Mark::Panic | Mark::Cause | Mark::Npm => {
                Kind::Failure
            }
            Mark::Case(Case::Unittest | Case::Jest | Case::Cargo | Case::Pytest) => Kind::Failure,
            Mark::Frame | Mark::Trace | Mark::Goroutine => Kind::Trace,
            Mark::Summary => Kind::Summary,
            Mark::Heading | Mark::Ruler | Mark::GroupOpen | Mark::FailureList => {
                if fact.message.iter().any(u8::is_ascii_alphabetic) {
                    Kind::Heading
                } else {
                    Kind::Boilerplate
                }
            }
            Mark::GroupClose => Kind::Boilerplate,
            _ if grave => Kind::Failure,
            _ => Kind::Plain,
        }
    }

    /// Adds the event to the outline: one line as it is, several in a container.
    fn flush(&mut self) {
        let lines = self.entries.iter().rposition(|entry| entry.kind != Kind::Blank).map_or(0, |at| at + 1);
        let (event, blanks) = self.entries.split_at_mut(lines);
        if let [head, _, ..] = event {
            let start = head.line.start;
            let head_kind = head.kind;
            if self.has_frames
                && self.is_thrown_above
                && self.shape != Shape::Commit
                && let Some(first) = event.iter().position(|entry| entry.kind == Kind::Trace)
                && let Some(before) = first.checked_sub(1).and_then(|at| event.get_mut(at))
                && before.kind == Kind::Plain
            {
                // The line just above a stack trace says what was thrown.
                before.kind = Kind::Failure;
            }
            let kind = match (self.shape, head_kind) {
                (Shape::Commit, _) => Kind::Section,
                (_, Kind::Failure) => Kind::Failure,
                (_, Kind::Trace) => Kind::Trace,
                _ if self.has_frames => Kind::Trace,
                _ if event.iter().any(|entry| entry.kind == Kind::Failure) => Kind::Failure,
                _ => Kind::Plain,
            };
            let role =
                if self.head_stamped || self.shape == Shape::Commit { Role::Record } else { Role::Block };
            self.out.open(start, role, kind);
            for entry in &*event {
                self.out.entry(entry);
            }
            self.out.close();
        } else if let [only] = event {
            self.out.entry(only);
        }
        for entry in &*blanks {
            self.out.entry(entry);
        }
        self.entries.clear();
        self.shape = Shape::Plain;
        self.has_frames = false;
        self.forced = 0;
    }
}

/// `commit 4f2a...`, as `git log` begins each.
pub(super) fn is_commit(line: &[u8]) -> bool {
    line.strip_prefix(b"commit ").is_some_and(|rest| {
        rest.len() >= 7 && rest.iter().take(40).take_while(|byte| **byte != b' ').all(u8::is_ascii_hexdigit)
    })
}

/// How far the text of pytest's `E       assert ...` is indented.
fn reason_indent(message: &[u8]) -> Option<usize> {
    let rest = message.strip_prefix(b"E ")?;
    Some(rest.iter().take_while(|byte| **byte == b' ').count())
}

fn is_boxed_error(message: &[u8]) -> bool {
    message.strip_prefix("│".as_bytes()).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"Error:"))
}

/// The notes among the children of every container of a log.
pub(super) const NOTES: crate::NoteSyntax = LINE_NOTES;
