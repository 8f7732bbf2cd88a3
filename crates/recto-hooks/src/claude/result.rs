//! The shapes of the tools' outputs: where in them the texts stand that the model reads.

use std::{borrow::Cow, fmt::Write as _};

use serde::Serialize;
use serde_json::value::RawValue;

use super::saved;
use crate::{
    HookError, Persisted, Text,
    members::{Members, is_string, json, string},
};

/// A tool's output: its texts, and everything else byte for byte.
#[derive(Debug)]
pub struct ToolResult<'a> {
    body: Body<'a>,
    places: Vec<Place>,
    texts: Vec<Text<'a>>,
    persisted: Option<Persisted>,
}

/// The output as JSON.
#[derive(Debug)]
enum Body<'a> {
    Text,
    Object(Members<'a>),
    Blocks(Vec<Members<'a>>),
    /// An object whose member `content` holds blocks.
    ObjectOfBlocks(Members<'a>, Vec<Members<'a>>),
}

/// Where a text stands in the body.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// It is the body.
    Whole,
    /// A member of the object.
    Member(&'static str),
    /// A member of an object that is a member.
    Within(&'static str, &'static str),
    /// An array of texts, each a line.
    Lines(&'static str),
    /// The `text` of a block.
    Block(usize),
}

/// Why a result is not read.
pub(super) enum Unknown {
    /// It is not as the tool's documentation says.
    Shape(&'static str),
    /// It is no text, or none that a view may stand for.
    NotText(&'static str),
}

use Unknown::{NotText, Shape};

/// What stands before a view of numbered lines: the client numbers the view's lines once more.
const OWN_NUMBERS: &str = "[recto: the second number of each line below is the file's own]";

impl<'a> ToolResult<'a> {
    pub(super) fn read(tool: &str, response: &'a RawValue) -> Result<Self, Unknown> {
        if tool.starts_with("mcp__") {
            return Self::of_server(response);
        }
        let object = || Members::parse(response).map_err(|_| Shape("it is no object"));
        match tool {
            "Bash" | "PowerShell" => Self::of_shell(object()?),
            "Read" => Self::of_file(object()?),
            "Grep" => {
                let object = object()?;
                match object.string("mode").as_deref() {
                    Some("content" | "count") => Self::of_member(object, "content"),
                    Some("files_with_matches") | None => Self::of_lines(object),
                    Some(_) => Err(Shape("its mode")),
                }
            }
            "Glob" | "LS" => Self::of_lines(object()?),
            "WebFetch" => Self::of_member(object()?, "result"),
            _ => Err(NotText("no tool of this name is known")),
        }
    }

    /// The same, with the file of which its only text says that the client has put the result there, if that lies in `folder`.
    pub(super) fn or_saved_in(mut self, folder: Option<&str>) -> Self {
        if let ([text], None, Some(folder)) = (&self.texts[..], &self.persisted, folder) {
            let path = saved::path(text.original(), folder);
            self.persisted = path.map(|path| Persisted { path: path.to_owned(), text: 0 });
        }
        self
    }

    /// What the model reads, in the order in which it does.
    #[must_use]
    pub fn texts(&self) -> &[Text<'a>] {
        &self.texts
    }

    /// The same, to be replaced.
    pub fn texts_mut(&mut self) -> &mut [Text<'a>] {
        &mut self.texts
    }

    /// The file that holds the whole of a text, if the client has written one.
    #[must_use]
    pub fn persisted(&self) -> Option<&Persisted> {
        self.persisted.as_ref()
    }

    /// The answer to the event, in the tool's own shape.
    ///
    /// # Errors
    /// [`HookError::Event`] if it cannot be written; never for what was read.
    pub fn answer(mut self) -> Result<String, HookError> {
        for (index, text) in self.texts.iter().enumerate() {
            if let (Some(place), Some(view)) = (self.places.get(index), text.replacement()) {
                let is_persisted = self.persisted.as_ref().is_some_and(|file| file.text == index);
                self.body.put(*place, view, is_persisted)?;
            }
        }
        if let Body::ObjectOfBlocks(object, blocks) = &mut self.body {
            let blocks = json(blocks)?;
            object.set("content", blocks);
        }
        let whole = self.texts.first().map_or("", |text| text.replacement().unwrap_or(text.original()));
        super::answer(&Output {
            hook_event_name: "PostToolUse",
            updated_tool_output: match &self.body {
                Body::Text => Written::Text(whole),
                Body::Object(members) | Body::ObjectOfBlocks(members, _) => Written::Object(members),
                Body::Blocks(blocks) => Written::Blocks(blocks),
            },
        })
    }

    fn one(body: Body<'a>, place: Place, text: Cow<'a, str>) -> Self {
        Self { body, places: vec![place], texts: vec![Text::new(text)], persisted: None }
    }

    fn of_shell(object: Members<'a>) -> Result<Self, Unknown> {
        if object.is("isImage", "true") {
            return Err(NotText("it is an image"));
        }
        if object.raw("structuredContent").is_some_and(|raw| !matches!(raw.get(), "null" | "[]")) {
            return Err(NotText("it has content blocks of its own"));
        }
        let is_persisted = object.raw("persistedOutputPath").is_some();
        let out = match text(&object, "stdout", "stdout or stderr is missing") {
            // The client cuts between the halves of a character; the file has all of it.
            Err(NotText(_)) if is_persisted => Cow::Borrowed(""),
            out => out?,
        };
        let errors = text(&object, "stderr", "stdout or stderr is missing")?;
        let persisted =
            object.string("persistedOutputPath").map(|path| Persisted { path: path.into_owned(), text: 0 });
        Ok(Self {
            body: Body::Object(object),
            places: vec![Place::Member("stdout"), Place::Member("stderr")],
            texts: vec![Text::new(out), Text::new(errors)],
            persisted,
        })
    }

    fn of_file(object: Members<'a>) -> Result<Self, Unknown> {
        if object.string("type").as_deref() != Some("text") {
            return Err(NotText("it is no text"));
        }
        let file =
            object.raw("file").and_then(|raw| Members::parse(raw).ok()).ok_or(Shape("file is missing"))?;
        let content = text(&file, "content", "file.content is missing")?;
        let first = file.raw("startLine").and_then(|raw| raw.get().parse().ok()).unwrap_or(1);
        let numbered = Cow::Owned(numbered(&content, first));
        Ok(Self::one(Body::Object(object), Place::Within("file", "content"), numbered))
    }

    fn of_member(object: Members<'a>, name: &'static str) -> Result<Self, Unknown> {
        let text = text(&object, name, "its text is missing")?;
        Ok(Self::one(Body::Object(object), Place::Member(name), text))
    }

    fn of_lines(object: Members<'a>) -> Result<Self, Unknown> {
        let raw = object.raw("filenames").ok_or(Shape("filenames is missing"))?;
        let names: Vec<Cow<'_, str>> = serde_json::from_str(raw.get())
            .map_err(|_| Shape("filenames holds something else than texts"))?;
        if names.iter().any(|name| name.contains('\n')) {
            return Err(NotText("a name of several lines"));
        }
        let lines = Cow::Owned(names.join("\n"));
        Ok(Self::one(Body::Object(object), Place::Lines("filenames"), lines))
    }

    /// What MCP servers answer: a text, content blocks, or an object that holds content blocks. Blocks that are no text stay.
    fn of_server(response: &'a RawValue) -> Result<Self, Unknown> {
        if let Some(text) = string(response) {
            return Ok(Self::one(Body::Text, Place::Whole, text));
        }
        if let Ok(blocks) = serde_json::from_str::<Vec<Members<'a>>>(response.get()) {
            let (places, texts) = texts_of(&blocks);
            return Ok(Self { body: Body::Blocks(blocks), places, texts, persisted: None });
        }
        let object = Members::parse(response)
            .map_err(|_| NotText("neither a text, nor content blocks, nor an object"))?;
        if object.raw("structuredContent").is_some_and(|raw| raw.get() != "null") {
            return Err(NotText("it has structured content, which a view of the text would contradict"));
        }
        let raw = object.raw("content").ok_or(NotText("an object without content blocks"))?;
        let blocks: Vec<Members<'a>> =
            serde_json::from_str(raw.get()).map_err(|_| Shape("content holds something else than blocks"))?;
        let (places, texts) = texts_of(&blocks);
        Ok(Self { body: Body::ObjectOfBlocks(object, blocks), places, texts, persisted: None })
    }
}

/// A member's text.
fn text<'a>(object: &Members<'a>, name: &str, missing: &'static str) -> Result<Cow<'a, str>, Unknown> {
    let raw = object.raw(name).filter(|raw| is_string(raw)).ok_or(Shape(missing))?;
    string(raw).ok_or(NotText("it holds half a character"))
}

/// The lines as the client shows them to the model, each with its number: a view would otherwise be numbered as if nothing were
/// left out of it.
fn numbered(content: &str, first: u64) -> String {
    let mut out = String::with_capacity(content.len() + content.len() / 8);
    let mut number = first;
    for line in content.split_inclusive('\n') {
        let _ = write!(out, "{number}\t{line}");
        number = number.saturating_add(1);
    }
    out
}

fn texts_of<'a>(blocks: &[Members<'a>]) -> (Vec<Place>, Vec<Text<'a>>) {
    let text = |block: &Members<'a>| {
        (block.string("type").as_deref() == Some("text")).then(|| block.string("text")).flatten()
    };
    let found = blocks.iter().enumerate();
    found.filter_map(|(index, block)| Some((Place::Block(index), Text::new(text(block)?)))).unzip()
}

