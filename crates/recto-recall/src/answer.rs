use std::ops::{ControlFlow, Range};

use crate::{Found, Page, PageLimit, RecallError, Search, lines::Lines, page::Taker};

/// What was asked of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A part of it; offsets count from the run's start.
    Part(Range<u64>),
    /// The lines of it that match.
    Matches(Search),
}

impl Answer {
    /// Hands all of the answer to `sink`, piece by piece, until it wants no more. For a search, says how many lines match.
    ///
    /// # Errors
    /// When the run cannot be read; some pieces may have been handed over by then.
    pub fn stream(
        &self,
        found: &Found<'_>,
        sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<Option<u64>, RecallError> {
        match self {
            Self::Part(part) => found.stream(part.clone(), sink).map(|()| None),
            Self::Matches(search) => search.run(Lines::of(found), sink).map(Some),
        }
    }

    /// The answer from `cursor` on, as far as the limit allows.
    ///
    /// A page that is not the last ends with a line, if it holds one, and never inside a character. Pages joined are the answer.
    /// For a search, says how many lines match as far as was searched.
    ///
    /// # Errors
    /// [`RecallError::CursorOutside`], or when the run cannot be read.
    pub fn page(
        &self,
        found: &Found<'_>,
        cursor: u64,
        limit: &PageLimit,
    ) -> Result<(Page, Option<u64>), RecallError> {
        let mut taker = Taker::new(*limit);
        let matches = match self {
            Self::Part(part) => {
                // A part need not be read from its beginning.
                let start = part.start.saturating_add(cursor).min(part.end);
                // One byte more tells whether there is another page.
                let wanted = limit.reach_bytes().map_or(u64::MAX, |reach| reach.saturating_add(1));
                let end = start.saturating_add(wanted).min(part.end);
                taker.seen_bytes = start - part.start;
                found.stream(start..end, &mut |piece| taker.take(piece))?;
                None
            }
            Self::Matches(_) => {
                taker.skip = cursor;
                self.stream(found, &mut |piece| taker.take(piece))?
            }
        };
        if cursor > 0 && taker.is_empty() {
            return Err(RecallError::CursorOutside { cursor, have: taker.seen_bytes });
        }
        Ok((taker.page(cursor), matches))
    }
}
