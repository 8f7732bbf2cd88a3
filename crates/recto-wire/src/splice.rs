use std::borrow::Cow;

use recto_outline::Span;

use crate::WireError;

/// Other bytes for some ranges of a source; everything between them stays as it is.
///
/// ```
/// use recto_wire::{Span, Splice};
/// let splice = Splice::new(vec![(Span { s: 6, e: 11 }, b"moon".to_vec()), (Span { s: 0, e: 0 }, b"> ".to_vec())])?;
/// assert_eq!(&*splice.apply(b"hello world!"), b"> hello moon!");
/// # Ok::<(), recto_wire::WireError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Splice {
    /// By their places, without overlaps.
    edits: Vec<(Span, Vec<u8>)>,
}

impl Splice {
    /// Takes the changes in any order. Those at one place keep theirs.
    ///
    /// # Errors
    /// [`WireError::Overlap`] if a byte would be replaced twice.
    pub fn new(mut edits: Vec<(Span, Vec<u8>)>) -> Result<Self, WireError> {
        edits.sort_by_key(|(at, _)| at.s);
        let mut end = 0;
        for (at, _) in &edits {
            if at.s < end || at.e < at.s {
                return Err(WireError::Overlap { at: at.s });
            }
            end = at.e;
        }
        Ok(Self { edits })
    }

    /// Says whether nothing is changed.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.edits.is_empty()
    }

    /// The changes, by their places.
    #[must_use]
    pub fn edits(&self) -> &[(Span, Vec<u8>)] {
        &self.edits
    }

    /// Gives the source with its changes; the source itself if there are none.
    #[must_use]
    pub fn apply<'s>(&self, source: &'s [u8]) -> Cow<'s, [u8]> {
        if self.is_identity() {
            return Cow::Borrowed(source);
        }
        let mut spliced = Vec::with_capacity(source.len());
        let mut at = 0;
        for (span, with) in &self.edits {
            spliced.extend_from_slice(source.get(at..span.s as usize).unwrap_or_default());
            spliced.extend_from_slice(with);
            at = span.e as usize;
        }
        spliced.extend_from_slice(source.get(at..).unwrap_or_default());
        Cow::Owned(spliced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_refused() {
        let edit = |s, e| (Span { s, e }, Vec::new());
        assert_eq!(Splice::new(vec![edit(4, 9), edit(0, 5)]), Err(WireError::Overlap { at: 4 }));
        assert_eq!(Splice::new(vec![edit(4, 2)]), Err(WireError::Overlap { at: 4 }));
        assert!(Splice::new(vec![edit(4, 9), edit(0, 4)]).is_ok());
    }
}
