//! Reading the arguments of a call: lenient where the meaning is plain, and clear about what is wrong elsewhere.

use recto_recall::{Asked, Elisions};
use serde_json::{Map, Value};

use super::{
    definitions::Tool,
    words::{self, shortened},
};

/// Longest pattern: an error shows it, and so does the line that says how to go on.
const PATTERN_BYTES: usize = 1_000;

/// The most lines around a match; more is asked for by lines.
const CONTEXT_LINES: u64 = 1_000;

/// The arguments of a call, known to be those of its tool.
pub(crate) struct Arguments<'c> {
    tool: Tool,
    given: &'c Map<String, Value>,
}

impl<'c> Arguments<'c> {
    /// Takes arguments if all of them are the tool's.
    pub(crate) fn read(tool: Tool, given: &'c Map<String, Value>) -> Result<Self, String> {
        if tool == Tool::Query {
            // The engine knows its arguments, and what other query languages call them.
            return Ok(Self { tool, given });
        }
        let names: Vec<&str> = tool.properties().into_iter().map(|(name, _)| name).collect();
        // Every tool takes an elision in either way of writing it, though only one is told of the second.
        let unknown = given.keys().find(|key| !names.contains(&key.as_str()) && *key != "elision");
        unknown.map_or(Ok(Self { tool, given }), |key| {
            Err(format!("{} takes no {:?}; it takes {}", tool.name(), shortened(key), names.join(", ")))
        })
    }

    /// What the ref names, with the elision of either way of writing it.
    pub(crate) fn asked(&self) -> Result<Asked, String> {
        let text = self.needed("ref", "r:123456789012345")?;
        let mut asked: Asked = text.trim().parse().map_err(|error| words::of_recall(&error))?;
        if let Some(elision) = self.elisions()? {
            if asked.elision.is_some_and(|other| other != elision) {
                return Err(format!("ref {text} and elision {elision} name two elisions: leave one out"));
            }
            asked.elision = Some(elision);
        }
        Ok(asked)
    }

    /// The elisions by their own argument: a number, or a text as it stands in a note.
    fn elisions(&self) -> Result<Option<Elisions>, String> {
        let Some(given) = self.given("elision") else { return Ok(None) };
        let text = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
        let numbers = text.trim().trim_start_matches('#');
        numbers.parse().map(Some).map_err(|_| wrong("elision", "a whole number such as 3", given))
    }

    /// The pattern to search for.
    pub(crate) fn pattern(&self) -> Result<String, String> {
        let pattern = self.needed("pattern", "timed? ?out")?;
        if pattern.len() > PATTERN_BYTES {
            return Err(format!(
                "pattern: {} bytes are more than the limit of {PATTERN_BYTES}; search for a part of it",
                pattern.len()
            ));
        }
        Ok(pattern)
    }

    /// How many lines are to stand around each match.
    pub(crate) fn context(&self) -> Result<u64, String> {
        Ok(self.whole("context")?.unwrap_or(0).min(CONTEXT_LINES))
    }

    /// A text, if it is given; a number will do.
    pub(crate) fn text(&self, name: &str, example: &str) -> Result<Option<String>, String> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(wrong(name, &format!("a string such as {example:?}"), other)),
        }
    }

    /// A whole number, if it is given; as a text it will do, also with the `#` of a note.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<u64>, String> {
        let number = match self.given(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.trim().trim_start_matches('#').parse().ok(),
            Some(_) => None,
        };
        match (number, self.given(name)) {
            (None, Some(other)) => Err(wrong(name, "a whole number such as 3", other)),
            (number, _) => Ok(number),
        }
    }

    /// Whether something is asked for.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, String> {
        match self.given(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(other) => Err(wrong(name, "true or false", other)),
        }
    }

    /// All but what names the source.
    pub(crate) fn question(&self) -> Value {
        let mut question = self.given.clone();
        question.retain(|name, value| name != "ref" && name != "elision" && !value.is_null());
        Value::Object(question)
    }

    /// The same call, from `cursor` on, as a model writes it.
    pub(crate) fn call_from(&self, cursor: u64) -> String {
        let mut given = self.given.clone();
        given.retain(|_, value| !value.is_null());
        given.insert("cursor".to_owned(), cursor.into());
        format!("{} {}", self.tool.name(), Value::Object(given))
    }

    fn given(&self, name: &str) -> Option<&'c Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    fn needed(&self, name: &str, example: &str) -> Result<String, String> {
        self.text(name, example)?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("{} needs {name:?}, such as {example:?}", self.tool.name()))
    }
}

fn wrong(name: &str, wanted: &str, given: &Value) -> String {
    format!("{name}: give {wanted}, not {}", shortened(&given.to_string()))
}
