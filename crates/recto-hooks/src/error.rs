/// Why an event cannot be answered: the original stands then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The event is not JSON, or holds something else than its documentation says.
    ///
    /// Its text says where, never what stands there: an event holds what tools printed.
    #[error("the event is not as expected: {}", place(.0))]
    Event(#[from] serde_json::Error),
    /// An event of a kind that is not answered.
    #[error("no answer to the event {:?}", short(name))]
    Unanswered {
        /// Its name.
        name: String,
    },
    /// The tool's output has none of the shapes that are known.
    #[error("the output of {} has a shape that recto does not know: {what}", short(tool))]
    Shape {
        /// The tool.
        tool: String,
        /// What is unknown in it.
        what: &'static str,
    },
    /// The tool's output is no text that a view could stand for: as it is for images and for tools that are not known.
    #[error("the output of {} is no text: {what}", short(tool))]
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

fn place(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Io => "it cannot be read",
        Category::Syntax => "it is not JSON",
        Category::Data => "it has a value of another kind",
        Category::Eof => "it ends too early",
    };
    format!("{what}, at line {} column {}", error.line(), error.column())
}

/// The beginning of a name: whoever sends an event may call a tool or an event anything.
fn short(name: &str) -> &str {
    name.get(..name.floor_char_boundary(60)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_of_an_event_is_quoted() {
        let error = serde_json::from_str::<u64>("\"secret\"").unwrap_err();
        assert!(error.to_string().contains("secret"), "else there is nothing to hide");
        let text = HookError::from(error).to_string();
        assert_eq!(text, "the event is not as expected: it has a value of another kind, at line 1 column 8");
        let text = HookError::Unanswered { name: "x".repeat(1_000) }.to_string();
        assert!(text.len() < 100, "{text}");
    }
}
