//! Whether a text is a log.

use crate::{
    lines::Lines,
    log::{ansi, events, mark::Mark, prefix::Prefix},
};

/// Lines looked at.
const LINES: usize = 160;
/// Bytes of them looked at, however long they are.
const BYTES: usize = 16_384;

/// How sure it is: by times at the starts of lines, by levels, by what only builds and test runs print.
pub(super) fn sure(head: &[u8], _whole: bool) -> u8 {
    let window = head.get(..BYTES).unwrap_or(head);
    let mut scratch = Vec::new();
    let mut seen = 0_usize;
    let mut stamped = 0_usize;
    let mut dated = 0_usize;
    let mut levels = 0_usize;
    let mut marks = 0_usize;
    let mut tools = 0_usize;
    let mut escapes = 0_usize;
    let mut documents = 0_usize;
    for line in Lines::new(window, 0, window.len()).take(LINES) {
        let raw = line.of(window);
        let text = ansi::visible(raw, &mut scratch);
        if text.trim_ascii().is_empty() {
            continue;
        }
        escapes += usize::from(text.len() != raw.len());
        let prefix = Prefix::of(text);
        let rest = text.get(prefix.rest..).unwrap_or_default();
        let indent = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let message = rest.get(indent..).unwrap_or_default().trim_ascii_end();
        if seen == 0 && events::is_commit(message) {
            return 55;
        }
        seen += 1;
        stamped += usize::from(prefix.stamped);
        dated += usize::from(prefix.stamped && prefix.rest > 18);
        levels += usize::from(prefix.level.is_some());
        marks += usize::from(tells(Mark::of(message, indent)));
        tools += usize::from(is_tool(message, indent));
        documents += usize::from(is_document(text));
    }
    if seen == 0 {
        return 0;
    }
    // Headings, fences and list items of a document about logs.
    if documents * 12 > seen && documents > 1 && stamped * 2 < seen {
        return 0;
    }
    if dated * 2 >= seen {
        return 78;
    }
    if stamped * 2 >= seen {
        return if seen > 2 { 62 } else { 30 };
    }
    if levels * 2 >= seen {
        return 66;
    }
    if tools > 0 && (tools + marks) * 25 >= seen {
        return 70;
    }
    if marks > 0 && marks * 8 >= seen {
        return 64;
    }
    let like = stamped + levels + marks + tools;
    if like * 5 >= seen * 2 && like > 1 {
        return 60;
    }
    if escapes > 2 && escapes * 4 >= seen {
        return 52;
    }
    if tools > 0 && seen < 60 { 48 } else { 0 }
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
        b"Downloading ",
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
