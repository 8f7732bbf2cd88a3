//! JSON that stands in a text: behind a sentence, between fences.

use recto_outline::{JsonEvents, JsonItem, Span, scan_json};

/// How far a beginning is looked for.
const HEAD_BYTES: usize = 16_384;
/// Beginnings tried: each may cost a scan of the rest.
const MOST_TRIED: usize = 4;

/// The longest JSON container that begins in the head of `text`, has no fault, and is a quarter of the text or more. It may be cut at the
/// end of the text.
pub(super) fn find(text: &[u8]) -> Option<Span> {
    let head = text.get(..HEAD_BYTES).unwrap_or(text);
    let mut tried = 0;
    let mut at = 0;
    while let Some(found) = head.get(at..).and_then(|rest| memchr::memchr2(b'{', b'[', rest)) {
        let start = at + found;
        at = start + 1;
        let begins_line = start == 0 || matches!(head.get(start - 1), Some(b'\n' | b'\r'));
        if !begins_line && !is_plainly_json(text.get(start..).unwrap_or_default()) {
            continue;
        }
        if let Some(span) = container(text, start) {
            if span.len() * 4 >= text.len() {
                return Some(span);
            }
            at = (span.e as usize).min(head.len());
        }
        tried += 1;
        if tried == MOST_TRIED {
            break;
        }
    }
    None
}

/// Says whether most of the first lines of `text` are objects: JSON lines among other lines.
pub(super) fn is_lines(text: &[u8]) -> bool {
    const MOST_LINES: usize = 64;
    let head = text.get(..HEAD_BYTES * 4).unwrap_or(text);
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (mut all, mut objects) = (0, 0);
    for line in lines.take(MOST_LINES) {
        all += 1;
        objects += usize::from(line.starts_with(b"{\"") && line.ends_with(b"}"));
    }
    objects > 1 && objects * 2 >= all
}

/// Says whether a container begins as no text but JSON does: `{"`, `[{`, `[[`, `["`.
fn is_plainly_json(text: &[u8]) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_ascii_start();
    match text.first() {
        Some(b'{') => inside.first() == Some(&b'"'),
        _ => {
            inside.first() == Some(&b'{')
                && inside.get(1..).unwrap_or_default().trim_ascii_start().first() == Some(&b'"')
        }
    }
}

/// The container that begins at `start`, if it is JSON.
fn container(text: &[u8], start: usize) -> Option<Span> {
    struct First {
        depth: usize,
        items: usize,
        strings: usize,
        is_done: bool,
    }
    impl JsonEvents for First {
        fn open(&mut self, _item: JsonItem, _brace_at: usize, _is_object: bool) {
            self.depth += 1;
            self.items += 1;
        }
        fn close(&mut self, _end: usize) {
            self.depth = self.depth.saturating_sub(1);
            self.is_done = self.depth == 0;
        }
        fn scalar(&mut self, _item: JsonItem, _start: usize, _end: usize, is_string: bool) {
            self.items += 1;
            self.strings += usize::from(is_string);
        }
        fn is_done(&self) -> bool {
            self.is_done
        }
    }
    let mut first = First { depth: 0, items: 0, strings: 0, is_done: false };
    let outcome = scan_json(text, start, text.len(), &mut first);
    // A cut may fall in a key, which then lacks its colon.
    let may_fail = usize::from(!first.is_done);
    let is_json = outcome.faults <= may_fail && first.items > 1 && (first.is_done || first.strings > 1);
    is_json.then(|| Span::new(start, outcome.at))
}
