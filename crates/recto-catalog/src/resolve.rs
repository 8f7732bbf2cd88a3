//! A model's call made into the call of a real tool, checked against the tool's own schema.
//!
//! First which tool: by its code letter for letter, else by the only code that the name can be another writing of. Then its
//! arguments: what is valid is passed on as it is; what is not is repaired where the schema leaves one reading, and said so; the rest
//! is an error that tells the model what to write.

mod arguments;
mod describe;
mod envelope;
mod exact;
mod fault;
mod find;
mod limits;
mod message;
mod namespaces;
mod outcome;
mod question;
mod reference;
mod salvage;
mod text;
mod validator;
mod work;

use std::collections::BTreeSet;

use envelope::Envelope;
pub use exact::{InexactJson, read_exactly};
use find::{Found, find, gone, unclear, without_prefix};
pub use limits::MAX_ARGUMENT_BYTES;
pub use namespaces::{NamespaceTools, Operation};
pub use outcome::{Outcome, Question, Repair};
use serde_json::Value;
pub(crate) use text::one_line;
use text::quoted;
pub use validator::Validator;

use crate::directory::{Directory, Entry};

/// How the tools of a catalogue are offered to the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Surface {
    /// Each by itself, under its code.
    Direct,
    /// One tool for each namespace, which takes an operation and its arguments.
    Namespaces(NamespaceTools),
    /// One tool that calls the others by their codes, and one that looks them up.
    Map(MapTools),
}

/// The two tools that stand for all, and those that are offered besides.
///
/// A tool whose code is that of one of the two is called through the first like any other, and never offered natively: the name
/// always means the catalogue's own.
#[derive(Clone, Debug)]
pub struct MapTools {
    /// The tool that calls: `t {f: code, a: arguments}`.
    pub call: String,
    /// The tool that looks up: `q {c: code, s: words}`.
    pub ask: String,
    /// The codes of the tools that are offered under their own names.
    pub native: BTreeSet<String>,
}

impl Default for MapTools {
    fn default() -> Self {
        Self { call: "t".to_owned(), ask: "q".to_owned(), native: BTreeSet::new() }
    }
}

/// Answers what a model asks the catalogue itself.
pub type Answer<'a> = &'a dyn Fn(Question) -> String;

/// Makes a model's call into the call of a real tool.
///
/// A call that is right as it is comes back as it is, with no repairs; one that is called is valid against the tool's own schema, and
/// is of a tool that the model named. Questions to the catalogue itself go to `answer`.
///
/// ```
/// use recto_catalog::{Directory, MapTools, Outcome, Surface, Tool, resolve};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]});
/// let directory = Directory::new(&[Tool::new("list_issues", "Lists issues.", schema)?], &[]);
/// let surface = Surface::Map(MapTools::default());
/// let ask = |_| String::new();
///
/// let outcome = resolve(&directory, &surface, "t", json!({"f": "list_issues", "a": {"page": "2"}}), &ask);
/// let Outcome::Call { name, arguments, repairs, .. } = outcome else { panic!("not a call: {outcome:?}") };
/// assert_eq!((name.as_str(), arguments), ("list_issues", json!({"page": 2})));
/// assert_eq!(repairs[0].to_string(), "page was a number as text; it was made a number.");
///
/// let outcome = resolve(&directory, &surface, "t", json!({"f": "list_issues", "a": {"pgae": 2}}), &ask);
/// let Outcome::Error { message, .. } = outcome else { panic!("not an error: {outcome:?}") };
/// assert_eq!(message, "list_issues: You passed \"pgae\"; did you mean \"page\"? Rename it. It takes page.");
/// # Ok::<(), recto_catalog::CatalogError>(())
/// ```
#[must_use]
pub fn resolve(
    directory: &Directory,
    surface: &Surface,
    name: &str,
    arguments: Value,
    answer: Answer<'_>,
) -> Outcome {
    if let Err(message) = limits::check(&arguments) {
        return Outcome::error(format!("{}: {message}", text::one_line(name, text::MAX_QUOTED_CHARS)));
    }
    match surface {
        Surface::Direct => {
            by_name(directory, name, arguments, None, "Call one of the tools that are offered.")
        }
        Surface::Namespaces(namespaces) => namespaces.resolve(directory, name, arguments, answer),
        Surface::Map(map) => map.resolve(directory, name, arguments, answer),
    }
}

/// Calls the tool that a name stands for. `through` is the tool that it should have been called through, if it is not offered.
fn by_name(
    directory: &Directory,
    name: &str,
    arguments: Value,
    through: Option<(&str, &BTreeSet<String>)>,
    how: &str,
) -> Outcome {
    let mut repairs = Vec::new();
    let entry = match tool(directory, name, how, &mut repairs) {
        Ok(entry) => entry,
        Err(outcome) => return *outcome,
    };
    if let Some((through, native)) = through
        && !native.contains(entry.code())
    {
        repairs.push(Repair::Direct { code: entry.code().to_owned(), through: through.to_owned() });
    }
    call(entry, arguments, repairs)
}

