//! What stands before a log line's message: times, levels, names of threads, tools and services.

/// How grave a line says it is, at the place where its tool writes that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing that calls for action: trace, debug, information.
    Low,
    /// A warning.
    Warning,
    /// An error or worse.
    Failure,
    /// A further line of the event before (PostgreSQL's `DETAIL:`).
    More,
}

/// A line's prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Where the message begins, with the blanks that indent it.
    pub(super) rest: usize,
    /// Whether a time stands in the prefix.
    pub(super) stamped: bool,
    /// The level, where there is one.
    pub(super) level: Option<Level>,
}

/// More parts than this no prefix has.
const MAX_PARTS: usize = 8;
/// Names in brackets are not longer.
const MAX_TAG_BYTES: usize = 72;

impl Prefix {
    /// Reads the prefix of a line, a part at a time, until something that is none.
    pub(super) fn of(line: &[u8]) -> Self {
        let mut prefix = Self::default();
        for _ in 0..MAX_PARTS {
            let text = line.get(prefix.rest..).unwrap_or_default();
            let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let text = text.get(blanks..).unwrap_or_default();
            let begun = prefix.stamped || prefix.level.is_some();
            let taken = match text.first() {
                Some(b'0'..=b'9') => time(text).inspect(|_| prefix.stamped = true),
                Some(b'[') => bracketed(text, b']', begun, &mut prefix),
                Some(b'(') if blanks == 0 => bracketed(text, b')', false, &mut prefix),
                Some(b'A'..=b'Z' | b'a'..=b'z') => worded(text, begun, &mut prefix),
                _ => None,
            };
            let Some(bytes) = taken else { break };
            let after = text.get(bytes..).unwrap_or_default();
            prefix.rest += blanks + bytes + usize::from(matches!(after.first(), Some(b' ' | b'\t')));
        }
        prefix
    }
}

/// A part in brackets: a time, a level, or a name that more text follows.
fn bracketed(text: &[u8], close: u8, begun: bool, prefix: &mut Prefix) -> Option<usize> {
    let window = text.get(..MAX_TAG_BYTES).unwrap_or(text);
    let end = memchr::memchr(close, window)?;
    let inside = text.get(1..end)?.trim_ascii();
    let after = end + 1;
    let next = text.get(after);
    if let Some(bytes) = time(inside).or_else(|| uptime(inside)) {
        prefix.stamped = true;
        // `[2026-01-02T03:04:05Z ERROR crate::module] message`
        if let Some((level, _)) = level(inside.get(bytes..).unwrap_or_default().trim_ascii_start()) {
            prefix.level = Some(level);
        }
        return Some(after);
    }
    if let Some((found, bytes)) = level(inside)
        && bytes == inside.len()
    {
        prefix.level = Some(found);
        return Some(after);
    }
    let stands_alone = matches!(next, Some(b' ' | b'\t' | b'[' | b':'));
    if !stands_alone || inside.is_empty() {
        return None;
    }
    let blanks = if begun { 0 } else { inside.iter().filter(|byte| **byte == b' ').count() };
    let few_words = blanks == 0 || close == b')' && blanks == 1;
    let is_name = || inside.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    let more = || text.get(after..).is_some_and(|rest| !rest.trim_ascii_start().is_empty());
    (few_words && is_name() && more()).then_some(after + usize::from(next == Some(&b':')))
}

