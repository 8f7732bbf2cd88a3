use std::{collections::BTreeSet, process::ExitCode};

use clap::Args;
use recto::{
    archive::{Archive, Digest, MemoryArchive, Ref},
    session::{
        Atoms, Key,
        history::{History, ItemKind, Node},
    },
    transcript::Reading,
    wire::{quote, unquote},
};
use recto_recall::{Asked, Elisions, Found, Part, base64};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::Written,
    output,
    recall::{
        self,
        give::{self, Taking},
    },
    session::{
        contents::{Content, Contents},
        ids,
        log::{self, SessionLog},
        open,
        originals::{Origin, Originals, View},
        watch,
    },
    settings::Settings,
    store,
};

/// Ids that are named where none fits.
const MOST_NAMED: usize = 3;

/// Give back what stood in a session before it was made smaller, byte for byte
///
/// WHAT is the ref that a note states (with #N for what note N left out), the id of a call, the id of a message, the number of a line of
/// `recto session show`, or an atom as its `--json` names it (`a0007`). What comes out is the
/// original: of a result that `recto session prune` rewrote, also where what stands names no ref; of a view that a hook gave; of anything else
/// what the file has, also before the client's own compaction. Every original is checked by its SHA-256, and a ref that stands in a text is only
/// followed if that text is that view. Texts of several blocks are printed one after another, each on a line of its own; `--json` has them apart.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session recall toolu_01AbC                   the result of that call, in the newest session
  recto session recall --session 3fa2c1 call_7 --grep 'error' -C 2
  recto session recall --session run.jsonl toolu_01AbC --lines 40:80
  recto session recall r:123456789012345#3
  recto session recall --session run.jsonl 12        what line 12 of `show` is about
  recto session recall --session run.jsonl msg_01 --json")]
pub(crate) struct Arguments {
    /// A ref, the id of a call or message, or the number of a line as `recto session show` gives it
    #[arg(value_name = "WHAT")]
    what: String,

    /// The session: a file, or an id; the newest one if absent. A ref needs none
    #[arg(long, short, value_name = "SESSION")]
    session: Option<String>,

    /// Only what note #N of the view that stands there left out
    #[arg(long, value_name = "N")]
    elision: Option<Elisions>,

    #[command(flatten)]
    taking: Taking,

    #[command(flatten)]
    written: Written,

    /// Print as JSON: who said it, the tool, each block with its SHA-256
    #[arg(long)]
    json: bool,
}

/// Something that was found, in its blocks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Recalled {
    id: String,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    line: u32,
    /// `file`, `log` or `ref`: by what it was found.
    from: &'static str,
    blocks: Vec<Block>,
}

#[derive(Serialize)]
struct Block {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    sha256: String,
    bytes: u64,
}

impl Block {
    fn of(kind: &'static str, bytes: Vec<u8>) -> Self {
        let (sha256, length) = (Digest::of(&bytes).to_string(), bytes.len() as u64);
        let (text, base64) = match String::from_utf8(bytes) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(base64(error.as_bytes()))),
        };
        Self { kind, text, base64, sha256, bytes: length }
    }
}

