//! Chat sources.

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    lines::Plain,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Chat;

impl Parser for Chat {
    fn content_type(&self) -> ContentType {
        ContentType::Chat
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
