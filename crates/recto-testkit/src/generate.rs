//! Inputs made from a seed: the same kind, seed and size give the same bytes on every machine.
//!
//! Each [`Kind`] looks like what tools print, with the traits that matter to a reader of it: fields that vary little,
//! templates with changing numbers, repeated stack traces, quoted cells with line ends inside. Kinds made of records also
//! carry a few [`Planted`] anomalies, each with the byte ranges of its record and of its telling part, so that a test can
//! ask whether a view kept them.
//!
//! ```
//! use recto_testkit::generate::Kind;
//!
//! for kind in Kind::ALL {
//!     let generated = kind.generate(1, 2_000);
//!     assert!(generated.bytes.len() >= 2_000, "{}", kind.name());
//! }
//! ```

mod clock;
mod csv;
mod diff;
mod json;
mod json_writer;
mod listing;
mod log;
mod markdown;
mod nesting;
mod plant;
mod prose;
mod search;
mod source;
mod trace;
mod vocabulary;
mod write;

use std::ops::Range;

pub use csv::{Dialect, LineEnd, csv};
pub use nesting::{nested_arrays, nested_objects, zeros};

use crate::Prng;

/// What a generator made: the bytes and what was planted in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The input.
    pub bytes: Vec<u8>,
    /// The anomalies, in the order of their bytes; empty for kinds without records.
    pub planted: Vec<Planted>,
}

/// One anomaly planted in a generated input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// What makes it stand out.
    pub kind: PlantedKind,
    /// The bytes of the whole record: an object, a row without its line end, a line, a stack trace.
    pub record: Range<usize>,
    /// The bytes inside `record` that tell; a substring that occurs nowhere else in the input, except for
    /// [`PlantedKind::Gap`], where it is what stands right after the gap.
    pub telling: Range<usize>,
}

/// What makes a planted anomaly stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PlantedKind {
    /// A record that says in words that something failed.
    Error,
    /// A field with few values takes one that no other record has; no word of it says that anything is wrong.
    RareValue,
    /// A number far outside the range of the others.
    Outlier,
    /// Numbers or times that otherwise go on evenly jump before this record.
    Gap,
    /// A line of a shape that no other line has; no word of it says that anything is wrong.
    RareShape,
    /// A stack trace whose frames occur once, among repeated ones.
    Trace,
    /// A record with a name that a query can ask for.
    Named,
}

/// A kind of generated input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A JSON array of flat records on one line.
    JsonFlat,
    /// A JSON array of records with objects and arrays inside, on one line.
    JsonNested,
    /// As `JsonNested`, indented by two spaces.
    JsonPretty,
    /// One flat JSON record a line.
    JsonLines,
    /// `[0,0,0,...]`: the most values a byte can hold.
    JsonZeros,
    /// Arrays in arrays and nothing else.
    JsonDeepArrays,
    /// Objects in objects and nothing else.
    JsonDeepObjects,
    /// CSV with a header, quoted cells and line feeds inside some of them.
    Csv,
    /// As `Csv`, with CRLF line ends.
    CsvCrlf,
    /// Tab-separated values: no quotes, no line ends inside.
    Tsv,
    /// Log lines of several levels and templates, with stack traces between them.
    Log,
    /// A unified diff of many files, as git prints it.
    Diff,
    /// Sections, lists, code blocks and tables.
    Markdown,
    /// One table and nothing else.
    MarkdownTable,
    /// `path:line:text`, as grep and ripgrep print.
    Search,
    /// Numbered source lines, as `cat -n` and the reading tools of agents print.
    Numbered,
    /// Source code without numbers.
    Code,
    /// A table in aligned columns, as kubectl prints.
    Listing,
    /// Paragraphs of sentences.
    Prose,
    /// One line without an end.
    LongLine,
}

