/// What can be wrong with a transcript or body, or with the changes asked of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes are not JSON.
    #[error("not JSON at byte {at}: {why}")]
    NotJson {
        /// Byte offset in what was read.
        at: u64,
        /// What the JSON reader says of it.
        why: String,
    },
    /// The JSON has another shape than the format's.
    #[error("not {format}: {why}")]
    NotThis {
        /// The format that was expected.
        format: &'static str,
        /// What is missing.
        why: &'static str,
    },
    /// There are more values in it than are read.
    #[error("more than {most} JSON values in one record: split it, or raise the limit")]
    TooManyValues {
        /// The limit.
        most: usize,
    },
    /// Longer than offsets reach.
    #[error("{bytes} bytes are too long: one record or document may have 4 GiB")]
    TooLong {
        /// Its length.
        bytes: u64,
    },
    /// Two changes of a splice overlap.
    #[error("two changes overlap at byte {at}: a byte can be replaced once")]
    Overlap {
        /// Where the second one begins.
        at: u32,
    },
}
