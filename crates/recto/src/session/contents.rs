//! Results and arguments of a session as they stand in its files, with what recto knows of what stood there.

use std::path::Path;

use recto::{
    pruning::Numbers,
    session::history::{History, ItemKind, Place},
    transcript::{Places, Transcript},
    wire::{Format, Layout, Record, Slot, Span, unquote},
};

use super::originals::{Before, Originals, Standing};
use crate::failure::Outcome;

/// Reads contents by their places.
pub(crate) struct Contents<'t> {
    transcript: &'t Transcript,
    places: Places<'t>,
    numbers: Numbers,
}

/// A content, and what stood there.
pub(crate) struct Content {
    /// Where its record stands.
    pub(crate) place: Place,
    /// Where it stands in that.
    pub(crate) whole: Span,
    /// It, as JSON.
    pub(crate) standing: Vec<u8>,
    /// The id of its call.
    pub(crate) id: String,
    /// What stood there.
    pub(crate) before: Before,
    /// The texts in that.
    pub(crate) texts: Vec<String>,
    /// The texts of what stands, as spans in it.
    pub(crate) standing_texts: Vec<Span>,
}

impl<'t> Contents<'t> {
    /// The contents of this history's calls and results.
    pub(crate) fn new(transcript: &'t Transcript, history: &History) -> Self {
        Self { transcript, places: transcript.places(), numbers: Numbers::of(history) }
    }

    /// The file that the session was opened by.
    pub(crate) fn path(&self) -> &'t Path {
        self.transcript.path()
    }

    /// The bytes that the spans of what stands at this place are in.
    pub(crate) fn bytes(&mut self, place: Place) -> Outcome<&[u8]> {
        Ok(self.places.bytes(place)?)
    }

    /// A result; `None` if its record holds no content of it.
    pub(crate) fn result(
        &mut self,
        history: &History,
        result: u32,
        originals: &Originals<'_>,
    ) -> Outcome<Option<Content>> {
        let Some(entry) = history.results.get(result as usize) else { return Ok(None) };
        let parts = history.parts_of(result).filter(|(_, item)| item.kind == ItemKind::Text);
        let texts: Vec<Span> = parts.map(|(_, item)| item.raw).collect();
        let nth = self.numbers.of_result(result);
        self.content(history, entry.item, None, entry.call_span, &texts, nth, originals)
    }

    /// The arguments of a call.
    pub(crate) fn arguments(
        &mut self,
        history: &History,
        call: u32,
        originals: &Originals<'_>,
    ) -> Outcome<Option<Content>> {
        let Some(entry) = history.calls.get(call as usize) else { return Ok(None) };
        let nth = self.numbers.of_call(call);
        self.content(history, entry.item, Some(entry.arguments), entry.id_span, &[], nth, originals)
    }

    #[expect(clippy::too_many_arguments, reason = "what a place is known by")]
    fn content(
        &mut self,
        history: &History,
        item: u32,
        arguments: Option<Span>,
        id: Span,
        texts: &[Span],
        nth: u32,
        originals: &Originals<'_>,
    ) -> Outcome<Option<Content>> {
        let (Some(node), Some(item)) = (history.node_of(item), history.items.get(item as usize)) else {
            return Ok(None);
        };
        let (format, layout) = (self.transcript.format(), self.transcript.layout());
        let record = self.places.bytes(node.place)?;
        let whole = arguments.unwrap_or(item.raw);
        let standing = whole.of(record);
        let inside = |span: &Span| {
            (whole.s <= span.s && span.e <= whole.e)
                .then(|| Span { s: span.s - whole.s, e: span.e - whole.s })
        };
        let Some(texts) = texts.iter().map(inside).collect::<Option<Vec<Span>>>() else { return Ok(None) };
        let id = unquote(id.of(record)).unwrap_or_default().into_owned();
        let reread = |content: &[u8]| texts_in(format, layout, record, whole, content);
        let before = originals.before(&Standing {
            bytes: standing,
            texts: texts.clone(),
            id: &id,
            nth,
            is_call: arguments.is_some(),
            reread: &reread,
        })?;
        let is_same = before.bytes == standing;
        let standing_texts = texts.clone();
        let spans = if is_same { texts } else { reread(&before.bytes) };
        let texts = spans.iter().filter_map(|span| Some(unquote(span.of(&before.bytes))?.into_owned()));
        let texts = texts.collect();
        Ok(Some(Content {
            place: node.place,
            whole,
            standing: standing.to_vec(),
            id,
            before,
            texts,
            standing_texts,
        }))
    }
}

/// The texts of a content that stands in the place of a record's own, as spans in it.
fn texts_in(format: Format, layout: Layout, record: &[u8], whole: Span, content: &[u8]) -> Vec<Span> {
    let head = record.get(..whole.s as usize).unwrap_or_default();
    let tail = record.get(whole.e as usize..).unwrap_or_default();
    let made = [head, content, tail].concat();
    let records: Vec<Record> = match layout {
        Layout::Document => format.document(&made).unwrap_or_default(),
        _ => vec![format.line(&made)],
    };
    for record in &records {
        let is_it = |piece: &recto::wire::Piece| {
            matches!(piece.slot, Slot::ToolResult { .. }) && piece.raw.s == whole.s
        };
        let Some(at) = record.pieces.iter().position(is_it) else { continue };
        let own = record.pieces.iter().filter(|piece| {
            piece.slot == Slot::Text && piece.parent.is_some_and(|parent| parent as usize == at)
        });
        return own.map(|piece| Span { s: piece.raw.s - whole.s, e: piece.raw.e - whole.s }).collect();
    }
    Vec::new()
}
