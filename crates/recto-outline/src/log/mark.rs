//! What a log line is by its own shape, once its prefix is read.

use crate::{log::place::place, words::find};

/// What a line is for the events around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing special.
    Plain,
    /// No text.
    Blank,
    /// Says by its form that something failed; further lines may belong to it.
    Failure,
    /// Heads a diagnostic with a place in a source: snippet and caret follow.
    Diagnostic { failure: bool },
    /// Adds to the diagnostic before.
    Note,
    /// `--> path:1:2` below the head of a diagnostic.
    Arrow,
    /// `12 | code` of a snippet.
    Snippet,
    /// Totals, or how a run ended.
    Summary,
    /// A line of its own that names what follows.
    Heading,
    /// A line of its own, however it is indented (`   Compiling x v1.0`).
    Alone,
    /// A frame of a stack trace.
    Frame,
    /// `Caused by: ...` inside a stack trace.
    Cause,
    /// Heads a stack trace whose frames follow: Python's `Traceback`, Rust's `stack backtrace:`.
    Trace,
    /// `goroutine 1 [running]:`
    Goroutine,
    /// A panic: its message follows.
    Panic,
    /// A line of `npm ERR!` or the like: those around it belong together.
    Npm,
    /// Opens a group of a CI log.
    GroupOpen,
    /// Closes it.
    GroupClose,
    /// A ruler with or without words (`==== FAILURES ====`).
    Ruler,
    /// The name of a failed test between rulers: opens its section.
    Case(Case),
    /// Opens a list of failed tests (`failures:`, `3 failing`).
    FailureList,
    /// Opens a box of line-drawing characters that ends with `╵`.
    BoxOpen,
    /// Ends it.
    BoxClose,
    /// Closes what the event's head opened: `}`.
    Closer,
}

/// Whose failed test a section is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `____ test_name ____`
    Pytest,
    /// `FAIL: test_name (module.Class)` below a ruler.
    Unittest,
    /// `---- test::name stdout ----`
    Cargo,
    /// `● suite › test`
    Jest,
    /// `1) suite test` in a list of failures.
    Numbered,
}

impl Mark {
    /// Reads a message without its prefix and its indentation; `indent` is how wide that was.
    pub(super) fn of(text: &[u8], indent: usize) -> Self {
        let Some(first) = text.first() else { return Self::Blank };
        let found = match first {
            b'#' => hash(text),
            b':' => colons(text),
            b'=' | b'_' | b'-' | b'*' | b'!' | b'~' => ruled(text, indent),
            b'>' => prompt(text, indent),
            b'|' if indent > 0 => Self::Snippet,
            b'0'..=b'9' => numbered(text),
            b'.' => dotted(text),
            b'}' | b']' | b')' if text.len() <= 3 => Self::Closer,
            b'+' | b'^' => Self::Plain,
            b'a'..=b'z' => lower(text, indent),
            b'A'..=b'Z' => upper(text, indent),
            0xE2 => symbol(text, indent),
            0xC3 if text.starts_with("× ".as_bytes()) => Self::Failure,
            _ => Self::Plain,
        };
        if found == Self::Plain { by_end(text) } else { found }
    }
}

fn hash(text: &[u8]) -> Mark {
    if let Some(command) = text.strip_prefix(b"##[") {
        if command.starts_with(b"group]") || command.starts_with(b"section]") {
            return Mark::GroupOpen;
        }
        if command.starts_with(b"endgroup]") {
            return Mark::GroupClose;
        }
        if command.starts_with(b"error]") {
            return Mark::Failure;
        }
        return Mark::Plain;
    }
    // `#3 0x4f in main a.c:12`
    let digits = text.iter().skip(1).take(4).take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && text.get(1 + digits) == Some(&b' ') { Mark::Frame } else { Mark::Plain }
}

fn colons(text: &[u8]) -> Mark {
    if text.starts_with(b"::group::") {
        Mark::GroupOpen
    } else if text.starts_with(b"::endgroup::") {
        Mark::GroupClose
    } else if text.starts_with(b"::error") {
        Mark::Failure
    } else {
        Mark::Plain
    }
}

