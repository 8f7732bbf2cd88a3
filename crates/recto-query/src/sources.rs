//! Where the records of a text are, and which of them are asked.

mod embedded;
mod survey;

use recto_outline::{
    ContentType, Encoding, Fuel, Kind, Layout, Outline, Role, Span, Table, detect, header_names, outline_as,
};
use survey::{Class, Surveyed, survey};

use crate::{
    Path, QueryError, Segment,
    answer::OtherRecords,
    header::Header,
    records::{Records, Rows, Wanted},
    suggest::did_you_mean,
};

/// Other places of records that an answer lists.
const MOST_OTHERS: usize = 6;

/// Those of them that stand in a record.
const MOST_INSIDE: usize = 2;

/// The records that are asked.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) records: Records,
    /// Where they are; empty where there is no other place.
    pub(crate) path: String,
    pub(crate) others: Vec<OtherRecords>,
    /// What is to be said of the source.
    pub(crate) notes: Vec<String>,
}

/// What was found in a text.
#[derive(Debug)]
pub(crate) enum Place {
    /// The records.
    Here(Box<Chosen>),
    /// They are inside a string: its span with quotes, its path, and what is left of the path that was asked for.
    Inside { string: Span, path: Path, rest: Path },
}

/// Finds the records of `text` at `path`, or the likeliest if there is none.
pub(crate) fn find(
    text: &[u8],
    content_type: Option<ContentType>,
    path: Option<&Path>,
    may_unwrap: bool,
) -> Result<Place, QueryError> {
    let content_type = content_type.unwrap_or_else(|| detect(text));
    let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let whole = Span::new(start, text.len());
    match content_type {
        ContentType::Json => json(text, whole, path, may_unwrap),
        ContentType::Jsonl => Ok(here(Records::JsonLines { span: whole }, path)?),
        ContentType::Csv => {
            let records = delimited(text, start)?;
            here(records, path)
        }
        _ if embedded::is_lines(text) => here(Records::JsonLines { span: whole }, path),
        other => match embedded::find(text) {
            Some(span) => {
                let mut place = json(text, span, path, may_unwrap)?;
                let around = text.len() - span.len() - start;
                if let Place::Here(chosen) = &mut place
                    && around > 0
                {
                    chosen
                        .notes
                        .push(format!("the records are in JSON; {around} bytes of text around it are none"));
                }
                Ok(place)
            }
            None => grids(text, other, whole, path),
        },
    }
}

/// Records that have the source to themselves.
fn here(records: Records, path: Option<&Path>) -> Result<Place, QueryError> {
    if let Some(path) = path.filter(|path| !path.segments.is_empty()) {
        return Err(unknown_path(path, &["$".to_owned()]));
    }
    Ok(Place::Here(Box::new(Chosen { records, path: String::new(), others: Vec::new(), notes: Vec::new() })))
}

fn unknown_path(path: &Path, known: &[String]) -> QueryError {
    let shown = path.to_string();
    let nearest = did_you_mean(&shown, known.iter().filter_map(|known| known.split(' ').next()));
    QueryError::UnknownPath { path: shown, nearest, known: known.join(", ") }
}

fn json(text: &[u8], span: Span, path: Option<&Path>, may_unwrap: bool) -> Result<Place, QueryError> {
    let mut surveyed = survey(text, span);
    let mut notes = Vec::new();
    let is_cut = surveyed.outcome.depth > 0;
    if is_cut {
        notes.push(format!(
            "the source ends in the middle, at byte {}: what was cut off is no record",
            span.e
        ));
    } else if surveyed.outcome.faults > 0 {
        let faults = surveyed.outcome.faults;
        notes.push(format!("the source is no valid JSON in {faults} places: read as far as it goes"));
    }
    // Several values one after another are the items of a list without brackets.
    let is_list = surveyed.outcome.values + usize::from(is_cut) > 1;
    if is_list {
        surveyed.found.clear();
    }
    let top = Records::Json { span, depth: 0, is_cut };
    let Some(path) = path.filter(|path| !path.segments.is_empty()) else {
        if may_unwrap
            && !is_list
            && let Some((string, path)) = wrapped(text, span, &surveyed)
        {
            return Ok(Place::Inside { string, path, rest: Path::root() });
        }
        return Ok(choose(text, &surveyed, (top, is_cut), &[], notes));
    };
    let Some((end, steps)) = reach(text, span, path, is_list) else {
        return Err(unknown_path(path, &listed(&surveyed)));
    };
    let (taken, rest) = path.segments.split_at(steps);
    match end.of(text).first() {
        Some(b'"') if may_unwrap => {
            let taken = Path { segments: taken.to_vec(), name: String::new() };
            let rest = Path { segments: rest.to_vec(), name: String::new() };
            Ok(Place::Inside { string: end, path: taken, rest })
        }
        Some(b'[' | b'{') if rest.is_empty() => {
            let inner = survey(text, end);
            // The container that is asked for comes before all in it.
            let itself = inner.found.iter().position(|found| found.segments.is_empty());
            let mut inner = Surveyed { found: inner.found, ..inner };
            if let Some(itself) = itself {
                let first = inner.found.remove(itself);
                inner.found.insert(0, first);
            }
            let top = Records::Json { span: end, depth: 0, is_cut: false };
            let is_cut = inner.outcome.depth > 0;
            Ok(choose(text, &inner, (top, is_cut), taken, notes))
        }
        _ => Err(unknown_path(path, &listed(&surveyed))),
    }
}

