//! The entry: a whole source to its outline.

use crate::{
    Builder, ContentType, Fuel, LINE_NOTES, Outline, OutlineError, Span, detect, embedded, parser::Context,
};

/// How a source's bytes are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8.
    Utf8,
    /// Mostly UTF-8; the invalid sequences are never shown.
    Damaged,
    /// UTF-16 by its byte order mark or its NUL bytes: text, but none that a byte range could show.
    Utf16,
    /// Something else: no part of it is text worth showing.
    Binary,
}

impl Encoding {
    /// Looks at the bytes: linear, stops early for what is plainly no text.
    #[must_use]
    pub fn of(source: &[u8]) -> Self {
        if source.starts_with(b"\xFF\xFE") || source.starts_with(b"\xFE\xFF") {
            return Self::Utf16;
        }
        let head = source.get(..4096).unwrap_or(source);
        let zeros = memchr::memchr_iter(0, head).count();
        if zeros * 4 > head.len() && head.len() >= 8 {
            let even = head.iter().step_by(2).filter(|byte| **byte == 0).count();
            let odd = zeros - even;
            return if even * 16 < odd || odd * 16 < even { Self::Utf16 } else { Self::Binary };
        }
        if std::str::from_utf8(source).is_ok() {
            return if zeros * 32 > head.len() { Self::Binary } else { Self::Utf8 };
        }
        // More invalid sequences than an outline may have units, or than a fifth of the head, is no text.
        let bad_head: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        if bad_head * 5 > head.len() || zeros * 32 > head.len() {
            return Self::Binary;
        }
        let limit = crate::unit_limit(source.len());
        let runs = source.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).take(limit + 1).count();
        if runs > limit { Self::Binary } else { Self::Damaged }
    }
}

/// Cuts `source` into units: as `content_type`, or as what [`crate::detect`] says it is.
///
/// Linear in the source; memory at most 24 bytes for each 32 bytes of it (and never less than 1.5 MiB of allowance).
///
/// # Errors
/// [`OutlineError::TooLarge`] over 4 GiB, [`OutlineError::OutOfFuel`].
///
/// ```
/// use recto_outline::{ContentType, Fuel, outline};
/// let outline = outline(br#"[{"id": 1}, {"id": 2}]"#, None, &mut Fuel::unlimited())?;
/// assert_eq!(outline.content_type, ContentType::Json);
/// assert_eq!(outline.units.len(), 4); // the root, the array, two records
/// # Ok::<(), recto_outline::OutlineError>(())
/// ```
pub fn outline<'s>(
    source: &'s [u8],
    content_type: Option<ContentType>,
    fuel: &mut Fuel,
) -> Result<Outline<'s>, OutlineError> {
    outline_as(source, content_type, Encoding::of(source), fuel)
}

/// As [`outline`], of bytes whose encoding is known already.
///
/// # Errors
/// As [`outline`].
pub fn outline_as<'s>(
    source: &'s [u8],
    content_type: Option<ContentType>,
    encoding: Encoding,
    fuel: &mut Fuel,
) -> Result<Outline<'s>, OutlineError> {
    if source.len() >= u32::MAX as usize {
        return Err(OutlineError::TooLarge { bytes: source.len() as u64 });
    }
    let parser = content_type.map_or_else(|| detect::parser_for(source), detect::parser_of);
    let mut builder = Builder::new(source, content_type.unwrap_or(parser.content_type()), LINE_NOTES);
    // A byte order mark belongs to the root's frame.
    let start = if source.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let context = Context::for_source(source.len());
    let inner = match (content_type, parser.content_type()) {
        (Some(_), _) | (None, ContentType::Json | ContentType::Jsonl) => None,
        _ => embedded::find(source, start, source.len(), fuel)?,
    };
    match inner {
        Some((from, to)) => embedded::parse(&mut builder, (start, from, to, source.len()), context, fuel)?,
        None => parser.parse(&mut builder, start, source.len(), context, fuel)?,
    }
    let mut outline = builder.finish();
    if encoding != Encoding::Utf8 {
        outline.silent = with_invalid(&outline.silent, source);
    }
    Ok(outline)
}

/// Joins the silent runs that a parser found with the invalid sequences of `source`.
fn with_invalid(found: &[Span], source: &[u8]) -> Vec<Span> {
    let mut all = found.to_vec();
    let mut at = 0;
    for chunk in source.utf8_chunks() {
        let start = at + chunk.valid().len();
        at = start + chunk.invalid().len();
        if at > start {
            all.push(Span::new(start, at));
        }
    }
    all.sort_unstable_by_key(|span| (span.s, span.e));
    let mut joined: Vec<Span> = Vec::with_capacity(all.len());
    for span in all {
        match joined.last_mut() {
            Some(last) if span.s <= last.e => last.e = last.e.max(span.e),
            _ => joined.push(span),
        }
    }
    joined
}