/// Rulers, and the marks that begin like one.
fn ruled(text: &[u8], indent: usize) -> Mark {
    let first = text[0];
    if first == b'-' {
        if text.starts_with(b"--- FAIL") {
            return Mark::Failure;
        }
        if text.starts_with(b"--> ") {
            return Mark::Arrow;
        }
        if text.starts_with(b"---- ") && text.ends_with(b" stdout ----") {
            return Mark::Case(Case::Cargo);
        }
    }
    if first == b'~' && text.starts_with(b"~~~ ") {
        return Mark::GroupOpen;
    }
    if first == b'*' && text.starts_with(b"* What went wrong") {
        return Mark::Failure;
    }
    if text.len() < 3 || indent > 0 || text.last() != Some(&first) {
        return Mark::Plain;
    }
    let left = text.iter().take_while(|byte| **byte == first).count();
    if left == text.len() {
        return if left >= 5 { Mark::Ruler } else { Mark::Plain };
    }
    let inner = text.get(left..).unwrap_or_default();
    if inner.first() != Some(&b' ') || left < 3 && (first != b'=' || text.len() < 60) {
        return Mark::Plain;
    }
    let words = inner.trim_ascii_start();
    match first {
        // `_ _ _ _` separates the frames of one failure.
        b'_' if !words.starts_with(b"_ ") => Mark::Case(Case::Pytest),
        b'=' if words.starts_with(b"short test summary") => Mark::Ruler,
        b'=' if is_test_total(words) => Mark::Summary,
        b'=' | b'-' => Mark::Ruler,
        b'!' => Mark::Summary,
        _ => Mark::Plain,
    }
}

/// `3 failed, 20 passed in 1.2s ====`
fn is_test_total(words: &[u8]) -> bool {
    let digits = words.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = words.get(digits..).unwrap_or_default();
    let counted = digits > 0
        && [
            &b" failed"[..],
            b" passed",
            b" skipped",
            b" error",
            b" xfailed",
            b" xpassed",
            b" deselected",
            b" warning",
        ]
        .iter()
        .any(|word| after.starts_with(word));
    counted || words.starts_with(b"no tests ran") || words.starts_with(b"no tests collected")
}

fn prompt(text: &[u8], indent: usize) -> Mark {
    if text.starts_with(b"> Task ") {
        return if text.ends_with(b"FAILED") { Mark::Failure } else { Mark::Plain };
    }
    // pytest's `>       assert x`
    if indent == 0 && text.starts_with(b">  ") { Mark::Failure } else { Mark::Plain }
}

fn numbered(text: &[u8]) -> Mark {
    let digits = text.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let after = text.get(digits..).unwrap_or_default();
    let Some(next) = after.first() else { return Mark::Plain };
    match next {
        b')' if after.starts_with(b") ") => Mark::Case(Case::Numbered),
        b':' if after.starts_with(b": 0x") => Mark::Frame,
        // `  3: core::panicking::panic`
        b':' if after.get(1) == Some(&b' ') && find(text.get(..96).unwrap_or(text), b"::").is_some() => {
            Mark::Frame
        }
        // `  12:3  error  message  rule`
        b':' if after.get(1).is_some_and(u8::is_ascii_digit) => {
            let column = after.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
            let words = after.get(1 + column..).unwrap_or_default();
            if words.starts_with(b"  ") && words.trim_ascii_start().starts_with(b"error") {
                Mark::Failure
            } else {
                Mark::Plain
            }
        }
        b' ' => {
            let words = after.trim_ascii_start();
            if words.starts_with(b"|") {
                Mark::Snippet
            } else if words.starts_with(b"failing") {
                Mark::FailureList
            } else if is_counted(words) {
                Mark::Summary
            } else {
                Mark::Plain
            }
        }
        b'.' if after.starts_with(b". ERROR in ") => Mark::Diagnostic { failure: true },
        b'.' if after.starts_with(b". WARNING in ") => Mark::Diagnostic { failure: false },
        _ => place(text),
    }
}

