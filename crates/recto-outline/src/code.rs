//! Source code, by indentation and the words that begin definitions; no grammar of any one language.

mod line;

pub(crate) use line::{LineSort, comment_style, sort_of};

use crate::{
    Builder, ContentType, Fuel, Kind, NoteSyntax, OutlineError, Role,
    lines::{Line, Lines, add_line},
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Code;

impl Parser for Code {
    fn content_type(&self) -> ContentType {
        ContentType::Code
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let mut lines = 0;
        let mut signs = 0;
        let mut definitions = 0;
        for line in Lines::new(head, 0, head.len()).take(300) {
            let text = line.of(head);
            match sort_of(text) {
                LineSort::Blank => continue,
                LineSort::Definition => definitions += 1,
                LineSort::Import | LineSort::Closing => signs += 1,
                LineSort::Comment => {}
                LineSort::Plain => signs += usize::from(line::looks_like_code(text)),
            }
            lines += 1;
        }
        if lines < 3 || definitions + signs < 3 {
            return 0;
        }
        match (signs + 2 * definitions) * 100 / lines {
            60.. => 72,
            40.. => 58,
            25.. if definitions > 1 => 40,
            _ => 0,
        }
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end - start)?;
        let source = builder.source();
        let notes = NoteSyntax::Line(comment_style(source.get(start..end).unwrap_or_default()));
        if builder.current() == crate::UnitId::ROOT {
            builder.set_root_notes(notes);
        }
        parse_blocks(builder, start, end, notes, |text| text);
        Ok(())
    }
}

/// Adds the lines of `[start, end)`, those of a definition in a container of their own whose head is a frame. `inside` strips what
/// stands before the code in a line, such as a line number.
pub(crate) fn parse_blocks(builder: &mut Builder<'_>, start: usize, end: usize, notes: NoteSyntax, inside: impl Fn(&[u8]) -> &[u8]) {
    let source = builder.source();
    // The indentation of each open definition.
    let mut open: Vec<usize> = Vec::new();
    let mut lead = start;
    let mut blank_from: Option<usize> = None;
    let mut blanks: Vec<Line> = Vec::new();
    for line in Lines::new(source, start, end) {
        let text = inside(line.of(source));
        let sort = sort_of(text);
        if sort == LineSort::Blank {
            // Blank lines go where the next line goes.
            blank_from.get_or_insert(lead);
            blanks.push(line);
            lead = line.end;
            continue;
        }
        let indent = line::indent(text);
        let mut closes = false;
        while let Some(&outer) = open.last() {
            if indent > outer || (indent == outer && line::continues_head(text)) {
                break;
            }
            if indent == outer && sort == LineSort::Closing {
                closes = true;
                break;
            }
            open.pop();
            builder.close(blank_from.unwrap_or(lead));
        }
        flush_blanks(builder, &mut blanks, &mut blank_from);
        if sort == LineSort::Definition {
            builder.open(lead, line.start, Role::Block, Kind::Definition, notes);
            add_line(builder, line.start, line, Role::Frame, Kind::Heading);
            open.push(indent);
        } else {
            let kind = match sort {
                LineSort::Import => Kind::Import,
                LineSort::Comment => Kind::Comment,
                _ => Kind::Plain,
            };
            add_line(builder, lead, line, Role::Line, kind);
        }
        lead = line.end;
        if closes {
            open.pop();
            builder.close(lead);
        }
    }
    for _ in open {
        builder.close(blank_from.unwrap_or(lead));
    }
    flush_blanks(builder, &mut blanks, &mut blank_from);
}

fn flush_blanks(builder: &mut Builder<'_>, blanks: &mut Vec<Line>, from: &mut Option<usize>) {
    let Some(mut lead) = from.take() else { return };
    for line in blanks.drain(..) {
        builder.leaf(lead, line.start, line.end, Role::Line, Kind::Blank);
        lead = line.end;
    }
}
