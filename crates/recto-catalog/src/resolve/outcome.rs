//! What becomes of a model's call.

use std::fmt;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeStruct as _},
};
use serde_json::Value;

use super::text::quoted;

/// What becomes of a model's call.
///
/// As JSON: `{"kind": "call", "name", "server"?, "code", "args", "repairs"}`, `{"kind": "meta", "name", "result"}`, or
/// `{"kind": "error", "message", "recoverable", "code"?}`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A tool is to be called.
    Call {
        /// The name that its server knows it by.
        name: String,
        /// The server that it is of, where that is known.
        server: Option<String>,
        /// The code that it has in the catalogue.
        code: String,
        /// The arguments: valid against the tool's own schema, unless a repair says that they are [`Repair::Unchecked`] or
        /// [`Repair::PartlyUnchecked`].
        arguments: Value,
        /// What was done to the call that the model wrote, in order; empty for a call that was right as it was.
        repairs: Vec<Repair>,
    },
    /// The catalogue itself was asked, and answers.
    Meta {
        /// The tool that the model called.
        name: String,
        /// The answer, to be handed to the model.
        result: String,
    },
    /// No tool is to be called.
    Error {
        /// One line that tells the model what was wrong and what to write instead.
        message: String,
        /// Whether the same tool can be called with the fault mended; not if the tool is gone.
        recoverable: bool,
        /// The code of the tool that was meant, where that is known.
        code: Option<String>,
    },
}

impl Outcome {
    pub(super) fn error(message: String) -> Self {
        Self::Error { message, recoverable: true, code: None }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Call { name, server, code, arguments, repairs } => {
                let mut call = serializer.serialize_struct("Outcome", 6)?;
                call.serialize_field("kind", "call")?;
                call.serialize_field("name", name)?;
                match server {
                    Some(server) => call.serialize_field("server", server)?,
                    None => call.skip_field("server")?,
                }
                call.serialize_field("code", code)?;
                call.serialize_field("args", arguments)?;
                call.serialize_field("repairs", repairs)?;
                call.end()
            }
            Self::Meta { name, result } => {
                let mut meta = serializer.serialize_struct("Outcome", 3)?;
                meta.serialize_field("kind", "meta")?;
                meta.serialize_field("name", name)?;
                meta.serialize_field("result", result)?;
                meta.end()
            }
            Self::Error { message, recoverable, code } => {
                let mut error = serializer.serialize_struct("Outcome", 4)?;
                error.serialize_field("kind", "error")?;
                error.serialize_field("message", message)?;
                error.serialize_field("recoverable", recoverable)?;
                match code {
                    Some(code) => error.serialize_field("code", code)?,
                    None => error.skip_field("code")?,
                }
                error.end()
            }
        }
    }
}

/// One thing that was done to a call before it was passed on. [`fmt::Display`] says it in a sentence.
///
/// As JSON: `{"kind", "path"?, "message"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// JSON that was passed as text was read. The path is empty for the arguments as a whole.
    ReadText {
        /// Where it stood in the arguments.
        path: String,
    },
    /// No arguments were passed, and the tool needs none.
    NoArguments,
    /// The arguments stood in an array, alone.
    OutOfArray,
    /// The arguments were wrapped once more.
    Unwrapped {
        /// The name that they were wrapped in.
        name: String,
    },
    /// A text that is exactly a number was passed where only a number fits.
    TextToNumber {
        /// Where it stands in the arguments.
        path: String,
    },
    /// `"true"` or `"false"` was passed where only a boolean fits.
    TextToBoolean {
        /// Where it stands in the arguments.
        path: String,
    },
    /// One value was passed where only an array of such values fits.
    IntoArray {
        /// Where it stands in the arguments.
        path: String,
    },
    /// `null` was passed for a member that may be absent but not null.
    NullLeftOut {
        /// Where it stood in the arguments.
        path: String,
    },
    /// Arguments stood beside the code instead of in their own member.
    Flat {
        /// The member that they belong in.
        member: String,
    },
    /// The code or the arguments stood under another name than the one that was offered.
    Misnamed {
        /// The name that was written.
        written: String,
        /// The name that was offered.
        offered: String,
    },
    /// A tool was called by its name, where it is called through another tool.
    Direct {
        /// The code of the tool.
        code: String,
        /// The tool that it is called through.
        through: String,
    },
    /// The tool that calls others was called through itself.
    Nested {
        /// That tool.
        through: String,
    },
    /// The tool's name was written with other separators or letters, or with something in front.
    Spelling {
        /// What was written.
        written: String,
        /// The code that it stands for: no other one could be meant.
        code: String,
    },
    /// The arguments could not be checked, because the tool's schema is broken. They are passed on as they are.
    Unchecked {
        /// What is wrong with the schema.
        reason: String,
    },
    /// The arguments could not be checked against all of the tool's schema, because some of it is broken.
    PartlyUnchecked {
        /// What is wrong with the schema.
        reason: String,
    },
}

