/// Why a catalogue cannot be made of what was given. Each message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The text is not JSON.
    #[error("the tools are not JSON: {source}")]
    NotJson {
        /// What the parser says, with line and column.
        #[from]
        source: serde_json::Error,
    },
    /// The JSON holds no list of tools in any of the known shapes.
    #[error(
        "no tools found: expected an array of tools, or an object with `tools` (a tools/list answer, a request to a model) or \
         `functionDeclarations`; this is {found}"
    )]
    NoTools {
        /// What stands there instead.
        found: String,
    },
    /// One of the tools cannot be read.
    #[error("tool {index}{}: {message}", .name.as_ref().map(|name| format!(" ({name:?})")).unwrap_or_default())]
    Tool {
        /// Its place in the list, from 0.
        index: usize,
        /// Its name, where it has one.
        name: Option<String>,
        /// What is wrong with it and what to do.
        message: String,
    },
    /// There are more tools than a catalogue takes.
    #[error(
        "{found} tools are more than the {limit} that one catalogue takes: compile each server by itself"
    )]
    TooManyTools {
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Options that do not go together, or not with the ledger.
    #[error("{message}")]
    Options {
        /// Which, and what to do.
        message: String,
    },
    /// The budget is smaller than what must be sent.
    #[error(
        "a budget of {budget_tokens} tokens is too small: the tools that call and look up, their preamble{} cost {needed_tokens}",
        if *.pins == 0 { String::new() } else { format!(" and {} pinned tools", .pins) }
    )]
    Budget {
        /// The budget.
        budget_tokens: u64,
        /// The least that is sent.
        needed_tokens: u64,
        /// How many tools are pinned.
        pins: usize,
    },
    /// No tool has this name.
    #[error("no tool is named {name:?}{nearest}")]
    UnknownTool {
        /// The name.
        name: String,
        /// `; did you mean ...?`, or nothing.
        nearest: String,
    },
    /// What is to be decoded is no encoding of tools, or one that cannot be read.
    #[error("these are no encoded tools: {message}; encode them again")]
    Encoding {
        /// What is wrong with it and where.
        message: String,
    },
}
