//! Fields that say how something went: a status of 500, an exit code of 1, a state of `Evicted`.

use std::sync::OnceLock;

use memchr::memmem;
use recto_outline::{Column, Kind, Outline, Value, number};

use super::{columns::cells_of, errors::is_denial};
use crate::literals::Literals;

/// Keys of HTTP statuses.
const STATUS_KEYS: [&[u8]; 7] =
    [b"status", b"statuscode", b"status_code", b"httpstatus", b"http_status", b"responsecode", b"code"];
/// Keys of exit codes.
const EXIT_KEYS: [&[u8]; 7] =
    [b"exitcode", b"exit_code", b"exit", b"returncode", b"return_code", b"exitstatus", b"exit_status"];
/// Keys whose `false` is bad news.
const GOOD_KEYS: [&[u8]; 7] = [b"success", b"succeeded", b"ok", b"passed", b"healthy", b"ready", b"valid"];
/// Keys whose `true` is bad news.
const BAD_KEYS: [&[u8]; 6] = [b"error", b"failed", b"is_error", b"iserror", b"timed_out", b"crashed"];
/// Parts of the words for bad states, without regard to case.
const BAD_PARTS: [&str; 27] = [
    "error",
    "fail",
    "fatal",
    "panic",
    "crash",
    "reject",
    "denied",
    "refused",
    "timeout",
    "timed out",
    "unhealthy",
    "backoff",
    "back-off",
    "evicted",
    "oomkill",
    "critical",
    "severe",
    "exception",
    "abort",
    "killed",
    "unreachable",
    "expired",
    "degraded",
    "not ready",
    "invalid",
    "unavailable",
    "unschedulable",
];
/// Where there are no more records than these, what most of them say may still be bad news.
const FEW_RECORDS: u32 = 12;
/// Parts of the keys of names, in which such words are but names: `TestFailing`.
const NAMES: [&[u8]; 9] =
    [b"name", b"test", b"path", b"file", b"url", b"class", b"method", b"package", b"func"];
/// A longer value is a text and no state.
const LONGEST_STATE_BYTES: usize = 40;

/// The values of a column that tell of something bad and are not the rule in it, rarest first.
pub(super) fn bad<'c>(outline: &Outline<'_>, column: &'c Column) -> Vec<&'c Value> {
    if column.values.is_empty() {
        return Vec::new();
    }
    let key = column.key(outline.source).to_ascii_lowercase();
    if NAMES.iter().any(|name| memmem::find(&key, name).is_some()) {
        return Vec::new();
    }
    let is_exception = |value: &&Value| column.records < FEW_RECORDS || value.count * 2 <= column.records;
    let is_bad = |value: &&Value| is_bad(&key, value.span.of(outline.source));
    let mut found: Vec<&Value> = column.values.iter().filter(is_exception).filter(is_bad).collect();
    found.sort_unstable_by_key(|value| (value.count, value.first[0]));
    found
}

/// Where the records with a value begin, or its members: the first of them.
pub(super) fn occurrences(outline: &Outline<'_>, column: &Column, value: &Value) -> Vec<u32> {
    /// A state is looked for no further.
    const MOST: usize = 400;
    let source = outline.source;
    let text = value.span.of(source);
    let offset = |at: usize| u32::try_from(at).ok();
    if column.path == u64::MAX {
        let with_it = cells_of(outline, column, 0..=u32::MAX)
            .filter(|(row, cell)| outline.unit(*row).kind == Kind::Row && cell.of(source) == text);
        return with_it.map(|(row, _)| outline.unit(row).body.s).take(MOST).collect();
    }
    let member = source.get(value.first[0] as usize..value.span.e as usize).unwrap_or_default();
    if member.starts_with(b"\"") && member.len() < 200 {
        // The same member elsewhere, as it is written here.
        return memmem::find_iter(source, member).filter_map(offset).take(MOST).collect();
    }
    let pair = [column.key(source), b"=", text].concat();
    let found: Vec<u32> = memmem::find_iter(source, &pair).filter_map(offset).take(MOST).collect();
    if found.is_empty() { value.first.to_vec() } else { found }
}

fn is_bad(key: &[u8], value: &[u8]) -> bool {
    let is_one_of = |keys: &[&[u8]]| keys.contains(&key);
    let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    match value {
        b"false" => is_one_of(&GOOD_KEYS),
        b"true" => is_one_of(&BAD_KEYS),
        _ => match number(value) {
            Some(number) => {
                let whole = number / 1_000_000;
                is_one_of(&STATUS_KEYS) && (400..600).contains(&whole) || is_one_of(&EXIT_KEYS) && whole != 0
            }
            None => value.len() <= LONGEST_STATE_BYTES && is_bad_state(value),
        },
    }
}

/// Says whether a state is a bad one, by its words.
fn is_bad_state(value: &[u8]) -> bool {
    // A path or a qualified name is no state: `node.kubernetes.io/unreachable`.
    if memchr::memchr(b'/', value).is_some() {
        return false;
    }
    static PARTS: OnceLock<Option<Literals>> = OnceLock::new();
    let lower = value.to_ascii_lowercase();
    let parts = PARTS.get_or_init(|| Literals::new(&BAD_PARTS)).as_ref();
    let Some(parts) = parts else { return false };
    let mut from = 0;
    while let Some(found) = parts.find(&lower, from, lower.len()) {
        let before = lower.get(..found.start()).unwrap_or_default().trim_ascii_end();
        let word = before.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
        if !is_denial(word) {
            return true;
        }
        from = found.end();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_by_key_and_value() {
        for (key, value, bad) in [
            ("status", "422", true),
            ("status", "201", false),
            ("port", "443", false),
            ("exit_code", "1", true),
            ("exit_code", "0", false),
            ("success", "false", true),
            ("success", "true", false),
            ("state", "\"Evicted\"", true),
            ("state", "\"Running\"", false),
            ("reason", "\"ImagePullBackOff\"", true),
            ("message", "\"0 errors\"", false),
            ("message", "\"748 passed, 0 failed\"", false),
            ("message", "\"0 errors, 2 failed\"", true),
        ] {
            assert_eq!(is_bad(key.as_bytes(), value.as_bytes()), bad, "{key}: {value}");
        }
    }
}
