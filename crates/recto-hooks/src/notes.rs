//! recto's own notes in the arguments of a call: a model that writes what it has read back into a file would write a note where the
//! source has lines.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::{Value, value::RawValue};

/// What begins a note, as in `recto_view::MARK`.
const MARK: &str = "\u{2026}";
/// What begins the one line that stands for a whole source.
const LINE: &str = "[recto: ";

/// A note that stands in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The argument, as in `edits[0].new_string`.
    pub argument: String,
    /// The note's line, cut to 160 characters.
    pub line: String,
    /// The ref that it names, if it names one.
    pub reference: Option<String>,
}

/// Finds the first note in the strings of a call's arguments.
///
/// What is found is a note's very form, an amount and a number behind the mark: `…12 lines #3`. A mention of a ref or of
/// `recto expand` is none.
///
/// ```
/// use recto_hooks::notes::find;
/// let input = serde_json::value::RawValue::from_string(r##"{"file_path":"plan.md","content":"# Plan\n[…214 lines #2]\nend"}"##.into())?;
/// assert_eq!(find(&input).unwrap().argument, "content");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn find(arguments: &RawValue) -> Option<Found> {
    let text = arguments.get();
    // Few calls hold what any note begins with.
    let may_hold =
        [MARK, "\\u2026", LINE].iter().any(|sign| memmem::find(text.as_bytes(), sign.as_bytes()).is_some());
    if !may_hold {
        return None;
    }
    let arguments: Value = serde_json::from_str(text).ok()?;
    let mut open: Vec<(Cow<'_, str>, &Value)> = vec![("".into(), &arguments)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::String(text) => {
                if let Some(at) = note_at(text) {
                    return Some(Found {
                        argument: path.into_owned(),
                        line: line_at(text, at),
                        reference: reference(text, at),
                    });
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                open.extend(items.map(|(index, item)| (format!("{path}[{index}]").into(), item)));
            }
            Value::Object(members) => {
                let dot = if path.is_empty() { "" } else { "." };
                let members: Vec<_> =
                    members.iter().map(|(name, item)| (format!("{path}{dot}{name}").into(), item)).collect();
                open.extend(members.into_iter().rev());
            }
            _ => {}
        }
    }
    None
}

/// Where the first note of a text begins.
fn note_at(text: &str) -> Option<usize> {
    let marks = memmem::find_iter(text.as_bytes(), MARK).filter(|at| {
        let behind = text.get(at + MARK.len()..).unwrap_or_default();
        is_note(behind) || is_member_note(behind)
    });
    let lines = memmem::find_iter(text.as_bytes(), LINE)
        .filter(|at| reference(text, *at).is_some_and(|name| line_at(text, *at).contains(&name)));
    marks.chain(lines).min()
}

/// Whether what follows a mark is an amount, at most three words, and a number behind `#`.
fn is_note(behind: &str) -> bool {
    let rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !starts_with_digit(Some(behind)) {
        return false;
    }
    if rest.get(..40).unwrap_or(rest).contains(" (source whole: recto") {
        return true;
    }
    let Some(at) = rest.find('#') else { return false };
    let (words, number) = rest.split_at(at);
    words.len() <= 40
        && words.ends_with(' ')
        && words.split_whitespace().count() <= 3
        && words.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '-' | '.'))
        && starts_with_digit(number.get(1..))
}

/// Whether what follows a mark is the rest of a note's key in an object, and its amount: `#3":"4`, `#3-9":"12`.
fn is_member_note(behind: &str) -> bool {
    let Some(number) = behind.strip_prefix('#').filter(|rest| starts_with_digit(Some(rest))) else {
        return false;
    };
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').trim_start_matches('\\');
    let rest = rest.strip_prefix('"').and_then(|rest| rest.trim_start().strip_prefix(':'));
    rest.is_some_and(|rest| starts_with_digit(rest.trim_start().trim_start_matches('\\').strip_prefix('"')))
}

fn starts_with_digit(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
}

fn line_at(text: &str, at: usize) -> String {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    // A note far inside a long line is shown from where it begins.
    let line = if at - start > 60 {
        text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default()
    } else {
        line
    };
    line.chars().take(160).collect()
}

/// The ref that the text names nearest behind the note's begin, else nearest before it: the first note of a view names it.
fn reference(text: &str, at: usize) -> Option<String> {
    let name = |start: usize| {
        let digits = text.get(start + 2..)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        (end >= 15).then(|| format!("r:{}", &digits[..end]))
    };
    let mut behind = memmem::find_iter(text.as_bytes().get(at..)?, "r:").map(|found| at + found);
    let mut before: Vec<usize> = memmem::find_iter(text.as_bytes().get(..at)?, "r:").collect();
    before.reverse();
    behind.find_map(name).or_else(|| before.into_iter().find_map(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(input: &serde_json::Value) -> Option<Found> {
        find(&serde_json::value::to_raw_value(input).unwrap())
    }

    #[test]
    fn notes_of_every_form() {
        let notes = [
            "[\u{2026}12 lines #3]",
            "[\u{2026}12 lines (source whole: recto expand r:137261030472202#1)]",
            "// \u{2026}1 row #12",
            "[\u{2026}437 #2]",
            "\"\u{2026}2 items #7\"",
            "{\"\u{2026}#3\":\"4 members\"}",
            "{\"\u{2026}#3-9\":\"12\"}",
            "{\\\"\u{2026}#3\\\":\\\"4\\\"}",
            "\u{2026}16 #5",
            "[\u{2026}3.1 kB #1 (source whole, 18 kB: recto expand r:137261030472202#1)]",
            "[recto: unknown, 18.8 kB, recto expand r:835247268191983]",
            "[\u{2026}214 diff lines #2]",
        ];
        for note in notes {
            let input = serde_json::json!({ "file_path": "a.md", "content": format!("first\n{note}\nlast") });
            assert_eq!(found(&input).map(|found| found.argument).as_deref(), Some("content"), "{note}");
        }
    }

    #[test]
    fn what_only_looks_like_one() {
        let texts = [
            "and so on \u{2026} 12 of them, see issue #3",
            "wait\u{2026}",
            "\u{2026}12",
            "recto expand r:137261030472202#1",
            "[recto: a name for the right-hand page]",
            "\u{2026}#3 is the best",
            "\u{2026}5 times a day we would have to look at this #1",
            "\u{2026}100 % of #2",
        ];
        for text in texts {
            assert_eq!(found(&serde_json::json!({ "content": text })), None, "{text}");
        }
    }

    #[test]
    fn where_it_stands_and_what_it_names() {
        let input = serde_json::json!({ "file_path": "p", "edits": [
            { "old_string": "a", "new_string": "b" },
            { "old_string": "a", "new_string": "x\n[\u{2026}9 lines #2 (source whole, 2 kB: recto_expand r:123456789012345#2)]" },
        ] });
        let found = found(&input).unwrap();
        assert_eq!(found.argument, "edits[1].new_string");
        assert_eq!(found.reference.as_deref(), Some("r:123456789012345"));
        assert!(found.line.starts_with("[\u{2026}9 lines #2"), "{}", found.line);
    }
}
