//! Where a schema's references lead, and how far following them can go.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::schema::pointed;

/// Keywords whose schemas are about the same value as the schema they stand in.
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE_SCHEMAS: [&str; 4] = ["not", "if", "then", "else"];
const IN_PLACE_NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];

/// Calls `visit` with each schema that is about the same value as `schema`: it itself, its alternatives and parts, and what
/// they refer to. What is only negated is left out. Tells whether all references lead somewhere.
pub(super) fn same_value<'a>(
    root: &'a Value,
    schema: &'a Value,
    mut visit: impl FnMut(&'a serde_json::Map<String, Value>),
) -> bool {
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open = vec![schema];
    let mut is_whole = true;
    while let Some(schema) = open.pop() {
        let Value::Object(members) = schema else { continue };
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        visit(members);
        let before = open.len();
        is_whole &= push_same_value(root, members, false, &mut open);
        // The first alternative is visited first.
        if let Some(added) = open.get_mut(before..) {
            added.reverse();
        }
    }
    is_whole
}

/// Adds the schemas about the same value that stand directly in one. Tells whether all references lead somewhere.
pub(super) fn push_same_value<'a>(
    root: &'a Value,
    members: &'a serde_json::Map<String, Value>,
    negated_too: bool,
    open: &mut Vec<&'a Value>,
) -> bool {
    let mut is_whole = true;
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(Value::String(reference)) = members.get(keyword) {
            match pointed(root, reference) {
                Some(schema) => open.push(schema),
                None => is_whole = false,
            }
        }
    }
    for keyword in IN_PLACE_LISTS {
        if let Some(Value::Array(schemas)) = members.get(keyword) {
            open.extend(schemas);
        }
    }
    for keyword in IN_PLACE_SCHEMAS {
        if let Some(schema) = members.get(keyword)
            && (negated_too || keyword != "not")
        {
            open.push(schema);
        }
    }
    for keyword in IN_PLACE_NAMED {
        if let Some(Value::Object(schemas)) = members.get(keyword) {
            open.extend(schemas.values());
        }
    }
    is_whole
}

/// How far checking one value can go into a schema before it comes to the value's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The longest way through schemas about the same value.
    pub(super) depth: usize,
    /// How many schemas are looked at, those once more that several ways lead to.
    pub(super) visits: usize,
}

/// Measures how far checking can go, over all schemas in `root`; nothing where it would never end.
pub(super) fn reach(root: &Value) -> Option<Reach> {
    enum Step<'a> {
        Enter(&'a Value),
        Leave(&'a Value, Vec<&'a Value>),
    }
    let mut done: HashMap<*const Value, Option<Reach>> = HashMap::new();
    let mut furthest = Reach { depth: 0, visits: 0 };
    let mut values = vec![root];
    while let Some(value) = values.pop() {
        match value {
            Value::Object(members) => values.extend(members.values()),
            Value::Array(items) => {
                values.extend(items);
                continue;
            }
            _ => continue,
        }
        let mut steps = vec![Step::Enter(value)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(schema) => {
                    let Value::Object(members) = schema else { continue };
                    match done.get(&std::ptr::from_ref(schema)) {
                        Some(Some(_)) => continue,
                        // Entered and not left: the way leads back to where it began.
                        Some(None) => return None,
                        None => {}
                    }
                    done.insert(std::ptr::from_ref(schema), None);
                    let mut inside = Vec::new();
                    push_same_value(root, members, true, &mut inside);
                    steps.push(Step::Leave(schema, inside.clone()));
                    steps.extend(inside.into_iter().map(Step::Enter));
                }
                Step::Leave(schema, inside) => {
                    let mut reach = Reach { depth: 1, visits: 1 };
                    for schema in inside {
                        if let Some(Some(inner)) = done.get(&std::ptr::from_ref(schema)) {
                            reach.depth = reach.depth.max(inner.depth.saturating_add(1));
                            reach.visits = reach.visits.saturating_add(inner.visits);
                        }
                    }
                    furthest.depth = furthest.depth.max(reach.depth);
                    furthest.visits = furthest.visits.max(reach.visits);
                    done.insert(std::ptr::from_ref(schema), Some(reach));
                }
            }
        }
    }
    Some(furthest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn circles_without_end_are_told_from_recursion() {
        let tree = json!({"properties": {"child": {"$ref": "#"}, "all": {"allOf": [{"$ref": "#"}]}}});
        assert_eq!(reach(&tree), Some(Reach { depth: 3, visits: 3 }));
        for endless in [
            json!({"$ref": "#"}),
            json!({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"not": {"$ref": "#/$defs/x"}}}}),
            json!({"anyOf": [{"type": "string"}, {"$ref": "#"}]}),
        ] {
            assert_eq!(reach(&endless), None, "{endless}");
        }
    }

    #[test]
    fn ways_that_double_are_counted() {
        let mut definitions = serde_json::Map::new();
        for n in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            definitions.insert(format!("d{n}"), json!({"allOf": [next, next]}));
        }
        definitions.insert("d40".to_owned(), json!({"type": "object"}));
        let reach = reach(&json!({"$ref": "#/$defs/d0", "$defs": definitions})).unwrap();
        assert!(reach.visits > 1 << 40);
    }
}
