use serde::Serialize;

/// What a query found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answer {
    /// What a model reads: a line that counts, notes in brackets, the columns' names, the rows, and if there are more a last line
    /// that says how to ask for them. At most [`crate::Caps::max_bytes`] bytes.
    pub text: String,
    /// How many rows `text` shows.
    pub rows: u64,
    /// How many records pass the filter.
    pub matched: u64,
    /// How many groups there are, in a grouped query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u64>,
    /// How many records there are.
    pub records: u64,
    /// The `offset` that gives the next rows; `None` behind the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The names of the columns shown.
    pub columns: Vec<String>,
    /// Where the records are; empty where there is but one place.
    pub path: String,
    /// Other places that hold records, the likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherRecords>,
    /// What is to be said of the source and the query, as in `text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A place that holds records and was not asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OtherRecords {
    /// What to give as [`crate::Query::path`].
    pub path: String,
    /// How many records there are.
    pub records: u64,
}
