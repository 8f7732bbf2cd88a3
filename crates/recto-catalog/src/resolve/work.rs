//! How much work checking one value is: alternatives within alternatives multiply with each level of the value.

use std::collections::HashMap;

use serde_json::Value;

use super::reference::push_same_value;

/// How many schemas may be held against values for one call.
const MAX_WORK: u64 = 1_000_000;

/// How many pairs of a schema and a value are counted.
const MAX_PAIRS: usize = 200_000;

/// Tells whether checking `value` may hold more schemas against its parts than is borne. `visits` is how many schemas may be looked at
/// for one value, `depth` how deep the value is; where even their power is small nothing is counted.
pub(super) fn is_too_much(schema: &Value, value: &Value, visits: usize, depth: usize) -> bool {
    let visits = u64::try_from(visits).unwrap_or(u64::MAX);
    let most = visits.saturating_pow(u32::try_from(depth).unwrap_or(u32::MAX));
    if most <= MAX_WORK {
        return false;
    }
    let mut count = Count { root: schema, known: HashMap::new() };
    count.of(schema, value).is_none_or(|work| work > MAX_WORK)
}

struct Count<'a> {
    root: &'a Value,
    /// By where schema and value stand: the same pair is the same work, however often it is done.
    known: HashMap<(*const Value, *const Value), u64>,
}

impl Count<'_> {
    /// How many schemas are held against a value and what is in it. It goes as deep as the check itself would, which is bounded.
    fn of(&mut self, schema: &Value, value: &Value) -> Option<u64> {
        let Value::Object(members) = schema else { return Some(1) };
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(work) = self.known.get(&pair) {
            return Some(*work);
        }
        if self.known.len() >= MAX_PAIRS {
            return None;
        }
        let mut work = 1_u64;
        let mut same = Vec::new();
        push_same_value(self.root, members, true, &mut same);
        for schema in same {
            work = work.saturating_add(self.of(schema, value)?);
        }
        match value {
            Value::Object(inside) => {
                for (name, value) in inside {
                    let own = members.get("properties").and_then(|properties| properties.get(name));
                    let other = ["additionalProperties", "unevaluatedProperties"]
                        .iter()
                        .find_map(|key| members.get(*key));
                    let patterns = members.get("patternProperties").and_then(Value::as_object);
                    let schemas =
                        own.or(other).into_iter().chain(patterns.into_iter().flat_map(|map| map.values()));
                    for schema in schemas {
                        work = work.saturating_add(self.of(schema, value)?);
                    }
                }
            }
            Value::Array(inside) => {
                for (place, value) in inside.iter().enumerate() {
                    for key in ["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"] {
                        let schema = match members.get(key) {
                            Some(Value::Array(tuple)) => tuple.get(place),
                            other => other,
                        };
                        if let Some(schema) = schema {
                            work = work.saturating_add(self.of(schema, value)?);
                        }
                    }
                }
            }
            _ => {}
        }
        self.known.insert(pair, work);
        Some(work)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn alternatives_that_double_at_each_level_are_too_much_and_a_plain_tree_is_not() {
        let nested = |depth: usize| (0..depth).fold(json!({"c": 5}), |inner, _| json!({ "c": inner }));
        let branch = json!({"type": "object", "properties": {"c": {"$ref": "#/$defs/node"}}});
        let doubling = json!({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [branch, branch]}}});
        assert!(is_too_much(&doubling, &nested(40), 3, 41));
        assert!(!is_too_much(&doubling, &nested(10), 3, 100));
        let tree = json!({"allOf": [{"properties": {"c": {"$ref": "#"}}}]});
        assert!(!is_too_much(&tree, &nested(100), 2, 101));
    }
}