#[derive(Serialize)]
struct Report<'r> {
    #[serde(flatten)]
    recalled: &'r Recalled,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<give::Report>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let part = arguments.taking.part()?;
    if arguments.what.starts_with("r:") {
        let mut asked: Asked = arguments.what.parse()?;
        asked.elision = asked.elision.or(arguments.elision);
        let (archive, scope) = (recall::archive(settings)?, store::scope());
        let found = recall::by_ref(&*archive, &scope, &asked, settings)?;
        let bytes = arguments.taking.give(part, &found, arguments.json)?;
        give::write_down("recto session recall", found.name(), bytes, settings);
        return Ok(ExitCode::SUCCESS);
    }
    let transcript = open::session(arguments.session.as_deref(), arguments.written.format)?;
    let reading = watch::silently(&transcript)?;
    let archive: Box<dyn Archive> = match store::is_there(settings) {
        true => recall::archive(settings)?,
        // Nothing was ever made smaller: all there is stands in the file.
        false => Box::new(MemoryArchive::new()),
    };
    let scope = store::scope();
    let log = SessionLog::read(&*archive, &scope, &log::name(&transcript, &reading.about)?)?;
    let originals = Originals { archive: &*archive, scope: &scope, log: &log };
    let mut contents = Contents::new(&transcript, &reading.history);
    if let Some(elision) = arguments.elision {
        let name = view_of(&arguments.what, &reading, &mut contents, &originals)?;
        let asked: Asked = format!("{name}#{elision}").parse()?;
        let found = Found::by_ref(&*archive, &scope, &asked)?;
        let bytes = arguments.taking.give(part, &found, arguments.json)?;
        give::write_down("recto session recall", Some(&name), bytes, settings);
        return Ok(ExitCode::SUCCESS);
    }
    let recalled = find(&arguments.what, &reading, &mut contents, &originals)?;
    let bytes = print(arguments, part, &recalled)?;
    give::write_down("recto session recall", None, bytes, settings);
    Ok(ExitCode::SUCCESS)
}

fn print(arguments: &Arguments, part: Part, recalled: &Recalled) -> Outcome<u64> {
    let mut joined = Vec::new();
    let is_alone = recalled.blocks.len() == 1;
    let is_said =
        |block: &&Block| block.kind == "text" || is_alone && matches!(block.kind, "call" | "thinking");
    for block in recalled.blocks.iter().filter(is_said) {
        if !joined.is_empty() && !joined.ends_with(b"\n") {
            joined.push(b'\n');
        }
        joined.extend_from_slice(block.text.as_deref().unwrap_or_default().as_bytes());
    }
    if !arguments.json {
        return arguments.taking.give(part, &Found::by_bytes(joined), false);
    }
    let mut bytes = joined.len() as u64;
    let part = match arguments.taking.is_some() {
        true => {
            let found = Found::by_bytes(joined);
            let (report, length) = arguments.taking.report(part, &found)?;
            bytes = length;
            Some(report)
        }
        false => None,
    };
    output::json(&Report { recalled, part })?;
    Ok(bytes)
}

/// The result of a call, or a message.
fn find(
    what: &str,
    reading: &Reading,
    contents: &mut Contents<'_>,
    originals: &Originals<'_>,
) -> Outcome<Recalled> {
    let history = &reading.history;
    if let Some(result) = result_of(history, what) {
        let content = contents.result(history, result, originals)?;
        let content = content.ok_or_else(|| Failure::job(format!("the result of {what} has no content")))?;
        return of_result(what, history, result, content);
    }
    let key = Key::of(&quote(what));
    let is_it = |node: &&Node| node.id == Some(key) || node.message == Some(key);
    let nodes: Vec<&Node> = history.nodes.iter().filter(is_it).collect();
    if !nodes.is_empty() {
        return of_message(what, history, &nodes, contents, originals);
    }
    if let Some(atom) = Atoms::of_history(history).get(what) {
        let nodes = atom.seqs.iter().filter_map(|at| history.nodes.get(usize::try_from(*at).ok()?));
        let nodes: Vec<&Node> = nodes.collect();
        return of_message(what, history, &nodes, contents, originals);
    }
    if let Ok(number) = what.parse::<usize>() {
        return of_line(number, history, contents, originals);
    }
    if history.calls.iter().any(|call| call.id == Some(key)) {
        return Err(Failure::job(format!("no result of {what} is recorded in this session")).hint(
            format!(
                "it may be running; `recto session repair {} --dry-run` tells what a call without a result is given",
                ids::of_path(contents.path())
            ),
        ));
    }
    Err(unknown(what, history, contents)?)
}