/// Finds the tool that a name stands for, or tells why none is called.
fn tool<'a>(
    directory: &'a Directory,
    name: &str,
    how: &str,
    repairs: &mut Vec<Repair>,
) -> Result<&'a Entry, Box<Outcome>> {
    match find(directory, name) {
        Found::Exact(entry) => Ok(entry),
        Found::Spelled(entry) => {
            repairs.push(Repair::Spelling { written: name.to_owned(), code: entry.code().to_owned() });
            Ok(entry)
        }
        Found::Removed(removed) => Err(Box::new(Outcome::Error {
            message: gone(removed),
            recoverable: false,
            code: Some(removed.code.clone()),
        })),
        Found::Unclear(several) => Err(Box::new(Outcome::error(unclear(directory, name, &several, how)))),
    }
}

/// Checks the arguments of a tool, and makes the call.
fn call(entry: &Entry, written: Value, mut repairs: Vec<Repair>) -> Outcome {
    let tool = entry.tool();
    let code = entry.code().to_owned();
    match arguments::settle(tool.validator(), &[entry.code(), tool.name()], written, &mut repairs) {
        Ok(arguments) => Outcome::Call {
            name: tool.name().to_owned(),
            server: tool.server().map(str::to_owned),
            code,
            arguments,
            repairs,
        },
        Err(message) => {
            Outcome::Error { message: format!("{code}: {message}"), recoverable: true, code: Some(code) }
        }
    }
}

/// How often the tool that calls may be called through itself.
const MAX_NESTED: usize = 3;

impl MapTools {
    fn resolve(&self, directory: &Directory, name: &str, arguments: Value, answer: Answer<'_>) -> Outcome {
        let is_free = directory.get(name).is_none() && directory.gone(name).is_none();
        let bare = if is_free { without_prefix(name) } else { name };
        let is = |own: &str| name == own || (is_free && bare.eq_ignore_ascii_case(own));
        if is(&self.call) {
            return self.call(directory, arguments, answer);
        }
        if is(&self.ask) {
            return question::ask(directory, &self.ask, arguments, answer);
        }
        by_name(directory, name, arguments, Some((&self.call, &self.native)), &self.how())
    }

    fn how(&self) -> String {
        format!("Look it up with {} {{\"s\": words}}.", self.ask)
    }

    fn call(&self, directory: &Directory, arguments: Value, answer: Answer<'_>) -> Outcome {
        let envelope = Envelope { tool: &self.call, code: "f", arguments: "a" };
        // Where a tool has, or had, the name of one of the two, its code means that tool.
        let is_own = |code: &str, own: &str| {
            without_prefix(code) == own
                && !matches!(find(directory, code), Found::Exact(_) | Found::Removed(_))
        };
        let is_code = |text: &str| {
            is_own(text, &self.call)
                || is_own(text, &self.ask)
                || matches!(find(directory, text), Found::Exact(_) | Found::Spelled(_) | Found::Removed(_))
        };
        let mut repairs = Vec::new();
        let mut written = arguments;
        for _ in 0..MAX_NESTED {
            let (code, beside) = match envelope.open(written, &is_code, &mut repairs) {
                Ok(parts) => parts,
                Err(message) => return Outcome::error(self.with_own_name(directory, message)),
            };
            if is_own(&code, &self.call) {
                repairs.push(Repair::Nested { through: self.call.clone() });
                let inside = beside.get(envelope.arguments).cloned();
                written = inside.unwrap_or(Value::Object(beside));
                continue;
            }
            if is_own(&code, &self.ask) {
                let inside = beside.get(envelope.arguments).cloned();
                return question::ask(directory, &self.ask, inside.unwrap_or(Value::Object(beside)), answer);
            }
            let entry = match tool(directory, &code, &self.how(), &mut repairs) {
                Ok(entry) => entry,
                Err(outcome) => return *outcome,
            };
            return match envelope.arguments(beside, entry.tool().validator(), &mut repairs) {
                Ok(arguments) => call(entry, arguments, repairs),
                Err(message) => Outcome::Error {
                    message: format!("{}: {message}", entry.code()),
                    recoverable: true,
                    code: Some(entry.code().to_owned()),
                },
            };
        }
        Outcome::error(format!(
            "{} is called through itself again and again: write {} once.",
            self.call,
            envelope.form()
        ))
    }

    /// Adds how a tool is called that has the name of the one that calls.
    fn with_own_name(&self, directory: &Directory, message: String) -> String {
        if directory.get(&self.call).is_none() {
            return message;
        }
        let own = quoted(&self.call);
        format!(
            "{message} The tool {own} itself is called as {} {{\"f\": {own}, \"a\": {{arguments}}}}.",
            self.call
        )
    }
}
