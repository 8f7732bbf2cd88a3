//! What is wrong with arguments, as facts: read from the validator's errors, with the alternative that comes closest picked out.

use jsonschema::{JsonType, ValidationError, error::TypeKind, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{
    describe::kind_of,
    text::{listed, one_line, shown},
};

/// How many errors of one call are looked at.
pub(super) const MAX_ERRORS: usize = 64;

/// How deep alternatives within alternatives are looked into for the closest one.
const MAX_ALTERNATIVE_DEPTH: usize = 24;

/// One thing that is wrong at one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Where, as a JSON pointer into the arguments.
    pub(super) pointer: String,
    pub(super) problem: Problem,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// A member that must be there is not. `kind` is what it would be, if that is known.
    Missing { name: String, kind: String },
    /// A member that may not be there is.
    Unknown { name: String, accepted: Vec<String> },
    /// The value is of another kind than those.
    Type { allowed: Vec<JsonType>, items: String },
    /// The value is none of those.
    Choice { options: Vec<Value> },
    /// Anything else: the rest of a sentence that begins with the place, and a word on what to do.
    Rule { must: String, advice: String },
}

impl Fault {
    fn rule(pointer: &str, must: impl Into<String>) -> Self {
        let problem = Problem::Rule { must: must.into(), advice: String::new() };
        Self { pointer: pointer.to_owned(), problem }
    }

    /// Tells whether it is about what stands at `pointer` or within it.
    pub(super) fn is_within(&self, pointer: &str) -> bool {
        self.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Reads the validator's errors.
pub(super) fn faults(schema: &Value, errors: &[ValidationError<'_>]) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for fault in errors.iter().flat_map(|error| of_error(schema, error, MAX_ALTERNATIVE_DEPTH)) {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn of_error(schema: &Value, error: &ValidationError<'_>, depth: usize) -> Vec<Fault> {
    let pointer = error.instance_path().as_str();
    let rule = |must: String| vec![Fault::rule(pointer, must)];
    let advised = |must: String, advice: String| {
        vec![Fault { pointer: pointer.to_owned(), problem: Problem::Rule { must, advice } }]
    };
    let one = |problem| vec![Fault { pointer: pointer.to_owned(), problem }];
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default().to_owned();
            let kind = parent(schema, error)
                .and_then(|parent| parent.get("properties")?.get(&name))
                .map(|property| kind_of(schema, property))
                .unwrap_or_default();
            one(Problem::Missing { name, kind })
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let properties = parent(schema, error).and_then(|parent| parent.get("properties")?.as_object());
            let accepted: Vec<String> = properties.into_iter().flat_map(|map| map.keys().cloned()).collect();
            let unknown = |name: &String| Fault {
                pointer: pointer.to_owned(),
                problem: Problem::Unknown { name: name.clone(), accepted: accepted.clone() },
            };
            unexpected.iter().map(unknown).collect()
        }
        Kind::Type { kind } => {
            let allowed = match kind {
                TypeKind::Single(kind) => vec![*kind],
                TypeKind::Multiple(kinds) => kinds.iter().collect(),
            };
            let items = parent(schema, error).and_then(|parent| parent.get("items"));
            one(Problem::Type {
                allowed,
                items: items.map(|items| kind_of(schema, items)).unwrap_or_default(),
            })
        }
        Kind::Enum { options } => {
            one(Problem::Choice { options: options.as_array().cloned().unwrap_or_default() })
        }
        Kind::Constant { expected_value } => {
            one(Problem::Choice { options: vec![(**expected_value).clone()] })
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => closest(schema, pointer, context, depth),
        Kind::OneOfMultipleValid { .. } => rule(
            "fits several alternatives of which exactly one may fit: leave out what belongs to the others"
                .to_owned(),
        ),
        Kind::Minimum { limit } => rule(format!("must be at least {}", shown(limit))),
        Kind::ExclusiveMinimum { limit } => rule(format!("must be more than {}", shown(limit))),
        Kind::Maximum { limit } => rule(format!("must be at most {}", shown(limit))),
        Kind::ExclusiveMaximum { limit } => rule(format!("must be less than {}", shown(limit))),
        Kind::MultipleOf { multiple_of } => rule(format!("must be a multiple of {multiple_of}")),
        Kind::MinLength { limit } => rule(format!("must have at least {}", counted(*limit, "character"))),
        Kind::MaxLength { limit } => rule(format!("must have at most {}", counted(*limit, "character"))),
        Kind::MinItems { limit } => rule(format!("must have at least {}", counted(*limit, "item"))),
        Kind::MaxItems { limit } => rule(format!("must have at most {}", counted(*limit, "item"))),
        Kind::AdditionalItems { limit } => {
            rule(format!("must have at most {}", counted(*limit as u64, "item")))
        }
        Kind::MinProperties { limit } => rule(format!("must have at least {}", counted(*limit, "member"))),
        Kind::MaxProperties { limit } => rule(format!("must have at most {}", counted(*limit, "member"))),
        Kind::UniqueItems => rule("must have no item twice".to_owned()),
        Kind::Pattern { pattern } => rule(format!("must match the pattern {}", one_line(pattern, 80))),
        Kind::Format { format } => {
            advised(format!("must be a valid {}", one_line(format, 40)), example(format).to_owned())
        }
        Kind::Contains => rule("has not the items that it must contain".to_owned()),
        Kind::FalseSchema => rule("must not be there: leave it out".to_owned()),
        Kind::Not { .. } => rule("is a value that is ruled out".to_owned()),
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().map(super::text::quoted).unwrap_or_default();
            let why: Vec<String> = of_error(schema, error, depth.saturating_sub(1))
                .into_iter()
                .map(|fault| match fault.problem {
                    Problem::Rule { must, .. } => must,
                    Problem::Choice { options } => {
                        format!("must be one of {}", listed(options.iter().map(shown)))
                    }
                    _ => "is not admitted".to_owned(),
                })
                .collect();
            rule(format!("has the member {name}, whose name {}", why.join(" and ")))
        }
        Kind::UnevaluatedItems { .. } => rule("has more items than it may".to_owned()),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            rule("cannot be held against its pattern: pass a shorter text".to_owned())
        }
        _ => rule(format!("is not valid: {}", one_line(&error.masked().to_string(), 120))),
    }
}