/// What a line of `recto session show` is about.
fn of_line(
    number: usize,
    history: &History,
    contents: &mut Contents<'_>,
    originals: &Originals<'_>,
) -> Outcome<Recalled> {
    let what = format!("line {number}");
    let lines = history.lines();
    let Some(line) = number.checked_sub(1).and_then(|at| lines.get(at)) else {
        let all = output::count(lines.len() as u64, "line");
        return Err(Failure::usage(format!("there is no {what}: the conversation has {all}"))
            .hint(format!("`recto session show {}` numbers them", ids::of_path(contents.path()))));
    };
    let item = line.item.and_then(|item| history.items.get(item as usize));
    if let Some(ItemKind::Result(result)) = item.map(|item| item.kind)
        && let Some(content) = contents.result(history, result, originals)?
    {
        return of_result(&what, history, result, content);
    }
    let Some(node) = history.nodes.get(line.node as usize) else {
        return Err(unknown(&what, history, contents)?);
    };
    let own = |item: u32| Some(item) == line.item;
    of_items(&what, history, &[node], &own, contents, originals)
}

/// The last result of a call of this id, on the way to the newest message if there is one.
fn result_of(history: &History, what: &str) -> Option<u32> {
    let key = Key::of(&quote(what));
    let is_it = |at: &u32| history.results.get(*at as usize).is_some_and(|entry| entry.call_id == Some(key));
    let all = || (0..u32::try_from(history.results.len()).unwrap_or(u32::MAX)).filter(is_it);
    let is_on_path = |at: &u32| history.node_of_result(*at).is_some_and(|node| node.is_on_path);
    all().rfind(is_on_path).or_else(|| all().next_back())
}

fn of_result(what: &str, history: &History, result: u32, content: Content) -> Outcome<Recalled> {
    if let (Some(why), Origin::File) = (&content.before.gone, content.before.origin) {
        return Err(Failure::job(format!("the original of {what} is no longer kept: {why}"))
            .hint("what stands in the session is all that is left of it"));
    }
    if let (Some(name), Origin::File) = (&content.before.foreign, content.before.origin) {
        output::warn(&format!(
            "{what} names {name}, but is not the view of that ref: this is what stands in the session"
        ));
    }
    let line = content.place.line;
    let tool = Some(history.tool_of(result).to_owned()).filter(|tool| !tool.is_empty());
    let mut blocks: Vec<Block> =
        content.texts.into_iter().map(|text| Block::of("text", text.into_bytes())).collect();
    for (_, item) in history.parts_of(result) {
        match item.kind {
            ItemKind::Image(image) => blocks.extend(history.images.get(image as usize).map(|image| {
                let about = format!("{}, {} bytes", image.media_type, image.bytes);
                Block::of("image", about.into_bytes())
            })),
            ItemKind::Opaque => blocks.push(Block::of("other", Vec::new())),
            _ => {}
        }
    }
    if blocks.is_empty() {
        // Content of a form that holds no texts.
        blocks.push(Block::of("text", content.before.bytes));
    }
    Ok(Recalled { id: content.id, role: "tool", tool, line, from: content.before.origin.name(), blocks })
}

fn of_message(
    what: &str,
    history: &History,
    nodes: &[&Node],
    contents: &mut Contents<'_>,
    originals: &Originals<'_>,
) -> Outcome<Recalled> {
    of_items(what, history, nodes, &|_| true, contents, originals)
}

