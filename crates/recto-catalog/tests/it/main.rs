//! The catalogue as its callers see it.
#![expect(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod adapters;
mod arguments;
mod budget;
mod calls;
mod compile_laws;
mod corpus;
mod definitions;
mod history;
mod laws;
mod levels;
mod options;
mod repairs;
mod schema;
mod search;
mod shapes;

use recto_catalog::Tool;
use serde_json::{Value, json};

/// A tool that requires the named arguments.
fn tool(name: &str, required: &[&str]) -> Tool {
    let properties: serde_json::Map<String, Value> =
        required.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    Tool::new(
        name,
        &format!("Does {name}. And more is said of it here."),
        json!({"type": "object", "properties": properties, "required": required}),
    )
    .unwrap()
}
