//! The line beside a page: how much it is, and the call that gives the next one.

use recto_recall::{Answer, Found, Page};

use super::arguments::Arguments;

/// Tokens that the words of the line may take, without the call that it names.
const WORDS_TOKENS: u64 = 40;

/// The largest cursor, for the longest call.
const LARGEST_CURSOR: u64 = u64::MAX;

/// The tokens of a page that are left to the text beside its line.
pub(crate) fn room_tokens(arguments: &Arguments<'_>, page_tokens: u64) -> u64 {
    // A token has one byte at least.
    let line_tokens = WORDS_TOKENS + arguments.call_from(LARGEST_CURSOR).len() as u64;
    page_tokens.saturating_sub(line_tokens).max(page_tokens / 2)
}

/// What is said beside a page of a part.
pub(crate) fn note_of_part(
    arguments: &Arguments<'_>,
    page: &Page,
    cursor: u64,
    total_bytes: u64,
) -> Option<String> {
    if total_bytes == 0 {
        return Some("[recto: nothing is there: 0 bytes]".to_owned());
    }
    let next = page.next?;
    Some(format!(
        "[recto: bytes {cursor} to {next} of {total_bytes}; next page: {}]",
        arguments.call_from(next)
    ))
}

/// What is said beside a page of a search.
pub(crate) fn note_of_search(
    arguments: &Arguments<'_>,
    page: &Page,
    cursor: u64,
    matches: u64,
) -> Option<String> {
    match page.next {
        Some(next) => Some(format!("[recto: more lines match; next page: {}]", arguments.call_from(next))),
        None if matches == 0 => Some("[recto: no line matches]".to_owned()),
        None if cursor == 0 => None,
        None => Some(format!("[recto: the last page; lines that match: {matches}]")),
    }
}

/// Says which bytes to ask for where those that were asked for are text but for a character that they cut in two.
pub(crate) fn cut_character(answer: &Answer, bytes: &[u8], cursor: u64, next: Option<u64>) -> Option<String> {
    let Answer::Part(part) = answer else { return None };
    let lead = bytes.iter().take(3).take_while(|byte| (0x80..0xC0).contains(*byte)).count();
    let rest = bytes.get(lead..)?;
    let trail = match std::str::from_utf8(rest) {
        Ok(_) => 0,
        Err(error) if error.error_len().is_none() => rest.len() - error.valid_up_to(),
        Err(_) => return None,
    };
    let start = part.start + cursor + lead as u64;
    let end = if next.is_some() { part.end } else { part.end - trail as u64 };
    if start >= end {
        return Some(format!(
            "bytes {}:{} hold no whole character; take some more on either side",
            part.start, part.end
        ));
    }
    Some(format!("bytes {}:{} cut a character in two; take bytes {start}:{end}", part.start, part.end))
}

/// Says that a page holds bytes that are no text, where, and how they can be had.
pub(crate) fn no_text(found: &Found<'_>, answer: &Answer, from: u64, next: Option<u64>) -> String {
    let name = found.name().map_or_else(String::new, ToString::to_string);
    let name = found.elision().map_or(name.clone(), |elision| format!("{name}#{elision}"));
    let shell = format!("in a shell, `recto expand {name} > FILE` writes the exact bytes");
    let on = next.map_or_else(String::new, |next| format!("; the page after this one has cursor {next}"));
    match answer {
        Answer::Part(part) => {
            let at = part.start + from;
            format!("binary: byte {at} of {name} is not UTF-8 text; {shell}{on}")
        }
        _ => format!("binary: a line that matches is not UTF-8 text; {shell}{on}"),
    }
}
