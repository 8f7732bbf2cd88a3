//! Long arguments of old calls: each long text in them becomes a view.

use recto_archive::{Digest, Ref, block_on};
use recto_session::{
    history::{History, has_note},
    policy::{Change, Shape},
};
use recto_view::Budget;
use recto_wire::{Document, JsonKind, Span, Splice, Value, quote, unquote};

use super::{Exchange, Made, PruneError, Pruner, blocks};
use crate::transcript::{Places, Rewrite};

/// Originals and their names.
type Stored = (Vec<Digest>, Vec<Ref>);

impl Pruner<'_> {
    pub(super) fn prune_call(
        &self,
        history: &History,
        change: &Change,
        places: &mut Places<'_>,
        rewrite: &mut Rewrite,
    ) -> Result<Option<Made>, PruneError> {
        let Some(call) = history.calls.get(change.of as usize) else { return Ok(None) };
        let Some(node) = history.node_of(call.item) else { return Ok(None) };
        let record = places.bytes(node.place)?;
        let raw = call.arguments.of(record);
        let Some((shorter, (originals, refs))) = self.shorter_arguments(raw, &change.shape)? else {
            return Ok(None);
        };
        let (before, after) = (text_of(raw), text_of(&shorter));
        let (tokens, left_tokens) = (self.count(&before), self.count(&after));
        if left_tokens >= tokens {
            return Ok(None);
        }
        let edits = [(call.arguments, shorter)];
        let Some(exchange) = Exchange::of(record, call.arguments, &edits, Vec::new(), false) else {
            return Ok(None);
        };
        block_on(self.archive.put(self.scope, raw))?;
        let [(span, shorter)] = edits;
        rewrite.replace(node.place, span, shorter);
        Ok(Some(Made {
            change: change.clone(),
            place: node.place,
            tool: history.tools.get(call.tool as usize).map(|name| name.to_string()).unwrap_or_default(),
            call_id: unquote(call.id_span.of(record)).unwrap_or_default().into_owned(),
            step: node.step,
            originals,
            refs,
            tokens,
            left_tokens,
            chars: before.chars().count() as u64,
            left_chars: after.chars().count() as u64,
            exchange,
            texts: Vec::new(),
        }))
    }

    /// The arguments with views in the place of their long texts; `None` if there are none.
    pub(super) fn shorter_arguments(
        &self,
        raw: &[u8],
        shape: &Shape,
    ) -> Result<Option<(Vec<u8>, Stored)>, PruneError> {
        let Shape::View { tokens } = shape else { return Ok(None) };
        let room = u64::from(*tokens);
        let Some(text) = unquote(raw) else {
            let Ok(document) = Document::parse(raw) else { return Ok(None) };
            return self.shorter_members(&document, raw, room);
        };
        // JSON in a string, or a text of its own: a patch, a script.
        if let Ok(document) = Document::parse(text.as_bytes())
            && document.root().kind() == JsonKind::Object
        {
            let inside = self.shorter_members(&document, text.as_bytes(), room)?;
            return Ok(inside.map(|(bytes, stored)| (quote(&String::from_utf8_lossy(&bytes)), stored)));
        }
        if has_note(&text) {
            return Ok(None);
        }
        let view = self.view(&text, Budget::tokens(room))?;
        Ok(view.map(|(view, name)| (quote(&view), (vec![Digest::of(text.as_bytes())], vec![name]))))
    }

    fn shorter_members(
        &self,
        document: &Document<'_>,
        raw: &[u8],
        room: u64,
    ) -> Result<Option<(Vec<u8>, Stored)>, PruneError> {
        let texts: Vec<(Span, String)> = strings(document.root());
        let lengths: Vec<u64> = texts.iter().map(|(_, text)| self.count(text)).collect();
        // A view of less would be hardly more than its note.
        let most = blocks::share(&lengths, room).max(room / 4);
        let (mut edits, mut stored) = (Vec::new(), Stored::default());
        for ((span, text), length) in texts.iter().zip(lengths) {
            if length <= most || has_note(text) {
                continue;
            }
            let Some((view, name)) = self.view(text, Budget::tokens(most))? else { continue };
            stored.0.push(Digest::of(text.as_bytes()));
            stored.1.push(name);
            edits.push((*span, quote(&view)));
        }
        let Ok(splice) = Splice::new(edits) else { return Ok(None) };
        Ok((!splice.is_identity()).then(|| (splice.apply(raw).into_owned(), stored)))
    }
}

/// All texts in arguments, at any depth.
fn strings(root: Value<'_>) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        if let Some(text) = value.text() {
            found.push((value.span(), text.into_owned()));
        } else if !value.has_doubled_names() {
            open.extend(value.items());
        }
    }
    found.sort_by_key(|(span, _)| *span);
    found
}

/// The text of a JSON string; of another value its JSON.
pub(super) fn text_of(raw: &[u8]) -> String {
    unquote(raw).map_or_else(|| String::from_utf8_lossy(raw).into_owned(), |text| text.into_owned())
}
