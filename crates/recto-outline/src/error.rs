/// Why an outline could not be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutlineError {
    /// The work allowance ran out before the whole source was visited.
    #[error("the work allowance ran out after {visited} bytes: give the view more fuel, or a smaller source")]
    OutOfFuel {
        /// Bytes visited until then.
        visited: u64,
    },
    /// The source is longer than offsets can say.
    #[error("the source has {bytes} bytes, more than the limit of 4294967295 (4 GiB): split it")]
    TooLarge {
        /// Length of the source.
        bytes: u64,
    },
    /// No content type has this name.
    #[error(
        "unknown content type {name:?}: known are json, jsonl, csv, markdown-table, diff, log, search, listing, code, \
         markup, numbered, prose, rag, chat, unknown"
    )]
    UnknownContentType {
        /// The name as given.
        name: String,
    },
}
