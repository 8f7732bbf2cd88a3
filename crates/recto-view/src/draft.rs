//! A candidate view: what a prefix of the ranking would show, with its notes.

use std::cell::OnceCell;

use recto_outline::Outline;
use recto_tokens::Counter;

use crate::{
    contract::{Elision, WireSpan},
    facts::Fact,
    kept::KeptSet,
    line_ends::LineEnds,
    note::{Notes, Voice},
    tiling::{Tiling, tile},
};

/// A laid-out view.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) tiling: Tiling,
    /// One for each gap.
    pub(crate) notes: Notes,
    /// Its tokens, once they are counted: a view is measured by one tokenizer, and more than once.
    tokens: OnceCell<u64>,
}

impl Draft {
    /// Lays out what the first `prefix` picks keep. `voice` speaks the notes; without one there are none.
    pub(crate) fn new(
        outline: &Outline<'_>,
        line_ends: &LineEnds<'_>,
        kept: &KeptSet,
        prefix: u32,
        voice: Option<&Voice<'_>>,
    ) -> Self {
        let tiling = tile(outline, kept, prefix, voice.is_some());
        let notes =
            voice.map(|voice| Notes::new(outline, line_ends, &tiling, voice, &[])).unwrap_or_default();
        Self { tiling, notes, tokens: OnceCell::new() }
    }

    /// The same view with facts in its notes.
    pub(crate) fn with_facts(
        &self,
        outline: &Outline<'_>,
        line_ends: &LineEnds<'_>,
        voice: &Voice<'_>,
        facts: &[Fact],
    ) -> Self {
        let notes = Notes::new(outline, line_ends, &self.tiling, voice, facts);
        Self { tiling: self.tiling.clone(), notes, tokens: OnceCell::new() }
    }

    /// Length of the rendered view in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.tiling.kept_bytes + self.notes.bytes()
    }

    /// Tokens of the rendered view, or `None` if there are more than `limit`.
    pub(crate) fn tokens(&self, source: &[u8], counter: &dyn Counter, limit: u64) -> Option<u64> {
        let known = self.tokens.get().copied();
        let tokens = known.or_else(|| counter.count_up_to(&self.render(source), limit))?;
        (*self.tokens.get_or_init(|| tokens) <= limit).then_some(tokens)
    }

    /// The rendered view.
    pub(crate) fn render(&self, source: &[u8]) -> String {
        let mut out = Vec::with_capacity(usize::try_from(self.bytes()).unwrap_or(0));
        let mut gaps = self.tiling.gaps.iter().enumerate().peekable();
        let mut index = -1;
        let mut spans = self.tiling.spans.iter();
        loop {
            while let Some((number, _)) = gaps.next_if(|(_, gap)| gap.after == index) {
                out.extend_from_slice(self.notes.get(number).unwrap_or_default().as_bytes());
            }
            let Some(span) = spans.next() else { break };
            out.extend_from_slice(span.of(source));
            index += 1;
        }
        // Invalid sequences are silent gaps, so this keeps every byte; a fault would only replace some.
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The wire form: spans and elisions.
    pub(crate) fn into_wire(self) -> (Vec<WireSpan>, Vec<Elision>) {
        let spans =
            self.tiling.spans.iter().map(|span| WireSpan { s: span.s.into(), e: span.e.into() }).collect();
        let elisions = self
            .tiling
            .gaps
            .iter()
            .enumerate()
            .map(|(number, gap)| Elision {
                after: gap.after,
                bytes: gap.span.len() as u64,
                note: self.notes.get(number).map(str::to_owned),
            })
            .collect();
        (spans, elisions)
    }
}