/// Where the records are, for an error.
fn listed(surveyed: &Surveyed) -> Vec<String> {
    let known: Vec<String> = surveyed
        .found
        .iter()
        .take(MOST_OTHERS + 1)
        .map(|found| format!("{} ({})", found.path(), found.records))
        .collect();
    if known.is_empty() { vec!["$ (1)".to_owned()] } else { known }
}

/// The value that a path leads to, or the string that stands in its way, and how many steps lead there.
fn reach(text: &[u8], span: Span, path: &Path, is_list: bool) -> Option<(Span, usize)> {
    let prefixes: Vec<Path> = (1..=path.segments.len())
        .map(|steps| Path {
            segments: path.segments.get(..steps).unwrap_or_default().to_vec(),
            name: String::new(),
        })
        .collect();
    let wanted = Wanted::new(&prefixes);
    let mut reached = None;
    let mut number = 0;
    let (first, inner) = match (is_list, path.segments.first()) {
        (true, Some(Segment::Index(index))) => (Some(*index), path.segments.get(1..)?.to_vec()),
        _ => (None, Vec::new()),
    };
    if let Some(first) = first {
        let mut found = None;
        Records::Json { span, depth: 0, is_cut: false }.visit(text, &Wanted::new(&[]), |record| {
            if number == first {
                found = Some(record.span);
                return std::ops::ControlFlow::Break(());
            }
            number += 1;
            std::ops::ControlFlow::Continue(())
        });
        let found = found?;
        if inner.is_empty() {
            return Some((found, 1));
        }
        let (end, steps) = reach(text, found, &Path { segments: inner, name: String::new() }, false)?;
        return Some((end, steps + 1));
    }
    let mut take = |record: &crate::records::Record<'_>| {
        let last = (0..prefixes.len()).rev().find_map(|index| Some((record.cell(index)?, index + 1)));
        let is_string = |span: Span| span.of(text).first() == Some(&b'"');
        reached = last.filter(|(end, steps)| *steps == prefixes.len() || is_string(*end));
        std::ops::ControlFlow::Break(())
    };
    Records::Json { span, depth: 0, is_cut: false }.visit(text, &wanted, &mut take);
    if reached.is_none() {
        // The document may be cut: then its first value never ends.
        reached = survey(text, span)
            .found
            .iter()
            .find(|found| found.segments == path.segments)
            .map(|found| (found.span, path.segments.len()));
    }
    reached
}

/// The string that holds the records, if one does: most of the document, or what wrappers of results have.
fn wrapped(text: &[u8], span: Span, surveyed: &Surveyed) -> Option<(Span, Path)> {
    /// Strings shorter than this hold no records worth the name.
    const LEAST_BYTES: usize = 16;
    let best = surveyed.found.first();
    let candidate = match (&surveyed.wrapped, &surveyed.longest) {
        (Some(wrapped), _) => wrapped,
        (None, Some(longest)) if best.is_none_or(|best| best.class > Class::Objects) => longest,
        _ => return None,
    };
    let (segments, string) = candidate;
    let is_most = string.len() * 2 >= span.len();
    let is_only = surveyed.wrapped.is_some() && best.is_none_or(|best| best.class > Class::Objects);
    if string.len() < LEAST_BYTES || !(is_most || is_only) {
        return None;
    }
    let inside = crate::cell::inside(string.of(text));
    let head = recto_outline::decode_json_string(inside.get(..32_768).unwrap_or(inside));
    let is_told = (surveyed.wrapped.is_some() && is_most) || best.is_none_or(|best| best.class > Class::One);
    let holds_records = matches!(
        detect(&head),
        ContentType::Json
            | ContentType::Jsonl
            | ContentType::Csv
            | ContentType::MarkdownTable
            | ContentType::Listing
    );
    (holds_records || is_told).then(|| (*string, Path { segments: segments.clone(), name: String::new() }))
}

