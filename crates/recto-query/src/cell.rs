//! A cell: its text for comparisons, and its bytes for the answer.

use std::borrow::Cow;

use recto_outline::{decode_json_string, is_json_scalar};

/// How cells are written in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON values.
    Json,
    /// Between delimiters, in quotes where needed.
    Delimited,
    /// As they stand.
    Plain,
}

/// The text of a cell; `None` for null, and in a grid for an empty cell.
///
/// A JSON string is its text without escapes, a quoted cell of a CSV the text between its quotes; whatever else stands for itself.
pub(crate) fn value(bytes: &[u8], syntax: Syntax) -> Option<Cow<'_, [u8]>> {
    match syntax {
        Syntax::Json => match bytes.first()? {
            b'"' => Some(decode_json_string(inside(bytes))),
            b'n' if bytes == b"null" => None,
            _ => Some(Cow::Borrowed(bytes)),
        },
        Syntax::Delimited => match quoted(bytes) {
            Some(text) => Some(undoubled(text)),
            None => (!bytes.is_empty()).then_some(Cow::Borrowed(bytes)),
        },
        Syntax::Plain => (!bytes.is_empty()).then_some(Cow::Borrowed(bytes)),
    }
}

/// What stands between the quotes of a JSON string, even of one that was cut.
pub(crate) fn inside(string: &[u8]) -> &[u8] {
    let rest = string.strip_prefix(b"\"").unwrap_or(string);
    rest.strip_suffix(b"\"").unwrap_or(rest)
}

fn quoted(cell: &[u8]) -> Option<&[u8]> {
    cell.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

/// A quoted text with its doubled quotes single.
fn undoubled(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(text, b"\"\"").is_none() {
        return Cow::Borrowed(text);
    }
    let mut single = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"\"\"") {
        single.extend_from_slice(rest.get(..=at).unwrap_or_default());
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    single.extend_from_slice(rest);
    Cow::Owned(single)
}

/// JSON without the blanks between its tokens.
pub(crate) fn compact(json: &[u8]) -> Cow<'_, [u8]> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if !json.iter().any(is_blank) {
        return Cow::Borrowed(json);
    }
    let mut out = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        if byte == b'"' {
            let end = string_end(json, at);
            out.extend_from_slice(json.get(at..end).unwrap_or_default());
            at = end;
        } else {
            if !is_blank(&byte) {
                out.push(byte);
            }
            at += 1;
        }
    }
    Cow::Owned(out)
}

/// One past the quote that closes the string that begins at `at`.
fn string_end(json: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        if json.get(at + found) == Some(&b'"') {
            return at + found + 1;
        }
        at += found + 2;
    }
    json.len()
}

/// The bytes that show a cell in table text, before what would break its line is seen to.
///
/// A JSON string drops its quotes where it cannot be taken for anything else; a list or an object drops the blanks between its tokens.
pub(crate) fn shown(bytes: &[u8], syntax: Syntax) -> Cow<'_, [u8]> {
    if syntax != Syntax::Json {
        return Cow::Borrowed(bytes);
    }
    match bytes.first() {
        Some(b'"') if bytes.len() > 1 && bytes.ends_with(b"\"") && is_bare(inside(bytes)) => {
            Cow::Borrowed(inside(bytes))
        }
        Some(b'{' | b'[') => compact(bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// As [`shown`], of the beginning of a cell that is cut.
pub(crate) fn compact_head(head: &[u8], syntax: Syntax) -> Cow<'_, [u8]> {
    match (syntax, head.first()) {
        (Syntax::Json, Some(b'{' | b'[')) => compact(head),
        (Syntax::Json, Some(b'"')) => Cow::Borrowed(head.get(1..).unwrap_or_default()),
        _ => Cow::Borrowed(head),
    }
}

/// Says whether the inside of a JSON string is taken for nothing else without its quotes.
fn is_bare(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return false };
    !matches!(first, b'"' | b'{' | b'[' | b' ') && *last != b' ' && !is_json_scalar(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts() {
        for (bytes, syntax, expected) in [
            (r#""a\"b\u00e9""#, Syntax::Json, Some("a\"b\u{e9}")),
            ("12.0", Syntax::Json, Some("12.0")),
            ("null", Syntax::Json, None),
            (r#""null""#, Syntax::Json, Some("null")),
            (r#""""#, Syntax::Json, Some("")),
            (r#""a ""b"" c""#, Syntax::Delimited, Some("a \"b\" c")),
            (r#""""#, Syntax::Delimited, Some("")),
            (r#""""""#, Syntax::Delimited, Some("\"")),
            ("", Syntax::Delimited, None),
            ("null", Syntax::Delimited, Some("null")),
            ("\"", Syntax::Plain, Some("\"")),
        ] {
            let value = value(bytes.as_bytes(), syntax);
            assert_eq!(value.as_deref(), expected.map(str::as_bytes), "{bytes}");
        }
    }

    #[test]
    fn quotes_stay_where_they_say_something() {
        for (bytes, expected) in [
            (r#""Running""#, "Running"),
            (r#""5""#, r#""5""#),
            (r#""true""#, r#""true""#),
            (r#""""#, r#""""#),
            (r#"" a""#, r#"" a""#),
            (r#""[1]""#, r#""[1]""#),
            (r#""a\nb""#, r"a\nb"),
            ("{ \"a b\" : [ 1,\n 2 ] }", r#"{"a b":[1,2]}"#),
            (r#"{"a\" b": "c  d"}"#, r#"{"a\" b":"c  d"}"#),
        ] {
            assert_eq!(&*shown(bytes.as_bytes(), Syntax::Json), expected.as_bytes());
        }
    }
}
