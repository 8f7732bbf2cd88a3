//! A candidate view: what a prefix of the ranking would show, with its notes.

use recto_outline::Outline;
use recto_tokens::Counter;

use crate::{
    contract::{Elision, WireSpan},
    kept::KeptSet,
    note::{self, Voice},
    rank::Pick,
    tiling::{Tiling, tile},
};

/// A laid-out view.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) tiling: Tiling,
    /// One for each gap.
    pub(crate) notes: Vec<Option<String>>,
}

impl Draft {
    /// Lays out the first picks of a ranking. `voice` speaks the notes; without one there are none.
    pub(crate) fn new(outline: &Outline<'_>, picks: &[Pick], voice: Option<&Voice<'_>>) -> Self {
        let mut kept = KeptSet::new(outline);
        for pick in picks {
            kept.keep(outline, pick.unit, false, &mut |_, _| {});
        }
        let tiling = tile(outline, &kept, voice.is_some());
        let notes = match voice {
            Some(voice) => note::notes(outline, &tiling, voice),
            None => vec![None; tiling.gaps.len()],
        };
        Self { tiling, notes }
    }

    /// Length of the rendered view in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.tiling.kept_bytes + self.notes.iter().flatten().map(|note| note.len() as u64).sum::<u64>()
    }

    /// Tokens of the rendered view, or `None` if there are more than `limit`.
    pub(crate) fn tokens(&self, source: &[u8], counter: &dyn Counter, limit: u64) -> Option<u64> {
        counter.count_up_to(&self.render(source), limit)
    }

    /// The rendered view.
    pub(crate) fn render(&self, source: &[u8]) -> String {
        let mut out = Vec::with_capacity(usize::try_from(self.bytes()).unwrap_or(0));
        let mut notes = self.tiling.gaps.iter().zip(&self.notes).peekable();
        let mut index = -1;
        let mut spans = self.tiling.spans.iter();
        loop {
            while let Some((_, note)) = notes.next_if(|(gap, _)| gap.after == index) {
                out.extend_from_slice(note.as_deref().unwrap_or_default().as_bytes());
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
        let spans = self.tiling.spans.iter().map(|span| WireSpan { s: span.s.into(), e: span.e.into() }).collect();
        let elisions = self
            .tiling
            .gaps
            .iter()
            .zip(self.notes)
            .map(|(gap, note)| Elision { after: gap.after, bytes: gap.span.len() as u64, note })
            .collect();
        (spans, elisions)
    }
}
