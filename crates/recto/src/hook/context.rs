//! Questions about a whole request: what of its results stands as it was decided before. Nothing is decided here.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use recto::{
    archive::{Archive, Digest, block_on},
    wire::{Format, unquote},
};
use recto_hooks::plain::{self, Shown, ShownResult, Standing};

use crate::{
    failure::{Failure, Outcome},
    hook::carry::Done,
    session::{decided::Decided, log},
    settings::Settings,
    store,
    usage::{Line, What},
};

/// Longest first line of a session's file that is read.
const MOST_HEAD_BYTES: u64 = 64 << 10;

/// Answers with what stands in the place of results; an empty list where nothing was decided.
pub(crate) fn answer(text: &str, agent: &'static str, format: Format, settings: &Settings) -> Done {
    let shown = match Shown::parse(text) {
        Ok(shown) => shown,
        Err(error) => return Done::failed(agent, "", &error.to_string()),
    };
    let mut lines = Vec::new();
    let (standing, decided) = match standing(&shown, format, settings, &mut |why| {
        let session = shown.session.clone().into_owned();
        lines.push(Line { why, session, ..Line::new(agent, "", What::Failed) });
    }) {
        Ok(standing) => standing,
        Err(failure) => return Done::failed(agent, "", failure.message()),
    };
    match plain::standing(&standing, decided) {
        Ok(answer) => Done { answer: Some(answer), lines },
        Err(error) => Done::failed(agent, "", &error.to_string()),
    }
}

/// What stands, and of how many calls anything was decided.
fn standing(
    shown: &Shown<'_>,
    format: Format,
    settings: &Settings,
    missed: &mut dyn FnMut(String),
) -> Outcome<(Vec<Standing>, usize)> {
    if shown.session.is_empty() || !store::is_there(settings) {
        return Ok((Vec::new(), 0));
    }
    let id = if shown.session.starts_with('/') { id_of(Path::new(&*shown.session), format)? } else { None };
    let name = log::name_of(format, id.as_deref().unwrap_or(&shown.session))?;
    // What stands is kept by the log: a note of its use, once an hour for each text, would take more than the time that there is.
    let archive = store::open_for_reading(settings)?;
    let decided = Decided::read(&*archive, &store::scope(), &name)?;
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut standing = Vec::new();
    for (at, result) in shown.results.iter().enumerate() {
        if !decided.knows(&result.id) {
            continue;
        }
        let counted = seen.entry(&result.id).and_modify(|nth| *nth += 1).or_default();
        match texts(&*archive, &decided, result, result.nth.unwrap_or(*counted)) {
            Ok(Some(texts)) => standing.push(Standing { at, texts }),
            Ok(None) => {}
            // A result stands whole or is replaced whole; the others are as they were decided.
            Err(failure) => missed(format!("what stands for a result: {}", failure.message())),
        }
    }
    Ok((standing, decided.calls()))
}

/// What stands in the place of a result's texts; `None` if they stand.
fn texts(
    archive: &dyn Archive,
    decided: &Decided,
    result: &ShownResult<'_>,
    nth: u32,
) -> Outcome<Option<Vec<Option<String>>>> {
    let digests: Vec<Digest> = result.texts.iter().map(|text| Digest::of(text.as_bytes())).collect();
    let Some(instead) = decided.instead(&result.id, nth, &digests).filter(|instead| !instead.is_empty())
    else {
        return Ok(None);
    };
    let mut texts = vec![None; digests.len()];
    for (number, standing) in instead {
        let bytes = block_on(archive.get(&store::scope(), &standing, 0..u64::MAX))?;
        let text = String::from_utf8(bytes).map_err(|error| Failure::job(error.to_string()))?;
        if let Some(place) = texts.get_mut(number as usize) {
            *place = Some(text);
        }
    }
    Ok(Some(texts))
}

/// The id that the first line of a session's file states.
fn id_of(path: &Path, format: Format) -> Outcome<Option<String>> {
    let failed = |error| Failure::file(path, "read", &error);
    let mut line = Vec::new();
    let file = File::open(path).map_err(failed)?;
    BufReader::new(file.take(MOST_HEAD_BYTES)).read_until(b'\n', &mut line).map_err(failed)?;
    let line = line.trim_ascii_end();
    let session = format.line(line).session;
    let id = unquote(session.of(line)).map(|id| id.into_owned()).filter(|id| !id.is_empty());
    id.map(Some)
        .ok_or_else(|| Failure::job(format!("{} does not begin with the session's id", path.display())))
}
