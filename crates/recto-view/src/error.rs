use recto_outline::OutlineError;

/// Why a view could not be made, shown or undone.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ViewError {
    /// The source could not be outlined.
    #[error(transparent)]
    Outline(#[from] OutlineError),
    /// A ratio outside (0, 1].
    #[error("a target ratio of {given} is outside (0, 1]: give a share of the source, such as 0.45")]
    RatioOutOfRange {
        /// The ratio as given.
        given: String,
    },
    /// In mode `exact`, a hard budget below what the frame needs.
    #[error(
        "the budget is too small for the frame of this {content_type}: it takes at least {least} {unit}; raise the budget, or use mode `marked`"
    )]
    BudgetTooSmall {
        /// The least budget that works, in `unit`.
        least: u64,
        /// `bytes` or `tokens`.
        unit: &'static str,
        /// What the source is.
        content_type: &'static str,
    },
    /// In mode `exact`, a source that has no text to be exact about.
    #[error(
        "the source is {encoding}: mode `exact` has no text to show; use mode `marked`, or convert it to UTF-8 first"
    )]
    NotText {
        /// What it is instead.
        encoding: &'static str,
    },
    /// The source is not the one that the span map was made of.
    #[error(
        "this is not the source of the span map: its SHA-256 is {found}, the map's is {expected} (it was edited, or is another file)"
    )]
    ForeignSource {
        /// Of the map.
        expected: String,
        /// Of the source.
        found: String,
    },
    /// No elision has this number.
    #[error("there is no elision #{asked}: this view has {}", if *have == 0 { "none (nothing is left out)".to_owned() } else { format!("#1 to #{have}") })]
    NoSuchElision {
        /// The number asked for.
        asked: u64,
        /// How many there are.
        have: u64,
    },
    /// A semantic result has no elisions.
    #[error(
        "the result was made by method `semantic`: its text is not made of the source's bytes, so it has no elisions to expand"
    )]
    Semantic,
    /// The map breaks its own law.
    #[error("the span map is not valid: {what} (at {place} {at})")]
    BadMap {
        /// The broken law.
        what: &'static str,
        /// `span` or `elision`.
        place: &'static str,
        /// Its position, from 0.
        at: u64,
    },
    /// A map of a later version.
    #[error("the span map has version {found}; this recto reads version 1: upgrade recto")]
    Version {
        /// Its version.
        found: u32,
    },
}
