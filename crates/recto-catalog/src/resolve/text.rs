//! Words for a model: values and names made fit for one line, and which of several names is meant.

use std::fmt::Write as _;

use serde_json::Value;

use crate::letters::is_hidden;

/// How much of a name or a value is repeated in a message.
pub(super) const MAX_QUOTED_CHARS: usize = 40;

/// How much of a list of names or values is told in a message.
pub(super) const MAX_LIST_CHARS: usize = 160;

/// Returns `text` in quotation marks, cut, with nothing in it that could end the line or be taken for a quotation mark.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for (place, c) in text.chars().enumerate() {
        if place == MAX_QUOTED_CHARS {
            out.push('…');
            break;
        }
        escape(c, &mut out);
    }
    out.push('"');
    out
}

/// Returns `text` on one line, cut at `max_chars`, without quotation marks around it.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    for (place, c) in text.chars().enumerate() {
        if place == max_chars {
            out.push('…');
            break;
        }
        match c {
            '"' => out.push('"'),
            '\n' | '\r' | '\t' => out.push(' '),
            other => escape(other, &mut out),
        }
    }
    out
}

fn escape(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control() || is_hidden(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        c => out.push(c),
    }
}

/// Shows a value: scalars as JSON, cut; of the others their kind and size.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(members) => match members.keys().next() {
            None => "{}".to_owned(),
            Some(first) => {
                let more = if members.len() > 1 { ", …" } else { "" };
                format!("an object {{{}{more}}}", quoted(first))
            }
        },
        scalar => scalar.to_string(),
    }
}

/// Joins `words` with commas as far as they fit, then tells how many there are besides.
pub(super) fn listed<I: IntoIterator<Item = String>>(words: I) -> String {
    let mut out = String::new();
    let mut chars = 0;
    let mut more = 0_usize;
    for word in words {
        let length = word.chars().count() + 2;
        if more > 0 || (chars > 0 && chars + length > MAX_LIST_CHARS) {
            more += 1;
            continue;
        }
        if chars > 0 {
            out.push_str(", ");
        }
        chars += length;
        out.push_str(&word);
    }
    if more > 0 {
        let _ = write!(out, " and {more} more");
    }
    out
}

/// Writes where a value stands: `body.items[2].name`. `pointer` is a JSON pointer into `root`.
pub(super) fn path(root: &Value, pointer: &str) -> String {
    let mut out = String::new();
    let mut here = Some(root);
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if let Some(Value::Array(items)) = here {
            let _ = write!(out, "[{token}]");
            here = token.parse::<usize>().ok().and_then(|index| items.get(index));
            continue;
        }
        here = here.and_then(|value| value.get(&token));
        push_name(&token, &mut out);
    }
    middle_cut(out)
}

/// How much of a path is told: its beginning and its end.
const MAX_PATH_CHARS: usize = 80;

fn middle_cut(path: String) -> String {
    let chars = path.chars().count();
    if chars <= MAX_PATH_CHARS {
        return path;
    }
    let head: String = path.chars().take(MAX_PATH_CHARS / 2).collect();
    let tail: String = path.chars().skip(chars - MAX_PATH_CHARS / 2).collect();
    format!("{head}…{tail}")
}

/// Writes a member of what stands at `path`.
pub(super) fn member(path: &str, name: &str) -> String {
    let mut out = path.to_owned();
    push_name(name, &mut out);
    out
}

fn push_name(name: &str, out: &mut String) {
    let plain = !name.is_empty()
        && name.chars().count() <= MAX_QUOTED_CHARS
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'));
    match plain {
        true if out.is_empty() => out.push_str(name),
        true => {
            out.push('.');
            out.push_str(name);
        }
        false => {
            let _ = write!(out, "[{}]", quoted(name));
        }
    }
}

/// Letters and digits alone, in small letters: what is left of a name when separators and case do not count.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name in small letters with `_` between: what is left when separators and case do not count, but where words end does.
/// Empty for what is no name: it begins or ends with a separator other than `_`.
pub(super) fn spelled(name: &str) -> String {
    let is_separator = |c: char| matches!(c, '_' | '-' | '.' | '/' | ':' | ' ');
    if name.starts_with(|c| c != '_' && is_separator(c)) || name.ends_with(|c| c != '_' && is_separator(c)) {
        return String::new();
    }
    let mut words = String::with_capacity(name.len() + 4);
    let mut before: Option<char> = None;
    for c in name.chars() {
        if is_separator(c) {
            before = None;
            continue;
        }
        let begins = before.is_none_or(|before| c.is_uppercase() && !before.is_uppercase());
        if begins && !words.is_empty() {
            words.push('_');
        }
        words.extend(c.to_lowercase());
        before = Some(c);
    }
    words
}

