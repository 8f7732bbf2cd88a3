//! Names of columns and of places in a document: `metadata.name`, `items[0].id`, `labels["app/name"]`, `` `odd key` ``.

use std::fmt;

use crate::QueryError;

/// More steps than this are no path of a record.
const MOST_SEGMENTS: usize = 32;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The member of this name.
    Key(String),
    /// The element of this number, from 0.
    Index(usize),
}

/// A column, or a place in a document.
///
/// ```
/// use recto_query::{Path, Segment};
/// let path = Path::parse("items[0].labels[\"app name\"]", "columns")?;
/// assert_eq!(path.segments.len(), 4);
/// assert_eq!(path.segments[1], Segment::Index(0));
/// assert_eq!(path.to_string(), "items[0].labels[\"app name\"]");
/// # Ok::<(), recto_query::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The steps, at least one; none for the document itself.
    pub segments: Vec<Segment>,
    /// The path as one name, as it stands in the header of a table: a column may have dots in its name.
    pub name: String,
}

impl Path {
    /// Reads a path; `argument` is named in errors.
    ///
    /// # Errors
    /// [`QueryError::Syntax`] with the place.
    pub fn parse(text: &str, argument: &'static str) -> Result<Self, QueryError> {
        let start = text.len() - text.trim_start().len();
        let (path, end) = Self::scan(text, start, argument)?;
        let rest = text.get(end..).unwrap_or_default();
        if rest.trim().is_empty() {
            return Ok(path);
        }
        // A name with blanks in it needs no quotes where it stands alone.
        let alone = text.trim();
        if alone.contains(['"', '`', '[', ']', '(', ')', ',']) {
            let at = end + rest.len() - rest.trim_start().len();
            return Err(QueryError::at(argument, text, at, format!("this does not belong to a name: {HOW}")));
        }
        Ok(Self::named(alone))
    }

    /// The column of exactly this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { segments: vec![Segment::Key(name.to_owned())], name: name.to_owned() }
    }

    /// The document itself.
    #[must_use]
    pub fn root() -> Self {
        Self { segments: Vec::new(), name: "$".to_owned() }
    }

    /// The path as a header shows it: a name alone as it stands.
    pub(crate) fn label(&self) -> String {
        match self.segments.as_slice() {
            [Segment::Key(key)] => key.clone(),
            _ => self.to_string(),
        }
    }

    /// The path that goes on from this one.
    pub(crate) fn join(&self, rest: &Self) -> Self {
        let segments = self.segments.iter().chain(&rest.segments).cloned().collect();
        Self { segments, name: String::new() }
    }

    /// Reads the path that begins at byte `start`, and gives where it ends.
    pub(crate) fn scan(
        text: &str,
        start: usize,
        argument: &'static str,
    ) -> Result<(Self, usize), QueryError> {
        let bytes = text.as_bytes();
        let error = |at: usize, message: String| QueryError::at(argument, text, at, message);
        let mut segments = Vec::new();
        let mut at = start;
        if bytes.get(at) == Some(&b'$') && !bytes.get(at + 1).copied().is_some_and(is_name_byte) {
            at += 1;
            match bytes.get(at) {
                Some(b'.') => at += 1,
                Some(b'[') => {}
                _ => return Ok((Self::root(), at)),
            }
        }
        let mut whole = None;
        loop {
            match bytes.get(at) {
                Some(b'[') => {
                    let (segment, end) = bracket(text, at, argument)?;
                    segments.push(segment);
                    at = end;
                }
                Some(quote @ (b'`' | b'"')) => {
                    let (name, end) = quoted(text, at, *quote, argument)?;
                    if segments.is_empty() {
                        whole = Some(name.clone());
                    }
                    segments.push(Segment::Key(name));
                    at = end;
                }
                Some(byte) if is_name_byte(*byte) => {
                    let rest = text.get(at..).unwrap_or_default();
                    let end = at + rest.bytes().position(|byte| !is_name_byte(byte)).unwrap_or(rest.len());
                    segments.push(Segment::Key(text.get(at..end).unwrap_or_default().to_owned()));
                    at = end;
                }
                _ => return Err(error(at, format!("a name is missing here: {HOW}"))),
            }
            if segments.len() > MOST_SEGMENTS {
                return Err(error(at, format!("a path has at most {MOST_SEGMENTS} steps")));
            }
            match bytes.get(at) {
                Some(b'.') => at += 1,
                Some(b'[') => {}
                _ => break,
            }
        }
        let name = match (whole, segments.len()) {
            (Some(name), 1) => name,
            _ => text.get(start..at).unwrap_or_default().to_owned(),
        };
        Ok((Self { segments, name }, at))
    }
}

/// How names are written, for errors.
const HOW: &str = "write e.g. status, metadata.name, items[0].id, labels[\"app/name\"] or `odd name`";

/// Bytes of a name that needs no quotes.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'$' | b'@' | b'-' | b'%' | b'#' | b'/' | b':')
        || byte >= 0x80
}