/// What follows a number at the start of a line of totals.
fn is_counted(words: &[u8]) -> bool {
    let counted = match words.first() {
        Some(b'p') => is_one_of(words, &[b"passing", b"pending", b"passed", b"problems", b"problem"]),
        Some(b'E' | b'e') => {
            is_one_of(words, &[b"errors", b"error", b"Error(s)"]) || words.starts_with(b"examples, ")
        }
        Some(b'W' | b'w') => is_one_of(words, &[b"warnings", b"warning", b"Warning(s)"]),
        Some(b'f') => {
            words.starts_with(b"failed")
                || words.starts_with(b"files changed")
                || words.starts_with(b"file changed")
        }
        Some(b't') => words.starts_with(b"tests completed") || words.starts_with(b"tests run"),
        _ => false,
    };
    // A sentence that happens to begin so goes on with words.
    let window = words.get(..60).unwrap_or(words);
    counted && (window.len() < 40 || window.iter().any(|byte| matches!(byte, b',' | b'(' | b'.')))
}

fn is_one_of(words: &[u8], known: &[&[u8]]) -> bool {
    known.iter().any(|word| {
        words.strip_prefix(*word).is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    })
}

fn dotted(text: &[u8]) -> Mark {
    if text == b"..." {
        Mark::Snippet
    } else if text.starts_with(b"... ") && text.ends_with(b" more") {
        Mark::Frame
    } else {
        place(text)
    }
}

fn lower(text: &[u8], indent: usize) -> Mark {
    let found = match text[0] {
        b'a' if indent > 0 && text.starts_with(b"at ") => Mark::Frame,
        b'a' if text.starts_with(b"added ") || text.starts_with(b"audited ") => total_of_packages(text),
        b'c' if text.starts_with(b"created by ") => Mark::Frame,
        b'e' if indent == 0 && text.starts_with(b"error") => error(text),
        b'e' if text.starts_with(b"exit status ") => Mark::Summary,
        b'e' if text.starts_with(b"e: ") => Mark::Diagnostic { failure: true },
        b'f' if text.starts_with(b"failures:") && indent == 0 => Mark::FailureList,
        b'f' if indent > 0 && text.starts_with(b"from ") && memchr::memchr(b':', text).is_some() => {
            Mark::Frame
        }
        b'f' if text.starts_with(b"fatal: ") => Mark::Failure,
        b'g' if text.starts_with(b"goroutine ") && text.ends_with(b"]:") => Mark::Goroutine,
        b'm' if text.starts_with(b"make: *** ") || text.starts_with(b"make[") && has_stars(text) => {
            Mark::Failure
        }
        b'n' if text.starts_with(b"npm ERR!") || text.starts_with(b"npm error") => Mark::Npm,
        b'n' if text.starts_with(b"not ok ") => Mark::Failure,
        b'n' if text.starts_with(b"note: ") && indent == 0 => Mark::Note,
        b'n' if text.starts_with(b"ninja: build stopped") => Mark::Summary,
        b'o' if text.starts_with(b"ok  \t") => Mark::Summary,
        b'p' if text.starts_with(b"panic: ") => Mark::Panic,
        b's' if text.starts_with(b"stack backtrace:") => Mark::Trace,
        b't' if text.starts_with(b"test result: ") => Mark::Summary,
        b't' if text.starts_with(b"thread '") && find(text, b"' panicked at ").is_some() => Mark::Panic,
        b'w' if indent == 0 && (text.starts_with(b"warning: ") || text.starts_with(b"warning[")) => {
            warning(text)
        }
        _ => Mark::Plain,
    };
    if found == Mark::Plain { place(text) } else { found }
}

fn has_stars(text: &[u8]) -> bool {
    find(text.get(..24).unwrap_or(text), b"]: *** ").is_some()
}

fn total_of_packages(text: &[u8]) -> Mark {
    let number = text.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if !number.is_empty() && number.iter().all(u8::is_ascii_digit) { Mark::Summary } else { Mark::Plain }
}

/// `error: ...` and `error[E0308]: ...` at the start of a line.
fn error(text: &[u8]) -> Mark {
    let after = text.get(5..).unwrap_or_default();
    if after.starts_with(b": aborting due to") || after.starts_with(b": could not compile") {
        return Mark::Summary;
    }
    if after.starts_with(b": ")
        || after.starts_with(b"[")
        || after.starts_with(b" TS")
        || after.starts_with(b" CS")
    {
        return Mark::Diagnostic { failure: true };
    }
    Mark::Plain
}

