//! Entries in a client's settings file, put in and taken out byte for byte.
//!
//! Claude Code and Gemini CLI keep hooks as `{"hooks": {"EVENT": [{"matcher": ..., "hooks": [{"type": "command", ...}]}]}}`. [`add`]
//! inserts elements and changes nothing else, comments and trailing commas included; [`take_out`] removes them, and whatever [`add`]
//! had to make around them, so that `take_out(add(text)) == text` for every text. What was made around them shows in where the
//! blanks stand: behind a bracket that was there before, an entry follows at once.

mod rest;
mod text;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Array, Object, ObjectProp, Value},
    common::Ranged as _,
    parse_to_ast,
};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use self::text::{Style, Within};

/// Settings files are read up to this many bytes.
pub const MOST_BYTES: usize = 4 << 20;

const TOO_LONG: SettingsError = SettingsError::Unlikely("it is longer than 4 MiB");

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
    /// The change would touch more than the hooks that it is about.
    #[error(
        "recto's hooks stand in it in a way in which they cannot be changed alone: the file was not changed, do it by hand"
    )]
    Entangled,
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
        let longer = add_one(&text, entry)?;
        if !rest::is_same(&text, &longer, |command| command == entry.command) {
            return Err(SettingsError::Entangled);
        }
        text = longer;
    }
    // One that could not be read any more could not be taken out of either.
    if text.len() > MOST_BYTES {
        return Err(TOO_LONG);
    }
    Ok(format!("{mark}{text}"))
}

/// Takes the hooks out whose commands are owned, and nothing else: comments around them stay, and so do other hooks beside them.
///
/// # Errors
/// [`SettingsError`], if the text is not what a settings file is, or the hooks cannot be taken out alone.
pub fn take_out(text: &str, owns: impl Fn(&str) -> bool) -> Result<String, SettingsError> {
    let (mark, before) = without_mark(text);
    let Some(mut left) = take_one_out(before, &owns)? else { return Ok(text.to_owned()) };
    let mut most = rest::owned(before, &owns).unwrap_or_default();
    while let Some(shorter) = take_one_out(&left, &owns).map_err(|_| SettingsError::Entangled)? {
        left = shorter;
        // Each time it is one less, or it would go on for ever.
        most = most.checked_sub(1).ok_or(SettingsError::Entangled)?;
    }
    if rest::owned(&left, &owns) != Some(0) || !rest::is_same(before, &left, &owns) {
        return Err(SettingsError::Entangled);
    }
    Ok(format!("{mark}{left}"))
}

/// The lists and objects for hooks that are empty, such as `hooks.PostToolUse`.
///
/// # Errors
/// [`SettingsError`], if the text is not what a settings file is.
pub fn empty(text: &str) -> Result<Vec<String>, SettingsError> {
    let mut found = Vec::new();
    with_root(without_mark(text).1, |root| {
        let Some(hooks) = object_of(root, "hooks")? else { return Ok(()) };
        if hooks.properties.is_empty() {
            found.push("hooks".to_owned());
        }
        for property in &hooks.properties {
            if matches!(&property.value, Value::Array(list) if list.elements.is_empty()) {
                found.push(format!("hooks.{}", property.name.as_str()));
            }
        }
        Ok(())
    })?;
    Ok(found)
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
        // The last one first: so the one that stands behind a bracket goes when it is alone, and its blanks tell about the bracket.
        for (event, property) in hooks.properties.iter().enumerate().rev() {
            let Value::Array(list) = &property.value else { continue };
            let Some(at) = list.elements.iter().rposition(|element| commands_of(element).any(owns)) else {
                continue;
            };
            let element = list.elements.get(at);
            if let Some(inner) = element.and_then(hooks_of)
                && element.is_some_and(|element| !commands_of(element).all(owns))
                && let Some(hook) = inner.elements.iter().rposition(|hook| command_of(hook).is_some_and(owns))
            {
                return Ok(Some(Within::elements(text, inner).remove(hook)));
            }
            // What was made for it goes with it.
            let elements = Within::elements(text, list);
            if !elements.was_made() || !is_bare(text, property) {
                return Ok(Some(elements.remove(at)));
            }
            let events = Within::members(text, hooks);
            let at = root.properties.iter().position(|property| property.name.as_str() == "hooks");
            let is_bare = at.and_then(|at| root.properties.get(at)).is_some_and(|hooks| is_bare(text, hooks));
            if !events.was_made() || !is_bare {
                return Ok(Some(events.remove(event)));
            }
            return Ok(at.map(|at| Within::members(text, root).remove(at)));
        }
        Ok(None)
    })
}

/// Whether nobody wrote anything between a name and its value.
fn is_bare(text: &str, property: &ObjectProp<'_>) -> bool {
    let between = text.get(property.name.end()..property.value.start());
    between.is_some_and(|between| text::is_blank(&between.replacen(':', "", 1)))
}

/// Parses the text and gives its object to `work`.
fn with_root<T>(
    text: &str,
    work: impl FnOnce(&Object<'_>) -> Result<T, SettingsError>,
) -> Result<T, SettingsError> {
    if text.len() > MOST_BYTES {
        return Err(TOO_LONG);
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

fn member<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    let Value::Object(object) = value else { return None };
    let mut named = object.properties.iter().filter(|property| property.name.as_str() == name);
    named.next().map(|property| &property.value)
}

/// The list of hooks of one element of an event's list.
fn hooks_of<'v, 'a>(element: &'v Value<'a>) -> Option<&'v Array<'a>> {
    match member(element, "hooks") {
        Some(Value::Array(hooks)) => Some(hooks),
        _ => None,
    }
}

fn command_of<'v>(hook: &'v Value<'_>) -> Option<&'v str> {
    match member(hook, "command") {
        Some(Value::StringLit(command)) => Some(&*command.value),
        _ => None,
    }
}

/// The commands of one element of an event's list, one for each hook.
fn commands_of<'v>(element: &'v Value<'_>) -> impl Iterator<Item = &'v str> {
    let hooks = hooks_of(element).map(|hooks| &*hooks.elements).unwrap_or_default();
    hooks.iter().map(|hook| command_of(hook).unwrap_or_default())
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