/// A part that begins with a letter: a level, a date that begins with a name, a key of `key=value` logs, a service.
fn worded(text: &[u8], begun: bool, prefix: &mut Prefix) -> Option<usize> {
    if let Some((found, bytes)) = level(text) {
        let lower = text.first().is_some_and(u8::is_ascii_lowercase);
        let colon = text.get(bytes) == Some(&b':');
        if prefix.level.is_none() && (colon && !lower || (begun || prefix.rest > 0) && (!lower || colon)) {
            prefix.level = Some(found);
            let after = bytes + usize::from(colon);
            // Levels are padded to one width: the blanks after them indent nothing.
            let pad = text.get(after..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
            return Some(after + pad.saturating_sub(1));
        }
        return None;
    }
    if let Some(bytes) = named_date(text) {
        prefix.stamped = true;
        return Some(bytes);
    }
    if !begun && let Some(found) = klog(text) {
        prefix.stamped = true;
        prefix.level = Some(found);
        return memchr::memchr(b']', text.get(..MAX_TAG_BYTES).unwrap_or(text)).map(|at| at + 1);
    }
    if !begun || prefix.rest == 0 {
        for key in [&b"time="[..], b"ts=", b"level=", b"timestamp="] {
            if let Some(value) = text.strip_prefix(key) {
                let quoted = value.strip_prefix(b"\"").unwrap_or(value);
                prefix.stamped |= time(quoted).is_some();
                if let Some((found, _)) = level(quoted) {
                    prefix.level = Some(found);
                }
                let bytes = memchr::memchr(b' ', value).unwrap_or(value.len());
                return Some(key.len() + bytes);
            }
        }
    }
    if prefix.rest == 0 { service(text) } else { logfmt_level(text, prefix) }
}

/// `level=error` after other keys of a `key=value` log.
fn logfmt_level(text: &[u8], prefix: &mut Prefix) -> Option<usize> {
    let value = text.strip_prefix(b"level=").or_else(|| text.strip_prefix(b"lvl="))?;
    let (found, bytes) = level(value)?;
    prefix.level = Some(found);
    Some(text.len() - value.len() + bytes)
}

/// `web-1  | message`, as Docker Compose prints.
fn service(text: &[u8]) -> Option<usize> {
    let name = text
        .iter()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .count();
    let blanks = text.get(name..)?.iter().take(40).take_while(|byte| **byte == b' ').count();
    (blanks > 0
        && text.get(name + blanks) == Some(&b'|')
        && matches!(text.get(name + blanks + 1), Some(b' ') | None))
    .then_some(name + blanks + 1)
}

/// The level that a text begins with, and its length.
pub(super) fn level(text: &[u8]) -> Option<(Level, usize)> {
    let word = Word::of(text)?;
    if word.letters == STATEMEN && text.get(8).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'T')) {
        return text.get(9).is_none_or(|byte| *byte == b':').then_some((Level::More, 9));
    }
    if !matches!(
        text.get(word.length),
        None | Some(b' ' | b'\t' | b':' | b']' | b'|' | b'-' | b')' | b'"' | b'>')
    ) {
        return None;
    }
    // `ERROR`, `Error` and `error`, but not `eRROR`.
    if !(word.is_capital || word.is_lower) {
        return None;
    }
    let (letters, found) = LEVELS.get(slot(word.letters)).copied().flatten()?;
    (letters == word.letters).then_some((found, word.length))
}

/// The letters that a text begins with, eight at most.
struct Word {
    /// In capitals, the first one lowest.
    letters: u64,
    length: usize,
    is_capital: bool,
    is_lower: bool,
}

impl Word {
    /// Reads eight bytes at once: a loop over so few is mispredicted once a word.
    fn of(text: &[u8]) -> Option<Self> {
        const EACH: u64 = 0x0101_0101_0101_0101;
        const TOP: u64 = 0x80 * EACH;
        const CASE: u64 = 0x20 * EACH;
        let bytes = match text.first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => text.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte)),
        };
        let small = (bytes | CASE) & !TOP;
        // The top bit of each byte says whether it is a letter: at least `a`, at most `z`, and ASCII.
        let letter = (small + (0x80 - 0x61) * EACH) & !(small + (0x7F - 0x7A) * EACH) & !bytes & TOP;
        let bits = (!letter & TOP).trailing_zeros() & !7;
        let length = bits as usize / 8;
        let mask = if bits == u64::BITS { u64::MAX } else { (1 << bits) - 1 };
        (length >= 3).then_some(Self {
            letters: bytes & mask & !CASE,
            length,
            is_capital: bytes & 0x20 == 0,
            is_lower: bytes & mask & CASE == mask & CASE,
        })
    }
}

/// A word as [`Word`] has it.
const fn letters(word: &[u8]) -> u64 {
    let mut letters = 0;
    let mut at = word.len();
    while at > 0 {
        at -= 1;
        letters = letters << 8 | word[at] as u64;
    }
    letters
}

const STATEMEN: u64 = letters(b"STATEMEN");

/// The words for levels, each in a slot of its own: one look finds a word, and no branch is mispredicted on the way.
static LEVELS: [Option<(u64, Level)>; SLOTS] = {
    const LOW: [&[u8]; 13] = [
        b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"NOTE", b"FINE", b"FINER", b"FINEST", b"CONFIG", b"LOG",
        b"DBG", b"INF", b"VERBOSE",
    ];
    const WARNING: [&[u8]; 3] = [b"WARN", b"WARNING", b"WRN"];
    const FAILURE: [&[u8]; 9] =
        [b"ERROR", b"ERR", b"FATAL", b"SEVERE", b"CRITICAL", b"CRIT", b"PANIC", b"EMERG", b"ALERT"];
    const MORE: [&[u8]; 4] = [b"DETAIL", b"HINT", b"CONTEXT", b"QUERY"];
    let mut levels = [None; SLOTS];
    enter(&mut levels, &LOW, Level::Low);
    enter(&mut levels, &WARNING, Level::Warning);
    enter(&mut levels, &FAILURE, Level::Failure);
    enter(&mut levels, &MORE, Level::More);
    levels
};

