//! JSON text read in place: members, elements and strings by their byte ranges, so that what is not understood stays as it is written.
//!
//! Everything but [`checked`] expects text that passed it. On other text the answers are wrong, but nothing panics.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};
use serde_json::value::RawValue;

/// Checks that a text is one JSON value, and returns it without the white space around it.
pub(crate) fn checked(text: &str) -> Result<&str, serde_json::Error> {
    serde_json::from_str::<&RawValue>(text).map(RawValue::get)
}

/// One member of an object.
pub(crate) struct Member {
    /// The key between its quotes, escapes as they are.
    pub(crate) key: Range<usize>,
    /// The value.
    pub(crate) value: Range<usize>,
}

/// Lists the members of an object in order, duplicates too; none of anything else.
pub(crate) fn members(object: &str) -> Vec<Member> {
    let bytes = object.as_bytes();
    let mut members = Vec::new();
    if bytes.first() != Some(&b'{') {
        return members;
    }
    let mut at = space_end(bytes, 1);
    while bytes.get(at) == Some(&b'"') {
        let key_end = string_end(bytes, at);
        let colon = space_end(bytes, key_end);
        let start = space_end(bytes, colon + 1);
        let end = value_end(bytes, start);
        members.push(Member { key: at + 1..key_end.saturating_sub(1).max(at + 1), value: start..end });
        at = next_item(bytes, end);
    }
    members
}

/// Lists the elements of an array in order; none of anything else.
pub(crate) fn elements(array: &str) -> Vec<Range<usize>> {
    let bytes = array.as_bytes();
    let mut elements = Vec::new();
    if bytes.first() != Some(&b'[') {
        return elements;
    }
    let mut at = space_end(bytes, 1);
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let end = value_end(bytes, at);
        if end == at {
            break;
        }
        elements.push(at..end);
        at = next_item(bytes, end);
    }
    elements
}

/// What an object holds under a name.
pub(crate) enum Found {
    Nothing,
    One(Range<usize>),
    /// The name occurs more than once; this is the last, which most readers take.
    Many(Range<usize>),
}

impl Found {
    /// The value that readers take.
    pub(crate) fn last(self) -> Option<Range<usize>> {
        match self {
            Self::Nothing => None,
            Self::One(value) | Self::Many(value) => Some(value),
        }
    }
}

/// Finds a member by its name.
pub(crate) fn find(object: &str, name: &str) -> Found {
    let mut found = Found::Nothing;
    for member in members(object) {
        if key_is(object, &member, name) {
            found = match found {
                Found::Nothing => Found::One(member.value),
                Found::One(_) | Found::Many(_) => Found::Many(member.value),
            };
        }
    }
    found
}

/// Returns the value of a member, the last if there are several.
pub(crate) fn value<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    find(object, name).last().and_then(|range| object.get(range))
}

/// Tells whether a member has this name, however it is escaped.
pub(crate) fn key_is(object: &str, member: &Member, name: &str) -> bool {
    object.get(member.key.clone()).is_some_and(|key| decode(key) == name)
}

/// Returns what stands between the quotes of a string; `None` of any other value.
pub(crate) fn inside(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// Reads a string value.
pub(crate) fn string(value: &str) -> Option<Cow<'_, str>> {
    inside(value).map(decode)
}

/// Reads an integer from 0 to 2^64 - 1, written without fraction and exponent.
pub(crate) fn integer(value: &str) -> Option<u64> {
    value.bytes().all(|byte| byte.is_ascii_digit()).then(|| value.parse().ok())?
}

/// Writes a string value, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Counts the code points of a string's inside. A lone surrogate is one, as in JavaScript.
pub(crate) fn count_points(inside: &str) -> usize {
    let (mut rest, mut count) = (inside, 0);
    loop {
        let Some(at) = memchr(b'\\', rest.as_bytes()) else { return count + rest.chars().count() };
        let (plain, escaped) = split(rest, at);
        let (bytes, _) = escape(escaped);
        count += plain.chars().count() + 1;
        rest = split(escaped, bytes).1;
    }
}

/// Returns the byte that stands behind so many code points of a string's inside; its end if it has fewer.
pub(crate) fn point_offset(inside: &str, points: usize) -> usize {
    let (mut rest, mut left) = (inside, points);
    while left > 0 {
        let at = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (plain, escaped) = split(rest, at);
        if let Some((offset, _)) = plain.char_indices().nth(left) {
            return inside.len() - rest.len() + offset;
        }
        left -= plain.chars().count();
        if left == 0 || escaped.is_empty() {
            return inside.len() - escaped.len();
        }
        left -= 1;
        rest = split(escaped, escape(escaped).0).1;
    }
    inside.len() - rest.len()
}

