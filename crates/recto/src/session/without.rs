//! What stands in a session with no word of how recto would give back the rest: the client goes on without recto.

use recto::{
    archive::Ref,
    wire::{Document, JsonKind, Span, Splice, Value, quote, unquote},
};

use super::originals::{Originals, View, first_ref};
use crate::failure::Outcome;

/// How notes tell a reader to get at what is left out.
const VERBS: [&str; 2] = ["recto expand", "recto_expand"];

/// A text, and what became of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// It says how the rest is had no more.
    Made(String),
    /// It never said.
    Same,
    /// It names a ref, and is nothing that recto knows.
    Unknown,
}

/// The text without words of recall. `refs` are those that recto itself put into it, by the session's log; of a view that a hook gave, its own ref
/// is one too, if the text is that view.
pub(crate) fn text(originals: &Originals<'_>, text: &str, refs: &[Ref]) -> Outcome<Plain> {
    let mut plain = text.to_owned();
    for name in refs {
        plain = without_way(&plain, name);
    }
    if let View::Of { name, .. } = originals.view(text)? {
        plain = without_way(&plain, &name);
    }
    Ok(match plain == text {
        false => Plain::Made(plain),
        true if first_ref(text).is_some() && VERBS.iter().any(|verb| text.contains(verb)) => Plain::Unknown,
        true => Plain::Same,
    })
}

/// The notes as they are where the reader has no way of recall: nothing but the words of the way is missing. A ref follows from its original,
/// so that none of these words is the original's own.
fn without_way(text: &str, name: &Ref) -> String {
    let mut plain = text.to_owned();
    for verb in VERBS {
        for before in [": ", ", "] {
            let way = format!("{before}{verb} {name}");
            let mut from = 0;
            while let Some(at) = plain.get(from..).and_then(|rest| rest.find(&way)).map(|at| at + from) {
                let rest = plain.get(at + way.len()..).unwrap_or_default();
                let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
                let numbers = |rest: &str| {
                    let first = digits(rest);
                    let last = rest.get(first..).and_then(|rest| rest.strip_prefix('-')).map_or(0, digits);
                    1 + first + if last > 0 { 1 + last } else { 0 }
                };
                let end = at + way.len() + rest.strip_prefix('#').map_or(0, numbers);
                let is_longer_name =
                    plain.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                if !is_longer_name {
                    plain.replace_range(at..end, "");
                }
                from = if is_longer_name { end } else { at };
            }
        }
    }
    plain
}

/// The same of every text in arguments: JSON, or a JSON string that holds JSON.
pub(crate) fn arguments(originals: &Originals<'_>, raw: &[u8], refs: &[Ref]) -> Outcome<Option<Vec<u8>>> {
    let Some(held) = unquote(raw) else { return members(originals, raw, refs) };
    let is_object = Document::parse(held.as_bytes()).is_ok_and(|json| json.root().kind() == JsonKind::Object);
    if is_object {
        let inside = members(originals, held.as_bytes(), refs)?;
        return Ok(inside.map(|inside| quote(&String::from_utf8_lossy(&inside))));
    }
    Ok(match text(originals, &held, refs)? {
        Plain::Made(plain) => Some(quote(&plain)),
        _ => None,
    })
}

fn members(originals: &Originals<'_>, raw: &[u8], refs: &[Ref]) -> Outcome<Option<Vec<u8>>> {
    let Ok(document) = Document::parse(raw) else { return Ok(None) };
    let mut edits: Vec<(Span, Vec<u8>)> = Vec::new();
    let mut open = vec![document.root()];
    while let Some(value) = open.pop() {
        if let Some(held) = Value::text(value) {
            if let Plain::Made(plain) = text(originals, &held, refs)? {
                edits.push((value.span(), quote(&plain)));
            }
        } else {
            open.extend(value.items());
        }
    }
    let Ok(splice) = Splice::new(edits) else { return Ok(None) };
    Ok((!splice.is_identity()).then(|| splice.apply(raw).into_owned()))
}
