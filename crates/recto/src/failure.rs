//! What went wrong, in words for the person at the terminal, and the exit code that goes with it.

use std::{io, path::Path};

use recto::{CompressError, archive::ArchiveError, outline::OutlineError, view::ViewError};
use recto_recall::RecallError;

/// An end of the program that is not success.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    message: String,
    hint: Option<String>,
}

/// What to do where a store cannot be used.
pub(crate) const OTHER_STORE: &str =
    "name another store with `--store PATH`, or do without one with `--no-store`";

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// The job failed: exit code 1.
    pub(crate) fn job(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into(), hint: None }
    }

    /// Bad usage or bad input: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into(), hint: None }
    }

    /// What went wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what to do about it, unless that is said already.
    pub(crate) fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    fn with_advice(self, advice: Option<&str>) -> Self {
        match advice {
            Some(advice) => self.hint(advice),
            None => self,
        }
    }

    /// A failure to read or write a file.
    pub(crate) fn file(path: &Path, what: &str, error: &io::Error) -> Self {
        Self { code: 2, message: format!("cannot {what} {}: {error}", path.display()), hint: None }
    }

    /// A failure to write a file: the job failed.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        Self { code: 1, ..Self::file(path, "write", error) }
    }

    /// Prints it on stderr.
    pub(crate) fn report(&self) {
        let red = anstyle_error();
        crate::output::complain(&format!("{red}error:{red:#} {}", self.message));
        if let Some(hint) = &self.hint {
            crate::output::complain(&format!("hint: {hint}"));
        }
    }
}

fn anstyle_error() -> clap::builder::styling::Style {
    clap::builder::styling::AnsiColor::Red.on_default().bold()
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        let message = error.to_string();
        match error {
            ViewError::RatioOutOfRange { .. }
            | ViewError::Version { .. }
            | ViewError::NoSuchElision { .. }
            | ViewError::Outline(OutlineError::TooLarge { .. }) => Self::usage(message),
            ViewError::NotText { .. } => Self::usage(message)
                .hint("`--mode marked` shows one line that says what it is, with a ref that gives it back"),
            ViewError::ForeignSource { .. } => {
                Self::job(message).hint("give the source as it was when the map was made")
            }
            _ => Self::job(message),
        }
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        let message = error.to_string();
        match error {
            ArchiveError::InvalidRef { .. }
            | ArchiveError::AmbiguousRef { .. }
            | ArchiveError::Foreign { .. } => Self::usage(message),
            ArchiveError::ReadOnly { .. } | ArchiveError::Full { .. } | ArchiveError::Busy { .. } => {
                Self::job(message).hint(OTHER_STORE)
            }
            _ => Self::job(message),
        }
    }
}

impl From<CompressError> for Failure {
    fn from(error: CompressError) -> Self {
        match error {
            CompressError::View(error) => error.into(),
            CompressError::Archive(error) => error.into(),
            other => Self::job(other.to_string()),
        }
    }
}

impl From<RecallError> for Failure {
    fn from(error: RecallError) -> Self {
        let (is_usage, advice) = (error.is_usage(), error.advice());
        let message = match error {
            RecallError::Archive(error) => return Self::from(error).with_advice(advice),
            RecallError::View(error) => return error.into(),
            RecallError::Pattern { .. } | RecallError::PatternTooLarge { .. } => format!("--grep: {error}"),
            // These begin with the name of the argument.
            RecallError::RangeSyntax { .. }
            | RecallError::LineZero { .. }
            | RecallError::RangeReversed { .. }
            | RecallError::RangeOutside { .. }
            | RecallError::CursorOutside { .. } => format!("--{error}"),
            _ => error.to_string(),
        };
        let failure = if is_usage { Self::usage(message) } else { Self::job(message) };
        failure.with_advice(advice)
    }
}
