//! Rag sources.

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::Plain,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Rag;

impl Parser for Rag {
    fn content_type(&self) -> ContentType {
        ContentType::Rag
    }

    fn sniff(&self, _head: &[u8], _whole: bool) -> u8 {
        0
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        Plain.parse(builder, start, end, context, fuel)
    }
}
