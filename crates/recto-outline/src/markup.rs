//! Markup sources.

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::Plain,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Markup;

impl Parser for Markup {
    fn content_type(&self) -> ContentType {
        ContentType::Markup
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