impl Kind {
    /// Every kind, in the order of their declaration.
    pub const ALL: [Self; 20] = [
        Self::JsonFlat,
        Self::JsonNested,
        Self::JsonPretty,
        Self::JsonLines,
        Self::JsonZeros,
        Self::JsonDeepArrays,
        Self::JsonDeepObjects,
        Self::Csv,
        Self::CsvCrlf,
        Self::Tsv,
        Self::Log,
        Self::Diff,
        Self::Markdown,
        Self::MarkdownTable,
        Self::Search,
        Self::Numbered,
        Self::Code,
        Self::Listing,
        Self::Prose,
        Self::LongLine,
    ];

    /// Names the kind in lower case with hyphens, for snapshots and benchmark rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonFlat => "json-flat",
            Self::JsonNested => "json-nested",
            Self::JsonPretty => "json-pretty",
            Self::JsonLines => "json-lines",
            Self::JsonZeros => "json-zeros",
            Self::JsonDeepArrays => "json-deep-arrays",
            Self::JsonDeepObjects => "json-deep-objects",
            Self::Csv => "csv",
            Self::CsvCrlf => "csv-crlf",
            Self::Tsv => "tsv",
            Self::Log => "log",
            Self::Diff => "diff",
            Self::Markdown => "markdown",
            Self::MarkdownTable => "markdown-table",
            Self::Search => "search",
            Self::Numbered => "numbered",
            Self::Code => "code",
            Self::Listing => "listing",
            Self::Prose => "prose",
            Self::LongLine => "long-line",
        }
    }

    /// Makes an input of at least `min_bytes` bytes: the last record is finished and every anomaly is planted, which
    /// takes a few kilobytes more at most.
    pub fn generate(self, seed: u64, min_bytes: usize) -> Generated {
        let mut prng = Prng::new(seed);
        match self {
            Self::JsonFlat => json::flat_records(&mut prng, min_bytes),
            Self::JsonNested => json::nested_records(&mut prng, min_bytes, json::Layout::Compact),
            Self::JsonPretty => json::nested_records(&mut prng, min_bytes, json::Layout::Indented),
            Self::JsonLines => json::lines(&mut prng, min_bytes),
            Self::JsonZeros => Generated::without_plants(zeros(min_bytes)),
            Self::JsonDeepArrays => Generated::without_plants(nested_arrays(min_bytes.div_ceil(2))),
            Self::JsonDeepObjects => Generated::without_plants(nested_objects((min_bytes + 4).div_ceil(6))),
            Self::Csv => csv(seed, min_bytes, &Dialect::default()),
            Self::CsvCrlf => csv(seed, min_bytes, &Dialect { line_end: LineEnd::CrLf, ..Dialect::default() }),
            Self::Tsv => csv(seed, min_bytes, &Dialect::tab_separated()),
            Self::Log => log::log(&mut prng, min_bytes),
            Self::Diff => Generated::without_plants(diff::diff(&mut prng, min_bytes)),
            Self::Markdown => Generated::without_plants(markdown::document(&mut prng, min_bytes)),
            Self::MarkdownTable => markdown::table(&mut prng, min_bytes),
            Self::Search => search::search(&mut prng, min_bytes),
            Self::Numbered => Generated::without_plants(source::numbered(&mut prng, min_bytes)),
            Self::Code => Generated::without_plants(source::code(&mut prng, min_bytes)),
            Self::Listing => listing::listing(&mut prng, min_bytes),
            Self::Prose => prose::prose(&mut prng, min_bytes),
            Self::LongLine => Generated::without_plants(prose::long_line(&mut prng, min_bytes)),
        }
    }
}

impl Generated {
    /// The bytes of a planted anomaly that tell.
    pub fn telling(&self, planted: &Planted) -> &[u8] {
        &self.bytes[planted.telling.clone()]
    }

    /// The bytes of the record a planted anomaly lies in.
    pub fn record(&self, planted: &Planted) -> &[u8] {
        &self.bytes[planted.record.clone()]
    }

    fn without_plants(bytes: Vec<u8>) -> Self {
        Self { bytes, planted: Vec::new() }
    }
}
