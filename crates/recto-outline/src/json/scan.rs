//! The JSON scanner: one pass, an explicit stack, byte ranges only. It takes anything; what is not JSON is reported as faults.

use crate::words::{repeat, zero_bytes};

/// What [`scan`] meets in a JSON text, in order.
pub trait Events {
    /// A container begins: `item` is where its item begins (the key, or the brace at `brace_at`).
    fn open(&mut self, item: Item, brace_at: usize, is_object: bool);
    /// The innermost container ends before `end`.
    fn close(&mut self, end: usize);
    /// A string (with its quotes) or another scalar: bytes `[start, end)`.
    fn scalar(&mut self, item: Item, start: usize, end: usize, is_string: bool);
    /// Says whether to stop after the item just reported.
    fn is_done(&self) -> bool {
        false
    }
}

/// Where an item stands: its separator, its beginning, and its key's quotes.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Where the separator before it begins: the end of the item before.
    pub lead: usize,
    /// Where it begins: at its key if it has one.
    pub start: usize,
    /// One past the key's closing quote; equals `start` without a key.
    pub key_end: usize,
}

/// How a scan ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Where it stopped.
    pub at: usize,
    /// Containers still open there.
    pub depth: usize,
    /// Places where the text was not JSON.
    pub faults: usize,
    /// Items at the top level.
    pub values: usize,
    /// Where the first item at the top level ended; 0 if none did.
    pub first_end: usize,
}

/// Scans `source[start..end]` as JSON: linear, without recursion, whatever the bytes are. Strings are found by their quotes alone;
/// what stands in them is not checked.
///
/// ```
/// use recto_outline::{JsonEvents, JsonItem, scan_json};
/// struct Keys<'s>(&'s [u8], Vec<&'s [u8]>);
/// impl JsonEvents for Keys<'_> {
///     fn open(&mut self, _item: JsonItem, _brace_at: usize, _is_object: bool) {}
///     fn close(&mut self, _end: usize) {}
///     fn scalar(&mut self, item: JsonItem, _start: usize, _end: usize, _is_string: bool) {
///         self.1.push(&self.0[item.start..item.key_end]);
///     }
/// }
/// let source = br#"{"a": 1, "b": [2]}"#;
/// let mut keys = Keys(source, Vec::new());
/// assert_eq!(scan_json(source, 0, source.len(), &mut keys).faults, 0);
/// assert_eq!(keys.1, [&b"\"a\""[..], b""]);
/// ```
pub fn scan<E: Events>(source: &[u8], start: usize, end: usize, events: &mut E) -> Outcome {
    let bytes = source.get(..end).unwrap_or(source);
    let mut at = start;
    let mut lead = start;
    // One byte a level: the closing brace.
    let mut stack: Vec<u8> = Vec::new();
    let mut outcome = Outcome::default();
    // Whether an item may begin here: after the opening brace or a comma.
    let mut expects_item = true;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b',' => {
                if expects_item {
                    outcome.faults += 1;
                }
                expects_item = true;
                at += 1;
            }
            b'}' | b']' => {
                at += 1;
                match stack.pop() {
                    Some(closing) => {
                        if closing != byte
                            || (expects_item
                                && bytes.get(lead..at - 1).is_some_and(|gap| gap.contains(&b',')))
                        {
                            outcome.faults += 1;
                        }
                        events.close(at);
                        finish_value(&mut outcome, &stack, at);
                    }
                    None => {
                        outcome.faults += 1;
                        events.scalar(Item { lead, start: at - 1, key_end: at - 1 }, at - 1, at, false);
                    }
                }
                lead = at;
                expects_item = false;
                if events.is_done() {
                    break;
                }
            }
            _ => {
                if !expects_item && !stack.is_empty() {
                    outcome.faults += 1;
                }
                let mut item = Item { lead, start: at, key_end: at };
                let mut value_at = at;
                if stack.last() == Some(&b'}') {
                    // A key, a colon, and only then the value; whatever else stands here is taken as a bare value.
                    let colon = (byte == b'"').then(|| string_end(bytes, at)).and_then(|key_end| {
                        let after = skip_blanks(bytes, key_end);
                        (bytes.get(after) == Some(&b':')).then_some((key_end, after))
                    });
                    match colon {
                        Some((key_end, colon_at)) => {
                            item.key_end = key_end;
                            value_at = skip_blanks(bytes, colon_at + 1);
                        }
                        None => outcome.faults += 1,
                    }
                }
                match bytes.get(value_at) {
                    Some(&brace @ (b'{' | b'[')) => {
                        events.open(item, value_at, brace == b'{');
                        // `{` + 2 is `}`, and `[` + 2 is `]`.
                        stack.push(brace + 2);
                        at = value_at + 1;
                        lead = at;
                        expects_item = true;
                    }
                    other => {
                        let is_string = other == Some(&b'"');
                        at =
                            if is_string { string_end(bytes, value_at) } else { scalar_end(bytes, value_at) };
                        if at == value_at && at == item.start {
                            at += 1;
                        }
                        let at_end = at.min(bytes.len());
                        outcome.faults += usize::from(at == value_at);
                        events.scalar(item, value_at.min(at_end), at_end, is_string);
                        finish_value(&mut outcome, &stack, at);
                        lead = at;
                        expects_item = false;
                        if events.is_done() {
                            break;
                        }
                    }
                }
            }
        }
    }
    outcome.at = at.min(bytes.len());
    outcome.depth = stack.len();
    outcome
}

