//! What `recto_query` answers.

use recto_archive::Archive;
use recto_recall::{Asked, Found};

use super::{
    Engine, RecallTools, ToolAnswer,
    arguments::Arguments,
    words::{self, of_recall},
};

/// Longest source that is held in memory for a question.
const SOURCE_BYTES: u64 = 256 << 20;

/// Bytes of an answer for a token of its page, to begin with: text of tables has about so many.
const BYTES_PER_TOKEN: u64 = 3;

/// Fewest bytes of an answer that are asked for.
const FEWEST_BYTES: u64 = 1 << 10;

/// Asks the engine, for so many bytes of an answer that they are within the tokens of a page, or are the fewest.
pub(crate) fn answer(
    tools: &RecallTools,
    engine: &Engine,
    arguments: &Arguments<'_>,
    asked: &Asked,
    archive: &dyn Archive,
) -> Result<ToolAnswer, String> {
    let found = Found::by_ref(archive, &tools.scope, asked)
        .map_err(|error| words::of_ref(&error, archive, &tools.scope, asked))?;
    if found.bytes() > SOURCE_BYTES {
        let (bytes, limit) = (found.bytes(), SOURCE_BYTES);
        return Err(format!("{bytes} bytes are more than the {limit} that can be queried; use recto_search"));
    }
    let source = found.read(0..found.bytes()).map_err(|error| of_recall(&error))?;
    let question = arguments.question();
    let mut max_bytes = tools.page_tokens.saturating_mul(BYTES_PER_TOKEN).max(FEWEST_BYTES);
    loop {
        let text = engine(&source, &question, usize::try_from(max_bytes).unwrap_or(usize::MAX))?;
        let has_few_bytes = text.len() as u64 <= FEWEST_BYTES.min(tools.page_tokens);
        let fits = has_few_bytes || tools.tokenizer.counter().count_up_to(&text, tools.page_tokens).is_some();
        if fits || max_bytes <= FEWEST_BYTES {
            return Ok(ToolAnswer { text, note: None, is_error: false });
        }
        max_bytes = (max_bytes / 3 * 2).max(FEWEST_BYTES);
    }
}