/// Says whether a key needs no quotes in a path.
fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(is_name_byte)
        && !key.starts_with(['-', '$'])
        && !key.starts_with(|first: char| first.is_ascii_digit())
}

fn bracket(text: &str, at: usize, argument: &'static str) -> Result<(Segment, usize), QueryError> {
    let bytes = text.as_bytes();
    let inside = at + 1;
    let (segment, end) = match bytes.get(inside) {
        Some(quote @ (b'"' | b'\'' | b'`')) => {
            let (key, end) = quoted(text, inside, *quote, argument)?;
            (Segment::Key(key), end)
        }
        Some(digit) if digit.is_ascii_digit() => {
            let rest = text.get(inside..).unwrap_or_default();
            let width = rest.bytes().take_while(u8::is_ascii_digit).count();
            let index = rest.get(..width).and_then(|digits| digits.parse().ok());
            let Some(index) = index else {
                return Err(QueryError::at(
                    argument,
                    text,
                    inside,
                    "this number is too large for an element",
                ));
            };
            (Segment::Index(index), inside + width)
        }
        _ => {
            let message = "between brackets stands the number of an element or a key in quotes: items[0], labels[\"app\"]. \
                           To look into all elements, ask for the text of the list: labels contains \"bug\"";
            return Err(QueryError::at(argument, text, inside, message));
        }
    };
    if bytes.get(end) != Some(&b']') {
        return Err(QueryError::at(argument, text, end, "a closing ] is missing here"));
    }
    Ok((segment, end + 1))
}

/// Reads the text in quotes that begins at `at`: a backslash stands before a quote or a backslash, and else for itself.
pub(crate) fn quoted(
    text: &str,
    at: usize,
    quote: u8,
    argument: &'static str,
) -> Result<(String, usize), QueryError> {
    let mut value = String::new();
    let mut characters = text.get(at + 1..).unwrap_or_default().char_indices();
    while let Some((offset, character)) = characters.next() {
        if character == char::from(quote) {
            return Ok((value, at + 1 + offset + 1));
        }
        if character != '\\' {
            value.push(character);
            continue;
        }
        match characters.next() {
            Some((_, 'n')) => value.push('\n'),
            Some((_, 't')) => value.push('\t'),
            Some((_, 'r')) => value.push('\r'),
            Some((_, escaped @ ('\\' | '"' | '\'' | '`'))) => value.push(escaped),
            Some((_, other)) => value.extend(['\\', other]),
            None => {}
        }
    }
    Err(QueryError::at(argument, text, at, format!("the quote {} is never closed", char::from(quote))))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("$");
        }
        for (number, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if is_plain(key) => {
                    f.write_str(if number == 0 { "" } else { "." })?;
                    f.write_str(key)?;
                }
                Segment::Key(key)
                    if self.segments.len() == 1
                        && !key.contains(['`', '\\'])
                        && !key.contains(char::is_control) =>
                {
                    write!(f, "`{key}`")?;
                }
                Segment::Key(key) => {
                    let key = key.replace('\\', "\\\\").replace('"', "\\\"");
                    write!(
                        f,
                        "[\"{}\"]",
                        key.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
                    )?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_they_are_written() {
        for (text, shown) in [
            ("status", "status"),
            (" metadata.name ", "metadata.name"),
            ("items[0].id", "items[0].id"),
            ("[0]", "[0]"),
            ("$", "$"),
            ("$.items", "items"),
            ("$[0].a", "[0].a"),
            ("labels['app/name']", "labels.app/name"),
            ("`odd key`", "`odd key`"),
            ("`a\\`b`", "[\"a`b\"]"),
            ("`1a`", "`1a`"),
            ("a.`b c`.d", "a[\"b c\"].d"),
            ("Local Address:Port", "`Local Address:Port`"),
            ("%CPU", "%CPU"),
        ] {
            let path = Path::parse(text, "columns").unwrap();
            assert_eq!(path.to_string(), shown, "{text}");
            assert_eq!(Path::parse(shown, "columns").unwrap().segments, path.segments, "{text}");
        }
    }

    #[test]
    fn a_name_alone_is_the_name_of_a_column() {
        assert_eq!(Path::parse("`a.b`", "sort").unwrap().name, "a.b");
        assert_eq!(Path::parse("a.b", "sort").unwrap().name, "a.b");
    }

    #[test]
    fn errors_point_at_the_place() {
        for (text, message) in [
            ("", "sort: a name is missing here"),
            ("a..b", "sort: a name is missing here"),
            ("items[*].id", "sort: between brackets stands the number"),
            ("items[0", "sort: a closing ] is missing here"),
            ("`a", "sort: the quote ` is never closed"),
            ("a (b)", "sort: this does not belong to a name"),
            ("a[99999999999999999999]", "sort: this number is too large"),
        ] {
            let error = Path::parse(text, "sort").unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
