use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, UNIX_EPOCH},
};

use clap::Args;
use recto::{
    archive::clock::{Clock as _, SystemClock},
    transcript::{Glance, database},
    wire::Format,
};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named, output,
    session::{
        find::{self, Candidate},
        ids::Ids,
        open, words,
    },
    settings,
    usage::text,
};

/// Sessions that are listed unless more are asked for.
const FEW: usize = 20;
/// Columns of a prompt where stdout is no terminal.
const PROMPT_COLUMNS: usize = 60;
/// Columns that a prompt has at least.
const FEWEST_PROMPT_COLUMNS: usize = 16;
/// Which column names the folder.
const FOLDER: usize = 2;
/// Columns of a folder's name.
const FOLDER_COLUMNS: usize = 20;

/// List the sessions of this machine's agents, newest first
///
/// Looks into the clients' own folders, or into the folders and files that are named. Only the beginning of each file is read. The id is as much of
/// it as no other session has: use it as SESSION. Conversations of sub-agents are left out unless all are asked for; then they are marked `+`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto session ls
  recto session ls --client claude-code --since 7d
  recto session ls ~/transcripts --all --json | jq '.[].path'")]
pub(crate) struct Arguments {
    /// Folders or files to look at instead of the clients' own
    #[arg(value_name = "FOLDER|FILE")]
    paths: Vec<PathBuf>,

    /// Only this client's: claude-code, codex, pi, opencode, gemini-cli
    #[arg(long, value_name = "NAME", value_parser = named::client(), hide_possible_values = true)]
    client: Option<Format>,

    /// Only those that were written in this time: 12h, 7d
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    since: Option<Duration>,

    /// At most so many [default: 20]
    #[arg(short = 'n', value_name = "N")]
    most: Option<usize>,

    /// All of them, those of sub-agents too
    #[arg(long)]
    all: bool,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// A session in the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    client: &'static str,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    path: String,
    folder: Option<String>,
    changed_unix_ms: u64,
    bytes: u64,
    is_of_sub_agent: bool,
    prompt: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let is_own = arguments.paths.is_empty();
    let found = if is_own {
        find::all().into_iter().map(Candidate::from).collect()
    } else {
        named(&arguments.paths)?
    };
    let now = SystemClock.now_unix_ms();
    let since = arguments.since.map_or(0, |since| now.saturating_sub(unix_ms(since)));
    let most = arguments.most.unwrap_or(if arguments.all { usize::MAX } else { FEW });
    let ids = is_own.then(|| Ids::of(&found));
    let mut rows = Vec::new();
    let mut is_more = false;
    for candidate in &found {
        let is_asked = arguments.client.is_none_or(|client| candidate.format.is_none_or(|own| own == client));
        let is_new = changed(candidate) >= since;
        if !is_asked || !is_new || candidate.is_of_sub_agent() && !arguments.all {
            continue;
        }
        if rows.len() == most {
            is_more = true;
            break;
        }
        match find::look(&candidate.path, candidate.format) {
            Ok(Some(seen)) if arguments.client.is_none_or(|client| client == seen.format) => {
                rows.push(row(candidate, seen, ids.as_ref()));
            }
            Ok(_) => {}
            Err(error) => output::warn(&error.to_string()),
        }
    }
    if arguments.json {
        output::json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        say_where(arguments, is_own);
        return Ok(ExitCode::SUCCESS);
    }
    show(&rows, now)?;
    if is_more {
        output::complain(&format!("the newest {}; `-n N` or `--all` lists more", rows.len()));
    }
    Ok(ExitCode::SUCCESS)
}

/// What was named, newest first.
fn named(paths: &[PathBuf]) -> Outcome<Vec<Candidate>> {
    let mut found = Vec::new();
    for path in paths {
        let own = Candidate::of(path).map_err(|error| Failure::file(path, "read", &error))?;
        if path.is_dir() || database::is_database(path) {
            found.extend(find::candidates(path));
        } else if find::look(path, find::format_of(path))?.is_none() {
            // It says why.
            open::file(path, None)?;
        } else {
            found.push(Candidate { format: find::format_of(path), ..own });
        }
    }
    found.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.path.cmp(&other.path)));
    Ok(found)
}