fn warning(text: &[u8]) -> Mark {
    let counted = text.strip_prefix(b"warning: ").unwrap_or_default();
    if find(counted, b" generated ").is_some() { Mark::Summary } else { Mark::Diagnostic { failure: false } }
}

fn upper(text: &[u8], indent: usize) -> Mark {
    let found = match text[0] {
        b'A' if text.starts_with(b"Apply complete!") => Mark::Summary,
        b'A' if text.starts_with(b"Apply cancelled") => Mark::Summary,
        b'B' if text.starts_with(b"BUILD ") && is_verdict(text) => Mark::Summary,
        b'B' if text.starts_with(b"Build FAILED") || text.starts_with(b"Build succeeded") => Mark::Summary,
        b'C' if text.starts_with(b"Caused by: ") => Mark::Cause,
        b'C' if text.starts_with(b"Command exited with code ") => Mark::Summary,
        b'D' if text.starts_with(b"Destroy complete!") => Mark::Summary,
        // pytest's `E       AssertionError`
        b'E' if indent == 0 && (text.starts_with(b"E   ") || text == b"E") => Mark::Failure,
        b'E' if text.starts_with(b"ERROR: ")
            && memchr::memchr(b'(', text).is_some()
            && text.ends_with(b")") =>
        {
            Mark::Case(Case::Unittest)
        }
        b'E' if text.starts_with(b"ERROR ") && is_test_path(text) => Mark::Failure,
        b'E' if text.starts_with(b"Exception in thread ") => Mark::Failure,
        b'F' if indent > 0 && text.starts_with(b"File \"") => Mark::Frame,
        b'F' if text.starts_with(b"FAILED ") && is_test_path(text) => Mark::Failure,
        b'F' if text.starts_with(b"FAILED (") || text == b"FAIL" || text == b"FAILURES!" => Mark::Summary,
        b'F' if text.starts_with(b"FAILED: ") || text.starts_with(b"FAILURE: ") => Mark::Failure,
        b'F' if text.starts_with(b"FAIL: ") && text.ends_with(b")") => Mark::Case(Case::Unittest),
        b'F' if text.starts_with(b"FAIL\t") || text.starts_with(b"FAIL ") => Mark::Failure,
        b'F' if text.starts_with(b"Found ") => found(text),
        b'F' if text.starts_with(b"Failures:") => Mark::FailureList,
        b'G' if text.starts_with(b"Got exit code ") => Mark::Summary,
        b'I' if text.starts_with(b"INTERNALERROR>") => Mark::Failure,
        b'N' if text.starts_with(b"No changes.") => Mark::Summary,
        b'O' if text == b"OK" || text.starts_with(b"OK (") => Mark::Summary,
        b'P' if text == b"PASS" => Mark::Summary,
        b'P' if text.starts_with(b"Plan: ") => Mark::Summary,
        b'P' if text.starts_with(b"Process completed with exit code ") => Mark::Summary,
        b'R' if text.starts_with(b"Ran ") && find(text, b" in ").is_some() => Mark::Summary,
        b'R' if text.starts_with(b"Ran all test suites") => Mark::Summary,
        b'R' if text.starts_with(b"Results") && text.len() <= 10 => Mark::Heading,
        b'S' if text.starts_with(b"Suppressed: ") => Mark::Cause,
        b'S' if text.starts_with(b"Successfully installed ") => Mark::Summary,
        b'S' if text.starts_with(b"Segmentation fault") => Mark::Failure,
        b'T' if text.starts_with(b"Traceback (most recent call") => Mark::Trace,
        b'T' if text.starts_with(b"Tests run: ") || text.starts_with(b"Tests: ") => Mark::Summary,
        b'T' if text.starts_with(b"Test Suites: ") || text.starts_with(b"Test Files ") => Mark::Summary,
        b'T' if text.starts_with(b"Total number of ") => Mark::Summary,
        b'T' if text.starts_with(b"Terminating due to ") => Mark::Failure,
        _ if indent > 0 && indent <= 12 && is_cargo_status(text, indent) => Mark::Alone,
        _ => Mark::Plain,
    };
    if found == Mark::Plain { place(text) } else { found }
}

