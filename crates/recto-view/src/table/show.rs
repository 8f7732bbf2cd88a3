//! Part of a table's text: rows and members chosen by the ranking of the source, and what that means for the source's bytes.

use recto_outline::{Builder, Comment, ContentType, Kind, NoteSyntax, Outline, Role, Span, UnitId};

use super::{
    Laid,
    census::Bytes,
    write::{Piece, PieceKind},
};
use crate::{
    contract::{Elision, WireSpan},
    draft::Draft,
    rank::{Ranking, Reason},
};

/// Notes among rows: lines of their own, as no row begins.
const ROW_NOTES: NoteSyntax = NoteSyntax::Line(Comment::Bare);

/// A table's text as units: what the fitting of views works on.
#[derive(Debug)]
pub(crate) struct Shown<'t> {
    /// The outline of the text, whose leaves are rows and members outside of tables.
    pub(crate) outline: Outline<'t>,
    /// All pieces, containers before what is in them.
    extents: Vec<Extent>,
    /// The outline's leaves with the source that each stands for, in order.
    leaves: Vec<(UnitId, Bytes)>,
}

/// A piece from its beginning to its end, in the text and in the source.
#[derive(Clone, Copy, Debug)]
struct Extent {
    text: Bytes,
    source_lead: u32,
    source: Bytes,
}

impl<'t> Shown<'t> {
    pub(crate) fn new(laid: &'t Laid, content_type: ContentType) -> Self {
        let outline = outline(laid, content_type);
        let extents = extents(&laid.written.pieces);
        let mut leaves = Vec::new();
        let mut at = 0;
        for (id, unit) in outline.each().filter(|(id, _)| outline.is_leaf(*id)) {
            let mut source: Option<Bytes> = None;
            while let Some(extent) = extents.get(at).filter(|extent| extent.text.start < unit.body.e) {
                at += 1;
                if extent.text.start >= unit.body.s {
                    let known = source.get_or_insert(extent.source);
                    known.end = known.end.max(extent.source.end);
                }
            }
            leaves.extend(source.map(|source| (id, source)));
        }
        Self { outline, extents, leaves }
    }

    /// The order in which the text's units are shown: each where the first unit of the source that it holds is picked. Only its
    /// beginning, once that has more than `enough_bytes` of the text: a budget that takes less reads no further.
    pub(crate) fn order(&self, ranking: &mut Ranking<'_, '_>, enough_bytes: u64) -> Vec<(UnitId, Reason)> {
        let mut order = Vec::new();
        let mut is_in = vec![false; self.leaves.len()];
        let mut bytes = 0;
        let mut add = |place: usize, reason| {
            if let (Some(mark), Some((unit, _))) = (is_in.get_mut(place), self.leaves.get(place))
                && !std::mem::replace(mark, true)
            {
                bytes += self.outline.unit(*unit).body.len() as u64;
                order.push((*unit, reason));
            }
            bytes <= enough_bytes
        };
        let source = ranking.outline();
        let mut next = 0;
        while let Some(pick) = ranking.pick(next) {
            next += 1;
            if !source.is_leaf(pick.unit) {
                continue;
            }
            let body = source.unit(pick.unit).body;
            let first = self.leaves.partition_point(|(_, bytes)| bytes.end <= body.s);
            let held = self.leaves.get(first..).unwrap_or_default();
            let count = held.iter().take_while(|(_, bytes)| bytes.start < body.e).count();
            if !(first..first + count).all(|place| add(place, pick.reason)) {
                return order;
            }
        }
        let _ = (0..self.leaves.len()).all(|place| add(place, Reason::Spread));
        order
    }

    /// The source that a unit of the text stands for.
    pub(crate) fn source_of(&self, unit: UnitId) -> WireSpan {
        let found = self.leaves.binary_search_by_key(&unit, |(leaf, _)| *leaf);
        let bytes = found.ok().and_then(|found| self.leaves.get(found)).map(|(_, bytes)| *bytes);
        wire(bytes.unwrap_or_default())
    }

    /// What a draft of the text shows of a source of `source_bytes` bytes; `None` if it leaves out what is no piece.
    pub(crate) fn wire(&self, draft: &Draft, source_bytes: u64) -> Option<(Vec<WireSpan>, Vec<Elision>)> {
        let (mut spans, mut elisions) = (Vec::new(), Vec::new());
        let mut end = 0;
        for (number, gap) in draft.tiling.gaps.iter().enumerate() {
            let left_out = self.left_out(gap.span)?;
            if left_out.s > end {
                spans.push(WireSpan { s: end, e: left_out.s });
            } else if left_out.s < end || number > 0 {
                return None;
            }
            end = left_out.e;
            elisions.push(Elision {
                after: i64::try_from(spans.len()).unwrap_or(i64::MAX) - 1,
                bytes: left_out.bytes(),
                note: draft.notes.get(number).map(str::to_owned),
            });
        }
        if source_bytes > end {
            spans.push(WireSpan { s: end, e: source_bytes });
        }
        Some((spans, elisions))
    }

    /// The source that a run of the text stands for.
    fn left_out(&self, run: Span) -> Option<WireSpan> {
        let first = self.extents.partition_point(|extent| extent.text.start < run.s);
        let held = self.extents.get(first..)?;
        let begins = held.first().filter(|extent| extent.text.end <= run.e)?;
        let start = if run.s < begins.text.start { begins.source_lead } else { begins.source.start };
        let inside = held.iter().take_while(|extent| extent.text.start < run.e);
        let end = inside.map(|extent| extent.source.end).max()?;
        (end > start).then(|| wire(Bytes { start, end }))
    }
}

fn wire(bytes: Bytes) -> WireSpan {
    WireSpan { s: bytes.start.into(), e: bytes.end.into() }
}

fn outline(laid: &Laid, content_type: ContentType) -> Outline<'_> {
    let mut builder = Builder::new(laid.text(), content_type, ROW_NOTES);
    for piece in &laid.written.pieces {
        let (lead, start, end) = (piece.lead as usize, piece.body.start as usize, piece.body.end as usize);
        match piece.kind {
            PieceKind::Row => builder.leaf(lead, start, end, Role::Record, Kind::Row),
            PieceKind::Leaf => builder.leaf(lead, start, end, Role::Field, Kind::Scalar),
            PieceKind::Object => {
                builder.open(lead, start, Role::Field, Kind::Object, NoteSyntax::JsonMember);
            }
            PieceKind::Array => {
                builder.open(lead, start, Role::Field, Kind::Array, NoteSyntax::JsonElement);
            }
            PieceKind::Table => builder.open(lead, start, Role::Field, Kind::Array, ROW_NOTES),
            PieceKind::End => builder.close(end),
        }
    }
    builder.finish()
}

fn extents(pieces: &[Piece]) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::with_capacity(pieces.len());
    let mut open = Vec::new();
    for piece in pieces {
        if piece.kind == PieceKind::End {
            if let Some(extent) = open.pop().and_then(|opened: usize| extents.get_mut(opened)) {
                extent.text.end = piece.body.end;
                extent.source.end = piece.source.end;
            }
            continue;
        }
        if !matches!(piece.kind, PieceKind::Row | PieceKind::Leaf) {
            open.push(extents.len());
        }
        extents.push(Extent { text: piece.body, source_lead: piece.source_lead, source: piece.source });
    }
    extents
}
