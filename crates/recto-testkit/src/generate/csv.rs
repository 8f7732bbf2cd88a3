use super::{
    Generated, PlantedKind,
    clock::Clock,
    plant::Schedule,
    vocabulary::{REGIONS, REMARKS, SERVICES, STATUSES},
    write::{hex, hundredths, number},
};
use crate::Prng;

const HEADER: [&str; 7] = ["id", "service", "host", "status", "region", "amount", "remark"];

const PLANTS: &[PlantedKind] =
    &[PlantedKind::RareValue, PlantedKind::Outlier, PlantedKind::Gap, PlantedKind::Named];

/// What ends a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

/// How delimited values are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between the cells of a row.
    pub delimiter: u8,
    /// After every row, the last one included.
    pub line_end: LineEnd,
    /// Whether cells may be quoted; without quotes no cell holds a delimiter, a quote or a line end.
    pub quotes: bool,
    /// Whether some quoted cells hold line ends.
    pub line_ends_inside: bool,
}

impl Default for Dialect {
    /// Commas, `\n`, quotes, and line ends inside some of them.
    fn default() -> Self {
        Self { delimiter: b',', line_end: LineEnd::Lf, quotes: true, line_ends_inside: true }
    }
}

impl Dialect {
    /// Tabs and no quotes.
    pub fn tab_separated() -> Self {
        Self { delimiter: b'\t', quotes: false, line_ends_inside: false, ..Self::default() }
    }
}

/// Makes a table of delimited values with a header of seven columns, every row as wide.
pub fn csv(seed: u64, min_bytes: usize, dialect: &Dialect) -> Generated {
    let mut prng = Prng::new(seed);
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(&mut prng, min_bytes, PLANTS);
    let line_end: &[u8] = if dialect.line_end == LineEnd::CrLf { b"\r\n" } else { b"\n" };
    for (index, name) in HEADER.iter().enumerate() {
        if index > 0 {
            generated.bytes.push(dialect.delimiter);
        }
        generated.bytes.extend_from_slice(name.as_bytes());
    }
    generated.bytes.extend_from_slice(line_end);
    let mut clock = Clock::new();
    let mut id = 10_000;
    while !schedule.is_finished(generated.bytes.len()) {
        let planted = schedule.due(generated.bytes.len());
        id += if planted == Some(PlantedKind::Gap) { 25_000 } else { 1 };
        clock.advance_millis(1_000);
        write_row(&mut generated, &mut prng, dialect, id, planted, &clock);
        generated.bytes.extend_from_slice(line_end);
    }
    generated
}

fn write_row(
    generated: &mut Generated,
    prng: &mut Prng,
    dialect: &Dialect,
    id: u64,
    planted: Option<PlantedKind>,
    clock: &Clock,
) {
    let out = &mut generated.bytes;
    let from = out.len();
    let mut telling = from..from;
    number(out, id);
    if planted == Some(PlantedKind::Gap) {
        telling = from..out.len();
    }
    out.push(dialect.delimiter);
    out.extend_from_slice(prng.pick(SERVICES).as_bytes());
    out.push(dialect.delimiter);
    let cell = out.len();
    if planted == Some(PlantedKind::Named) {
        out.extend_from_slice(b"quartz-lantern-7");
        telling = cell..out.len();
    } else {
        out.extend_from_slice(b"node-");
        hex(out, prng.next_u64(), 5);
    }
    out.push(dialect.delimiter);
    let cell = out.len();
    if planted == Some(PlantedKind::RareValue) {
        out.extend_from_slice(b"evicted");
        telling = cell..out.len();
    } else {
        out.extend_from_slice(prng.pick(STATUSES).as_bytes());
    }
    out.push(dialect.delimiter);
    out.extend_from_slice(prng.pick(REGIONS).as_bytes());
    out.push(dialect.delimiter);
    let cell = out.len();
    hundredths(
        out,
        prng.within(1_000..9_000) + if planted == Some(PlantedKind::Outlier) { 99_000_000 } else { 0 },
    );
    if planted == Some(PlantedKind::Outlier) {
        telling = cell..out.len();
    }
    out.push(dialect.delimiter);
    write_remark(out, prng, dialect, clock);
    generated.note(planted, from, telling);
}

fn write_remark(out: &mut Vec<u8>, prng: &mut Prng, dialect: &Dialect, clock: &Clock) {
    if !dialect.quotes {
        out.extend_from_slice(b"seen ");
        clock.write_seconds(out);
        return;
    }
    match prng.below(8) {
        0 => write_quoted(out, prng.pick(REMARKS)),
        1 if dialect.line_ends_inside => {
            write_quoted(
                out,
                if dialect.line_end == LineEnd::CrLf { "first line\r\nsecond" } else { "first line\nsecond" },
            );
        }
        2 => {}
        _ => {
            out.extend_from_slice(b"seen ");
            clock.write_seconds(out);
        }
    }
}

fn write_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