fn finish_value(outcome: &mut Outcome, stack: &[u8], at: usize) {
    if stack.is_empty() {
        outcome.values += 1;
        if outcome.first_end == 0 {
            outcome.first_end = at;
        }
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// One past the closing quote of the string that begins at `at`; the end of the bytes if it never closes.
#[inline]
pub(crate) fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        let Some(found) = find_special(bytes, at) else { return bytes.len() };
        if bytes.get(found) == Some(&b'"') {
            return found + 1;
        }
        at = found + 2;
        if at >= bytes.len() {
            return bytes.len();
        }
    }
}

/// The first quote or backslash at or after `at`. Most strings are short: a few words of eight bytes first, then the vector search.
#[inline]
fn find_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..4 {
        let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| chunk.first_chunk::<8>()) else { break };
        let word = u64::from_le_bytes(*chunk);
        let found = zero_bytes(word ^ repeat(b'"')) | zero_bytes(word ^ repeat(b'\\'));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    memchr::memchr2(b'"', b'\\', bytes.get(at..)?).map(|found| at + found)
}

/// Where the bare scalar that begins at `at` ends: at a separator, a brace, a quote or a blank.
#[inline]
fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    // Eight bytes at once: a loop over the few of a number is mispredicted at its end.
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        // `[` and `{` differ in one bit, and so do `]` and `}`.
        let braces = word | repeat(0x20);
        let found = zero_bytes(braces ^ repeat(b'{'))
            | zero_bytes(braces ^ repeat(b'}'))
            | zero_bytes(word ^ repeat(b','))
            | zero_bytes(word ^ repeat(b':'))
            | zero_bytes(word ^ repeat(b'"'))
            | zero_bytes(word ^ repeat(b' '))
            | zero_bytes(word ^ repeat(b'\n'))
            | zero_bytes(word ^ repeat(b'\r'))
            | zero_bytes(word ^ repeat(b'\t'));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| b",]}[{\": \n\r\t".contains(byte)).unwrap_or(rest.len())
}

/// Says whether a bare scalar is one that JSON (or a common dialect: `NaN`, `Infinity`) knows.
#[must_use]
pub fn is_scalar(text: &[u8]) -> bool {
    match text {
        b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"-Infinity" => true,
        _ => {
            text.first().is_some_and(|first| first.is_ascii_digit() || *first == b'-')
                && text.len() <= 4096
                && text
                    .iter()
                    .skip(1)
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'))
                && text.iter().filter(|byte| matches!(byte, b'.')).count() <= 1
                && !text
                    .iter()
                    .skip(1)
                    .zip(text.iter())
                    .any(|(byte, before)| matches!(byte, b'+' | b'-') && !matches!(before, b'e' | b'E'))
        }
    }
}
