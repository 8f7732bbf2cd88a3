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

/// The range to delete so that an item of a JSON array, or a member of an object with its key, goes together with one comma and the rest still
/// parses: the comma before it, or the one after it if it is the first. For several items of one array see [`remove_blocks`].
///
/// ```
/// use recto_wire::{Span, Splice, remove_block};
/// let list = br#"["one", "two", "three"]"#;
/// let two = Span { s: 8, e: 13 };
/// let splice = Splice::new(vec![(remove_block(list, two), Vec::new())])?;
/// assert_eq!(&*splice.apply(list), br#"["one", "three"]"#);
/// # Ok::<(), recto_wire::WireError>(())
/// ```
#[must_use]
pub fn remove_block(source: &[u8], block: Span) -> Span {
    let (start, end) = (block.s as usize, block.e as usize);
    let before = source.get(..start).unwrap_or_default().trim_ascii_end();
    if before.ends_with(b",") {
        return Span::new(before.len() - 1, end);
    }
    let after = source.get(end..).unwrap_or_default().trim_ascii_start();
    match after.strip_prefix(b",") {
        Some(rest) => Span::new(start, source.len() - rest.trim_ascii_start().len()),
        None => block,
    }
}

/// The ranges to delete for several items, of one array or of many, in any order: neighbours go as one, so that no comma goes twice.
#[must_use]
pub fn remove_blocks(source: &[u8], blocks: &[Span]) -> Vec<Span> {
    let mut blocks: Vec<Span> = blocks.to_vec();
    blocks.sort_unstable_by_key(|block| (block.s, block.e));
    let mut runs: Vec<Span> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(run) if block.s < run.e => run.e = run.e.max(block.e),
            Some(run)
                if source
                    .get(run.e as usize..block.s as usize)
                    .is_some_and(|gap| gap.trim_ascii() == b",") =>
            {
                run.e = block.e;
            }
            _ => runs.push(block),
        }
    }
    runs.into_iter().map(|run| remove_block(source, run)).collect()
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

    /// Every subset of a list's items, with blanks between and without, goes and leaves the others.
    #[test]
    fn items_go_with_their_commas() {
        for list in
            [&br#"[1,{"a":2},"c]",[4]]"#[..], b"[ 1 , {\"a\": 2}\n,\n \"c]\" ,\t[4] ]", b"[5]", b"[ 5 ]"]
        {
            let whole: serde_json::Value = serde_json::from_slice(list).unwrap();
            let items = whole.as_array().unwrap();
            let document = crate::Document::parse(list).unwrap();
            let spans: Vec<Span> = document.root().items().map(crate::Value::span).collect();
            for chosen in 0..1_usize << items.len() {
                let is_chosen = |at: &usize| chosen >> at & 1 == 1;
                let gone: Vec<Span> = (0..items.len()).rev().filter(is_chosen).map(|at| spans[at]).collect();
                let ranges = remove_blocks(list, &gone);
                let edits = ranges.into_iter().map(|range| (range, Vec::new())).collect();
                let left = Splice::new(edits).unwrap().apply(list).into_owned();
                let left: Vec<serde_json::Value> = serde_json::from_slice(&left).unwrap();
                let kept = (0..items.len()).filter(|at| !is_chosen(at)).map(|at| items[at].clone());
                assert_eq!(left, kept.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_place_outside_the_source_is_no_panic() {
        assert_eq!(remove_block(b"[1]", edit_span(7, 9)), edit_span(7, 9));
        assert_eq!(remove_blocks(b"[1]", &[edit_span(9, 7), edit_span(1, 2)]).len(), 2);
    }

    fn edit_span(s: u32, e: u32) -> Span {
        Span { s, e }
    }
}