/// Takes the best of what was found; where nothing was, the values at the top are the records.
fn choose(
    text: &[u8],
    surveyed: &Surveyed,
    (top, is_cut): (Records, bool),
    prefix: &[Segment],
    notes: Vec<String>,
) -> Place {
    let path_of = |segments: &[Segment]| {
        let segments: Vec<Segment> = prefix.iter().chain(segments).cloned().collect();
        Path { segments, name: String::new() }.to_string()
    };
    let mut found = surveyed.found.iter();
    let Some(best) = found.next() else {
        let path = path_of(&[]);
        return Place::Here(Box::new(Chosen { records: top, path, others: Vec::new(), notes }));
    };
    // Of those inside records there may be as many as records: a few show that there are some.
    let mut inside = 0;
    let others = found
        .filter(|other| other.class < Class::Others || best.class >= Class::Others)
        .filter(|other| {
            inside += usize::from(other.is_inside);
            !other.is_inside || inside <= MOST_INSIDE
        })
        .take(MOST_OTHERS)
        .map(|other| OtherRecords { path: path_of(&other.segments), records: other.records })
        .collect();
    let is_cut = is_cut && best.span.e as usize >= text.trim_ascii_end().len();
    let records = Records::Json { span: best.span, depth: 1, is_cut };
    Place::Here(Box::new(Chosen { records, path: path_of(&best.segments), others, notes }))
}

/// The rows of delimited text. What the head shows of its dialect holds for the whole.
fn delimited(text: &[u8], start: usize) -> Result<Records, QueryError> {
    /// More than a header row may be long, and than the outline looks at to know the dialect.
    const HEAD_BYTES: usize = 262_144;
    let head = text.get(..HEAD_BYTES).unwrap_or(text);
    let outline = outline_as(head, Some(ContentType::Csv), Encoding::Utf8, &mut Fuel::unlimited())?;
    let table = outline.tables.first().cloned();
    let table = table.unwrap_or(Table {
        container: recto_outline::UnitId::ROOT,
        header: None,
        layout: Layout::Delimited { delimiter: b',' },
    });
    let delimiter = match table.layout {
        Layout::Delimited { delimiter } => delimiter,
        _ => b',',
    };
    let first_row =
        outline.each().find(|(_, unit)| unit.kind == Kind::Row).map(|(_, unit)| unit.body.s as usize);
    let start = match table.header {
        Some(header) => header.e as usize,
        None => first_row.unwrap_or(start),
    };
    let header = Header::new(header_names(&outline, &table).into_iter().map(|name| name.into_owned()));
    Ok(Records::Grid { table, header, rows: Rows::Delimited { start, delimiter } })
}

/// The tables of a text, or its lines.
fn grids(
    text: &[u8],
    content_type: ContentType,
    whole: Span,
    path: Option<&Path>,
) -> Result<Place, QueryError> {
    let outline = outline_as(text, Some(content_type), Encoding::Utf8, &mut Fuel::unlimited())?;
    let mut tables: Vec<(usize, Records, u64)> = outline
        .tables
        .iter()
        .filter(|table| table.layout != Layout::Json)
        .enumerate()
        .filter_map(|(number, table)| {
            let (records, count) = grid(&outline, table);
            (count > 0).then_some((number, records, count))
        })
        .collect();
    let name = |number: usize| format!("table[{number}]");
    let asked = path.filter(|path| !path.segments.is_empty()).map(Path::to_string);
    tables.sort_by_key(|(number, _, count)| (asked != Some(name(*number)), u64::MAX - count, *number));
    let is_known =
        tables.first().is_some_and(|(number, ..)| asked.as_ref().is_none_or(|asked| *asked == name(*number)));
    if let (Some(path), false) = (path.filter(|path| !path.segments.is_empty()), is_known) {
        let known: Vec<String> = tables
            .iter()
            .take(MOST_OTHERS + 1)
            .map(|(number, _, count)| format!("{} ({count})", name(*number)))
            .collect();
        let known = if known.is_empty() { vec!["$".to_owned()] } else { known };
        return Err(unknown_path(path, &known));
    }
    let mut tables = tables.into_iter();
    let Some((number, records, _)) = tables.next() else {
        let notes = vec!["no table was found: the records are lines, with one column, text".to_owned()];
        let records = Records::Lines { span: whole };
        return Ok(Place::Here(Box::new(Chosen { records, path: String::new(), others: Vec::new(), notes })));
    };
    let others: Vec<OtherRecords> = tables
        .take(MOST_OTHERS)
        .map(|(number, _, count)| OtherRecords { path: name(number), records: count })
        .collect();
    let path = if others.is_empty() { String::new() } else { name(number) };
    Ok(Place::Here(Box::new(Chosen { records, path, others, notes: Vec::new() })))
}

/// One table of an outline, with the number of its rows.
fn grid(outline: &Outline<'_>, table: &Table) -> (Records, u64) {
    let mut rows = Vec::new();
    let mut count = 0;
    for child in outline.children(table.container) {
        let unit = outline.unit(child);
        if unit.role == Role::Record && matches!(unit.kind, Kind::Row | Kind::Joined) {
            let lines = memchr::memchr_iter(b'\n', unit.body.of(outline.source)).count() as u64 + 1;
            count += lines;
            rows.push(unit.body);
        }
    }
    let header = Header::new(header_names(outline, table).into_iter().map(|name| name.into_owned()));
    (Records::Grid { table: table.clone(), header, rows: Rows::Lines(rows) }, count)
}
