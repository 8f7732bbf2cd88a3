//! Tools read from what servers answer and what requests to models carry.

use serde_json::{Map, Value};

use crate::{
    error::CatalogError,
    tool::{Shape, Tool, kind},
};

/// How many tools one catalogue takes.
pub const MAX_TOOLS: usize = 20_000;

/// What Gemini calls the tools that it runs itself; they have no `type`.
const GEMINI_TOOLS: [&str; 9] = [
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "codeExecution",
    "code_execution",
    "urlContext",
    "googleMaps",
    "fileSearch",
    "computerUse",
];

/// The tools of a server's answer or of a request, in their order.
#[derive(Clone, Debug, Default)]
pub struct ToolList {
    /// The tools that are called with arguments.
    pub tools: Vec<Tool>,
    /// What stands among them that a provider runs itself (web search, code execution, custom grammars): passed on as it is.
    pub provider_tools: Vec<Value>,
}

impl ToolList {
    /// Reads tools from JSON: a `tools/list` answer (with or without its JSON-RPC envelope), an array of tools, or a request to a
    /// model. Shapes may be mixed; a tool without a schema takes any object.
    ///
    /// A Responses `namespace` and a row's `_server` name the server of a tool.
    ///
    /// # Errors
    /// If the text is no JSON, holds no list of tools, or one of them has no name or a schema that is no object.
    ///
    /// ```
    /// use recto_catalog::ToolList;
    ///
    /// let list = ToolList::from_json(br#"{"tools": [{"name": "ping"}]}"#)?;
    /// assert_eq!(list.tools[0].name(), "ping");
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    pub fn from_json(json: &[u8]) -> Result<Self, CatalogError> {
        Self::from_value(serde_json::from_slice(json)?)
    }

    /// Reads tools from a parsed value. See [`ToolList::from_json`].
    ///
    /// # Errors
    /// As [`ToolList::from_json`].
    pub fn from_value(mut value: Value) -> Result<Self, CatalogError> {
        if let Some(result) = value.get_mut("result") {
            value = result.take();
        }
        let rows = match value {
            Value::Array(rows) => rows,
            Value::Object(mut members) => match ["tools", "functionDeclarations", "function_declarations"]
                .iter()
                .find_map(|key| members.remove(*key))
            {
                Some(Value::Array(rows)) => rows,
                Some(other) => {
                    return Err(CatalogError::NoTools { found: format!("`tools` as {}", kind(&other)) });
                }
                None => return Err(CatalogError::NoTools { found: "an object without them".to_owned() }),
            },
            other => return Err(CatalogError::NoTools { found: kind(&other).to_owned() }),
        };
        let mut list = Self::default();
        let found = rows.len();
        for (index, row) in rows.into_iter().enumerate() {
            list.read(row, None, index)?;
            if list.tools.len() > MAX_TOOLS {
                // A row may hold several.
                let found = found.max(list.tools.len());
                return Err(CatalogError::TooManyTools { found, limit: MAX_TOOLS });
            }
        }
        Ok(list)
    }

    /// Reads a row: a tool, or several of one namespace or one `functionDeclarations`.
    fn read(&mut self, mut row: Value, server: Option<&str>, index: usize) -> Result<(), CatalogError> {
        let members = members_of(&mut row, index)?;
        let word = members.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(key) = ["functionDeclarations", "function_declarations"]
            .into_iter()
            .find(|key| members.contains_key(*key))
        {
            let Some(Value::Array(rows)) = members.remove(key) else {
                return Err(CatalogError::Tool {
                    index,
                    name: None,
                    message: format!("its `{key}` is no array"),
                });
            };
            if !members.is_empty() {
                self.provider_tools.push(row);
            }
            return rows.into_iter().try_for_each(|row| self.push(row, Shape::Gemini, server, index));
        }
        if word == "namespace" {
            let name = members.get("name").and_then(Value::as_str).map(str::to_owned);
            let Some(Value::Array(rows)) = members.remove("tools") else {
                return Err(CatalogError::Tool {
                    index,
                    name,
                    message: "it is a namespace without `tools`".to_owned(),
                });
            };
            // One level: a namespace inside a namespace is read as a tool, and refused for what it lacks.
            return rows
                .into_iter()
                .try_for_each(|row| self.push(row, Shape::OpenAiResponses, name.as_deref(), index));
        }
        if members.get("tools").is_some_and(Value::is_array)
            && !members.contains_key("inputSchema")
            && word.is_empty()
        {
            // One of several answers, each of a server of its own; the server may say its name.
            let name = ["_server", "server", "name"]
                .iter()
                .find_map(|key| members.get(*key))
                .and_then(Value::as_str)
                .map(str::to_owned);
            let Some(Value::Array(rows)) = members.remove("tools") else { return Ok(()) };
            return rows
                .into_iter()
                .try_for_each(|row| self.read_row(row, name.as_deref().or(server), index));
        }
        self.read_row(row, server, index)
    }

    /// Reads a row that is one tool.
    fn read_row(&mut self, mut row: Value, server: Option<&str>, index: usize) -> Result<(), CatalogError> {
        let members = members_of(&mut row, index)?;
        let word = members.get("type").and_then(Value::as_str).unwrap_or_default();
        let shape = if members.get("function").is_some_and(Value::is_object) {
            Shape::OpenAiChat
        } else if members.contains_key("input_schema") {
            Shape::Anthropic
        } else if members.contains_key("inputSchema") {
            Shape::Mcp
        } else if word == "function" || (word.is_empty() && members.contains_key("parameters")) {
            Shape::OpenAiResponses
        } else if word.is_empty() && members.contains_key("parametersJsonSchema") {
            Shape::Gemini
        } else if (word.is_empty() || word == "custom")
            && members.contains_key("name")
            && !members.contains_key("format")
        {
            Shape::Mcp
        } else if !word.is_empty() || members.keys().any(|key| GEMINI_TOOLS.contains(&key.as_str())) {
            self.provider_tools.push(row);
            return Ok(());
        } else {
            return Err(CatalogError::Tool { index, name: None, message: "it has no `name`".to_owned() });
        };
        self.push(row, shape, server, index)
    }

    fn push(
        &mut self,
        row: Value,
        shape: Shape,
        server: Option<&str>,
        index: usize,
    ) -> Result<(), CatalogError> {
        let name = row.pointer(if shape == Shape::OpenAiChat { "/function/name" } else { "/name" });
        let name = name.and_then(Value::as_str).map(str::to_owned);
        let tool =
            Tool::read(row, shape, server).map_err(|message| CatalogError::Tool { index, name, message })?;
        self.tools.push(tool);
        Ok(())
    }
}

/// The members of a row.
fn members_of(row: &mut Value, index: usize) -> Result<&mut Map<String, Value>, CatalogError> {
    let found = kind(row);
    row.as_object_mut().ok_or_else(|| CatalogError::Tool {
        index,
        name: None,
        message: format!("it is {found}, not an object"),
    })
}
