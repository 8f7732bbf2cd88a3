//! What `recto_query` answers.

use recto_archive::Archive;
use recto_query::{Caps, Query, query};
use recto_recall::{Asked, Found, PageLimit};

use super::{
    RecallTools, ToolAnswer,
    arguments::Arguments,
    words::{self, of_recall},
};

/// Longest source that is held in memory for a question.
const SOURCE_BYTES: u64 = 256 << 20;

/// Bytes of an answer for a token of its page, to begin with: text of tables has about so many.
const BYTES_PER_TOKEN: u64 = 3;

/// Fewest bytes of an answer that are asked for; below, it is fewer rows.
const FEWEST_BYTES: u64 = 1 << 10;

/// Asks the records, for so many bytes and rows of an answer that they are within the tokens of a page, as far as one row can be. The
/// answer says itself how to go on.
pub(crate) fn answer(
    tools: &RecallTools,
    arguments: &Arguments<'_>,
    asked: &Asked,
    archive: &dyn Archive,
) -> Result<ToolAnswer, String> {
    // What is wrong with the question is said before anything is read.
    let question = arguments.question().to_string();
    let mut question = Query::from_json(question.as_bytes()).map_err(|error| error.to_string())?;
    let found = Found::by_ref(archive, &tools.scope, asked)
        .map_err(|error| words::of_ref(&error, archive, &tools.scope, asked))?;
    if found.bytes() > SOURCE_BYTES {
        let (bytes, limit) = (found.bytes(), SOURCE_BYTES);
        return Err(format!("{bytes} bytes are more than the {limit} that can be queried; use recto_search"));
    }
    let source = found.read(0..found.bytes()).map_err(|error| of_recall(&error))?;
    let page = PageLimit::tokens(tools.page_tokens, tools.tokenizer);
    let mut max_bytes = tools.page_tokens.saturating_mul(BYTES_PER_TOKEN).max(FEWEST_BYTES);
    loop {
        let caps = Caps::bytes(usize::try_from(max_bytes).unwrap_or(usize::MAX));
        let answer = query(&source, None, &question, &caps).map_err(|error| error.to_string())?;
        if page.covers(&answer.text) || (max_bytes <= FEWEST_BYTES && answer.rows <= 1) {
            return Ok(ToolAnswer { text: answer.text, note: None, is_error: false });
        }
        if max_bytes > FEWEST_BYTES {
            max_bytes = (max_bytes / 3 * 2).max(FEWEST_BYTES);
        } else {
            question.limit = Some(answer.rows / 2);
        }
    }
}
