//! What is asked, and within which limits.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

use crate::{QueryError, suggest::did_you_mean};

/// A question about records, as a tool's arguments put it.
///
/// ```
/// use recto_query::Query;
/// let query = Query::from_json(br#"{"filter": "restarts > 5", "columns": "name, status", "sort": "-restarts"}"#)?;
/// assert_eq!(query.columns, ["name", "status"]);
/// let error = Query::from_json(br#"{"where": "restarts > 5"}"#).unwrap_err().to_string();
/// assert!(error.starts_with("there is no argument \"where\""), "{error}");
/// # Ok::<(), recto_query::QueryError>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Query {
    /// Where the records are, if the source has several places: `items`, `data.rows`, `table[1]`. By default the place with the most records
    /// that stand in no other record; an answer lists the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Which records: `status != "Running" and restarts > 5`. All by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Which columns, by name or path; a text with commas or a list. All by default. In a grouped query: `sum(x)`, `min(x)`, `max(x)`, `avg(x)`,
    /// `count(x)`.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// By which columns to sort, `-` before those that fall: `-restarts, name`. The source's order by default.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<String>,
    /// By which columns to count: a row for each value, the most frequent first.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<String>,
    /// How many rows at most; 50 by default, and never more than [`Caps::max_rows`].
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many rows to pass over: an answer that is not the last says which to ask for.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How rows are written.
    pub format: Format,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A line of names, then a line a record, cells between tabs.
    #[default]
    Table,
    /// A JSON object a line.
    Json,
}

/// What the caller allows. None of these limits cuts anything without a word on how to get the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caps {
    /// The most rows of an answer, whatever the query says.
    pub max_rows: u64,
    /// The most bytes of an answer's text; less than 1,024 counts as 1,024.
    pub max_bytes: usize,
    /// The most bytes of a cell; longer ones are cut, with a mark that says where the whole is.
    pub max_cell_bytes: usize,
    /// The most values of a group.
    pub max_groups: usize,
}

impl Default for Caps {
    /// 1,000 rows, 16 KiB, 200 bytes a cell, 65,536 groups.
    fn default() -> Self {
        Self { max_rows: 1_000, max_bytes: 16 << 10, max_cell_bytes: 200, max_groups: 65_536 }
    }
}

impl Caps {
    /// The default limits with `max_bytes` for an answer.
    #[must_use]
    pub fn bytes(max_bytes: usize) -> Self {
        Self { max_bytes, ..Self::default() }
    }
}

/// The arguments, with an example each.
const ARGUMENTS: [(&str, &str); 8] = [
    ("path", "\"path\": \"data.items\""),
    ("filter", "\"filter\": \"status != \\\"Running\\\" and restarts > 5\""),
    ("columns", "\"columns\": \"name, status\" or [\"name\", \"status\"]"),
    ("sort", "\"sort\": \"-restarts, name\""),
    ("group", "\"group\": \"status\""),
    ("limit", "\"limit\": 50"),
    ("offset", "\"offset\": 50"),
    ("format", "\"format\": \"table\" or \"json\""),
];

impl Query {
    /// Reads a tool's arguments: a JSON object.
    ///
    /// # Errors
    /// [`QueryError::Argument`] names the argument that is unknown or of the wrong kind, and how to write it.
    pub fn from_json(arguments: &[u8]) -> Result<Self, QueryError> {
        let error = |message: String| QueryError::Argument { message };
        let value: Map<String, Value> = serde_json::from_slice(arguments)
            .map_err(|why| error(format!("the arguments are no JSON object: {why}")))?;
        for (name, value) in &value {
            let Some((_, example)) = ARGUMENTS.iter().find(|(known, _)| known == name) else {
                let nearest = did_you_mean(alias(name), ARGUMENTS.iter().map(|(known, _)| *known));
                let known = ARGUMENTS.map(|(known, _)| known).join(", ");
                return Err(error(format!("there is no argument {name:?}.{nearest} Arguments: {known}")));
            };
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            if let Err(why) = serde_json::from_value::<Self>(Value::Object(alone)) {
                return Err(error(format!("{name}: {why}. Write e.g. {example}")));
            }
        }
        serde_json::from_value(Value::Object(value)).map_err(|why| error(why.to_string()))
    }
}

/// What other query languages call an argument.
fn alias(name: &str) -> &str {
    match name.to_ascii_lowercase().as_str() {
        "where" | "query" | "filters" | "condition" => "filter",
        "select" | "fields" | "column" => "columns",
        "order" | "order_by" | "orderby" | "sort_by" => "sort",
        "group_by" | "groupby" => "group",
        "top" | "first" | "count" | "max" => "limit",
        "skip" | "start" | "cursor" | "from" => "offset",
        _ => name,
    }
}

/// A text with commas, or a list of texts.
fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct List;
    impl<'de> de::Visitor<'de> for List {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a text or a list of texts")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Vec<String>, E> {
            Ok(Vec::new())
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(split(text))
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
            let mut list = Vec::new();
            while let Some(item) = items.next_element::<String>()? {
                list.extend((!item.trim().is_empty()).then_some(item));
            }
            Ok(list)
        }
    }
    deserializer.deserialize_any(List)
}

/// A whole number, or a text that is one.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Whole(u64),
        Text(String),
        None,
    }
    match Number::deserialize(deserializer) {
        Ok(Number::Whole(number)) => Ok(Some(number)),
        Ok(Number::None) => Ok(None),
        Ok(Number::Text(text)) if text.trim().is_empty() => Ok(None),
        Ok(Number::Text(text)) => text.trim().parse().map(Some).map_err(|_| wrong_number()),
        Err(_) => Err(wrong_number()),
    }
}

fn wrong_number<E: de::Error>() -> E {
    E::custom("a whole number from 0 is needed")
}

/// The parts of a text between its commas, but for those in quotes, brackets and parentheses.
fn split(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) => quote = (byte != open).then_some(open),
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[') => depth += 1,
            (None, b')' | b']') => depth = depth.saturating_sub(1),
            (None, b',') if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_taken_as_they_come() {
        let query = Query::from_json(
            br#"{"columns": ["a", " b,c "], "sort": "-a, `b,c`, d[\"x,y\"]", "group": null, "limit": "7", "offset": 3, "format": "json"}"#,
        )
        .unwrap();
        assert_eq!(query.columns, ["a", " b,c "]);
        assert_eq!(query.sort, ["-a", "`b,c`", "d[\"x,y\"]"]);
        assert_eq!((query.limit, query.offset, query.format), (Some(7), Some(3), Format::Json));
        assert!(query.group.is_empty());
        let again: Query = serde_json::from_str(&serde_json::to_string(&query).unwrap()).unwrap();
        assert_eq!(again, query);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let mut shown = String::new();
        for arguments in [
            "{\"order_by\": \"a\"}",
            "{\"filtr\": \"a\"}",
            "{\"colour\": 5}",
            "{\"filter\": 5}",
            "{\"limit\": -1}",
            "{\"limit\": \"many\"}",
            "{\"columns\": {\"a\": 1}}",
            "{\"columns\": [1]}",
            "{\"format\": \"yaml\"}",
            "[]",
            "{",
        ] {
            shown.push_str(&format!(
                "{arguments}\n  {}\n",
                Query::from_json(arguments.as_bytes()).unwrap_err()
            ));
        }
        insta::assert_snapshot!(shown);
    }
}