const SLOTS: usize = 64;

/// The slot of a word: the multiplier is one of those that give no two levels the same.
const fn slot(letters: u64) -> usize {
    (letters.wrapping_mul(0x678A_5AA3_3B6F_E507) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

const fn enter(levels: &mut [Option<(u64, Level)>; SLOTS], words: &[&[u8]], level: Level) {
    let mut at = 0;
    while at < words.len() {
        let letters = letters(words[at]);
        assert!(levels[slot(letters)].is_none(), "two words in one slot");
        levels[slot(letters)] = Some((letters, level));
        at += 1;
    }
}

/// Kubernetes' `E0102 15:04:05.678901`.
fn klog(text: &[u8]) -> Option<Level> {
    let found = match text.first()? {
        b'I' => Level::Low,
        b'W' => Level::Warning,
        b'E' | b'F' => Level::Failure,
        _ => return None,
    };
    (shape(text.get(1..)?, b"dddd dd:dd:dd")).then_some(found)
}

/// Whether a text begins with a shape: `d` stands for a digit, anything else for itself.
fn shape(text: &[u8], shape: &[u8]) -> bool {
    text.len() >= shape.len()
        && shape
            .iter()
            .zip(text)
            .all(|(want, have)| if *want == b'd' { have.is_ascii_digit() } else { want == have })
}

/// The length of the time that a text begins with; what follows it may not be part of a word or a number.
fn time(text: &[u8]) -> Option<usize> {
    if !text.get(1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let clock = if shape(text, b"dddd-dd-dd") || shape(text, b"dddd/dd/dd") || shape(text, b"dd/dd/dddd") {
        11
    } else if shape(text, b"dd-dd dd:dd:dd") || shape(text, b"dd/dd dd:dd:dd") {
        6
    } else if (text.get(2) == Some(&b'/') && shape(text.get(6..)?, b"/dddd:dd:dd"))
        || (text.get(2) == Some(&b'-') && shape(text.get(6..)?, b"-dddd dd:dd"))
    {
        12
    } else if shape(text, b"dd:dd:dd") {
        0
    } else {
        return address_time(text);
    };
    if clock == 11 && !matches!(text.get(10), Some(b'T' | b't' | b' ' | b'_' | b':')) {
        return None;
    }
    let clock_text = text.get(clock..)?;
    if !shape(clock_text, b"dd:dd") {
        return None;
    }
    let mut at = clock + 5;
    if text.get(at) == Some(&b':') && shape(text.get(at + 1..)?, b"dd") {
        at += 3;
    }
    if matches!(text.get(at), Some(b'.' | b',')) {
        let digits = text.get(at + 1..)?.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        at += if digits > 0 { digits + 1 } else { 0 };
    }
    let zone = text.get(at..)?;
    if matches!(zone.first(), Some(b'Z')) {
        at += 1;
    } else {
        let blank = usize::from(zone.first() == Some(&b' '));
        let name = zone.get(blank..)?;
        if matches!(name.first(), Some(b'+' | b'-')) && shape(name.get(1..)?, b"dd") {
            let colon = usize::from(name.get(3) == Some(&b':'));
            let minutes = shape(name.get(3 + colon..)?, b"dd");
            at += blank + 3 + if minutes { colon + 2 } else { 0 };
        } else if let Some(zone) = ["UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST", "PDT"]
            .iter()
            .find(|zone| name.starts_with(zone.as_bytes()))
        {
            at += blank + zone.len();
        }
    }
    matches!(text.get(at), None | Some(b' ' | b'\t' | b']' | b')' | b'|' | b':' | b'-' | b'"' | b';'))
        .then_some(at)
}

/// `127.0.0.1 - - [10/Oct/2000:13:55:36 -0700]`, as web servers log.
fn address_time(text: &[u8]) -> Option<usize> {
    let address = text.iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    if address < 7 || text.get(address) != Some(&b' ') {
        return None;
    }
    let window = text.get(..120).unwrap_or(text);
    let open = memchr::memchr(b'[', window)?;
    let close = memchr::memchr(b']', window)?;
    time(text.get(open + 1..close)?)?;
    Some(close + 1)
}

/// `[    1.234567]` of a kernel, `[0.015s]` of a Java machine.
fn uptime(inside: &[u8]) -> Option<usize> {
    let whole = inside.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = inside.get(whole..)?.strip_prefix(b".")?;
    let fraction = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = rest.get(fraction..)?;
    (whole > 0 && fraction > 0 && matches!(unit, b"" | b"s" | b"ms")).then_some(inside.len())
}

/// `Jan  2 15:04:05 host process[1]:` and `Mon Jan  2 15:04:05 2006`.
fn named_date(text: &[u8]) -> Option<usize> {
    let day = usize::from(is_name(text, b"MonTueWedThuFriSatSun")) * 4;
    let text_from_month = text.get(day..)?;
    if !is_name(text_from_month, b"JanFebMarAprMayJunJulAugSepOctNovDec") {
        return None;
    }
    let clock = day + 7;
    if !shape(text.get(clock..)?, b"dd:dd:dd") {
        return None;
    }
    let mut at = clock + 8;
    if shape(text.get(at..)?, b" dddd") {
        at += 5;
    } else if day == 0
        && let Some(rest) = text.get(at..)
        && let Some(colon) = spaced_colon(rest.get(..96).unwrap_or(rest))
    {
        // The host and the process.
        at += colon + 1;
    }
    Some(at)
}

/// Where the first colon with a blank behind it stands. In a window so short a search for both bytes costs more to prepare than
/// to run.
fn spaced_colon(window: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b':', window).find(|at| window.get(at + 1) == Some(&b' '))
}

fn is_name(text: &[u8], names: &[u8]) -> bool {
    text.get(3) == Some(&b' ') && names.chunks_exact(3).any(|name| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (bool, Option<Level>, &str) {
        let prefix = Prefix::of(line.as_bytes());
        (prefix.stamped, prefix.level, &line[prefix.rest..])
    }

    #[test]
    fn reads_the_prefixes_of_many_tools() {
        for (line, stamped, level, rest) in [
            ("2026-07-28T17:41:15.7682142Z    File \"x\"", true, None, "   File \"x\""),
            ("[2016-12-19 18:01:53,612] TRACE [Controller 0]: checking", true, Some(Level::Low), "checking"),
            ("2026-11-30 02:16:57.654 UTC [22279] LOG:  starting", true, Some(Level::Low), "starting"),
            ("[ERROR]   The project", false, Some(Level::Failure), "  The project"),
            ("[0.008s][info][gc] Using G1", true, Some(Level::Low), "Using G1"),
            ("Jan  2 15:04:05 host sshd[12]: closed", true, None, "closed"),
            ("E0102 15:04:05.123456       1 a.go:12] failed", true, Some(Level::Failure), "failed"),
            ("    [javac] x.java:1: error: y", false, None, "x.java:1: error: y"),
            (
                "(EngineCore pid=2181) ERROR 06-19 12:57:13 [core.py:1229]    x",
                true,
                Some(Level::Failure),
                "   x",
            ),
            ("2022/01/28 04:50:27 [9396] building file list", true, None, "building file list"),
            ("ERROR: Could not find", false, Some(Level::Failure), "Could not find"),
            ("web-1  | started", false, None, "started"),
            ("[2026-01-02T03:04:05Z ERROR a::b] no", true, Some(Level::Failure), "no"),
            (
                "time=\"2026-01-02T03:04:05Z\" level=error msg=\"no\"",
                true,
                Some(Level::Failure),
                "msg=\"no\"",
            ),
            ("2026-11-30 02:16:57.654 UTC [1] STATEMENT:  select 1", true, Some(Level::More), "select 1"),
            ("127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 200", true, None, "\"GET /\" 200"),
        ] {
            assert_eq!(read(line), (stamped, level, rest), "{line}");
        }
    }

    #[test]
    fn text_is_no_prefix() {
        for line in [
            "ERROR handling is hard",
            "error: mismatched types",
            "2026-01-02,3,4",
            "tests/a.py::test_b PASSED [ 17%]",
            "[clean:clean]",
            "12 | let a",
            "CRITICALS: two",
            "STATEMEN: none",
            "eRROR: none",
        ] {
            assert_eq!(read(line), (false, None, line), "{line}");
        }
    }
}
