//! Entries in a client's settings file, put in and taken out byte for byte.
//!
//! Claude Code and Gemini CLI keep hooks as `{"hooks": {"EVENT": [{"matcher": ..., "hooks": [{"type": "command", ...}]}]}}`. [`add`]
//! inserts elements and changes nothing else, comments and trailing commas included; [`take_out`] removes them, and whatever [`add`]
//! had to make around them, so that `take_out(add(text)) == text` for every text. What was made around them shows in where the
//! blanks stand: behind a bracket that was there before, an entry follows at once.

mod text;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Array, Object, Value},
    common::Ranged as _,
    parse_to_ast,
};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use self::text::{Style, Within};

/// Settings files are read up to this many bytes.
pub const MOST_BYTES: usize = 4 << 20;

/// Containers in containers, at most: the parser calls itself.
const MOST_NESTED: usize = 128;

/// Why a settings file cannot be changed: then it is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It is no JSON, comments and trailing commas allowed.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// A value has another type than the client's documentation says.
    #[error("{at} is not {expected}")]
    NotA {
        /// The value's path.
        at: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A name stands twice in an object, so that what the client takes is a matter of luck.
    #[error("{at} stands in it more than once")]
    Twice {
        /// The path.
        at: String,
    },
    /// It is too long or too deep to be a settings file.
    #[error("it is no settings file: {0}")]
    Unlikely(&'static str),
}

/// A hook to be put in: a command that is run at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event, such as `PostToolUse`.
    pub event: &'static str,
    /// For which tools, or at which kind of start; for all if there is none.
    pub matcher: Option<&'static str>,
    /// The shell line.
    pub command: String,
    /// When the client gives up waiting, in the client's own unit.
    pub timeout: u32,
}

impl Serialize for Entry {
    /// As the element of the event's list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Hook<'e> {
            r#type: &'static str,
            command: &'e str,
            timeout: u32,
        }
        let mut element = serializer.serialize_struct("Entry", 2)?;
        match self.matcher {
            Some(matcher) => element.serialize_field("matcher", matcher)?,
            None => element.skip_field("matcher")?,
        }
        let hook = Hook { r#type: "command", command: &self.command, timeout: self.timeout };
        element.serialize_field("hooks", &[hook])?;
        element.end()
    }
}

/// Puts entries into a settings file's text.
///
/// # Errors
/// [`SettingsError`], if the text is not what a settings file is.
///
/// ```
/// use recto_hooks::settings::{Entry, add, take_out};
/// let text = "{\n  // mine\n  \"model\": \"x\",\n}\n";
/// let entry = Entry { event: "PostToolUse", matcher: None, command: "recto hook claude".into(), timeout: 5 };
/// let added = add(text, &[entry])?;
/// assert!(added.starts_with("{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {"));
/// assert_eq!(take_out(&added, |command| command.contains("recto hook"))?, text);
/// # Ok::<(), recto_hooks::settings::SettingsError>(())
/// ```
pub fn add(text: &str, entries: &[Entry]) -> Result<String, SettingsError> {
    let (mark, text) = without_mark(text);
    let mut text = text.to_owned();
    for entry in entries {
        text = add_one(&text, entry)?;
    }
    Ok(format!("{mark}{text}"))
}

/// Takes the hooks out all of whose commands are owned.
///
/// # Errors
/// [`SettingsError`], if the text is not what a settings file is.
pub fn take_out(text: &str, owns: impl Fn(&str) -> bool) -> Result<String, SettingsError> {
    let (mark, text) = without_mark(text);
    let mut text = text.to_owned();
    while let Some(shorter) = take_one_out(&text, &owns)? {
        text = shorter;
    }
    Ok(format!("{mark}{text}"))
}

/// The events for which hooks stand in the text, each with one of its commands.
///
/// # Errors
/// [`SettingsError`], if the text is not what a settings file is.
pub fn commands(text: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let mut found = Vec::new();
    with_root(without_mark(text).1, |root| {
        let Some(hooks) = object_of(root, "hooks")? else { return Ok(()) };
        for property in &hooks.properties {
            let Value::Array(elements) = &property.value else { continue };
            let of = elements.elements.iter().flat_map(commands_of);
            found.extend(of.map(|command| (property.name.as_str().to_owned(), command.to_owned())));
        }
        Ok(())
    })?;
    Ok(found)
}

/// A byte order mark, which some editors write, and what stands behind it.
fn without_mark(text: &str) -> (&str, &str) {
    let length = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text.split_at(length)
}

fn add_one(text: &str, entry: &Entry) -> Result<String, SettingsError> {
    with_root(text, |root| {
        let style = Style::of(text, root);
        let Some(hooks) = object_of(root, "hooks")? else {
            let value = style.object(1, &[(entry.event, style.array(2, entry))]);
            return Ok(Within::members(text, root).insert_at_root(&style, &format!("\"hooks\": {value}")));
        };
        let Some(list) = array_of(hooks, entry.event)? else {
            let member = format!("\"{}\": {}", entry.event, style.array(2, entry));
            return Ok(Within::members(text, hooks).insert(&style, 2, &member));
        };
        Ok(Within::elements(text, list).insert(&style, 3, &style.value(3, entry)))
    })
}

