//! Code sources.

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::Plain,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Code;

impl Parser for Code {
    fn content_type(&self) -> ContentType {
        ContentType::Code
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
