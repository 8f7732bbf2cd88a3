use std::{collections::BTreeMap, iter::Peekable, process::ExitCode, slice};

use clap::Args;
use recto::{
    session::{
        Atom, Atoms,
        history::{History, Item, ItemKind, Line, Node, Observer, Place, Said, Speaker},
    },
    transcript::{Reading, Transcript},
    wire::{Span, unquote},
};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::{Counting, Written},
    output::{self, table},
    session::{
        open,
        previews::{Mark, Previews},
        problems, words,
    },
    settings::Settings,
    usage::text,
};

/// Columns of a text where stdout is no terminal.
const TEXT_COLUMNS: usize = 80;
/// Columns that a text has at least.
const FEWEST_TEXT_COLUMNS: usize = 20;
/// What is said of a result that the pruner cut.
const PRUNED: &str = "pruned";

/// Show a session's conversation, a line for each message, call and result
///
/// Each line has its number, who says it, its tokens, its beginning and what is to be known of it: `error`, the ref that it names, an image's size, `protected`
/// (its message is not to be replaced as a whole), `not read` (the client compacted it away). What is wrong with the session is listed at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session show                          the newest session of any client
  recto session show 3fa2c1d0 --from 120 -n 20
  recto session show run.jsonl --full --from 7 -n 1
  recto session show run.jsonl --json | jq '.atoms[] | select(.protected)'")]
pub(crate) struct Arguments {
    /// The session: a file, or an id; the newest one if absent
    session: Option<String>,

    /// The way to this record of the session's tree, not to its newest
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,

    /// Print texts whole
    #[arg(long)]
    full: bool,

    /// Begin at this line
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: usize,

    /// Print at most so many lines
    #[arg(short = 'n', value_name = "N")]
    most: Option<usize>,

    #[command(flatten)]
    counting: Counting,

    #[command(flatten)]
    written: Written,

    /// Print as JSON: the atoms (what may be replaced as a whole), the lines, the problems
    #[arg(long, conflicts_with = "full")]
    json: bool,
}