fn is_verdict(text: &[u8]) -> bool {
    is_one_of(
        text.get(6..).unwrap_or_default(),
        &[b"FAILURE", b"FAILED", b"SUCCESS", b"SUCCESSFUL", b"UNSTABLE"],
    )
}

fn is_test_path(text: &[u8]) -> bool {
    let window = text.get(..200).unwrap_or(text);
    find(window, b"::").is_some() || find(window, b".py").is_some()
}

/// `Found 12 errors in 3 files`.
fn found(text: &[u8]) -> Mark {
    let after = text.get(6..).unwrap_or_default();
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let words = after.get(digits..).unwrap_or_default().trim_ascii_start();
    let counted =
        [&b"error"[..], b"warning", b"problem", b"issue", b"info", b"failure", b"vulnerab", b"diagnostic"]
            .iter()
            .any(|word| words.starts_with(word));
    if digits > 0 && counted { Mark::Summary } else { Mark::Plain }
}

/// Cargo aligns its status words to the right in twelve columns.
fn is_cargo_status(text: &[u8], indent: usize) -> bool {
    let word = text.iter().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    indent + word == 12 && text.get(word) == Some(&b' ')
}

fn symbol(text: &[u8], indent: usize) -> Mark {
    let Ok(head) = std::str::from_utf8(text.get(..3).unwrap_or_default()) else { return Mark::Plain };
    let after = text.get(3..).unwrap_or_default();
    match head {
        "✕" | "✗" | "✘" | "❌" => Mark::Failure,
        "✖" if after.first() == Some(&b' ') && after.get(1).is_some_and(u8::is_ascii_digit) => {
            Mark::Summary
        }
        "✖" => Mark::Failure,
        "●" if after.first() == Some(&b' ') && indent <= 4 => Mark::Case(Case::Jest),
        "╷" => Mark::BoxOpen,
        "╵" => Mark::BoxClose,
        _ => Mark::Plain,
    }
}

/// What the last words of a line say: verdicts of single tests, and biome's headers.
fn by_end(text: &[u8]) -> Mark {
    match text.last() {
        Some(b'D') if text.ends_with(b"... FAILED") => Mark::Failure,
        Some(b'L') if text.ends_with(b"... FAIL") => Mark::Failure,
        Some(b'R') if text.ends_with(b"... ERROR") => Mark::Failure,
        Some(b']') => pytest_verdict(text),
        Some(0x81) if text.ends_with("━━━".as_bytes()) => Mark::Diagnostic { failure: true },
        _ => spaced_place(text),
    }
}

/// `path(12) : error C1: message` and `path(12) : Warning[Pe177]: message`, as Microsoft's older compilers and IAR's print them.
fn spaced_place(text: &[u8]) -> Mark {
    let window = text.get(..240).unwrap_or(text);
    let Some(closing) = memchr::memchr(b')', window) else { return Mark::Plain };
    let (place, words) = window.split_at(closing);
    let Some(words) = words.strip_prefix(b") : ") else { return Mark::Plain };
    let digits = place.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
    let path = place.get(..place.len() - digits).unwrap_or_default();
    if digits == 0 || !path.ends_with(b"(") || !path.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\')) {
        return Mark::Plain;
    }
    match words {
        [b'e' | b'E', b'r', b'r', b'o', b'r', ..] | [b'f' | b'F', b'a', b't', b'a', b'l', ..] => {
            Mark::Diagnostic { failure: true }
        }
        [b'w' | b'W', b'a', b'r', b'n', ..] | [b'r' | b'R', b'e', b'm', b'a', b'r', b'k', ..] => {
            Mark::Diagnostic { failure: false }
        }
        _ => Mark::Plain,
    }
}

/// `path::test FAILED [0.04s] [ 17%]`
fn pytest_verdict(text: &[u8]) -> Mark {
    let Some(mut rest) = text.strip_suffix(b"%]") else { return Mark::Plain };
    for _ in 0..2 {
        let Some(open) = memchr::memrchr(b'[', rest) else { break };
        rest = rest.get(..open).unwrap_or_default().trim_ascii_end();
        if rest.ends_with(b" FAILED") || rest.ends_with(b" ERROR") {
            return Mark::Failure;
        }
        let Some(closed) = rest.strip_suffix(b"]") else { break };
        rest = closed;
    }
    Mark::Plain
}