fn row(candidate: &Candidate, seen: Glance, ids: Option<&Ids>) -> Row {
    let about = seen.about;
    Row {
        client: seen.format.name(),
        id: ids.map_or_else(|| candidate.path.display().to_string(), |ids| ids.short(&candidate.path)),
        session_id: about.id,
        path: candidate.path.display().to_string(),
        folder: about.folder,
        changed_unix_ms: changed(candidate),
        bytes: size(seen.format, candidate),
        is_of_sub_agent: candidate.is_of_sub_agent(),
        prompt: about.title,
    }
}

/// Bytes of a session: of one that is many files, all of them, as far as their names say so.
fn size(format: Format, candidate: &Candidate) -> u64 {
    let storage = candidate.path.parent().and_then(Path::parent).filter(|folder| folder.ends_with("session"));
    let (Format::OpenCode, Some(storage)) = (format, storage.and_then(Path::parent)) else {
        return candidate.bytes;
    };
    let files = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let length = |entry: &std::fs::DirEntry| entry.metadata().map_or(0, |about| about.len());
    let id = candidate.path.file_stem().unwrap_or_default();
    let mut bytes = candidate.bytes;
    for message in files(storage.join("message").join(id)) {
        bytes += length(&message);
        let parts = message.path().file_stem().map(|id| storage.join("part").join(id));
        bytes += parts.into_iter().flat_map(files).map(|part| length(&part)).sum::<u64>();
    }
    bytes
}

fn changed(candidate: &Candidate) -> u64 {
    unix_ms(candidate.changed.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn unix_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn show(rows: &[Row], now: u64) -> Outcome<()> {
    let has_sub_agents = rows.iter().any(|row| row.is_of_sub_agent);
    let cells = |row: &Row| {
        let folder =
            row.folder.as_deref().and_then(|folder| folder.rsplit(['/', '\\']).find(|name| !name.is_empty()));
        let client = if row.is_of_sub_agent { format!("+ {}", row.client) } else { row.client.to_owned() };
        vec![
            client,
            text::plain(&row.id).into_owned(),
            words::beginning(folder.unwrap_or("-"), FOLDER_COLUMNS),
            words::age(now.saturating_sub(row.changed_unix_ms) / 1000),
            output::size(row.bytes),
        ]
    };
    let mut cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let mut headings = vec!["client", "id", "folder", "age", "size", "first prompt"];
    let room = |cells: &[Vec<String>]| {
        let width = |column: usize| {
            let widths = cells.iter().filter_map(|row| Some(row.get(column)?.chars().count()));
            widths.chain([4]).max().unwrap_or_default() + 2
        };
        let taken: usize = (0..cells.first().map_or(0, Vec::len)).map(width).sum();
        output::columns().map_or(PROMPT_COLUMNS, |columns| columns.saturating_sub(taken))
    };
    // By its id a session is named: where that is long, the others give way.
    if room(&cells) < FEWEST_PROMPT_COLUMNS {
        headings.remove(FOLDER);
        cells.iter_mut().for_each(|row| drop(row.remove(FOLDER)));
    }
    match room(&cells) {
        FEWEST_PROMPT_COLUMNS.. => {
            let room = room(&cells);
            for (cells, row) in cells.iter_mut().zip(rows) {
                cells.push(words::beginning(row.prompt.as_deref().unwrap_or("-"), room));
            }
        }
        _ => drop(headings.pop()),
    }
    let numbers = ["age", "size"].map(|name| headings.iter().position(|heading| *heading == name));
    let numbers: Vec<usize> = numbers.into_iter().flatten().collect();
    output::data(output::table(&headings, &cells, &numbers).as_bytes())?;
    if has_sub_agents {
        output::complain("+ a sub-agent's conversation");
    }
    Ok(())
}

/// Says that nothing was found, and where it was looked for.
fn say_where(arguments: &Arguments, is_own: bool) {
    let is_part = arguments.client.is_some() || arguments.since.is_some();
    output::complain(if is_part {
        "no session of that kind was found in"
    } else {
        "no session was found in"
    });
    if !is_own {
        for path in &arguments.paths {
            output::complain(&format!("  {}", path.display()));
        }
        return;
    }
    for place in find::places() {
        let is_asked = arguments.client.is_none_or(|client| client == place.format);
        if is_asked {
            let missing = if place.path.exists() { "" } else { " (not there)" };
            output::complain(&format!("  {} ({}){missing}", place.path.display(), place.format.name()));
        }
    }
    output::complain("hint: name the folder or file: recto session ls FOLDER");
}
