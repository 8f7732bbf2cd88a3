//! Gemini.

use serde_json::{Value, json};

use crate::{
    adapters::{Adapted, as_written, object},
    catalog::Catalog,
    schema::gemini_schema,
    tool::Shape,
};

/// Returns a catalogue as Gemini takes it: one `functionDeclarations`, schemas in its own dialect of OpenAPI.
#[must_use]
pub fn for_gemini(catalog: &Catalog) -> Adapted {
    let declarations: Vec<Value> = catalog
        .tools()
        .iter()
        .map(|tool| {
            as_written(tool, Shape::Gemini).unwrap_or_else(|| {
                let mut members = object([
                    ("name", name(&tool.name).into()),
                    ("description", tool.description.as_str().into()),
                ]);
                let has_parameters = tool
                    .input_schema
                    .get("properties")
                    .and_then(Value::as_object)
                    .is_some_and(|members| !members.is_empty());
                // An object without properties is refused; a function without parameters is not.
                if has_parameters {
                    members.insert("parameters".to_owned(), gemini_schema(&tool.input_schema));
                }
                Value::Object(members)
            })
        })
        .collect();
    let tools = if declarations.is_empty() {
        Vec::new()
    } else {
        vec![json!({"functionDeclarations": declarations})]
    };
    Adapted { tools, system_preamble: catalog.system_preamble().to_owned() }
}

/// A name as Gemini takes it: its first character is a letter or `_`. A call of the name with `_` in front is read as the name's.
fn name(code: &str) -> String {
    if code.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        code.to_owned()
    } else {
        format!("_{code}")
    }
}
