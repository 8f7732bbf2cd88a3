//! JSON values a line each, possibly with lines of other text among them.

use crate::{
    Builder, ContentType, Fuel, Kind, Layout, NoteSyntax, OutlineError, Role, UnitId,
    columns::counting,
    json,
    lines::{Lines, add_line},
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Jsonl;

impl Parser for Jsonl {
    fn content_type(&self) -> ContentType {
        ContentType::Jsonl
    }

    fn surest(&self) -> u8 {
        98
    }

    fn sniff(&self, head: &[u8], whole: bool) -> u8 {
        let probe = json::Probe::of(head);
        if probe.begins_as_json(whole) && probe.has_lines(head) { probe.certainty() } else { 0 }
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
        if builder.current() == UnitId::ROOT {
            builder.set_root_notes(NoteSyntax::JsonLine);
        }
        builder.table(None, Layout::Json);
        let source = builder.source();
        let mut lead = start;
        counting(builder, end - start, |builder, counting| {
            for line in Lines::new(source, start, end) {
                let text = line.of(source).trim_ascii();
                match text.first() {
                    Some(b'{' | b'[') => json::parse_record((builder, counting), lead, line, context, fuel)?,
                    Some(b'"') => builder.leaf(lead, line.start, line.end, Role::Record, Kind::Scalar),
                    None => builder.leaf(lead, line.start, line.end, Role::Line, Kind::Blank),
                    Some(_) => add_line(builder, lead, line, Role::Line, Kind::Plain),
                }
                // Blanks behind a value belong to the separator after it.
                let trimmed = line.start + line.of(source).trim_ascii_end().len();
                lead = trimmed.max(builder.last_end()).min(line.end);
            }
            Ok(())
        })
    }
}