fn counted(limit: u64, what: &str) -> String {
    format!("{limit} {what}{}", if limit == 1 { "" } else { "s" })
}

/// What a text of a format looks like.
fn example(format: &str) -> &'static str {
    match format {
        "date-time" => "2026-01-31T09:30:00Z",
        "date" => "2026-01-31",
        "time" => "09:30:00Z",
        "duration" => "PT1H30M",
        "email" | "idn-email" => "name@example.com",
        "uri" | "iri" | "url" => "https://example.com/page",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        _ => "",
    }
}

/// The schema in which the failed keyword stands.
fn parent<'a>(schema: &'a Value, error: &ValidationError<'_>) -> Option<&'a Value> {
    let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
    schema.pointer(parent)
}

/// Of several alternatives that all fail: what is wrong with the one that comes closest.
fn closest(
    schema: &Value,
    pointer: &str,
    alternatives: &[Vec<ValidationError<'static>>],
    depth: usize,
) -> Vec<Fault> {
    let Some(depth) = depth.checked_sub(1) else {
        return vec![Fault::rule(pointer, "fits none of its alternatives")];
    };
    let mut kinds: Vec<JsonType> = Vec::new();
    let mut item_kinds: Vec<String> = Vec::new();
    let mut of_kind: Vec<Vec<Fault>> = Vec::new();
    for errors in alternatives {
        let faults: Vec<Fault> =
            errors.iter().take(MAX_ERRORS).flat_map(|error| of_error(schema, error, depth)).collect();
        let wrong_kind = faults.iter().find_map(|fault| match &fault.problem {
            Problem::Type { allowed, items } if fault.pointer == pointer => Some((allowed, items)),
            _ => None,
        });
        match wrong_kind {
            Some((allowed, items)) => {
                kinds.extend(allowed.iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
                item_kinds.push(items.clone());
            }
            None => of_kind.push(faults),
        }
    }
    if of_kind.is_empty() {
        item_kinds.retain(|kind| !kind.is_empty());
        let items = if item_kinds.len() == 1 { item_kinds.remove(0) } else { String::new() };
        return vec![Fault { pointer: pointer.to_owned(), problem: Problem::Type { allowed: kinds, items } }];
    }
    let choices: Option<Vec<&Vec<Value>>> = of_kind
        .iter()
        .map(|faults| match faults.as_slice() {
            [Fault { pointer: place, problem: Problem::Choice { options } }] if place == pointer => {
                Some(options)
            }
            _ => None,
        })
        .collect();
    if let Some(choices) = choices {
        let options = choices.into_iter().flatten().cloned().collect();
        return vec![Fault { pointer: pointer.to_owned(), problem: Problem::Choice { options } }];
    }
    if let Some(mark) = common_mark(&of_kind, pointer) {
        return vec![mark];
    }
    of_kind.into_iter().min_by_key(|faults| (mismatches(faults, pointer), faults.len())).unwrap_or_default()
}

/// The member that says which alternative is meant, with what all of them take, where it says none of them.
fn common_mark(alternatives: &[Vec<Fault>], pointer: &str) -> Option<Fault> {
    let (first, rest) = alternatives.split_first()?;
    first.iter().filter(|fault| is_mark(fault, pointer)).find_map(|mark| {
        let mut all = Vec::new();
        for faults in std::iter::once(first).chain(rest) {
            let same =
                faults.iter().find(|fault| fault.pointer == mark.pointer && is_mark(fault, pointer))?;
            if let Problem::Choice { options } = &same.problem {
                all.extend(options.iter().cloned());
            }
        }
        let problem = Problem::Choice { options: all };
        (!rest.is_empty()).then(|| Fault { pointer: mark.pointer.clone(), problem })
    })
}

/// How many members that say which alternative is meant say another one.
fn mismatches(faults: &[Fault], pointer: &str) -> usize {
    faults.iter().filter(|fault| is_mark(fault, pointer)).count()
}

/// Tells whether a fault is that a member of what stands at `pointer` has none of the values that it may have.
fn is_mark(fault: &Fault, pointer: &str) -> bool {
    matches!(fault.problem, Problem::Choice { .. })
        && fault.pointer.strip_prefix(pointer).is_some_and(|rest| rest.matches('/').count() == 1)
}
