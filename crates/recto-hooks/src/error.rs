/// Why an event cannot be answered: the original stands then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The event is not JSON, or holds something else than its documentation says.
    #[error("the event is not as expected: {0}")]
    Event(#[from] serde_json::Error),
    /// An event of a kind that is not answered.
    #[error("no answer to the event {name:?}")]
    Unanswered {
        /// Its name.
        name: String,
    },
    /// The tool's output has none of the shapes that are known.
    #[error("the output of {tool} has a shape that recto does not know: {what}")]
    Shape {
        /// The tool.
        tool: String,
        /// What is unknown in it.
        what: &'static str,
    },
    /// The tool's output is no text that a view could stand for: as it is for images and for tools that are not known.
    #[error("the output of {tool} is no text: {what}")]
    NotText {
        /// The tool.
        tool: String,
        /// What it is.
        what: &'static str,
    },
    /// The table of classes is not as it must be.
    #[error("the table of classes: {0}")]
    Classes(String),
}
