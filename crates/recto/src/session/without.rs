//! What stands in a session with no word of how recto would give back the rest: the client goes on without recto.

use recto::{
    archive::Ref,
    view::{CompressionResult, Source, SpanMap, render},
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

/// The text without words of recall. `refs` are those that recto itself put into it, by the session's log.
pub(crate) fn text(originals: &Originals<'_>, text: &str, refs: &[Ref]) -> Outcome<Plain> {
    if let View::Of { name, original, map } = originals.view(text)?
        && let Some(plain) = without_way(&name, &original, map)
    {
        return Ok(if plain == text { Plain::Same } else { Plain::Made(plain) });
    }
    let mut plain = text.to_owned();
    for name in refs {
        for verb in VERBS {
            plain = plain.replace(&format!(", {verb} {name}]"), "]");
        }
    }
    Ok(match plain == text {
        false => Plain::Made(plain),
        true if first_ref(text).is_some() && VERBS.iter().any(|verb| text.contains(verb)) => Plain::Unknown,
        true => Plain::Same,
    })
}

/// The view as it is where the reader has no way of recall: the same map, and notes without one.
fn without_way(name: &Ref, original: &[u8], mut map: SpanMap) -> Option<String> {
    let mut noted = map.elisions.iter_mut().filter_map(|elision| elision.note.as_mut());
    let way = |note: &str| VERBS.iter().find_map(|verb| {
        let start = format!(": {verb} {name}");
        let at = note.find(&start)?;
        let rest = note.get(at + start.len()..)?;
        let digits = |rest: &str| 1 + rest.bytes().take_while(u8::is_ascii_digit).count();
        Some((at, at + start.len() + rest.strip_prefix('#').map_or(0, digits)))
    });
    if let Some((note, (start, end))) = noted.find_map(|note| way(note).map(|place| (note, place))) {
        *note = format!("{}{}", note.get(..start)?, note.get(end..)?);
    }
    render(&CompressionResult::Structural { span_map: map, mode: None }, &Source::new(original)).ok()
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
