//! Source code, by indentation and the words that begin definitions; no grammar of any one language.

mod blocks;
mod language;
mod sort;

pub(crate) use blocks::{Blocks, CodeLine};
pub(crate) use language::Language;

use crate::{
    Builder, ContentType, Fuel, NoteSyntax, OutlineError, UnitId,
    lines::Lines,
    parser::{Context, Parser},
};

/// The language of lines of code; unknown where they are no code.
pub(crate) fn guess_language<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Language {
    let guess = language::guess(lines);
    if guess.sure() > 0 { guess.language } else { Language::Unknown }
}

/// The parser.
pub(crate) struct Code;

impl Parser for Code {
    fn content_type(&self) -> ContentType {
        ContentType::Code
    }

    fn surest(&self) -> u8 {
        72
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let lines = Lines::new(head, 0, head.len());
        language::guess(lines.map(|line| line.of(head))).sure()
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end.saturating_sub(start))?;
        let source = builder.source();
        let lines = Lines::new(source, start, end);
        let language = language::guess(lines.clone().map(|line| line.of(source))).language;
        let notes = NoteSyntax::Line(language.comment());
        if builder.current() == UnitId::ROOT {
            builder.set_root_notes(notes);
        }
        let mut blocks = Blocks::new(start, language, notes);
        for line in lines {
            blocks.push(builder, CodeLine::of(line, line.of(source)));
        }
        blocks.finish(builder);
        Ok(())
    }
}
