use std::{ops::Range, path::PathBuf, process::ExitCode};

use clap::Args;
use recto::{
    archive::{Archive, ArchiveError, Digest, Ref, SqliteArchive, Target, block_on},
    view::{Source, SpanMap, ViewError, expand},
};
use regex::bytes::RegexBuilder;
use serde::Serialize;

use crate::{
    commands::verify::read_map,
    failure::{Failure, Outcome},
    input, output,
    settings::Settings,
    store,
};

/// Give back what a view left out, byte for byte
///
/// REF is what a note states. With #N it is what note N left out, without it the whole original. A ref may be shortened to its
/// first digits (six at least).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto expand r:123456789012345              the whole original
  recto expand r:123456789012345#3            what note #3 left out
  recto expand r:123456789012345 --lines 40:80
  recto expand r:123456789012345 --grep 'timed? ?out' --context 2
  recto expand r:123456789012345#3 --page-bytes 20000 --page 2
  recto expand --source build.log --map build.map --elision 3

What comes out are the very bytes, also of binary originals and invalid UTF-8.")]
pub(crate) struct Arguments {
    /// The ref, with #N for one elision
    #[arg(value_name = "REF[#N]", required_unless_present = "source", conflicts_with = "source")]
    reference: Option<String>,

    /// The source of a span map, instead of a ref
    #[arg(long, value_name = "FILE", requires = "map")]
    source: Option<PathBuf>,

    /// The span map of the source, or a whole result of `compress --format json`
    #[arg(long, value_name = "MAP", requires = "source")]
    map: Option<PathBuf>,

    /// The number of the elision; all of the source if absent
    #[arg(long, value_name = "N", requires = "source")]
    elision: Option<u64>,

    /// Only these lines of it, counted from 1, both included: 40:80, 40: or :80
    #[arg(long, value_name = "A:B", group = "part")]
    lines: Option<String>,

    /// Only these bytes of it, counted from 0, the last not included: 0:4096
    #[arg(long, value_name = "A:B", group = "part")]
    bytes: Option<String>,

    /// Only the lines that match this regular expression, each with its number
    #[arg(long, value_name = "RE", group = "part")]
    grep: Option<String>,

    /// Lines to show around each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0, requires = "grep")]
    context: usize,

    /// Match without regard to case
    #[arg(long, short, requires = "grep")]
    ignore_case: bool,

    /// Print in pages of this many bytes; the next one is named on stderr
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    page_bytes: Option<u64>,

    /// The page, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "page_bytes", value_parser = clap::value_parser!(u64).range(1..))]
    page: u64,

    /// Print as JSON: the ref, the original, the range, and the text (base64 if it is not UTF-8)
    #[arg(long)]
    json: bool,
}

/// Where the bytes come from.
enum Origin {
    Stored { archive: Box<SqliteArchive>, digest: Digest, name: Ref },
    Given { bytes: Vec<u8> },
}

/// The run of an original that was asked for.
struct Found {
    origin: Origin,
    total_bytes: u64,
    elision: Option<u64>,
    range: Range<u64>,
}

impl Found {
    /// Reads a part of the run; offsets count from the run's start.
    fn read(&self, part: Range<u64>) -> Outcome<Vec<u8>> {
        let start = self.range.start.saturating_add(part.start).min(self.range.end);
        let end = self.range.start.saturating_add(part.end).min(self.range.end);
        Ok(match &self.origin {
            Origin::Stored { archive, digest, .. } => {
                block_on(archive.get(&store::scope(), digest, start..end))?
            }
            Origin::Given { bytes } => {
                let range =
                    usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
                bytes.get(range).unwrap_or_default().to_vec()
            }
        })
    }

    fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    original: Original,
    #[serde(skip_serializing_if = "Option::is_none")]
    elision: Option<u64>,
    range: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page: Option<u64>,
}

#[derive(Serialize)]
struct Original {
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    bytes: u64,
}