impl Body<'_> {
    fn put(&mut self, place: Place, view: &str, is_persisted: bool) -> Result<(), serde_json::Error> {
        match (self, place) {
            (Self::Object(object), Place::Member(name)) => {
                object.set(name, json(view)?);
                if is_persisted {
                    // The client would show the file's beginning instead.
                    object.remove("persistedOutputPath");
                    object.remove("persistedOutputSize");
                }
            }
            (Self::Object(object), Place::Within(outer, name)) => {
                if let Some(raw) = object.raw(outer) {
                    let mut inner = Members::parse(raw)?;
                    inner.set(name, json(&format!("{OWN_NUMBERS}\n{view}"))?);
                    let inner = json(&inner)?;
                    object.set(outer, inner);
                }
            }
            (Self::Object(object), Place::Lines(name)) => {
                let lines: Vec<&str> = view.split('\n').collect();
                object.set(name, json(&lines)?);
            }
            (Self::Blocks(blocks) | Self::ObjectOfBlocks(_, blocks), Place::Block(index)) => {
                if let Some(block) = blocks.get_mut(index) {
                    block.set("text", json(view)?);
                }
            }
            // A body that is a text is written from the text.
            _ => {}
        }
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'o, 'a> {
    hook_event_name: &'static str,
    updated_tool_output: Written<'o, 'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Written<'o, 'a> {
    Text(&'o str),
    Object(&'o Members<'a>),
    Blocks(&'o [Members<'a>]),
}
