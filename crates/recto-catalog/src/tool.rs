//! One tool, as its server or its caller wrote it.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    error::CatalogError,
    resolve::{Validator, one_line},
    schema::from_gemini,
};

/// How deep a definition may be nested. `serde_json` reads no deeper than 128; work on a schema that is inside may recurse.
pub const MAX_DEPTH: usize = 120;

/// The way in which a tool is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shape {
    /// MCP's `tools/list`: `{name, description, inputSchema}`.
    Mcp,
    /// Anthropic Messages: `{name, description, input_schema}`.
    Anthropic,
    /// OpenAI Chat Completions: `{type: "function", function: {name, description, parameters}}`.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI Responses: `{type: "function", name, description, parameters}`.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Gemini: `{name, description, parameters | parametersJsonSchema}` in `functionDeclarations`.
    Gemini,
}

/// One tool as its server defines it, unchanged: whatever the catalogue sends of it, this is what calls are checked against.
///
/// Clones share the definition.
#[derive(Clone)]
pub struct Tool(Arc<Definition>);

struct Definition {
    name: String,
    server: Option<String>,
    shape: Shape,
    strict: bool,
    /// The object as it was written, in its own shape.
    written: Value,
    /// The schema, where it is not the one that stands in `written`: none is written there, or one in another dialect.
    schema: Option<Value>,
    digest: [u8; 32],
    /// Built when the first call is checked.
    validator: Arc<OnceLock<Validator>>,
}

impl Tool {
    /// Makes a tool of MCP's shape from its parts.
    ///
    /// # Errors
    /// If the schema is no object or is nested deeper than [`MAX_DEPTH`].
    ///
    /// ```
    /// use recto_catalog::Tool;
    /// use serde_json::json;
    ///
    /// let tool = Tool::new("get_weather", "Says the weather.", json!({"type": "object"}))?;
    /// assert_eq!(tool.name(), "get_weather");
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    pub fn new(name: &str, description: &str, input_schema: Value) -> Result<Self, CatalogError> {
        let mut written = Map::new();
        written.insert("name".to_owned(), name.into());
        written.insert("description".to_owned(), description.into());
        written.insert("inputSchema".to_owned(), input_schema);
        let written = Value::Object(written);
        Self::read(written, Shape::Mcp, None).map_err(|message| CatalogError::Tool {
            index: 0,
            name: Some(name.to_owned()),
            message,
        })
    }

    /// Reads one tool of a known shape. An error is what is wrong with it.
    pub(crate) fn read(written: Value, shape: Shape, server: Option<&str>) -> Result<Self, String> {
        if is_deeper(&written, MAX_DEPTH) {
            return Err(format!("its definition is nested deeper than {MAX_DEPTH}: simplify its schema"));
        }
        let body = match shape {
            Shape::OpenAiChat => written.get("function").unwrap_or(&Value::Null),
            _ => &written,
        };
        let name = match body.get("name") {
            Some(Value::String(name)) if !name.is_empty() => name.clone(),
            Some(Value::String(_)) => return Err("its `name` is empty".to_owned()),
            Some(other) => return Err(format!("its `name` is {}, not a string", kind(other))),
            None => return Err("it has no `name`".to_owned()),
        };
        let strict = body.get("strict").and_then(Value::as_bool).unwrap_or(false);
        let schema = match schema_of(body, shape) {
            None | Some(Value::Null) => Some(json!({"type": "object"})),
            Some(Value::Object(_)) if shape != Shape::Gemini => None,
            // JSON Schema has a key of its own there; what stands under the other one is in Gemini's terms.
            Some(Value::Object(_)) if body.get("parametersJsonSchema").is_some() => None,
            Some(schema @ Value::Object(_)) => Some(from_gemini(schema)),
            Some(other) => return Err(format!("its schema is {}, not an object", kind(other))),
        };
        let server = server.or_else(|| written.get("_server").and_then(Value::as_str)).map(str::to_owned);
        // The bytes as written, keys in their order: two tools are the same tool when they are written the same.
        let bytes = serde_json::to_vec(&written).map_err(|error| error.to_string())?;
        let digest = Sha256::digest(&bytes).into();
        let validator = Arc::default();
        Ok(Self(Arc::new(Definition { name, server, shape, strict, written, schema, digest, validator })))
    }