#[derive(Serialize)]
struct Span {
    s: u64,
    e: u64,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let found = match (&arguments.reference, &arguments.source, &arguments.map) {
        (Some(reference), ..) => by_ref(reference, settings)?,
        (None, Some(source), Some(map)) => by_map(source, map, arguments.elision)?,
        _ => return Err(Failure::usage("name a REF, or --source and --map")),
    };
    let (range, chosen) = part(arguments, &found)?;
    let page = match arguments.page_bytes {
        Some(page_bytes) => {
            let start = page_bytes.saturating_mul(arguments.page - 1);
            if start > 0 && start >= chosen.bytes() {
                return Err(Failure::usage(format!(
                    "there is no page {}: it ends with page {}",
                    arguments.page,
                    chosen.bytes().div_ceil(page_bytes).max(1)
                )));
            }
            start..start.saturating_add(page_bytes).min(chosen.bytes())
        }
        None => 0..chosen.bytes(),
    };
    let next_page = (page.end < chosen.bytes()).then_some(arguments.page + 1);
    if arguments.json {
        let bytes = chosen.read(&found, page.clone())?;
        return report(&found, range.start + page.start, bytes, next_page);
    }
    chosen.write(&found, page)?;
    if let Some(next) = next_page {
        let pages = chosen.bytes().div_ceil(arguments.page_bytes.unwrap_or(1));
        output::complain(&format!("page {} of {pages}; the next one: --page {next}", arguments.page));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(found: &Found, start: u64, bytes: Vec<u8>, next_page: Option<u64>) -> Outcome<ExitCode> {
    let (reference, sha256) = match &found.origin {
        Origin::Stored { name, digest, .. } => (Some(name.to_string()), Some(digest.to_string())),
        Origin::Given { .. } => (None, None),
    };
    let range = Span { s: start, e: start + bytes.len() as u64 };
    let (text, base64) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(base64(error.as_bytes()))),
    };
    output::json(&Report {
        reference,
        original: Original { sha256, bytes: found.total_bytes },
        elision: found.elision,
        range,
        text,
        base64,
        next_page,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Finds what a ref names.
fn by_ref(text: &str, settings: &Settings) -> Outcome<Found> {
    let (name, elision) = match text.split_once('#') {
        Some((name, number)) => {
            let number = number.parse().map_err(|_| {
                Failure::usage(format!("{number:?} is no number of an elision"))
                    .hint("write it as in the note: r:123456789012345#3")
            })?;
            (name, Some(number))
        }
        None => (text, None),
    };
    let path = store::path(settings);
    let in_store = |error: ArchiveError| {
        let is_missing = matches!(error, ArchiveError::NotFound { .. });
        let failure = Failure::from(error);
        if is_missing {
            failure.hint(format!("searched {}; another store is named with `--store PATH`", path.display()))
        } else {
            failure
        }
    };
    if !path.exists() {
        return Err(Failure::job(format!("there is no archive at {}", path.display()))
            .hint("name another one with `--store PATH`"));
    }
    let archive = Box::new(store::open_existing(settings)?);
    let scope = store::scope();
    let name = block_on(archive.find_ref(&scope, name)).map_err(in_store)?;
    let target = block_on(archive.resolve(&scope, &name)).map_err(in_store)?;
    let (digest, map) = match target {
        Some(Target::Original(digest)) => (digest, None),
        Some(Target::View { original, map, .. }) => (original, Some(map)),
        Some(Target::Gone { why }) => {
            return Err(Failure::job(format!("what {name} named is no longer kept: {why}")));
        }
        _ => return Err(Failure::job(format!("no ref {name} in {}", path.display()))),
    };
    let stat = block_on(archive.stat(&scope, &digest)).map_err(in_store)?;
    let total_bytes = stat.map(|stat| stat.bytes).ok_or_else(|| {
        Failure::job(format!("the original of {name} is missing from {}", path.display()))
            .hint("`recto store verify` tells what else is")
    })?;
    let range = match (elision, map) {
        (None, _) => 0..total_bytes,
        (Some(asked), None) => {
            return Err(Failure::usage(format!("{name} names a whole original: it has no elision #{asked}")));
        }
        (Some(asked), Some(map)) => {
            let map = block_on(archive.get(&scope, &map, 0..u64::MAX)).map_err(in_store)?;
            let map: SpanMap = serde_json::from_slice(&map).map_err(|error| {
                Failure::job(format!("the span map of {name} is damaged: {error}"))
                    .hint("`recto store verify` tells what else is")
            })?;
            elision_range(&map, asked)?
        }
    };
    Ok(Found { origin: Origin::Stored { archive, digest, name }, total_bytes, elision, range })
}

fn elision_range(map: &SpanMap, asked: u64) -> Outcome<Range<u64>> {
    let span =
        map.elision_span(asked).ok_or(ViewError::NoSuchElision { asked, have: map.elisions.len() as u64 });
    let span = span.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(span.s..span.e)
}

/// Finds what a span map and its source say.
fn by_map(source: &std::path::Path, map: &std::path::Path, elision: Option<u64>) -> Outcome<Found> {
    let map = read_map(map)?;
    let bytes = input::read_file(source)?;
    expand(&Source::new(&bytes), &map, elision)?;
    let total_bytes = bytes.len() as u64;
    let range = elision.map_or(Ok(0..total_bytes), |asked| elision_range(&map, asked))?;
    Ok(Found { origin: Origin::Given { bytes }, total_bytes, elision, range })
}

/// What is printed: a run of the original, or lines picked from it.
enum Chosen {
    Run(Range<u64>),
    Lines(Vec<u8>),
}

impl Chosen {
    fn bytes(&self) -> u64 {
        match self {
            Self::Run(range) => range.end - range.start,
            Self::Lines(text) => text.len() as u64,
        }
    }

    fn read(&self, found: &Found, page: Range<u64>) -> Outcome<Vec<u8>> {
        match self {
            Self::Run(range) => found.read(range.start + page.start..range.start + page.end),
            Self::Lines(text) => {
                let range = usize::try_from(page.start).unwrap_or(usize::MAX)
                    ..usize::try_from(page.end).unwrap_or(usize::MAX);
                Ok(text.get(range).unwrap_or_default().to_vec())
            }
        }
    }

    /// Prints a page in pieces, so that a large original is never in memory whole. A whole original is read in one go: only
    /// then its SHA-256 is checked.
    fn write(&self, found: &Found, page: Range<u64>) -> Outcome<()> {
        const PIECE_BYTES: u64 = 16 << 20;
        let is_whole = page.end - page.start == found.total_bytes && found.total_bytes <= 4 * PIECE_BYTES;
        let step = if is_whole { found.total_bytes.max(1) } else { PIECE_BYTES };
        let mut at = page.start;
        while at < page.end {
            let end = (at + step).min(page.end);
            output::data(&self.read(found, at..end)?)?;
            at = end;
        }
        Ok(())
    }
}

/// The part of the run that the options pick, and where it begins in the original.
fn part(arguments: &Arguments, found: &Found) -> Outcome<(Range<u64>, Chosen)> {
    if let Some(text) = &arguments.bytes {
        let (from, to) = ends(text, "bytes")?;
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(found.bytes()).min(found.bytes()));
        if from > to {
            return Err(Failure::usage(format!(
                "--bytes {text} lies outside: there are {} bytes",
                found.bytes()
            )));
        }
        return Ok((found.range.start + from..found.range.start + to, Chosen::Run(from..to)));
    }
    if let Some(text) = &arguments.lines {
        let (from, to) = ends(text, "lines")?;
        let all = found.read(0..u64::MAX)?;
        let run = line_range(&all, from.unwrap_or(1), to)
            .map_err(|have| Failure::usage(format!("--lines {text} lies outside: there are {have} lines")))?;
        return Ok((found.range.start + run.start..found.range.start + run.end, Chosen::Run(run)));
    }
    if let Some(pattern) = &arguments.grep {
        let all = found.read(0..u64::MAX)?;
        return Ok((found.range.clone(), Chosen::Lines(grep(&all, pattern, arguments)?)));
    }
    Ok((found.range.clone(), Chosen::Run(0..found.bytes())))
}

/// Reads `A:B`, `A:`, `:B` or `A` (which is `A:A` for lines).
fn ends(text: &str, what: &str) -> Outcome<(Option<u64>, Option<u64>)> {
    let wrong = || Failure::usage(format!("--{what} {text}: write A:B, A: or :B with whole numbers"));
    let read =
        |part: &str| if part.is_empty() { Ok(None) } else { part.parse().map(Some).map_err(|_| wrong()) };
    let (from, to) = match text.split_once(':') {
        Some((from, to)) => (read(from)?, read(to)?),
        None if what == "lines" => (read(text)?, read(text)?),
        None => return Err(wrong()),
    };
    if what == "lines" && (from == Some(0) || to == Some(0)) {
        return Err(Failure::usage(format!("--lines {text}: lines are counted from 1")));
    }
    Ok((from, to))
}

/// The bytes of lines `from` to `to` (from 1, both included), with their line ends.
fn line_range(text: &[u8], from: u64, to: Option<u64>) -> Result<Range<u64>, u64> {
    let (mut start, mut end) = (None, text.len());
    let mut number = 0;
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        number += 1;
        if number == from {
            start = Some(at);
        }
        at += line.len();
        if Some(number) == to {
            end = at;
            break;
        }
    }
    match start {
        Some(start) if start <= end => Ok(start as u64..end as u64),
        _ => Err(number),
    }
}

/// The matching lines and their neighbours, as `number:text` and `number-text`.
fn grep(text: &[u8], pattern: &str, arguments: &Arguments) -> Outcome<Vec<u8>> {
    const MOST_BYTES: usize = 10 << 20;
    let search = RegexBuilder::new(pattern)
        .case_insensitive(arguments.ignore_case)
        .size_limit(MOST_BYTES)
        .build()
        .map_err(|error| Failure::usage(format!("--grep: {error}")))?;
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let bare = |line: &[u8]| -> usize { line.len() - usize::from(line.ends_with(b"\n")) };
    let hits: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| search.is_match(&line[..bare(line)]))
        .map(|(index, _)| index)
        .collect();
    let mut out = Vec::new();
    let mut shown = 0;
    for (position, &hit) in hits.iter().enumerate() {
        let from = hit.saturating_sub(arguments.context).max(shown);
        let next = hits.get(position + 1).copied().unwrap_or(lines.len());
        let to = (hit + arguments.context + 1).min(lines.len()).min(next.max(hit + 1));
        if arguments.context > 0 && position > 0 && from > shown {
            out.extend_from_slice(b"--\n");
        }
        for (index, line) in lines.iter().enumerate().take(to).skip(from) {
            out.extend_from_slice((index + 1).to_string().as_bytes());
            out.push(if index == hit { b':' } else { b'-' });
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
        shown = to.max(shown);
    }
    if hits.is_empty() {
        output::complain("no line matches");
    }
    Ok(out)
}

/// Standard base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let index = word >> (18 - 6 * digit) & 63;
            out.push(if digit <= chunk.len() { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard() {
        // The test vectors of RFC 4648, section 10.
        let known = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in known {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = b"a\nbb\nccc";
        assert_eq!(line_range(text, 1, Some(1)), Ok(0..2));
        assert_eq!(line_range(text, 2, None), Ok(2..8));
        assert_eq!(line_range(text, 3, Some(9)), Ok(5..8));
        assert_eq!(line_range(text, 4, None), Err(3));
        assert_eq!(line_range(text, 3, Some(1)), Err(1));
    }
}
