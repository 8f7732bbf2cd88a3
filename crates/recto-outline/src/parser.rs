use crate::{Builder, ContentType, Fuel, OutlineError};

/// What parsers are told besides the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Records up to this many bytes are one unit: they are kept or left whole.
    pub(crate) atom_bytes: usize,
    /// How many texts this one is quoted in; parsers open embedded texts only while it is small.
    pub(crate) embedding: u8,
}

impl Context {
    /// The context for a source of `source_bytes` bytes. Atoms grow with the source from 24 to 240 bytes (about 60
    /// tokens): small sources are cut finely, and a record of a large one is never torn.
    pub(crate) fn for_source(source_bytes: usize) -> Self {
        Self { atom_bytes: (source_bytes / 32).clamp(24, 240), embedding: 0 }
    }
}

/// One format: says how sure it is of a source, and cuts it into units.
pub(crate) trait Parser: Sync {
    /// The type it parses.
    fn content_type(&self) -> ContentType;

    /// The most that [`Self::sniff`] says of any source: where another parser is as sure, this one need not look.
    fn surest(&self) -> u8;

    /// How sure it is that `source` is of its format: 0 (not at all) to 100 (certain). Looks at no more than the first
    /// [`crate::detect::HEAD_BYTES`] bytes, which is all it is given; `whole` says whether that is the whole source.
    fn sniff(&self, head: &[u8], whole: bool) -> u8;

    /// Adds the units of `source()[start..end]` to the builder, inside the unit that is open.
    ///
    /// # Errors
    /// Only [`OutlineError::OutOfFuel`]: whatever the bytes are, they have an outline.
    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError>;
}
