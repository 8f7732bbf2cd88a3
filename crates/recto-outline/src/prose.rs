//! Running text: Markdown, and plain text of paragraphs.
//!
//! Headings open nested sections; paragraphs are cut into sentences; list items, quotes, code, tables, comments and front
//! matter are units of their own. An own scanner by lines, not a Markdown parser: it is several times as fast, works in
//! bytes, and makes something of any text. What it cannot tell (inline markup, links across lines) units do not need.

mod scan;
mod shape;
mod sniff;

pub(crate) use scan::{Style, add_blocks};

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    parser::{Context, Parser},
};

/// The parser for Markdown and plain text.
pub(crate) struct Prose;

impl Parser for Prose {
    fn content_type(&self) -> ContentType {
        ContentType::Prose
    }

    fn surest(&self) -> u8 {
        sniff::MARKDOWN
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        sniff::sniff(head, whole)
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end - start)?;
        let style = Style::of(builder.source().get(start..end).unwrap_or_default(), true);
        add_blocks(builder, start, start, end, context, style);
        Ok(())
    }
}