/// How long a name is compared with others.
const MAX_COMPARED_CHARS: usize = 128;

/// Finds the name that is meant by one that is none of them, if one of them is near.
///
/// Separators and case do not count; then one that begins or ends like the other, then letters changed.
pub(super) fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(written, names, NEAR).into_iter().next()
}

/// Returns the names that are as like as `limit` of 1,000, the likest first; equally like ones in the order of the names.
pub(super) fn ranked<'a>(
    written: &str,
    names: impl IntoIterator<Item = &'a str>,
    limit: u32,
) -> Vec<&'a str> {
    let written: String = written.chars().take(MAX_COMPARED_CHARS).collect();
    let fold = folded(&written);
    let words = words(&written);
    let mut near: Vec<(u32, &str)> = names
        .into_iter()
        .map(|name| (likeness(&fold, &words, name), name))
        .filter(|&(likeness, _)| likeness >= limit)
        .collect();
    near.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).collect()
}

/// From which likeness, of 1,000, one name is taken for what is meant by another one.
pub(super) const NEAR: u32 = 700;

/// From which likeness a name is worth telling among others.
pub(super) const ALIKE: u32 = 450;

fn likeness(fold: &str, words_written: &[String], name: &str) -> u32 {
    let cut: String = name.chars().take(MAX_COMPARED_CHARS).collect();
    let other = folded(&cut);
    if fold.is_empty() || other.is_empty() {
        return 0;
    }
    if fold == other {
        return 1_000;
    }
    let shorter = fold.len().min(other.len());
    let longer = fold.len().max(other.len());
    let begins = fold.starts_with(&other) || other.starts_with(fold);
    let ends = fold.ends_with(&other) || other.ends_with(fold);
    let spelled = thousandths(strsim::normalized_damerau_levenshtein(fold, &other));
    let shared = share(words_written, &words(&cut));
    let share_of_length = u32::try_from(shorter * 100 / longer.max(1)).unwrap_or(0);
    let contained = if begins || ends { 750 + share_of_length } else { 0 };
    spelled.max(shared).max(contained)
}

/// Scores are compared as integers, so that the order is the same on every machine.
fn thousandths(score: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a score is between 0 and 1")]
    let whole = (score * 1_000.0).round() as u32;
    whole
}

/// How many words two names share, of 900; names of one word share none.
fn share(one: &[String], other: &[String]) -> u32 {
    if one.len() < 2 && other.len() < 2 {
        return 0;
    }
    let common = one.iter().filter(|word| other.contains(word)).count();
    let all = one.len().max(other.len()).max(1);
    u32::try_from(common * 900 / all).unwrap_or(0) + u32::from(common > 0) * 90
}

fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for c in name.chars() {
        let breaks = !c.is_alphanumeric() || (c.is_uppercase() && was_small);
        if breaks && !word.is_empty() {
            words.push(singular(std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    if !word.is_empty() {
        words.push(singular(word));
    }
    words
}

/// Takes a plural's `s` away: `issues` and `issue` are the same word in a name.
fn singular(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_cannot_break_out_of_their_line() {
        assert_eq!(quoted("a\n\"b\"\u{202e}\u{1b}"), r#""a\n\"b\"\u202e\u001b""#);
        assert_eq!(quoted(&"x".repeat(50)), format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(one_line("a\nb\u{7}", 10), "a b\\u0007");
    }

    #[test]
    fn paths_are_written_as_code_writes_them() {
        let root = json!({"body": {"items": [0, 0, {"name": 1}], "0": {"odd key": 1}}});
        assert_eq!(path(&root, "/body/items/2/name"), "body.items[2].name");
        assert_eq!(path(&root, "/body/0/odd key"), "body.0[\"odd key\"]");
        assert_eq!(path(&root, "/a~1b"), "[\"a/b\"]");
    }

    #[test]
    fn the_name_that_is_meant_is_found() {
        let names = ["owner", "repo", "issue_number", "q", "perPage", "state"];
        for (written, meant) in [
            ("query", Some("q")),
            ("issueNumber", Some("issue_number")),
            ("repository", Some("repo")),
            ("repo_name", Some("repo")),
            ("per_page", Some("perPage")),
            ("number", Some("issue_number")),
            ("stat", Some("state")),
            ("ownr", Some("owner")),
            ("verbose", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
    }

    #[test]
    fn lists_are_cut() {
        let list = listed((0..100).map(|n| format!("name{n}")));
        assert!(list.chars().count() < 190 && list.ends_with(" more"), "{list}");
        assert_eq!(listed(["a".to_owned(), "b".to_owned()]), "a, b");
    }
}
