//! What the tools are called, what they are for and what they take. A host sends all of it with each request, so every word
//! is weighed.

use serde_json::{Map, Value, json};

use super::words::shortened;

/// What a host is told of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// A JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
}

/// One of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Expand,
    Search,
    Query,
}

impl Tool {
    pub(crate) const ALL: [Self; 3] = [Self::Expand, Self::Search, Self::Query];

    /// Finds a tool by its name, or says which there are.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|tool| tool.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no tool {:?}; there are {names}", shortened(name))
        })
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Expand => "recto_expand",
            Self::Search => "recto_search",
            Self::Query => "recto_query",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Expand => "Returns the exact text behind a recto ref, in pages.",
            Self::Search => "Finds matching lines in the full text behind a recto ref; prints number:line.",
            Self::Query => "Filters, sorts, counts the records (JSON, CSV, tables) behind a recto ref.",
        }
    }

    /// The arguments, in the order in which they are listed to a reader, and their schemas.
    pub(crate) fn properties(self) -> Vec<(&'static str, Value)> {
        let cursor = ("cursor", json!({ "type": "integer", "description": "from the previous page" }));
        match self {
            Self::Expand => vec![
                ("ref", text("r:123… for the whole original, r:123…#4 or #4-9 for what that note left out")),
                ("elision", json!({ "type": "integer", "description": "4 instead of #4" })),
                ("lines", text("A:B, from 1, inclusive")),
                ("bytes", text("A:B, from 0, end excluded")),
                cursor,
            ],
            Self::Search => vec![
                ("ref", text("r:123… or r:123…#4")),
                ("pattern", text("regular expression")),
                ("context", json!({ "type": "integer", "description": "lines around each match" })),
                ("ignore_case", json!({ "type": "boolean" })),
                cursor,
            ],
            Self::Query => vec![
                ("ref", text("r:123… or r:123…#4")),
                ("filter", text("e.g. status != \"ok\" and meta.restarts > 5")),
                ("columns", text("name, meta.uid")),
                ("sort", text("-restarts, name (- descends)")),
                ("group", text("column to count by")),
                ("path", text("place of the records, if several")),
                ("limit", json!({ "type": "integer" })),
                ("offset", json!({ "type": "integer" })),
            ],
        }
    }

    const fn required(self) -> &'static [&'static str] {
        match self {
            Self::Search => &["ref", "pattern"],
            Self::Expand | Self::Query => &["ref"],
        }
    }

    pub(crate) fn definition(self) -> Definition {
        let properties: Map<String, Value> =
            self.properties().into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        let mut input_schema = Map::new();
        input_schema.insert("type".to_owned(), json!("object"));
        input_schema.insert("properties".to_owned(), Value::Object(properties));
        input_schema.insert("required".to_owned(), json!(self.required()));
        Definition { name: self.name(), description: self.description(), input_schema }
    }
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}
