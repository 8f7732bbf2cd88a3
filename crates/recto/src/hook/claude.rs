//! Claude Code's events, answered.

use recto::{archive::block_on, view::Recall};
use recto_hooks::{
    HookError,
    claude::{self, Event, ToolResult},
    notes,
};

use crate::{
    hook::{
        carry::{Carrier, Done, persisted},
        install::{program, store_flag},
        words,
    },
    store,
    usage::{Line, View, What},
};

/// Longest file that is given whole where the client says that it is unchanged.
const MOST_WHOLE_BYTES: u64 = 256 << 10;

/// The client shows up to 30,000 characters of a shell's output, from a hook too; of more it shows 2 kB.
const MOST_SHOWN_BYTES: usize = 28_000;

/// Of what a failing line prints the client shows 10,000 characters, the exit code among them.
const MOST_FAILING_BYTES: u64 = 9_900;

/// Views that a session is reminded of.
const MOST_REMINDED: usize = 20;

/// Answers an event as it stands on stdin.
pub(crate) fn answer(text: &str, carrier: &Carrier) -> Done {
    let event = match Event::parse(text) {
        Ok(event) => event,
        Err(error) => return Done::failed(carrier.agent, "", &error.to_string()),
    };
    let mut done = match &*event.name() {
        "PostToolUse" => after_tool(&event, carrier),
        "PreToolUse" => before_tool(&event, carrier),
        "SessionStart" => at_start(&event, carrier),
        name => {
            let error = HookError::Unanswered { name: name.to_owned() };
            Done::failed(carrier.agent, &event.tool(), &error.to_string())
        }
    };
    for line in &mut done.lines {
        line.session = event.session().into_owned();
        line.transcript = event.transcript().into_owned();
    }
    done
}

/// A view in the place of a large result.
fn after_tool(event: &Event<'_>, carrier: &Carrier) -> Done {
    if let Some(path) = event.unchanged_file() {
        return unchanged(event, &path, carrier);
    }
    let tool = event.tool();
    let mut result = match event.result() {
        Ok(result) => result,
        Err(HookError::NotText { what, .. }) => {
            let line = Line { why: what.to_owned(), ..Line::new(carrier.agent, &tool, What::Whole) };
            return Done { answer: None, lines: vec![line] };
        }
        Err(error) => return Done::failed(carrier.agent, &tool, &error.to_string()),
    };
    let whole = match result.persisted().map(persisted).transpose() {
        Ok(whole) => whole,
        Err(error) => return Done::failed(carrier.agent, &tool, &error.to_string()),
    };
    let call = event.call();
    let whole = whole.as_ref().map(|(text, bytes)| (*text, &**bytes));
    if let Some((index, bytes)) = whole
        && carrier.table.class(&call, "").class.is_recall()
        && let Some(shown) = result.persisted().and_then(|file| most_of(bytes, &file.path))
    {
        return recalled(carrier, &tool, result, index, (bytes, shown));
    }
    let mut lines = carrier.cut(&call, result.texts_mut(), whole);
    if lines.iter().all(|line| line.what != What::View) {
        return Done { answer: None, lines };
    }
    for line in &mut lines {
        line.file = call.path().unwrap_or_default().to_owned();
    }
    match result.answer() {
        Ok(answer) => Done { answer: Some(answer), lines },
        Err(error) => Done::failed(carrier.agent, &tool, &error.to_string()),
    }
}

/// What was just asked for and is too long for the client: as much as it shows, where it would show but the beginning.
fn recalled(
    carrier: &Carrier,
    tool: &str,
    mut result: ToolResult<'_>,
    index: usize,
    (whole, shown): (&[u8], String),
) -> Done {
    let line = Line {
        bytes: whole.len() as u64,
        shown: shown.len() as u64,
        why: "an answer of recto, as much of it as the client shows".to_owned(),
        ..Line::new(carrier.agent, tool, What::Whole)
    };
    if let Some(text) = result.texts_mut().get_mut(index) {
        text.replace(shown);
    }
    match result.answer() {
        Ok(answer) => Done { answer: Some(answer), lines: vec![line] },
        Err(error) => Done::failed(carrier.agent, tool, &error.to_string()),
    }
}

/// As many lines as the client shows, and where the others are; `None` if that is not even one.
fn most_of(bytes: &[u8], path: &str) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.len() <= MOST_SHOWN_BYTES {
        return Some(text.to_owned());
    }
    let end = text.floor_char_boundary(MOST_SHOWN_BYTES);
    let shown = text.get(..=text.get(..end)?.rfind('\n')?)?;
    let (shown_lines, lines) = (shown.lines().count(), text.lines().count());
    Some(format!("{shown}{}", words::rest_in_file(shown_lines, lines, path)))
}

