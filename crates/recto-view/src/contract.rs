//! The wire contract: camelCase JSON, additive changes only.

use serde::{Deserialize, Serialize};

use crate::table::TableLayout;

/// Version of the span map's wire form.
pub const VERSION: u32 = 1;

/// Half-open range of byte offsets into the source, as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireSpan {
    /// Offset of the first byte.
    pub s: u64,
    /// Offset one past the last byte.
    pub e: u64,
}

impl WireSpan {
    /// Length in bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.e.saturating_sub(self.s)
    }
}

/// A run of the source that a view leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elision {
    /// The span (by position in [`SpanMap::spans`]) that it follows; -1 before the first.
    pub after: i64,
    /// How many bytes are left out.
    pub bytes: u64,
    /// The exact bytes that stand in its place; absent where nothing announces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Source bytes that the view shows; notes are not counted.
    pub kept_bytes: u64,
    /// `keptBytes / srcBytes`; 1 for an empty source.
    pub ratio: f64,
}

impl Stats {
    /// The figures for `kept_bytes` of `source_bytes`.
    #[must_use]
    pub fn new(kept_bytes: u64, source_bytes: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a figure to show; no decision hangs on it")]
        let ratio = if source_bytes == 0 { 1.0 } else { kept_bytes as f64 / source_bytes as f64 };
        Self { kept_bytes, ratio }
    }
}

/// Which source bytes a view shows, and which runs it leaves out; together they are the source, each byte once.
///
/// The law (checked by [`crate::verify`]): spans are sorted, do not overlap, and adjacent ones are merged unless a note stands
/// between them; spans and elisions tile the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpanMap {
    /// Version of this form: 1.
    pub version: u32,
    /// Length of the source.
    pub src_bytes: u64,
    /// SHA-256 of the source, in lower-case hexadecimal.
    pub src_sha256: String,
    /// What the source was taken for.
    pub content_type: String,
    /// The kept runs.
    pub spans: Vec<WireSpan>,
    /// The runs left out, in order; number `#n` in a note is the n-th of them, counted from 1.
    pub elisions: Vec<Elision>,
    /// How much is kept.
    pub stats: Stats,
}

impl SpanMap {
    /// The source bytes of elision number `ordinal`, counted from 1.
    #[must_use]
    pub fn elision_span(&self, ordinal: u64) -> Option<WireSpan> {
        let index = usize::try_from(ordinal.checked_sub(1)?).ok()?;
        let elision = self.elisions.get(index)?;
        let start = match usize::try_from(elision.after) {
            Ok(after) => self.spans.get(after)?.e,
            Err(_) => 0,
        };
        Some(WireSpan { s: start, e: start.checked_add(elision.bytes)? })
    }
}

/// What became of a source, tagged by `method`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "camelCase")]
#[non_exhaustive]
pub enum CompressionResult {
    /// Part of the source is left out. Carries no text: it is rendered from the caller's own source.
    #[serde(rename_all = "camelCase")]
    Structural {
        /// What is kept.
        span_map: SpanMap,
        /// `marked` where notes stand for what is left out; absent in mode `exact`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
    },
    /// Nothing is left out.
    #[serde(rename_all = "camelCase")]
    Passthrough {
        /// One span over everything.
        span_map: SpanMap,
        /// The mode that was asked for; absent in mode `exact`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
    },
    /// The source's tokens in another layout: each key once, a record a line.
    #[serde(rename_all = "camelCase")]
    Table {
        /// The text. [`crate::decode`] reads it back.
        text: String,
        /// What is kept: of each row all of its record, keys and punctuation too.
        span_map: SpanMap,
        /// How the text is laid out.
        layout: TableLayout,
        /// `table`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
    },
    /// Text that is not made of the source's bytes.
    #[serde(rename_all = "camelCase")]
    Semantic {
        /// The text.
        compressed_text: String,
        /// Where each part of it comes from.
        provenance_map: ProvenanceMap,
    },
}

impl CompressionResult {
    /// The span map, if the result is made of the source's bytes or tokens.
    #[must_use]
    pub fn span_map(&self) -> Option<&SpanMap> {
        match self {
            Self::Structural { span_map, .. }
            | Self::Passthrough { span_map, .. }
            | Self::Table { span_map, .. } => Some(span_map),
            Self::Semantic { .. } => None,
        }
    }

    /// The tag on the wire.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            Self::Structural { .. } => "structural",
            Self::Passthrough { .. } => "passthrough",
            Self::Table { .. } => "table",
            Self::Semantic { .. } => "semantic",
        }
    }
}

/// Where each part of a semantic result comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvenanceMap {
    /// Version of this form: 1.
    pub version: u32,
    /// Length of the source.
    pub src_bytes: u64,
    /// SHA-256 of the source, in lower-case hexadecimal.
    pub src_sha256: String,
    /// What the source was taken for.
    pub content_type: String,
    /// The parts of the text.
    pub chunks: Vec<Chunk>,
    /// How much is kept.
    pub stats: Stats,
}

/// One part of a semantic result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// Where it begins in the compressed text, in bytes.
    pub out_s: u64,
    /// Where it ends.
    pub out_e: u64,
    /// The source ranges it says something of.
    pub in_spans: Vec<WireSpan>,
    /// How sure its maker is, from 0 to 1.
    pub confidence: f64,
}
