/// Half-open range of UTF-8 **byte** offsets `[s, e)` into one source.
///
/// Offsets are `u32`: a source is at most 4 GiB, and [`crate::outline`] refuses a longer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub s: u32,
    /// Offset one past the last byte.
    pub e: u32,
}

impl Span {
    /// Makes a span from `usize` offsets, which the caller keeps within the 4 GiB limit (saturating beyond it).
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { s: offset(start), e: offset(end) }
    }

    /// Length in bytes; an inverted span has none.
    #[must_use]
    pub fn len(self) -> usize {
        self.e.saturating_sub(self.s) as usize
    }

    /// Says whether the span holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.e <= self.s
    }

    /// Says whether `other` lies inside this span.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.s <= other.s && other.e <= self.e
    }

    /// The bytes of this span in `source`; empty where it does not lie inside `source`.
    #[must_use]
    pub fn of(self, source: &[u8]) -> &[u8] {
        source.get(self.s as usize..self.e as usize).unwrap_or_default()
    }
}

/// Narrows an offset to `u32`, saturating: the entry points have refused longer sources before.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
