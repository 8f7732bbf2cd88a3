//! MarkdownTable sources.

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::Plain,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct MarkdownTable;

impl Parser for MarkdownTable {
    fn content_type(&self) -> ContentType {
        ContentType::MarkdownTable
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
