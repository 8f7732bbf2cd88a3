//! What a change of settings leaves as it was, compared as values.

use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};

/// Whether two texts hold the same values but for owned hooks, and lists and objects of hooks that are empty.
pub(super) fn is_same(one: &str, other: &str, owns: impl Fn(&str) -> bool) -> bool {
    let rest = |text| without(text, &owns).map(|(rest, _)| rest);
    matches!((rest(one), rest(other)), (Some(one), Some(other)) if one == other)
}

/// How many hooks in a text are owned; `None` if it cannot be read.
pub(super) fn owned(text: &str, owns: impl Fn(&str) -> bool) -> Option<usize> {
    without(text, &owns).map(|(_, owned)| owned)
}

/// The text's members but the owned hooks, in the order of their names, and how many those are.
fn without<'t>(text: &'t str, owns: &impl Fn(&str) -> bool) -> Option<(Vec<(String, JsonValue<'t>)>, usize)> {
    let Ok(Some(JsonValue::Object(root))) = parse_to_value(text, &ParseOptions::default()) else {
        return None;
    };
    let (mut rest, mut owned) = (Vec::new(), 0);
    for (name, value) in root {
        match value {
            JsonValue::Object(events) if name == "hooks" => {
                for (event, value) in events {
                    let value = match value {
                        JsonValue::Array(list) => {
                            let left: Vec<_> = list
                                .into_iter()
                                .filter_map(|element| without_hooks(element, owns, &mut owned))
                                .collect();
                            if left.is_empty() {
                                continue;
                            }
                            JsonValue::Array(left.into())
                        }
                        other => other,
                    };
                    rest.push((format!("hooks.{event}"), value));
                }
            }
            other => rest.push((name.into_owned(), other)),
        }
    }
    rest.sort_by(|(one, _), (other, _)| one.cmp(other));
    Some((rest, owned))
}

/// An element of an event's list; `None` if all of its hooks are owned.
fn without_hooks<'t>(
    element: JsonValue<'t>,
    owns: &impl Fn(&str) -> bool,
    owned: &mut usize,
) -> Option<JsonValue<'t>> {
    let JsonValue::Object(element) = element else { return Some(element) };
    let mut members = element.take_inner();
    if let Some(JsonValue::Array(hooks)) = members.get("hooks") {
        let is_owned = |hook: &JsonValue<'_>| match hook {
            JsonValue::Object(hook) => hook.get_string("command").is_some_and(|command| owns(command)),
            _ => false,
        };
        let left: Vec<_> = hooks.iter().filter(|hook| !is_owned(hook)).cloned().collect();
        let gone = hooks.len() - left.len();
        *owned += gone;
        if gone > 0 && left.is_empty() {
            return None;
        }
        members.insert("hooks".into(), JsonValue::Array(left.into()));
    }
    Some(JsonValue::Object(members.into()))
}