/// A result that refers to an earlier one, of which only a view was shown, is given whole.
fn unchanged(event: &Event<'_>, path: &str, carrier: &Carrier) -> Done {
    let session = event.session();
    let Some(view) = views(carrier, &session).into_iter().rev().find(|line| line.file == path) else {
        let line =
            Line { why: "unchanged".to_owned(), ..Line::new(carrier.agent, &event.tool(), What::Whole) };
        return Done { answer: None, lines: vec![line] };
    };
    let text = std::fs::metadata(path)
        .ok()
        .filter(|about| about.is_file() && about.len() <= MOST_WHOLE_BYTES)
        .and_then(|_| std::fs::read_to_string(path).ok());
    let answer = match &text {
        Some(text) => claude::whole_file(path, text),
        None => claude::note(&words::unchanged(&view, carrier.recall)),
    };
    let bytes = text.map_or(0, |text| text.len() as u64);
    let line = Line {
        bytes,
        shown: bytes,
        why: "given whole after a view of it".to_owned(),
        ..Line::new(carrier.agent, &event.tool(), What::Whole)
    };
    Done { answer: answer.ok(), lines: vec![line] }
}

/// Refuses a call whose arguments hold a note, and wraps shell lines that are named for it.
fn before_tool(event: &Event<'_>, carrier: &Carrier) -> Done {
    let Some(arguments) = event.arguments() else { return Done::default() };
    let call = event.call();
    if carrier.settings.hook_deny_notes.value
        && !call.is_recall()
        && let Some(found) = notes::find(arguments).and_then(|found| own(found, &event.session(), carrier))
    {
        let path = call.path();
        let reason = words::denial(&call.tool, path, &found, carrier.recall);
        let line = Line {
            why: format!("{}{}", found.argument, path.map(|path| format!(" of {path}")).unwrap_or_default()),
            ..Line::new(carrier.agent, &call.tool, What::Denied)
        };
        return Done { answer: claude::denial(&reason).ok(), lines: vec![line] };
    }
    let is_awaited = call.tool == "Bash" && !event.is_in_background();
    let wrapped = call.command.as_deref().filter(|_| is_awaited).and_then(|line| {
        recto_hooks::classes::wrapped(line, &carrier.settings.hook_wrap.value, &runner(carrier))
    });
    let answer = wrapped.and_then(|line| claude::other_command(event, &line).ok());
    Done { answer, lines: Vec::new() }
}

/// The words that run a line whose output comes as a view with the notes that this hook gives, of a length that the client shows
/// whole, whether the line fails or not.
fn runner(carrier: &Carrier) -> String {
    let recall = match carrier.recall {
        Recall::Tool => "tool",
        _ => "shell",
    };
    let settings = &carrier.settings;
    let store = settings.store_is_named().then_some(&*settings.store.value);
    let max_bytes = settings.hook_max_bytes.value.min(MOST_FAILING_BYTES);
    format!("{}{} run --max-bytes {max_bytes} --recall {recall}", program(), store_flag(store))
}

/// A note that recto has shown: the archive knows its ref, or this session was shown views, of which it then names the latest.
pub(crate) fn own(mut found: notes::Found, session: &str, carrier: &Carrier) -> Option<notes::Found> {
    let is_known = |name: &str| {
        let archive = store::open_existing(&carrier.settings).ok()?;
        block_on(archive.find_ref(&store::scope(), name)).ok()
    };
    if found.reference.as_deref().and_then(is_known).is_some() {
        return Some(found);
    }
    let latest = views(carrier, session).pop()?;
    found.reference = found.reference.or(Some(latest.reference));
    Some(found)
}

/// Says which views a compacted history may still need.
fn at_start(event: &Event<'_>, carrier: &Carrier) -> Done {
    if event.source() != "compact" {
        return Done::default();
    }
    let mut views = views(carrier, &event.session());
    views.drain(..views.len().saturating_sub(MOST_REMINDED));
    if views.is_empty() {
        return Done::default();
    }
    Done { answer: claude::context(&words::after_compaction(&views, carrier.recall)).ok(), lines: Vec::new() }
}

/// The views that a session was shown, oldest first.
fn views(carrier: &Carrier, session: &str) -> Vec<View> {
    // Without its file nothing is known of it.
    carrier.usage().sessions().and_then(|sessions| sessions.views(session)).unwrap_or_default()
}
