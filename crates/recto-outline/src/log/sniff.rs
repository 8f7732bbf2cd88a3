//! Whether a text is a log.

use crate::{
    lines::Lines,
    log::{
        ansi, events,
        mark::{Case, Mark},
        pairs::pairs,
        prefix::Prefix,
    },
};

/// Lines looked at.
const LINES: usize = 160;
/// Bytes of them looked at, however long they are.
const BYTES: usize = 16_384;

/// How sure it is: by times at the starts of lines, by levels, by what only builds and test runs print.
pub(super) fn sure(head: &[u8], _whole: bool) -> u8 {
    let window = head.get(..BYTES).unwrap_or(head);
    let mut scratch = Vec::new();
    let mut counts = Counts::default();
    for line in Lines::new(window, 0, window.len()).take(LINES) {
        let raw = line.of(window);
        let text = ansi::visible(raw, &mut scratch);
        if text.trim_ascii().is_empty() {
            continue;
        }
        if counts.lines == 0 && events::is_commit(text) {
            return 55;
        }
        counts.add(text, text.len() != raw.len());
    }
    counts.sure()
}

/// What the lines of a text are, counted.
#[derive(Default)]
struct Counts {
    lines: usize,
    stamped: usize,
    dated: usize,
    levels: usize,
    tagged: usize,
    /// Indented lines without a prefix below a dated one.
    below: usize,
    marks: usize,
    diagnostics: usize,
    arrows: usize,
    snippets: usize,
    frames: usize,
    tools: usize,
    /// Tools among the first lines.
    early_tools: usize,
    escapes: usize,
    documents: usize,
    verdicts: usize,
    /// What only the report of a test run prints between the code that it quotes.
    reports: usize,
    /// Lines that are mostly `key=value` pairs.
    paired: usize,
}

impl Counts {
    fn add(&mut self, text: &[u8], coloured: bool) {
        let prefix = Prefix::of(text);
        let rest = text.get(prefix.rest..).unwrap_or_default();
        let indent = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let message = rest.get(indent..).unwrap_or_default().trim_ascii_end();
        let mark = Mark::of(message, indent);
        self.lines += 1;
        self.escapes += usize::from(coloured);
        self.stamped += usize::from(prefix.stamped);
        self.dated += usize::from(prefix.stamped && prefix.rest > 18);
        self.levels += usize::from(prefix.level.is_some());
        self.tagged += usize::from(prefix.rest > 0);
        self.below += usize::from(prefix.rest == 0 && indent > 0 && self.dated > 0);
        self.marks += usize::from(tells(mark));
        self.diagnostics += usize::from(matches!(mark, Mark::Diagnostic { .. }));
        self.arrows += usize::from(mark == Mark::Arrow);
        self.snippets += usize::from(mark == Mark::Snippet);
        self.frames += usize::from(mark == Mark::Frame);
        let verdict = is_verdict(message);
        self.verdicts += usize::from(verdict);
        self.reports += usize::from(verdict || is_report(mark, message, indent));
        let tool = verdict || is_tool(message, indent);
        self.tools += usize::from(tool);
        self.early_tools += usize::from(tool && self.lines <= 20);
        self.documents += usize::from(is_document(text));
        self.paired += usize::from(is_paired(text));
    }

    fn sure(&self) -> u8 {
        let lines = self.lines;
        // Headings, fences and list items: a document about logs.
        if lines == 0 || self.documents > 1 && self.documents * 12 > lines && self.stamped * 2 < lines {
            return 0;
        }
        if self.dated * 2 >= lines || self.verdicts * 4 >= lines {
            return 78;
        }
        // The code that is quoted may be most of it, so this is surer than code is of itself.
        if self.reports > 2 && self.reports * 12 >= lines {
            return 76;
        }
        if self.stamped * 2 >= lines {
            return if lines > 2 { 62 } else { 30 };
        }
        if (self.dated + self.below) * 10 >= lines * 9 {
            return 72;
        }
        if self.tools > 0 && (self.tools + self.marks) * 25 >= lines {
            return 70;
        }
        if self.levels * 2 >= lines {
            return 66;
        }
        if self.marks * 8 >= lines || self.arrows > 1 && (self.arrows + self.snippets) * 2 >= lines {
            return 64;
        }
        if self.early_tools > 1 {
            return 60;
        }
        let like = self.stamped + self.levels + self.marks + self.tools;
        if like * 5 >= lines * 2 && like > 1 {
            return 60;
        }
        if self.diagnostics > 1 && self.diagnostics * 40 >= lines
            || self.escapes > 2 && self.escapes * 4 >= lines
        {
            return 52;
        }
        if self.tagged * 10 >= lines * 7 && lines > 2 || self.paired * 10 >= lines * 9 && lines > 3 {
            return 50;
        }
        if lines < 60 && (self.tools > 0 || self.frames > 0 && self.levels > 0) { 48 } else { 0 }
    }
}

