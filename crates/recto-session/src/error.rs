//! Why a session refuses something.

/// Says what was wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A text is not JSON.
    #[error("{what} is not JSON: {source}")]
    NotJson {
        /// What the text was to be.
        what: &'static str,
        /// The reader's complaint, with its place.
        source: serde_json::Error,
    },
    /// A field is missing or has a value of the wrong form.
    #[error("the event's {field} must be {expected}, not {found}")]
    Field {
        /// The field, as it is written.
        field: &'static str,
        /// What it may be.
        expected: &'static str,
        /// The beginning of what was found.
        found: String,
    },
    /// A line of a log is no event, or one that the log refuses.
    #[error("line {line}: {source}; {hint}")]
    Line {
        /// Which line, counted from 1.
        line: usize,
        /// What to do.
        hint: &'static str,
        /// What is wrong with it.
        source: Box<SessionError>,
    },
    /// Sequence numbers have a gap or a duplicate.
    #[error("the event has seq {found} where {expected} comes next: events are numbered without gaps")]
    Seq {
        /// The number that comes next.
        expected: u64,
        /// The number that the event has.
        found: u64,
    },
    /// The log has come to the last number there is.
    #[error("the log has an event with the largest sequence number there is: begin another log")]
    Full,
    /// An event's parent, or the leaf asked for, is not in the log.
    #[error("{what} {seq} is not in the log: name an earlier event's seq")]
    NoEvent {
        /// `the parent` or `the leaf`.
        what: &'static str,
        /// The number that was named.
        seq: u64,
    },
    /// A replacement names an event that is not in the projection.
    #[error(
        "event {seq} cannot replace {named}: it is not in the projection (replaced already, on another branch, or never shown); name a node that is"
    )]
    NotInProjection {
        /// The refused event.
        seq: u64,
        /// The number that was named.
        named: u64,
    },
    /// A replacement names an event that stands in several places.
    #[error(
        "event {seq} cannot replace {named} by its number alone: it stands in {places} places; name a block of it with startBlock and endBlock"
    )]
    Ambiguous {
        /// The refused event.
        seq: u64,
        /// The number that was named.
        named: u64,
        /// In how many places it stands.
        places: usize,
    },
    /// A replacement's start stands behind its end.
    #[error(
        "event {seq} cannot replace {start} to {end}: {start} stands behind {end} in the projection; swap them"
    )]
    Reversed {
        /// The refused event.
        seq: u64,
        /// The range's start.
        start: u64,
        /// The range's end.
        end: u64,
    },
    /// Two ranges of a replacement overlap.
    #[error("event {seq} replaces {named} twice: its ranges overlap; join them into one")]
    Overlap {
        /// The refused event.
        seq: u64,
        /// The node that two ranges hold.
        named: u64,
    },
    /// A replacement would part a call from its result.
    #[error(
        "event {seq} cannot replace this range: {half} {node} of call {call_id} would be left without its {other}; let the range hold both, or neither"
    )]
    CutsPair {
        /// The refused event.
        seq: u64,
        /// `the call` or `the result`.
        half: &'static str,
        /// `result` or `call`.
        other: &'static str,
        /// The node that would be left alone.
        node: u64,
        /// The id that joins both, as JSON.
        call_id: String,
    },
    /// An event of a kind that is never shown says that it stands in for others.
    #[error(
        "event {seq} cannot replace anything: {kind} is never shown to a model; use a message, a tool/result or a compaction/commit"
    )]
    NeverShown {
        /// The refused event.
        seq: u64,
        /// Its kind.
        kind: String,
    },
    /// A restore names no commit whose blocks are all in the projection.
    #[error("event {seq} cannot undo {commit}: {reason}")]
    NotRestorable {
        /// The refused event.
        seq: u64,
        /// The number that was named.
        commit: u64,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// A setting of the pruner is wrong.
    #[error("{key}: {law}")]
    Config {
        /// The key, as it was written.
        key: String,
        /// The law it breaks, with the values.
        law: String,
    },
}

impl SessionError {
    /// A complaint about a field, with the beginning of its value.
    pub(crate) fn field(field: &'static str, expected: &'static str, found: Option<&str>) -> Self {
        const SHOWN_CHARS: usize = 40;
        let found = found.map_or("missing".to_owned(), |value| {
            let mut shown: String = value.chars().take(SHOWN_CHARS).collect();
            if shown.len() < value.len() {
                shown.push('…');
            }
            shown
        });
        Self::Field { field, expected, found }
    }
}
