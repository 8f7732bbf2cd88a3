use std::borrow::Cow;

/// Output that the agent has put into a file, as it is too long to be shown.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Persisted {
    /// The file.
    pub path: String,
    /// Which text shows a part of it.
    pub text: usize,
}

/// One text of a tool's output: what the model would read, and what it shall read instead.
#[derive(Debug)]
pub struct Text<'a> {
    original: Cow<'a, str>,
    replacement: Option<String>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(original: Cow<'a, str>) -> Self {
        Self { original, replacement: None }
    }

    /// The text as the tool gave it.
    #[must_use]
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Puts a view in its place.
    pub fn replace(&mut self, view: String) {
        self.replacement = Some(view);
    }

    /// What shall be read instead, if anything.
    #[must_use]
    pub fn replacement(&self) -> Option<&str> {
        self.replacement.as_deref()
    }
}