/// Says whether pairs make up most of a line: `level=info msg="two words" ms=7` (logfmt).
fn is_paired(line: &[u8]) -> bool {
    let (count, bytes) = pairs(line)
        .take(32)
        .fold((0, 0), |(count, bytes), (key, value)| (count + 1, bytes + key.len() + value.len() + 2));
    count > 2 && bytes * 10 >= line.trim_ascii().len() * 9
}

/// Marks that text which is no log seldom makes.
fn tells(mark: Mark) -> bool {
    matches!(
        mark,
        Mark::Failure
            | Mark::Diagnostic { .. }
            | Mark::Arrow
            | Mark::Summary
            | Mark::Frame
            | Mark::Cause
            | Mark::Trace
            | Mark::Goroutine
            | Mark::Panic
            | Mark::Npm
            | Mark::GroupOpen
            | Mark::GroupClose
            | Mark::Case(_)
            | Mark::BoxOpen
            | Mark::Alone
    )
}

/// The heading of a failed test, a frame of its trace, what its assertion says.
fn is_report(mark: Mark, message: &[u8], indent: usize) -> bool {
    let is_case = matches!(mark, Mark::Case(Case::Pytest | Case::Unittest | Case::Cargo | Case::Jest));
    indent == 0 && (is_case || mark == Mark::Frame || message.starts_with(b"E   "))
}

/// A test's name and what became of it, as pytest prints them: `tests/test_a.py::test_b[c] PASSED [ 12%]`.
fn is_verdict(message: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(message, b"::") else { return false };
    let rest = message.get(at..).unwrap_or_default();
    [&b" PASSED"[..], b" FAILED", b" SKIPPED", b" ERROR", b" XFAIL"]
        .iter()
        .any(|verdict| memchr::memmem::find(rest, verdict).is_some())
}

/// Lines that only a tool at work prints.
fn is_tool(message: &[u8], indent: usize) -> bool {
    const STARTS: [&[u8]; 36] = [
        b"=== RUN ",
        b"--- PASS: ",
        b"--- FAIL: ",
        b"##[group]",
        b"##[error]",
        b"::error ",
        b"Traceback (most recent call last)",
        b"test result: ",
        b"BUILD FAIL",
        b"BUILD SUCC",
        b"Buildfile: ",
        b"Tests run: ",
        b"collected ",
        b"rootdir: ",
        b"npm ERR!",
        b"npm error ",
        b"npm warn ",
        b"npm WARN ",
        b"goroutine ",
        b"panic: ",
        b"make: ",
        b"make[",
        b"> Task :",
        b"Build started ",
        b"Collecting ",
        b"Requirement already satisfied: ",
        b"Obtaining file://",
        b"Successfully installed ",
        b"Cloning into '",
        b"remote: ",
        b"Terraform will perform ",
        b"Terraform used the selected providers",
        b"Downloading",
        b"Compiling ",
        b"Process completed with exit code ",
        b"Command exited with code ",
    ];
    if indent <= 12 && STARTS.iter().any(|start| message.starts_with(start)) {
        return true;
    }
    // `> package@1.0.0 script`
    indent == 0
        && (message.starts_with(b"> ")
            && message.contains(&b'@')
            && message.split(|byte| *byte == b' ').count() == 3
            || message.starts_with(b"====")
                && memchr::memmem::find(message, b" test session starts ").is_some()
            || message.starts_with(b"import time: "))
}

/// Lines of a document: headings, fences, list items, quotations.
fn is_document(text: &[u8]) -> bool {
    text.starts_with(b"```")
        || text.starts_with(b"## ")
        || text.starts_with(b"### ")
        || text.starts_with(b"- [")
        || text.starts_with(b"|") && text.ends_with(b"|")
}
