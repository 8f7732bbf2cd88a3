//! Records as text, in the formats that tools print, with the place of every cell.

use std::{fmt::Write as _, ops::Range};

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_number: bool,
}

/// A form that records take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    JsonPretty,
    JsonNested,
    JsonLines,
    Csv,
    Log,
    Table,
}

impl Format {
    pub(super) const ALL: [Self; 7] =
        [Self::Json, Self::JsonPretty, Self::JsonNested, Self::JsonLines, Self::Csv, Self::Log, Self::Table];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonPretty => "json-pretty",
            Self::JsonNested => "json-nested",
            Self::JsonLines => "jsonl",
            Self::Csv => "csv",
            Self::Log => "log",
            Self::Table => "table",
        }
    }
}

/// Records, all with the same columns. The first column is the id, the second the time, the last the message.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    pub(super) keys: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// What is said of all of them: a label and a number.
    pub(super) total: Option<(String, String)>,
}

/// A text and where its parts are.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    pub(super) text: String,
    pub(super) records: Vec<Range<usize>>,
    /// By record and column.
    pub(super) cells: Vec<Vec<Range<usize>>>,
    /// The label and the number of the total.
    pub(super) total: Option<(Range<usize>, Range<usize>)>,
}

impl Records {
    pub(super) fn lay(&self, format: Format) -> Laid {
        let mut laid = Laid::default();
        match format {
            Format::Json | Format::JsonPretty | Format::JsonNested => self.lay_json(&mut laid, format),
            Format::JsonLines => self.lay_lines(&mut laid, |laid, keys, row| {
                let cells = object(&mut laid.text, keys, row, &Spacing::NONE);
                laid.cells.push(cells);
            }),
            Format::Csv => {
                laid.text = self.keys.join(",") + "\n";
                self.lay_lines(&mut laid, |laid, _, row| {
                    let cells = separated(&mut laid.text, row);
                    laid.cells.push(cells);
                });
            }
            Format::Log => self.lay_lines(&mut laid, |laid, keys, row| {
                let cells = log_line(&mut laid.text, keys, row);
                laid.cells.push(cells);
            }),
            Format::Table => self.lay_table(&mut laid),
        }
        if laid.total.is_none() {
            self.lay_total(&mut laid, format);
        }
        laid
    }

    /// The total behind everything, as the format would have it.
    fn lay_total(&self, laid: &mut Laid, format: Format) {
        let Some((label, number)) = &self.total else { return };
        let (before, between, after) = match format {
            Format::JsonLines => ("{\"", "\":", "}\n"),
            Format::Csv => ("", ",", "\n"),
            Format::Log => ("done: ", " is ", "\n"),
            _ => ("\n", ": ", "\n"),
        };
        laid.text.push_str(before);
        let label = pushed(&mut laid.text, label);
        laid.text.push_str(between);
        let number = pushed(&mut laid.text, number);
        laid.text.push_str(after);
        laid.total = Some((label, number));
    }

    fn lay_lines(&self, laid: &mut Laid, line: impl Fn(&mut Laid, &[String], &[Cell])) {
        for row in &self.rows {
            let start = laid.text.len();
            line(laid, &self.keys, row);
            laid.records.push(start..laid.text.len());
            laid.text.push('\n');
        }
    }

    fn lay_json(&self, laid: &mut Laid, format: Format) {
        let is_pretty = format == Format::JsonPretty;
        let is_enveloped = format == Format::JsonNested || self.total.is_some();
        let line = if is_pretty { "\n" } else { "" };
        if is_enveloped {
            laid.text.push('{');
            laid.text.push_str(line);
            if let Some((label, number)) = &self.total {
                laid.text.push('"');
                let label = pushed(&mut laid.text, label);
                laid.text.push_str("\":");
                let number = pushed(&mut laid.text, number);
                laid.text.push(',');
                laid.text.push_str(line);
                laid.total = Some((label, number));
            }
            laid.text.push_str("\"items\":");
        }
        laid.text.push('[');
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                laid.text.push(',');
            }
            laid.text.push_str(if is_pretty { "\n  " } else { "" });
            let start = laid.text.len();
            let cells = match format {
                Format::JsonNested => nested(&mut laid.text, &self.keys, row),
                Format::JsonPretty => object(&mut laid.text, &self.keys, row, &Spacing::PRETTY),
                _ => object(&mut laid.text, &self.keys, row, &Spacing::NONE),
            };
            laid.records.push(start..laid.text.len());
            laid.cells.push(cells);
        }
        laid.text.push_str(line);
        laid.text.push_str(if is_enveloped { "]}\n" } else { "]\n" });
    }

    /// Columns as wide as their widest cell.
    fn lay_table(&self, laid: &mut Laid) {
        let widths: Vec<usize> = (0..self.keys.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.len());
                cells.chain(self.keys.get(column).map(String::len)).max().unwrap_or(0)
            })
            .collect();
        for (key, width) in self.keys.iter().zip(&widths) {
            let _ = write!(laid.text, "{:<width$}  ", key.to_uppercase());
        }
        laid.text.truncate(laid.text.trim_end().len());
        laid.text.push('\n');
        self.lay_lines(laid, |laid, _, row| {
            let mut cells = Vec::with_capacity(row.len());
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                cells.push(pushed(&mut laid.text, &cell.text));
                if column + 1 < row.len() {
                    let blanks = width + 2 - cell.text.len().min(*width);
                    laid.text.extend(std::iter::repeat_n(' ', blanks));
                }
            }
            laid.cells.push(cells);
        });
    }
}