/// A line.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    number: usize,
    /// The record's line or item in its file.
    line: u32,
    step: u32,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    atom: Option<String>,
    chars: u64,
    tokens: u64,
    marks: Vec<String>,
    /// Its beginning.
    text: String,
    /// Whether there is more of it: `chars` says how much there is.
    cut: bool,
    /// The call's id, of calls and results.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<String>,
    /// Where that stands.
    #[serde(skip)]
    id_at: Option<(Place, Span)>,
    /// The items whose texts it has.
    #[serde(skip)]
    items: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'r> {
    session: String,
    format: &'static str,
    session_id: &'r Option<String>,
    folder: &'r Option<String>,
    tokenizer: &'static str,
    atoms: Vec<AtomRow>,
    lines: &'r [Row],
    problems: Vec<problems::Row>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AtomRow {
    #[serde(rename = "ref")]
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    protected: Option<String>,
    content_chars: u64,
    tokens: u64,
    image_count: usize,
    images: Vec<ImageRow>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImageRow {
    index: usize,
    mime_type: String,
    payload_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let transcript = open::session(arguments.session.as_deref(), arguments.written.format)?;
    let tokenizer = arguments.counting.tokenizer(settings);
    let mut previews = Previews::new(tokenizer);
    let bar = output::progress(transcript.length(), "reading");
    let reading =
        transcript.read(arguments.leaf.as_deref(), &mut previews, &mut |at| bar.set_position(at))?;
    bar.finish_and_clear();
    open::check_leaf(&reading, arguments.leaf.as_deref())?;
    let atoms = Atoms::of_history(&reading.history);
    let rows = rows(&reading.history, &atoms, &previews);
    let first = arguments.from.max(1) - 1;
    let mut shown: Vec<Row> =
        rows.iter().skip(first).take(arguments.most.unwrap_or(usize::MAX)).cloned().collect();
    name_calls(&transcript, &mut shown)?;
    if arguments.json {
        let report = Report {
            session: transcript.path().display().to_string(),
            format: transcript.format().name(),
            session_id: &reading.about.id,
            folder: &reading.about.folder,
            tokenizer: tokenizer.name(),
            atoms: atoms.all().iter().map(|atom| atom_row(&reading.history, atom)).collect(),
            lines: &shown,
            problems: problems::of(&reading.history).collect(),
        };
        output::json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        output::complain(&format!("{}: nothing was said in it", transcript.path().display()));
    } else if shown.is_empty() {
        let lines = output::count(rows.len() as u64, "line");
        return Err(Failure::usage(format!("--from {}: the session has {lines}", arguments.from)));
    } else if arguments.full {
        let mut whole = Whole { rows: shown.iter().peekable(), failed: None };
        transcript.read(arguments.leaf.as_deref(), &mut whole, &mut |_| {})?;
        whole.finish()?;
    } else {
        print(&shown)?;
    }
    say(&reading, rows.len(), shown.len())?;
    problems::say(&transcript, &reading.history)?;
    Ok(ExitCode::SUCCESS)
}

/// Gives calls and results the ids by which they can be recalled.
fn name_calls(transcript: &Transcript, rows: &mut [Row]) -> Outcome<()> {
    let mut places = transcript.places();
    for row in rows {
        let Some((place, span)) = row.id_at else { continue };
        let id = unquote(span.of(places.bytes(place)?)).map(|id| id.into_owned());
        row.call_id = id.filter(|id| !id.is_empty());
        if let Some(id) = &row.call_id
            && let Some(mark) = row.marks.iter_mut().find(|mark| *mark == PRUNED)
        {
            // Nothing that stands names a way to the original.
            *mark = format!("{PRUNED}: recall {id}");
        }
    }
    Ok(())
}

/// The lines of the path.
fn rows(history: &History, atoms: &Atoms, previews: &Previews) -> Vec<Row> {
    let mut atom_of: BTreeMap<u64, &Atom> = BTreeMap::new();
    for atom in atoms.all() {
        atom_of.extend(atom.seqs.iter().map(|node| (*node, atom)));
    }
    let line = |(line, number): (&Line, usize)| {
        let node = history.nodes.get(line.node as usize)?;
        let row = match line.item {
            Some(item) => row(history, item, history.items.get(item as usize)?, previews)?,
            None => {
                let marks = vec!["the client compacted what came before".to_owned()];
                Row { role: "boundary", marks, ..Row::default() }
            }
        };
        let atom = atom_of.get(&u64::from(line.node)).copied();
        Some(Row { number, ..of_node(row, node, atom) })
    };
    history.lines().iter().zip(1..).filter_map(line).collect()
}

/// What all lines of a record have.
fn of_node(mut row: Row, node: &Node, atom: Option<&Atom>) -> Row {
    (row.line, row.step) = (node.place.line, node.step);
    row.id_at = row.id_at.map(|(_, span)| (node.place, span));
    row.atom = atom.map(|atom| atom.name.to_string());
    if atom.is_some_and(|atom| atom.protection.is_some()) {
        row.marks.push("protected".to_owned());
    }
    if !node.is_read {
        row.marks.push("not read".to_owned());
    }
    row
}

fn row(history: &History, number: u32, item: &Item, previews: &Previews) -> Option<Row> {
    let mut row = Row {
        chars: u64::from(item.chars),
        tokens: u64::from(item.tokens),
        text: previews.beginning(number).to_owned(),
        cut: previews.is_cut(number),
        items: vec![number],
        ..Row::default()
    };
    row.marks.extend(previews.mark(number).map(said));
    match item.kind {
        ItemKind::Text => {
            row.role = match history.speaker_of(number) {
                Some(Speaker::Agent) => "agent",
                Some(Speaker::System) => "system",
                Some(Speaker::Summary) => "summary",
                Some(Speaker::Client) => "client",
                _ => "person",
            };
        }
        ItemKind::Thinking => row.role = "thinking",
        ItemKind::Definition => row.role = "definition",
        ItemKind::Opaque => row.role = "other",
        ItemKind::Call(call) => {
            let call = history.calls.get(call as usize)?;
            row.role = "call";
            row.tool = Some(history.name_of(call).to_owned());
            row.id_at = Some((Place::default(), call.id_span));
            if call.result.is_none() {
                row.marks.push("no result".to_owned());
            }
        }
        ItemKind::Image(image) => {
            row.role = "image";
            row.marks.push(image_mark(history, image));
        }
        ItemKind::Result(result) => {
            let entry = history.results.get(result as usize)?;
            row.role = "result";
            row.tool = Some(history.tool_of(result).to_owned());
            row.id_at = Some((Place::default(), entry.call_span));
            (row.chars, row.tokens) = (u64::from(entry.chars), u64::from(entry.tokens));
            if entry.is_error {
                row.marks.push("error".to_owned());
            }
            if entry.call.is_none() {
                row.marks.push("no call".to_owned());
            }
            for (part, own) in history.parts_of(result) {
                if let ItemKind::Image(image) = own.kind {
                    row.marks.push(image_mark(history, image));
                }
                row.marks.extend(previews.mark(part).map(said));
                // Of several texts the first that says something.
                row.cut |= previews.is_cut(part)
                    || !row.text.is_empty() && own.kind == ItemKind::Text && own.chars > 0;
                if row.text.is_empty() {
                    row.text = previews.beginning(part).to_owned();
                }
                row.items.push(part);
            }
        }
    }
    Some(row)
}

fn said(mark: &Mark) -> String {
    match mark {
        Mark::View(reference) => format!("note {reference}"),
        Mark::Pruned => PRUNED.to_owned(),
    }
}

fn image_mark(history: &History, image: u32) -> String {
    match history.images.get(image as usize).and_then(|image| image.size) {
        Some((width, height)) => format!("image {width}x{height}"),
        None => "image".to_owned(),
    }
}

/// The name in the table.
fn name(row: &Row) -> String {
    let indent = if matches!(row.role, "call" | "result") { "  " } else { "" };
    let most = if output::columns().is_some_and(|columns| columns < 100) { 16 } else { 24 };
    let tool = row.tool.as_deref().map(|tool| table::cut(&text::plain(tool), most));
    tool.map_or_else(|| row.role.to_owned(), |tool| format!("{indent}{} {tool}", row.role))
}

fn print(rows: &[Row]) -> Outcome<()> {
    let cells =
        |row: &Row| vec![row.number.to_string(), name(row), output::thousands(row.tokens), String::new()];
    let mut cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let taken: usize = (0..3)
        .map(|column| {
            let widths = cells.iter().filter_map(|row| Some(row.get(column)?.chars().count()));
            widths.chain([6]).max().unwrap_or_default() + 2
        })
        .sum();
    let is_terminal = output::columns().is_some();
    let room = output::columns().map_or(TEXT_COLUMNS, |columns| columns.saturating_sub(taken));
    for (cells, row) in cells.iter_mut().zip(rows) {
        let marks: String = row.marks.iter().map(|mark| format!("[{mark}] ")).collect();
        let room = room.max(FEWEST_TEXT_COLUMNS);
        let left = room.saturating_sub(marks.chars().count());
        let left = if is_terminal { left } else { left.max(FEWEST_TEXT_COLUMNS) };
        if let Some(last) = cells.last_mut() {
            *last = format!("{marks}{}", words::beginning(&row.text, left)).trim_end().to_owned();
            if is_terminal {
                *last = table::cut(last, room);
            }
        }
    }
    output::data(output::table(&["#", "who", "tokens", ""], &cells, &[0, 2]).as_bytes())
}

/// Prints the texts of some lines whole, as they come by.
struct Whole<'r> {
    rows: Peekable<slice::Iter<'r, Row>>,
    failed: Option<Failure>,
}