fn take_one_out(text: &str, owns: &impl Fn(&str) -> bool) -> Result<Option<String>, SettingsError> {
    with_root(text, |root| {
        let Some(hooks) = object_of(root, "hooks")? else { return Ok(None) };
        let is_owned = |element: &Value<'_>| {
            let mut commands = commands_of(element).peekable();
            commands.peek().is_some() && commands.all(owns)
        };
        // The last one first: so the one that stands behind a bracket goes when it is alone, and its blanks tell about the bracket.
        for (event, property) in hooks.properties.iter().enumerate().rev() {
            let Value::Array(list) = &property.value else { continue };
            let Some(at) = list.elements.iter().rposition(is_owned) else { continue };
            // What was made for it goes with it.
            let elements = Within::elements(text, list);
            if list.elements.len() > 1 || !elements.was_made() {
                return Ok(Some(elements.remove(at)));
            }
            let events = Within::members(text, hooks);
            if hooks.properties.len() > 1 || !events.was_made() {
                return Ok(Some(events.remove(event)));
            }
            let at = root.properties.iter().position(|property| property.name.as_str() == "hooks");
            return Ok(at.map(|at| Within::members(text, root).remove(at)));
        }
        Ok(None)
    })
}

/// Parses the text and gives its object to `work`.
fn with_root<T>(
    text: &str,
    work: impl FnOnce(&Object<'_>) -> Result<T, SettingsError>,
) -> Result<T, SettingsError> {
    if text.len() > MOST_BYTES {
        return Err(SettingsError::Unlikely("it is longer than 4 MiB"));
    }
    if text::depth(text) > MOST_NESTED {
        return Err(SettingsError::Unlikely("it is nested deeper than 128"));
    }
    let options = CollectOptions::default();
    let parsed = parse_to_ast(text, &options, &ParseOptions::default())
        .map_err(|error| SettingsError::NotJson(error.to_string()))?;
    match parsed.value {
        Some(Value::Object(root)) => work(&root),
        Some(_) => Err(SettingsError::NotA { at: "the whole".to_owned(), expected: "an object" }),
        None => Err(SettingsError::NotJson("it is empty".to_owned())),
    }
}

fn object_of<'o, 'a>(object: &'o Object<'a>, name: &str) -> Result<Option<&'o Object<'a>>, SettingsError> {
    match only(object, name)? {
        None => Ok(None),
        Some(Value::Object(found)) => Ok(Some(found)),
        Some(_) => Err(SettingsError::NotA { at: name.to_owned(), expected: "an object" }),
    }
}

fn array_of<'o, 'a>(object: &'o Object<'a>, name: &str) -> Result<Option<&'o Array<'a>>, SettingsError> {
    match only(object, name)? {
        None => Ok(None),
        Some(Value::Array(found)) => Ok(Some(found)),
        Some(_) => Err(SettingsError::NotA { at: format!("hooks.{name}"), expected: "a list" }),
    }
}

fn only<'o, 'a>(object: &'o Object<'a>, name: &str) -> Result<Option<&'o Value<'a>>, SettingsError> {
    let mut named = object.properties.iter().filter(|property| property.name.as_str() == name);
    let first = named.next();
    if named.next().is_some() {
        return Err(SettingsError::Twice { at: name.to_owned() });
    }
    Ok(first.map(|property| &property.value))
}

/// The commands of one element of an event's list.
fn commands_of<'v>(element: &'v Value<'_>) -> impl Iterator<Item = &'v str> {
    let member = |object: &'v Object<'_>, name: &str| {
        object
            .properties
            .iter()
            .find(|property| property.name.as_str() == name)
            .map(|property| &property.value)
    };
    let hooks = match element {
        Value::Object(object) => match member(object, "hooks") {
            Some(Value::Array(hooks)) => &*hooks.elements,
            _ => &[],
        },
        _ => &[],
    };
    hooks.iter().map(move |hook| match hook {
        Value::Object(hook) => match member(hook, "command") {
            Some(Value::StringLit(command)) => &*command.value,
            _ => "",
        },
        _ => "",
    })
}

/// Where the children of a container stand.
impl<'t> Within<'t> {
    fn members(text: &'t str, object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(|property| property.start()..property.end()).collect();
        Self { text, whole: object.start()..object.end(), children }
    }

    fn elements(text: &'t str, array: &Array<'_>) -> Self {
        let children = array.elements.iter().map(|element| element.start()..element.end()).collect();
        Self { text, whole: array.start()..array.end(), children }
    }
}

#[cfg(test)]
mod tests;