/// Decodes a string's inside. A lone surrogate, which is no character, becomes U+FFFD: one code point for one.
pub(crate) fn decode(inside: &str) -> Cow<'_, str> {
    if memchr(b'\\', inside.as_bytes()).is_none() {
        return Cow::Borrowed(inside);
    }
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (plain, escaped) = split(rest, at);
        let (bytes, character) = escape(escaped);
        text.push_str(plain);
        text.push(character);
        rest = split(escaped, bytes).1;
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// How many bytes the escape at the beginning takes, and what it stands for.
fn escape(text: &str) -> (usize, char) {
    let simple = match text.as_bytes().get(1) {
        Some(b'u') => return unicode_escape(text),
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(other) => char::from(*other),
        None => return (text.len(), char::REPLACEMENT_CHARACTER),
    };
    (2, simple)
}

fn unicode_escape(text: &str) -> (usize, char) {
    const ONE: usize = r"\u0000".len();
    let unit = |at: usize| u32::from_str_radix(text.get(at + 2..at + ONE)?, 16).ok();
    let Some(first) = unit(0) else { return (text.len(), char::REPLACEMENT_CHARACTER) };
    if (0xd800..0xdc00).contains(&first)
        && text.get(ONE..ONE + 2) == Some(r"\u")
        && let Some(second @ 0xdc00..0xe000) = unit(ONE)
        && let Some(character) = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    {
        return (2 * ONE, character);
    }
    (ONE, char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Splits without a panic: what is no boundary counts as the end.
fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

fn space_end(bytes: &[u8], from: usize) -> usize {
    let space = bytes.iter().skip(from).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    from + space.count()
}

/// Where the next member or element begins, behind a comma; or the closing bracket.
fn next_item(bytes: &[u8], from: usize) -> usize {
    let at = space_end(bytes, from);
    if bytes.get(at) == Some(&b',') { space_end(bytes, at + 1) } else { at }
}

/// The end of the string that begins with the quote at `from`.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    loop {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) else {
            return bytes.len();
        };
        if bytes.get(at + found) == Some(&b'"') {
            return at + found + 1;
        }
        at += found + 2;
    }
}

fn value_end(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth > 0 => {
                at += 1;
                continue;
            }
            b',' | b'}' | b']' => return at,
            _ => {
                let scalar = bytes.iter().skip(at).take_while(|byte| {
                    !matches!(
                        byte,
                        b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
                    )
                });
                at += scalar.count().max(1);
            }
        }
        if depth == 0 {
            return at;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_are_found_whatever_stands_around_them() {
        let object =
            checked(" { \"a\" : [1, {\"x\":\"]}\"}] ,\"b\\u0063\":-1.5e3 , \"a\":\"\\\"\" } ").unwrap();
        let found: Vec<_> = members(object).into_iter().map(|m| (&object[m.key], &object[m.value])).collect();
        assert_eq!(found, [("a", r#"[1, {"x":"]}"}]"#), (r"b\u0063", "-1.5e3"), ("a", r#""\"""#)]);
        assert_eq!(value(object, "bc"), Some("-1.5e3"));
        assert!(matches!(find(object, "a"), Found::Many(_)));
        let array = "[ 1,[] , {} ,\"x, y\", null ]";
        let found: Vec<_> = elements(array).into_iter().map(|range| &array[range]).collect();
        assert_eq!(found, ["1", "[]", "{}", "\"x, y\"", "null"]);
        assert!(members("{ }").is_empty() && elements("[\n]").is_empty());
    }

    #[test]
    fn a_lone_surrogate_is_one_code_point_and_a_pair_is_one_too() {
        let inside = r"a\ud83d\ude00\ud83d\n\ude00é😀\u00e9";
        assert_eq!(decode(inside), "a😀\u{fffd}\n\u{fffd}é😀é");
        assert_eq!(count_points(inside), 8);
        for points in 0..=8 {
            let offset = point_offset(inside, points);
            assert_eq!(count_points(&inside[..offset]), points, "{points}");
        }
        assert_eq!(point_offset(inside, 99), inside.len());
    }
}