impl Repair {
    /// Returns the repair's name: what `kind` is in JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ReadText { .. } => "read_text",
            Self::NoArguments => "no_arguments",
            Self::OutOfArray => "out_of_array",
            Self::Unwrapped { .. } => "unwrapped",
            Self::TextToNumber { .. } => "text_to_number",
            Self::TextToBoolean { .. } => "text_to_boolean",
            Self::IntoArray { .. } => "into_array",
            Self::NullLeftOut { .. } => "null_left_out",
            Self::Flat { .. } => "flat",
            Self::Misnamed { .. } => "misnamed",
            Self::Direct { .. } => "direct",
            Self::Nested { .. } => "nested",
            Self::Spelling { .. } => "spelling",
            Self::Unchecked { .. } => "unchecked",
            Self::PartlyUnchecked { .. } => "partly_unchecked",
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::ReadText { path }
            | Self::TextToNumber { path }
            | Self::TextToBoolean { path }
            | Self::IntoArray { path }
            | Self::NullLeftOut { path } => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadText { path } if path.is_empty() => {
                f.write_str("The arguments were JSON as text; they were read.")
            }
            Self::ReadText { path } => write!(f, "{path} was JSON as text; it was read."),
            Self::NoArguments => f.write_str("No arguments were passed; none are needed."),
            Self::OutOfArray => f.write_str("The arguments stood in an array; they were taken out."),
            Self::Unwrapped { name } => {
                write!(f, "The arguments were wrapped in {}; they were taken out.", quoted(name))
            }
            Self::TextToNumber { path } => write!(f, "{path} was a number as text; it was made a number."),
            Self::TextToBoolean { path } => {
                write!(f, "{path} was true or false as text; it was made a boolean.")
            }
            Self::IntoArray { path } => write!(f, "{path} takes an array; the one value was put into one."),
            Self::NullLeftOut { path } => write!(f, "{path} was null, which it cannot be; it was left out."),
            Self::Flat { member } => {
                write!(f, "Arguments stood beside {} instead of in it; they were moved.", quoted(member))
            }
            Self::Misnamed { written, offered } => {
                write!(f, "{} was read as {}.", quoted(written), quoted(offered))
            }
            Self::Direct { code, through } => {
                write!(f, "{} is called through {}; it was.", quoted(code), quoted(through))
            }
            Self::Nested { through } => {
                write!(f, "{} was called through itself; once is enough.", quoted(through))
            }
            Self::Spelling { written, code } => {
                write!(f, "{} was read as {}.", quoted(written), quoted(code))
            }
            Self::Unchecked { reason } => {
                write!(f, "The arguments were not checked: the tool's schema cannot be used ({reason}).")
            }
            Self::PartlyUnchecked { reason } => {
                write!(f, "Part of the tool's schema was not checked: it cannot be used ({reason}).")
            }
        }
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        if let Some(path) = self.path() {
            map.serialize_entry("path", path)?;
        }
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}

/// What a model asks the catalogue itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// All about the tool with this code. The code may be unknown: then it is as the model wrote it.
    Code(String),
    /// Which tools answer to these words.
    Words(String),
}
