//! What can still be checked of a broken schema: what is wrong in it is left out where that can only admit more.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::schema::pointed;

/// Keywords that only narrow what a schema admits, or say nothing about it: without them it admits the same or more.
const NARROWING: [&str; 36] = [
    "$comment",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "optional",
    "pattern",
    "propertyNames",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

/// Keywords under which what admits more inside may admit less outside.
const TURNING: [&str; 9] = [
    "not",
    "if",
    "oneOf",
    "contains",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
    "patternProperties",
];

/// How many schemas and values are looked at.
const MAX_VALUES: usize = 100_000;

/// Takes out of a schema what an error says is wrong with it. Tells whether something was taken, all of which only narrowed.
pub(super) fn leave_out(schema: &mut Value, error: &ValidationError<'_>) -> bool {
    if !schema.is_object() || turns(schema) {
        return false;
    }
    if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
        return leave_out_references(schema);
    }
    // Of what is no schema the place in it is told, of what cannot be used the keyword's.
    let place = match error.instance_path().as_str() {
        "" => error.schema_path().as_str(),
        place => place,
    };
    let place = place.to_owned();
    leave_out_keyword(schema, &place)
}

fn turns(schema: &Value) -> bool {
    let mut open = vec![schema];
    let mut seen = 0;
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            return true;
        }
        match value {
            Value::Object(members) => {
                if TURNING.iter().any(|keyword| members.contains_key(*keyword)) {
                    return true;
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}

/// Takes out the innermost keyword that a place stands in.
fn leave_out_keyword(schema: &mut Value, place: &str) -> bool {
    let mut end = place.len();
    while let Some(start) = place.get(..end).and_then(|place| place.rfind('/')) {
        let keyword = place.get(start + 1..end).unwrap_or_default();
        let parent = place.get(..start).unwrap_or_default();
        // What stands in `properties` is a name, whatever it looks like.
        let is_name =
            ["properties", "$defs", "definitions"].iter().any(|map| parent.ends_with(&format!("/{map}")));
        if let Some(Value::Object(members)) = schema.pointer_mut(parent)
            && !is_name
        {
            return NARROWING.contains(&keyword) && members.shift_remove(keyword).is_some();
        }
        if is_name && let Some(value) = schema.pointer_mut(place.get(..end).unwrap_or_default()) {
            // A property that has no schema may be anything.
            let was = std::mem::replace(value, Value::Object(serde_json::Map::new()));
            return !was.is_object();
        }
        end = start;
    }
    false
}

/// Takes out references that lead nowhere within the schema, with what stands beside them: older dialects do not look at it.
fn leave_out_references(schema: &mut Value) -> bool {
    let whole = schema.clone();
    let mut open = vec![schema];
    let mut taken = false;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let reference = members.get("$ref").and_then(Value::as_str);
                if reference.is_some_and(|reference| pointed(&whole, reference).is_none()) {
                    members.retain(|keyword, _| matches!(keyword.as_str(), "$defs" | "definitions"));
                    taken = true;
                }
                open.extend(members.values_mut());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_keyword_is_left_out_with_all_that_stands_in_it_and_a_name_is_none() {
        let mut schema =
            json!({"properties": {"a": {"type": ["string", "text"]}, "type": 5, "b": {"items": 7}}});
        assert!(leave_out_keyword(&mut schema, "/properties/a/type/1"));
        assert!(leave_out_keyword(&mut schema, "/properties/type"));
        assert_eq!(schema, json!({"properties": {"a": {}, "type": {}, "b": {"items": 7}}}));
        // Without `items` others could be admitted or refused.
        assert!(!leave_out_keyword(&mut schema, "/properties/b/items"));
        assert!(!leave_out_keyword(&mut schema, "") && !leave_out_keyword(&mut schema, "/none/of/it"));
    }
}
