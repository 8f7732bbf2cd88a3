use std::{
    io::{self, IsTerminal},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use recto_recall::{Answer, Found, Page, PageLimit, Part, Search, base64};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    input, output, recall,
    settings::Settings,
    store,
    usage::{Line, Usage, What},
};

/// Give back what a view left out, byte for byte
///
/// REF is what a note states. With #N it is what note N left out, without it the whole original. A ref may be shortened to its
/// first digits (six at least). What comes out are the very bytes, also of binary originals and invalid UTF-8; a store that
/// cannot be written can still be read.
///
/// Everything is printed unless pages are asked for; a page that is not the last says on stderr how to get the next one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto expand r:123456789012345              the whole original
  recto expand r:123456789012345#3            what note #3 left out
  recto expand r:123456789012345 --lines 40:80
  recto expand r:123456789012345 --grep 'timed? ?out' --context 2
  recto expand r:123456789012345#3 --page-bytes 20000
  recto expand --source build.log --map build.map --elision 3
  recto expand --source /tmp/recto-run-x1y2z3.out --grep 'error'    output that no store took")]
pub(crate) struct Arguments {
    /// The ref, with #N for one elision
    #[arg(value_name = "REF[#N]", required_unless_present = "source", conflicts_with = "source")]
    reference: Option<String>,

    /// A file instead of a ref: the source of a span map, or one of which there is none; stdin if `-`
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,

    /// The span map of the source, or a whole result of `compress --format json`
    #[arg(long, value_name = "MAP", requires = "source")]
    map: Option<PathBuf>,

    /// The number of the elision; all of the source if absent
    #[arg(long, value_name = "N", requires = "map")]
    elision: Option<u64>,

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

    /// Print as JSON: the ref, the original, the range, and the text (base64 if it is not UTF-8)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    original: Original,
    #[serde(skip_serializing_if = "Option::is_none")]
    elision: Option<u64>,
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

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    // What is wrong with the question is said before anything is read.
    let part = part(arguments)?;
    match (&arguments.reference, &arguments.source) {
        (Some(reference), _) => {
            let asked = reference.parse()?;
            let (archive, scope) = (recall::archive(settings)?, store::scope());
            let found = recall::by_ref(&*archive, &scope, &asked, settings)?;
            let bytes = give(arguments, part, &found)?;
            write_down(&found, bytes, settings);
        }
        (None, Some(source)) => {
            give(arguments, part, &by_source(source, arguments)?)?;
        }
        (None, None) => return Err(Failure::usage("name a REF, or --source")),
    }
    Ok(ExitCode::SUCCESS)
}

/// What an agent asks for again comes off what hooks have saved; a person reads at a terminal.
fn write_down(found: &Found<'_>, bytes: u64, settings: &Settings) {
    if io::stdout().is_terminal() {
        return;
    }
    let line = Line {
        shown: bytes,
        reference: found.name().map(ToString::to_string),
        ..Line::new("shell", "recto expand", What::Recall)
    };
    // An answer does not fail since it could not be written down.
    let _ = Usage::of(settings).record(&line);
}

fn by_source(source: &Path, arguments: &Arguments) -> Outcome<Found<'static>> {
    if let Some(map) = &arguments.map {
        let map = input::read_map(map)?;
        return Ok(Found::by_map(input::read(Some(source))?, &map, arguments.elision)?);
    }
    if source.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(Found::by_file(source)?);
    }
    Ok(Found::by_bytes(input::read(Some(source))?))
}

/// Prints the answer and says how many bytes of the original it has.
fn give(arguments: &Arguments, part: Part, found: &Found<'_>) -> Outcome<u64> {
    let answer = part.over(found)?;
    let limit = arguments.page_bytes.map_or_else(PageLimit::none, PageLimit::bytes);
    let mut bytes = 0;
    let matches = if arguments.json {
        let (page, matches) = answer.page(found, arguments.cursor, &limit)?;
        bytes += page.bytes.len() as u64;
        output::json(&report(found, &answer, arguments.cursor, page)?)?;
        matches
    } else if arguments.page_bytes.is_some() || arguments.cursor > 0 {
        let (page, matches) = answer.page(found, arguments.cursor, &limit)?;
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

fn report(found: &Found<'_>, answer: &Answer, cursor: u64, page: Page) -> Outcome<Report> {
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

/// The part of a run that the options pick.
fn part(arguments: &Arguments) -> Outcome<Part> {
    if let Some(text) = &arguments.bytes {
        return Ok(Part::bytes(text)?);
    }
    if let Some(text) = &arguments.lines {
        return Ok(Part::lines(text)?);
    }
    if let Some(pattern) = &arguments.grep {
        return Ok(Part::matches(Search::new(pattern, arguments.ignore_case, arguments.context)?));
    }
    Ok(Part::all())
}