/// The items of some nodes that are asked for.
fn of_items(
    what: &str,
    history: &History,
    nodes: &[&Node],
    is_asked: &dyn Fn(u32) -> bool,
    contents: &mut Contents<'_>,
    originals: &Originals<'_>,
) -> Outcome<Recalled> {
    let mut recalled = Recalled {
        id: what.to_owned(),
        role: watch::role(nodes.first().map(|node| node.kind)),
        tool: None,
        line: nodes.first().map_or(0, |node| node.place.line),
        from: Origin::File.name(),
        blocks: Vec::new(),
    };
    for node in nodes {
        for (_, item) in history.items_of(node).filter(|(at, _)| is_asked(*at)) {
            let raw = |contents: &mut Contents<'_>| -> Outcome<Vec<u8>> {
                let raw = item.raw.of(contents.bytes(node.place)?);
                Ok(unquote(raw).map_or_else(|| raw.to_vec(), |text| text.into_owned().into_bytes()))
            };
            let block = match item.kind {
                _ if item.result.is_some() => continue,
                ItemKind::Text => Block::of("text", raw(contents)?),
                ItemKind::Thinking => Block::of("thinking", raw(contents)?),
                ItemKind::Call(call) => match contents.arguments(history, call, originals)? {
                    Some(content) => Block::of("call", content.before.bytes),
                    None => continue,
                },
                ItemKind::Result(result) => {
                    let Some(content) = contents.result(history, result, originals)? else { continue };
                    let own = of_result(what, history, result, content)?;
                    recalled.from = own.from;
                    recalled.tool = own.tool;
                    recalled.blocks.extend(own.blocks);
                    continue;
                }
                ItemKind::Image(_) => Block::of("image", raw(contents)?),
                _ => Block::of("other", raw(contents)?),
            };
            recalled.blocks.push(block);
        }
    }
    Ok(recalled)
}

/// The ref of the view that stands as the result of a call.
fn view_of(
    what: &str,
    reading: &Reading,
    contents: &mut Contents<'_>,
    originals: &Originals<'_>,
) -> Outcome<Ref> {
    let Some(result) = result_of(&reading.history, what) else {
        return Err(unknown(what, &reading.history, contents)?);
    };
    for (_, item) in reading.history.parts_of(result).filter(|(_, item)| item.kind == ItemKind::Text) {
        let Some(node) = reading.history.node_of_result(result) else { continue };
        let text = unquote(item.raw.of(contents.bytes(node.place)?)).unwrap_or_default().into_owned();
        match originals.view(&text)? {
            View::Of { name, .. } => return Ok(name),
            View::Gone { name, why } => {
                return Err(Failure::job(format!("what {name} named is no longer kept: {why}")));
            }
            _ => {}
        }
    }
    Err(Failure::usage(format!("the result of {what} is no view: nothing was left out of it by a note"))
        .hint("without --elision all of it comes out"))
}

/// Says that an id is in no record, and which are nearly it.
fn unknown(what: &str, history: &History, contents: &mut Contents<'_>) -> Outcome<Failure> {
    /// Calls whose ids are compared.
    const MOST_COMPARED: usize = 2_000;
    /// Longer ids are compared by their beginnings alone.
    const MOST_ID_BYTES: usize = 200;
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for call in history.calls.iter().rev().take(MOST_COMPARED) {
        let Some(node) = history.node_of(call.item) else { continue };
        let id = unquote(call.id_span.of(contents.bytes(node.place)?)).map(|id| id.into_owned());
        ids.extend(id.filter(|id| !id.is_empty()));
    }
    let mut ids: Vec<String> = ids.into_iter().collect();
    let distance = |id: &str| {
        let same = id.bytes().zip(what.bytes()).take_while(|(one, other)| one == other).count();
        let is_short = id.len().max(what.len()) <= MOST_ID_BYTES;
        let ratio = if is_short { similar::TextDiff::from_chars(id, what).ratio() } else { 0.0 };
        (std::cmp::Reverse((ratio * 1000.0) as u32), std::cmp::Reverse(same))
    };
    ids.sort_by_cached_key(|id| (distance(id), id.clone()));
    ids.truncate(MOST_NAMED);
    let failure = Failure::usage(format!("no call, message or ref {what:?} in this session"));
    Ok(match ids.is_empty() {
        true => failure.hint(format!(
            "it has no calls with ids; `recto session show {}` shows what it has",
            ids::of_path(contents.path())
        )),
        false => failure.hint(format!("nearest ids of calls: {}", ids.join(", "))),
    })
}