    /// Returns the same tool as a tool of the named server.
    #[must_use]
    pub fn on_server(&self, server: &str) -> Self {
        let mut copy = self.copied();
        copy.server = Some(server.to_owned());
        Self(Arc::new(copy))
    }

    /// Returns the same tool, taking any object: for callers that check arguments themselves.
    pub(crate) fn unchecked(&self) -> Self {
        let copy = Definition { validator: Arc::new(Validator::of_any_object().into()), ..self.copied() };
        Self(Arc::new(copy))
    }

    fn copied(&self) -> Definition {
        let Definition { name, server, shape, strict, written, schema, digest, validator } = &*self.0;
        Definition {
            name: name.clone(),
            server: server.clone(),
            shape: *shape,
            strict: *strict,
            written: written.clone(),
            schema: schema.clone(),
            digest: *digest,
            validator: Arc::clone(validator),
        }
    }

    /// Returns the name that its server knows it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the server that it is of, where that is known.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.0.server.as_deref()
    }

    /// Returns the shape that it is written in.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// Tells whether the provider is asked to hold the model to the schema exactly (`strict: true`).
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.0.strict
    }

    /// Returns what is written of what it does; empty where nothing is.
    #[must_use]
    pub fn description(&self) -> &str {
        self.body().get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the schema of its arguments; `{"type": "object"}` where none is written.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        if let Some(schema) = &self.0.schema {
            return schema;
        }
        schema_of(self.body(), self.0.shape).unwrap_or(&Value::Null)
    }

    /// Returns the whole definition as it was written, in its own [`Shape`].
    #[must_use]
    pub fn written(&self) -> &Value {
        &self.0.written
    }

    /// Returns the SHA-256 of the definition as it is written (compact JSON, keys in their order).
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.0.digest
    }

    /// Returns the first 16 hexadecimal digits of its digest.
    pub(crate) fn short_digest(&self) -> String {
        crate::names::hex(self.0.digest.get(..8).unwrap_or_default())
    }

    /// Returns the schema of its arguments, ready to check against. It is built at the first call; clones share it.
    #[must_use]
    pub fn validator(&self) -> &Validator {
        self.0.validator.get_or_init(|| match schema_of(self.body(), self.0.shape) {
            None | Some(Value::Null) => Validator::of_any_object(),
            Some(_) => Validator::new(self.input_schema()),
        })
    }

    /// Checks arguments against its schema by the standard alone: what may be called is stricter, see [`Validator`].
    ///
    /// # Errors
    /// What is wrong, where, and what to pass instead: one line of a few hundred characters that begins with the tool's name.
    ///
    /// ```
    /// use recto_catalog::Tool;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    /// let tool = Tool::new("get_weather", "Says the weather.", schema)?;
    /// assert!(tool.check(&json!({"city": "Bern"})).is_ok());
    /// assert_eq!(tool.check(&json!({})).unwrap_err(), "get_weather: Missing: city (string).");
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    pub fn check(&self, arguments: &Value) -> Result<(), String> {
        self.validator()
            .check(arguments)
            .map_err(|message| format!("{}: {message}", one_line(self.name(), 64)))
    }

    fn body(&self) -> &Value {
        match self.0.shape {
            Shape::OpenAiChat => self.0.written.get("function").unwrap_or(&Value::Null),
            _ => &self.0.written,
        }
    }
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest && self.0.server == other.0.server && self.0.shape == other.0.shape
    }
}

impl Eq for Tool {}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tool")
            .field("name", &self.name())
            .field("server", &self.server())
            .finish_non_exhaustive()
    }
}

/// Where the schema of the arguments stands.
fn schema_of(body: &Value, shape: Shape) -> Option<&Value> {
    match shape {
        Shape::Mcp => body.get("inputSchema"),
        Shape::Anthropic => body.get("input_schema"),
        Shape::OpenAiChat | Shape::OpenAiResponses => body.get("parameters"),
        Shape::Gemini => body.get("parametersJsonSchema").or_else(|| body.get("parameters")),
    }
}

/// Names the kind of a JSON value, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Tells whether values stand in one another more than `limit` times.
pub(crate) fn is_deeper(value: &Value, limit: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}
