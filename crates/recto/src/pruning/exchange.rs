//! The bytes that were taken out of a record, and those that stand in their place: by these a result is known again and put back.

use recto_archive::Digest;
use recto_wire::{Span, Splice};

/// What stood as the content of a result, or as the arguments of a call, and what stands there now. Digests are of the JSON as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// How many others of the same call's id come before it in the session.
    pub nth: u32,
    /// What stood.
    pub before: Digest,
    /// Its length in bytes.
    pub before_bytes: u64,
    /// What stands.
    pub after: Digest,
    /// Its length in bytes.
    pub after_bytes: u64,
    /// The texts that were replaced: their numbers among the texts of the result, from 0, with their originals.
    pub texts: Vec<(u32, Digest)>,
    /// Whether quoting these originals gives what stood. Otherwise that itself is in the archive.
    pub is_plain: bool,
}

impl Exchange {
    /// The exchange that edits inside of `whole` make; `None` if one lies outside, or two overlap.
    pub(super) fn of(
        record: &[u8],
        whole: Span,
        edits: &[(Span, Vec<u8>)],
        texts: Vec<(u32, Digest)>,
        is_plain: bool,
    ) -> Option<Self> {
        let moved = |span: Span| {
            let is_inside = whole.s <= span.s && span.e <= whole.e;
            is_inside.then(|| Span { s: span.s - whole.s, e: span.e - whole.s })
        };
        let edits = edits.iter().map(|(span, with)| Some((moved(*span)?, with.clone())));
        let splice = Splice::new(edits.collect::<Option<Vec<_>>>()?).ok()?;
        let before = whole.of(record);
        let after = splice.apply(before);
        Some(Self {
            nth: 0,
            before: Digest::of(before),
            before_bytes: before.len() as u64,
            after: Digest::of(&after),
            after_bytes: after.len() as u64,
            texts,
            is_plain,
        })
    }
}
