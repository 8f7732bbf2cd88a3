//! Parts of an original, printed as they are asked for.

use std::{
    io::{self, IsTerminal},
    ops::ControlFlow,
};

use clap::Args;
use recto::archive::Ref;
use recto_recall::{Answer, Elisions, Found, Page, PageLimit, Part, Search, base64};
use serde::Serialize;

use crate::{
    failure::Outcome,
    output,
    settings::Settings,
    usage::{Line, Usage, What},
};

/// What is taken of it.
#[derive(Debug, Args)]
pub(crate) struct Taking {
    /// Only these lines of it, counted from 1, both included: 40:80, 40:, :80 or 40
    #[arg(long, value_name = "A:B", group = "part")]
    lines: Option<String>,

    /// Only these bytes of it, counted from 0, the last not included: 0:4096, 4096: or :4096
    #[arg(long, value_name = "A:B", group = "part")]
    bytes: Option<String>,

    /// Only the lines of it that match this regular expression, each with its number
    #[arg(long, value_name = "RE", group = "part")]
    grep: Option<String>,

    /// Lines to show around each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0, requires = "grep")]
    context: u64,

    /// Match without regard to case
    #[arg(long, short, requires = "grep")]
    ignore_case: bool,

    /// Print at most this many bytes, up to the end of a line if there is one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    page_bytes: Option<u64>,

    /// Begin where the page before ended, as it said
    #[arg(long, value_name = "C", default_value_t = 0)]
    cursor: u64,
}

impl Taking {
    /// Whether only a part is asked for.
    pub(crate) fn is_some(&self) -> bool {
        self.lines.is_some()
            || self.bytes.is_some()
            || self.grep.is_some()
            || self.page_bytes.is_some()
            || self.cursor > 0
    }

    /// What is asked for, as a report, and the bytes in it.
    pub(crate) fn report(&self, part: Part, found: &Found<'_>) -> Outcome<(Report, u64)> {
        let answer = part.over(found)?;
        let limit = self.page_bytes.map_or_else(PageLimit::none, PageLimit::bytes);
        let (page, matches) = answer.page(found, self.cursor, &limit)?;
        if matches == Some(0) {
            output::complain("no line matches");
        }
        let bytes = page.bytes.len() as u64;
        Ok((report(found, &answer, self.cursor, page)?, bytes))
    }

    /// The part of a run that the options pick.
    pub(crate) fn part(&self) -> Outcome<Part> {
        if let Some(text) = &self.bytes {
            return Ok(Part::bytes(text)?);
        }
        if let Some(text) = &self.lines {
            return Ok(Part::lines(text)?);
        }
        if let Some(pattern) = &self.grep {
            return Ok(Part::matches(Search::new(pattern, self.ignore_case, self.context)?));
        }
        Ok(Part::all())
    }

    /// Prints the answer and says how many bytes of the original it has.
    pub(crate) fn give(&self, part: Part, found: &Found<'_>, as_json: bool) -> Outcome<u64> {
        if as_json {
            let (report, bytes) = self.report(part, found)?;
            output::json(&report)?;
            return Ok(bytes);
        }
        let answer = part.over(found)?;
        let limit = self.page_bytes.map_or_else(PageLimit::none, PageLimit::bytes);
        let mut bytes = 0;
        let matches = if self.page_bytes.is_some() || self.cursor > 0 {
            let (page, matches) = answer.page(found, self.cursor, &limit)?;
            bytes += page.bytes.len() as u64;
            output::data(&page.bytes)?;
            if let Some(next) = page.next {
                output::complain(&format!("hint: there is more; the next page: --cursor {next}"));
            }
            matches
        } else {
            let mut written = Ok(());
            let matches = answer.stream(found, &mut |piece| match output::piece(piece) {
                Ok(flow) => {
                    bytes += piece.len() as u64;
                    flow
                }
                Err(failure) => {
                    written = Err(failure);
                    ControlFlow::Break(())
                }
            })?;
            written?;
            matches
        };
        if matches == Some(0) {
            output::complain("no line matches");
        }
        Ok(bytes)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    original: Original,
    #[serde(skip_serializing_if = "Option::is_none")]
    elision: Option<Elisions>,
    /// The bytes of the original that were read; for a search, those that were searched.
    range: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
}

#[derive(Serialize)]
struct Original {
    sha256: String,
    bytes: u64,
}

#[derive(Serialize)]
struct Span {
    s: u64,
    e: u64,
}

pub(crate) fn report(found: &Found<'_>, answer: &Answer, cursor: u64, page: Page) -> Outcome<Report> {
    let range = match answer {
        Answer::Part(part) => {
            let start = found.range().start + part.start + cursor;
            Span { s: start, e: start + page.bytes.len() as u64 }
        }
        _ => Span { s: found.range().start, e: found.range().end },
    };
    let (text, base64) = match String::from_utf8(page.bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(base64(error.as_bytes()))),
    };
    Ok(Report {
        reference: found.name().map(ToString::to_string),
        original: Original { sha256: found.digest()?.to_string(), bytes: found.total_bytes() },
        elision: found.elision(),
        range,
        text,
        base64,
        next_cursor: page.next,
    })
}

/// What an agent asks for again comes off what hooks have saved; a person reads at a terminal.
pub(crate) fn write_down(command: &'static str, name: Option<&Ref>, bytes: u64, settings: &Settings) {
    if io::stdout().is_terminal() {
        return;
    }
    let line = Line {
        shown: bytes,
        reference: name.map(ToString::to_string),
        ..Line::new("shell", command, What::Recall)
    };
    // An answer does not fail since it could not be written down.
    let _ = Usage::of(settings).record(&line);
}
