//! What `recto_expand` and `recto_search` answer.

use recto_archive::Archive;
use recto_recall::{Answer, Asked, Found, PageLimit, Part, Search};

use super::{
    RecallTools, ToolAnswer,
    arguments::Arguments,
    definitions::Tool,
    pages,
    words::{self, of_recall},
};

/// Reads the page that was asked for.
pub(crate) fn answer(
    tools: &RecallTools,
    tool: Tool,
    arguments: &Arguments<'_>,
    asked: &Asked,
    archive: &dyn Archive,
) -> Result<ToolAnswer, String> {
    // What is wrong with the question is said before anything is read.
    let part = part(tool, arguments)?;
    let cursor = arguments.whole("cursor")?.unwrap_or(0);
    let found = Found::by_ref(archive, &tools.scope, asked)
        .map_err(|error| words::of_ref(&error, archive, &tools.scope, asked))?;
    let answer = part.over(&found).map_err(|error| of_recall(&error))?;
    let room_tokens = pages::room_tokens(arguments, tools.page_tokens);
    let limit = PageLimit::tokens(room_tokens, tools.tokenizer);
    let (page, matches) = answer.page(&found, cursor, &limit).map_err(|error| of_recall(&error))?;
    let note = match matches {
        Some(matches) => pages::note_of_search(arguments, &page, cursor, matches),
        None => pages::note_of_part(arguments, &page, cursor, length(&answer)),
    };
    let next = page.next;
    match String::from_utf8(page.bytes) {
        Ok(text) => Ok(ToolAnswer { text, note, is_error: false }),
        Err(error) => {
            if let Some(words) = pages::cut_character(&answer, error.as_bytes(), cursor, next) {
                return Err(words);
            }
            let from = cursor + error.utf8_error().valid_up_to() as u64;
            Err(pages::no_text(&found, &answer, from, next))
        }
    }
}

fn part(tool: Tool, arguments: &Arguments<'_>) -> Result<Part, String> {
    let part = match tool {
        Tool::Expand => {
            let (lines, bytes) = (arguments.text("lines", "40:80")?, arguments.text("bytes", "0:4096")?);
            match (lines, bytes) {
                (Some(_), Some(_)) => return Err("give lines or bytes, not both".to_owned()),
                (Some(lines), None) => Part::lines(&colon(lines.trim())),
                (None, Some(bytes)) => Part::bytes(&colon(bytes.trim())),
                (None, None) => Ok(Part::all()),
            }
        }
        _ => {
            let (pattern, context) = (arguments.pattern()?, arguments.context()?);
            let search = Search::new(&pattern, arguments.flag("ignore_case")?, context);
            return search.map(Part::matches).map_err(|error| words::of_pattern(&error, &pattern));
        }
    };
    part.map_err(|error| of_recall(&error))
}

/// A range as `40:80`, also where it is written as `40-80`.
fn colon(range: &str) -> String {
    if range.contains(':') { range.to_owned() } else { range.replacen('-', ":", 1) }
}

/// The bytes of an answer, where they are known before it is read.
fn length(answer: &Answer) -> u64 {
    match answer {
        Answer::Part(part) => part.end - part.start,
        _ => 0,
    }
}
