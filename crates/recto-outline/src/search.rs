//! Hits of grep and ripgrep: a block a file, in it a unit a hit.

mod form;

pub(crate) use form::is_path;
use form::{Form, Place, counted, is_failure, number};

use crate::{
    Builder, ContentType, Fuel, Kind, LINE_NOTES, NoteSyntax, OutlineError, Role,
    gap::Gap,
    lines::{self, LONG_LINE_BYTES, Line, Lines},
    parser::{Context, Parser},
};

/// How far ahead the path of a run of context lines is looked for.
const LOOK_AHEAD_BYTES: usize = 4_096;

/// The parser.
pub(crate) struct Search;

impl Parser for Search {
    fn content_type(&self) -> ContentType {
        ContentType::Search
    }

    fn surest(&self) -> u8 {
        82
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        Form::of(head).map_or(0, |(_, sure)| sure)
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
        let head = source.get(start..end.min(start + 32_768)).unwrap_or_default();
        let form = Form::of(head).map_or(Form::Numbered, |(form, _)| form);
        let mut hits = Hits {
            builder,
            source,
            end,
            form,
            gap: Gap::new(start),
            path: None,
            separator: None,
            ahead: (start, None),
        };
        for line in Lines::new(source, start, end) {
            hits.add(line);
        }
        hits.leave_file();
        hits.add_separator();
        hits.gap.finish(hits.builder);
        Ok(())
    }
}

struct Hits<'b, 's> {
    builder: &'b mut Builder<'s>,
    source: &'s [u8],
    end: usize,
    form: Form,
    gap: Gap,
    /// The path of the file whose block is open.
    path: Option<&'s [u8]>,
    /// A `--` that was met and stands in no block yet.
    separator: Option<Line>,
    /// What looking ahead found: the path of the next hit, for lines that begin before this offset.
    ahead: (usize, Option<&'s [u8]>),
}

impl<'s> Hits<'_, 's> {
    fn add(&mut self, line: Line) {
        let text = line.of(self.source);
        if text.trim_ascii().is_empty() {
            // Above a blank line a separator stands alone.
            self.add_separator();
            self.gap.pass(line);
        } else if text == b"--" {
            self.add_separator();
            self.separator = Some(line);
        } else {
            match self.form {
                Form::Heading => self.add_below_heading(line, text),
                Form::Counts => self.add_count(line, text),
                Form::Numbered | Form::Unnumbered => self.add_with_path(line, text),
            }
        }
    }

    fn add_with_path(&mut self, line: Line, text: &'s [u8]) {
        let below = self.path.and_then(|path| Place::below(text, path, self.form));
        let found = below.or_else(|| {
            let place = self.hit(text)?;
            Some((place, true))
        });
        let found = found.or_else(|| {
            let path = self.path_ahead(line)?;
            Place::below(text, path, self.form)
        });
        let Some((place, is_hit)) = found else {
            self.leave_file();
            return self.add_other(line, text);
        };
        let path = place.path(text);
        if self.path != Some(path) {
            self.enter_file(line, path);
        }
        self.add_hit(line, place.text_start, is_hit);
    }

    /// The place of a hit in a file that need not be open.
    fn hit(&self, text: &[u8]) -> Option<Place> {
        let place = match self.form {
            Form::Unnumbered => Place::unnumbered(text).filter(|place| is_path(place.path(text))),
            _ => Place::numbered(text, b':'),
        }?;
        let is_report = matches!(place.path(text), b"grep" | b"rg" | b"ugrep" | b"ag");
        (!is_report).then_some(place)
    }

    /// The path of the hit that a run of context lines leads to.
    fn path_ahead(&mut self, line: Line) -> Option<&'s [u8]> {
        if line.start >= self.ahead.0 {
            let source = self.source;
            let limit = self.end.min(line.next.saturating_add(LOOK_AHEAD_BYTES));
            self.ahead = (limit, None);
            for ahead in Lines::new(source, line.next, limit) {
                let text = ahead.of(source);
                if let Some(place) = self.hit(text) {
                    self.ahead = (ahead.start, Some(place.path(text)));
                    break;
                }
            }
        }
        self.ahead.1
    }

    fn add_below_heading(&mut self, line: Line, text: &'s [u8]) {
        if self.path.is_some()
            && !self.gap.is_open()
            && let Some((text_start, is_hit)) = number(text)
        {
            return self.add_hit(line, text_start, is_hit);
        }
        // The path stands alone, and only a line with a number below it tells it from any other line.
        let below = Lines::new(self.source, line.next, self.end.min(line.next.saturating_add(64))).next();
        if below.is_some_and(|below| number(below.of(self.source)).is_some()) {
            self.enter_file(line, text);
            self.builder.leaf(line.start, line.start, line.end, Role::Frame, Kind::Heading);
            self.gap.close(line.end);
        } else {
            self.leave_file();
            self.add_other(line, text);
        }
    }

    fn add_count(&mut self, line: Line, text: &[u8]) {
        if counted(text).is_none() {
            return self.add_other(line, text);
        }
        let lead = self.gap.lead(self.builder);
        lines::add_line(self.builder, lead, line, Role::Record, Kind::Hit);
        self.gap.close(line.end);
    }

    /// Adds a hit or a line of context. A long one keeps its path and number whichever of its pieces are kept.
    fn add_hit(&mut self, line: Line, text_start: usize, is_hit: bool) {
        self.add_separator();
        let text_start = (line.start + text_start).min(line.end);
        let text = self.source.get(text_start..line.end).unwrap_or_default();
        let kind = match is_hit {
            true if is_failure(text) => Kind::Failure,
            true => Kind::Hit,
            false => Kind::Context,
        };
        let lead = self.gap.lead(self.builder);
        if line.end - line.start <= LONG_LINE_BYTES {
            self.builder.leaf(lead, line.start, line.end, Role::Line, kind);
        } else {
            self.builder.open(lead, line.start, Role::Line, kind, NoteSyntax::Inline);
            lines::add_pieces(self.builder, text_start, line.end);
            self.builder.close(line.end);
        }
        self.gap.close(line.end);
    }

    /// Adds a line that is no hit: what the search itself reports.
    fn add_other(&mut self, line: Line, text: &[u8]) {
        self.add_separator();
        let is_report = [&b"grep: "[..], b"rg: ", b"ugrep: "].iter().any(|name| text.starts_with(name));
        let kind = if is_report {
            Kind::Failure
        } else if text.starts_with(b"Binary file ") {
            Kind::Hit
        } else if text.first().is_some_and(u8::is_ascii_digit)
            && crate::words::find(text, b" match").is_some()
        {
            Kind::Summary
        } else {
            Kind::Plain
        };
        let lead = self.gap.lead(self.builder);
        lines::add_line(self.builder, lead, line, Role::Line, kind);
        self.gap.close(line.end);
    }

    fn enter_file(&mut self, line: Line, path: &'s [u8]) {
        self.leave_file();
        self.add_separator();
        let lead = self.gap.lead(self.builder);
        self.builder.open(lead, line.start, Role::Block, Kind::File, LINE_NOTES);
        self.gap.close(line.start);
        self.path = Some(path);
    }

    fn leave_file(&mut self) {
        if self.path.take().is_some() {
            self.builder.close(self.gap.last_end());
        }
    }

    /// Adds the separator that was met: inside the block that is open now, or between two.
    fn add_separator(&mut self) {
        if let Some(line) = self.separator.take() {
            let lead = self.gap.lead(self.builder);
            self.builder.leaf(lead, line.start, line.end, Role::Line, Kind::Blank);
            self.gap.close(line.end);
        }
    }
}