fn pushed(text: &mut String, piece: &str) -> Range<usize> {
    let start = text.len();
    text.push_str(piece);
    start..text.len()
}

/// The blanks of a JSON object.
struct Spacing {
    open: &'static str,
    between: &'static str,
    colon: &'static str,
    close: &'static str,
}

impl Spacing {
    const NONE: Self = Self { open: "{", between: ",", colon: ":", close: "}" };
    const PRETTY: Self = Self { open: "{\n    ", between: ",\n    ", colon: ": ", close: "\n  }" };
}

fn object(text: &mut String, keys: &[String], row: &[Cell], spacing: &Spacing) -> Vec<Range<usize>> {
    text.push_str(spacing.open);
    let mut cells = Vec::with_capacity(row.len());
    for (index, (key, cell)) in keys.iter().zip(row).enumerate() {
        if index > 0 {
            text.push_str(spacing.between);
        }
        let _ = write!(text, "\"{key}\"{}", spacing.colon);
        cells.push(json_value(text, cell));
    }
    text.push_str(spacing.close);
    cells
}

/// The id and the time in one object, all else in another, as resources of an API are.
fn nested(text: &mut String, keys: &[String], row: &[Cell]) -> Vec<Range<usize>> {
    const HEAD: usize = 2;
    text.push_str("{\"metadata\":");
    let head = keys.get(..HEAD).unwrap_or_default();
    let mut cells = object(text, head, row.get(..HEAD).unwrap_or_default(), &Spacing::NONE);
    text.push_str(",\"labels\":{\"managed\":true,\"tags\":[\"auto\",\"v1\"]},\"status\":");
    let rest = keys.get(HEAD..).unwrap_or_default();
    cells.extend(object(text, rest, row.get(HEAD..).unwrap_or_default(), &Spacing::NONE));
    text.push('}');
    cells
}

/// Writes a value; the range is without its quotes.
fn json_value(text: &mut String, cell: &Cell) -> Range<usize> {
    if cell.is_number {
        return pushed(text, &cell.text);
    }
    text.push('"');
    let start = text.len();
    for character in cell.text.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
    let end = text.len();
    text.push('"');
    start..end
}

fn separated(text: &mut String, row: &[Cell]) -> Vec<Range<usize>> {
    let mut cells = Vec::with_capacity(row.len());
    for (index, cell) in row.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        if cell.text.contains([',', '"', '\n']) {
            text.push('"');
            cells.push(pushed(text, &cell.text.replace('"', "\"\"")));
            text.push('"');
        } else {
            cells.push(pushed(text, &cell.text));
        }
    }
    cells
}

/// `TIME LEVEL message key=value ...`: a level only if a column says one.
fn log_line(text: &mut String, keys: &[String], row: &[Cell]) -> Vec<Range<usize>> {
    const TIME: usize = 1;
    let message = row.len().saturating_sub(1);
    let mut cells = vec![0..0; row.len()];
    let is_level = |key: &str| matches!(key, "level" | "severity");
    let level = keys.iter().position(|key| is_level(key));
    let mut push = |text: &mut String, column: usize, before: &str| {
        text.push_str(before);
        if let (Some(cell), Some(place)) = (row.get(column), cells.get_mut(column)) {
            *place = pushed(text, &cell.text);
        }
    };
    push(text, TIME, "");
    match level {
        Some(level) => push(text, level, " "),
        None => text.push_str(" INFO"),
    }
    text.push(' ');
    let (first_line, rest) = match row.get(message) {
        // A stack trace stands below its line.
        Some(cell) => {
            cell.text.split_once('\n').map_or((cell.text.as_str(), None), |(one, rest)| (one, Some(rest)))
        }
        None => ("", None),
    };
    let said = pushed(text, first_line);
    for (column, key) in keys.iter().enumerate() {
        if column != TIME && Some(column) != level && column != message {
            push(text, column, &format!(" {key}="));
        }
    }
    let end = rest.map_or(said.end, |rest| {
        text.push('\n');
        pushed(text, rest).end
    });
    if let Some(place) = cells.get_mut(message) {
        *place = said.start..end;
    }
    cells
}