impl Whole<'_> {
    /// Prints the heads of lines that have none of their texts before this item.
    fn heads(&mut self, until: u32) {
        while let Some(row) = self.rows.next_if(|row| row.items.first().is_none_or(|first| *first <= until)) {
            let marks: String = row.marks.iter().map(|mark| format!(" [{mark}]")).collect();
            let head = format!(
                "--- {} {}, {} tokens{marks}",
                row.number,
                name(row).trim(),
                output::thousands(row.tokens)
            );
            self.put(&head);
        }
    }

    fn put(&mut self, line: &str) {
        if self.failed.is_none() {
            self.failed = output::line(line).err();
        }
    }

    fn finish(mut self) -> Outcome<()> {
        self.heads(u32::MAX);
        self.failed.map_or(Ok(()), Err)
    }
}

impl Observer for Whole<'_> {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        // A line's own texts follow its head at once.
        let before = self.rows.clone();
        self.heads(said.item);
        let last = before.take_while(|row| row.items.first().is_none_or(|first| *first <= said.item)).last();
        let is_shown = last.is_some_and(|row| row.items.contains(&said.item));
        if is_shown {
            let lines: Vec<_> = said.text.split('\n').map(text::plain).collect();
            self.put(&lines.join("\n"));
        }
        0
    }
}

fn say(reading: &Reading, rows: usize, shown: usize) -> Outcome<()> {
    let history = &reading.history;
    let atoms = Atoms::of_history(history);
    let mut reasons: BTreeMap<_, u64> = BTreeMap::new();
    for reason in atoms.all().iter().filter_map(|atom| atom.protection) {
        *reasons.entry(reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        output::complain(&format!("protected: {count}, as {reason}"));
    }
    if shown < rows {
        output::complain(&format!("{shown} of {rows} lines; `--from N` and `-n N` say which"));
    }
    Ok(())
}

fn atom_row(history: &History, atom: &Atom) -> AtomRow {
    let nodes = atom.seqs.iter().filter_map(|at| history.nodes.get(usize::try_from(*at).ok()?));
    let tokens = nodes.flat_map(|node| history.items_of(node)).map(|(_, item)| u64::from(item.tokens)).sum();
    AtomRow {
        name: atom.name.to_string(),
        kind: atom.kind.as_str(),
        protected: atom.protection.map(|reason| reason.to_string()),
        content_chars: atom.metrics.content_chars,
        tokens,
        image_count: atom.metrics.images.len(),
        images: atom
            .metrics
            .images
            .iter()
            .map(|image| ImageRow {
                index: image.index,
                mime_type: image.mime_type.to_string(),
                payload_bytes: image.payload_bytes,
                width: image.size.map(|size| size.0),
                height: image.size.map(|size| size.1),
            })
            .collect(),
    }
}
