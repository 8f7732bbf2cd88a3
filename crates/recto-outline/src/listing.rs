//! Listings and text tables: what `ls`, `find`, `tree`, `mount`, `git status -s`, `ps`, `kubectl get` or `psql` print.

mod blocks;
mod columns;
mod grid;
mod line;
mod shape;

use shape::Shape;

use crate::{
    Builder, ContentType, Fuel, OutlineError,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Listing;

impl Parser for Listing {
    fn content_type(&self) -> ContentType {
        ContentType::Listing
    }

    fn surest(&self) -> u8 {
        85
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        Shape::of(head).map_or(0, |(_, sure)| sure)
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end.saturating_sub(start))?;
        let source = builder.source();
        let head = source.get(start..end.min(start + crate::detect::HEAD_BYTES)).unwrap_or_default();
        match Shape::of(head).map_or(Shape::Grid, |(shape, _)| shape) {
            Shape::Tree => blocks::tree(builder, start, end),
            Shape::Expanded => blocks::expanded(builder, start, end, context),
            Shape::Metrics => blocks::metrics(builder, start, end),
            Shape::Folders => blocks::folders(builder, start, end),
            Shape::Paths => blocks::flat(builder, start, end, None),
            Shape::Counts => blocks::flat(builder, start, end, Some(line::has_number)),
            Shape::Entries => blocks::flat(builder, start, end, Some(line::is_entry)),
            Shape::Grid => grid::parse(builder, start, end),
        }
        Ok(())
    }
}
