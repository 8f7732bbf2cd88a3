//! A result and its source to what is read, and back to what was left out.

use std::borrow::Cow;

use crate::{
    ViewError,
    contract::{CompressionResult, SpanMap, VERSION, WireSpan},
    sources::Source,
};

/// What a reader sees: the kept runs and the notes, joined.
///
/// Invalid UTF-8 is never among what engines keep; a hand-made map that keeps it gets replacement characters.
///
/// # Errors
/// [`ViewError::ForeignSource`] if `source` is not the map's, [`ViewError::BadMap`] if the map breaks its law.
pub fn render(result: &CompressionResult, source: &Source<'_>) -> Result<String, ViewError> {
    let map = match result {
        CompressionResult::Semantic { compressed_text, .. } => return Ok(compressed_text.clone()),
        CompressionResult::Table { text, span_map, .. } => {
            verify(source, span_map)?;
            return Ok(text.clone());
        }
        CompressionResult::Structural { span_map, .. } | CompressionResult::Passthrough { span_map, .. } => {
            span_map
        }
    };
    verify(source, map)?;
    let mut out = Vec::with_capacity(
        usize::try_from(map.stats.kept_bytes).unwrap_or(0) + 64 * map.elisions.len().min(1 << 16),
    );
    for chunk in chunks(map, source.bytes()) {
        out.extend_from_slice(chunk);
    }
    Ok(match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// The pieces of a rendered view, borrowed: kept runs of the source and notes, in order.
pub fn chunks<'a>(map: &'a SpanMap, source: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut elisions = map.elisions.iter().peekable();
    let mut index = -1_i64;
    let mut spans = map.spans.iter();
    let mut note_turn = true;
    std::iter::from_fn(move || {
        loop {
            if note_turn {
                match elisions.next_if(|elision| elision.after <= index) {
                    Some(elision) => {
                        if let Some(note) = &elision.note {
                            return Some(note.as_bytes());
                        }
                    }
                    None => note_turn = false,
                }
            } else {
                let span = spans.next()?;
                index += 1;
                note_turn = true;
                return Some(slice(source, *span));
            }
        }
    })
}

fn slice(source: &[u8], span: WireSpan) -> &[u8] {
    let range = usize::try_from(span.s).ok().zip(usize::try_from(span.e).ok());
    range.and_then(|(start, end)| source.get(start..end)).unwrap_or_default()
}

/// The source bytes that elision number `ordinal` (counted from 1, as in `#1`) left out, or with none the whole source.
///
/// # Errors
/// [`ViewError::ForeignSource`], [`ViewError::BadMap`], [`ViewError::NoSuchElision`].
pub fn expand<'s>(source: &Source<'s>, map: &SpanMap, ordinal: Option<u64>) -> Result<&'s [u8], ViewError> {
    verify(source, map)?;
    let Some(ordinal) = ordinal else { return Ok(source.bytes()) };
    let have = map.elisions.len() as u64;
    let span = map.elision_span(ordinal).ok_or(ViewError::NoSuchElision { asked: ordinal, have })?;
    Ok(slice(source.bytes(), span))
}

/// Expands a result: as [`expand`], and a semantic one is refused.
///
/// # Errors
/// As [`expand`], and [`ViewError::Semantic`].
pub fn expand_result<'s>(
    source: &Source<'s>,
    result: &CompressionResult,
    ordinal: Option<u64>,
) -> Result<&'s [u8], ViewError> {
    expand(source, result.span_map().ok_or(ViewError::Semantic)?, ordinal)
}

/// Checks that `source` is the map's and that the map keeps its law: sorted spans, merged, tiling the source with the elisions.
///
/// # Errors
/// [`ViewError::Version`], [`ViewError::ForeignSource`] (the SHA-256 is checked first), [`ViewError::BadMap`].
pub fn verify(source: &Source<'_>, map: &SpanMap) -> Result<(), ViewError> {
    if map.version != VERSION {
        return Err(ViewError::Version { found: map.version });
    }
    let found = source.hex();
    if !map.src_sha256.eq_ignore_ascii_case(&found) {
        return Err(ViewError::ForeignSource { expected: clean(&map.src_sha256).into_owned(), found });
    }
    check_tiling(map, source.bytes().len() as u64)
}

/// A digest as shown in a message: the map may come from anywhere.
fn clean(digest: &str) -> Cow<'_, str> {
    let is_plain = digest.len() <= 64 && digest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { Cow::Borrowed(digest) } else { Cow::Borrowed("not a SHA-256") }
}

fn check_tiling(map: &SpanMap, source_bytes: u64) -> Result<(), ViewError> {
    let bad = |what, place, at: usize| ViewError::BadMap { what, place, at: at as u64 };
    if map.src_bytes != source_bytes {
        return Err(bad("srcBytes is not the length of the source", "span", 0));
    }
    let mut at = 0_u64;
    let mut elisions = map.elisions.iter().enumerate().peekable();
    let mut take = |at: &mut u64, index: i64, last: bool| -> Result<bool, ViewError> {
        let Some((number, elision)) = elisions.next_if(|(_, elision)| last || elision.after <= index) else {
            return Ok(false);
        };
        if elision.after != index {
            return Err(bad(
                "an elision is out of order, or follows a span that does not exist",
                "elision",
                number,
            ));
        }
        if elision.bytes == 0 {
            return Err(bad("an elision leaves out nothing", "elision", number));
        }
        *at = at.checked_add(elision.bytes).ok_or_else(|| bad("offsets overflow", "elision", number))?;
        if elisions.next_if(|(_, next)| next.after == elision.after).is_some() {
            return Err(bad("two elisions follow one span", "elision", number + 1));
        }
        Ok(true)
    };
    take(&mut at, -1, map.spans.is_empty())?;
    for (index, span) in map.spans.iter().enumerate() {
        if span.e <= span.s {
            return Err(bad("a span is empty or inverted", "span", index));
        }
        if span.s != at {
            return Err(bad("spans and elisions do not tile the source", "span", index));
        }
        at = span.e;
        let after = i64::try_from(index).unwrap_or(i64::MAX);
        let is_last = index + 1 == map.spans.len();
        let gap = take(&mut at, after, is_last)?;
        if !gap && !is_last {
            return Err(bad("two adjacent spans are not merged", "span", index + 1));
        }
    }
    if at != source_bytes {
        return Err(bad("spans and elisions do not add up to the source", "span", map.spans.len()));
    }
    Ok(())
}
