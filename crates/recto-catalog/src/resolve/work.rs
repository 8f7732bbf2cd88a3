//! How much work checking one value is: alternatives within alternatives multiply with each level of the value.

use std::collections::HashMap;

use serde_json::Value;

use super::{limits::Extent, reference::push_same_value};

/// How many pairs of a schema and a value are counted: a few tenths of a second's work.
const MAX_COUNTED: u64 = 4_000_000;

/// What need not be counted exactly.
pub(super) const SMALL: u64 = 20_000;

/// How many schemas may be held against `value` and its parts, at most; [`u64::MAX`] where that is more than can be counted.
/// `visits` is how many schemas may be looked at for one value.
pub(super) fn work(schema: &Value, value: &Value, visits: usize, extent: Extent) -> u64 {
    let visits = u64::try_from(visits).unwrap_or(u64::MAX);
    let most = visits.saturating_pow(u32::try_from(extent.depth).unwrap_or(u32::MAX));
    let most = most.saturating_mul(u64::try_from(extent.values).unwrap_or(u64::MAX));
    if most <= SMALL {
        return most;
    }
    let mut count = Count { root: schema, known: HashMap::new(), left: MAX_COUNTED };
    count.of(schema, value).unwrap_or(u64::MAX)
}

struct Count<'a> {
    root: &'a Value,
    /// By where schema and value stand: the same pair is the same work, however often it is done. Scalars are counted each time.
    known: HashMap<(*const Value, *const Value), u64>,
    /// How many more pairs are counted.
    left: u64,
}

impl Count<'_> {
    /// How many schemas are held against a value and what is in it. It goes as deep as the check itself would, which is bounded.
    fn of(&mut self, schema: &Value, value: &Value) -> Option<u64> {
        let Value::Object(members) = schema else { return Some(1) };
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        let has_parts = value.is_object() || value.is_array();
        if let Some(work) = self.known.get(&pair).filter(|_| has_parts) {
            return Some(*work);
        }
        self.left = self.left.checked_sub(1)?;
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
        if has_parts {
            self.known.insert(pair, work);
        }
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
        let of = |schema: &Value, value: &Value, visits| work(schema, value, visits, Extent::of(value));
        let [at_10, at_11, at_40] = [10, 11, 40].map(|depth| of(&doubling, &nested(depth), 3));
        assert!(at_11 > 2 * at_10 - 10 && at_11 < 2 * at_10 + 10, "{at_10} {at_11}");
        assert!(at_40 > 1 << 40);
        let tree = json!({"allOf": [{"properties": {"c": {"$ref": "#"}}}]});
        assert!(of(&tree, &nested(100), 2) < 1_000);
        // Many items of many alternatives are as much work as they are.
        let alternatives: Vec<Value> = (0..200).map(|n| json!({"properties": {"k": {"const": n}}})).collect();
        let union = json!({"items": {"anyOf": alternatives}});
        let items: Vec<Value> = (0..2_000).map(|n| json!({"k": n % 200})).collect();
        assert_eq!(of(&union, &items.into(), 201), 1 + 2_000 * (1 + 200 * 2));
    }
}
