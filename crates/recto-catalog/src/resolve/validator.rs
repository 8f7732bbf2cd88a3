//! One tool's schema, ready to check arguments against.

use std::collections::BTreeSet;

use jsonschema::{Draft, PatternOptions, ValidationError};
use serde_json::{Value, json};

use super::{
    fault::{Fault, MAX_ERRORS, Problem, faults},
    limits::{self, Extent},
    message,
    reference::{Reach, reach, same_value},
    salvage::leave_out,
    text::{one_line, quoted},
    work::{SMALL, work},
};

/// How many schemas may be looked at for one value, through `$ref`, `allOf`, `anyOf` ...: what several ways lead to multiplies.
const MAX_VISITS: usize = 10_000;

/// How far checking may go down, schemas times levels of the arguments: what fits a thread's stack with room to spare.
const MAX_DESCENT: usize = 1_536;

/// The dialects that a schema may be in that names none, the likeliest first: tuples and `exclusiveMinimum: true` are written so.
const UNWRITTEN_DIALECTS: [Draft; 3] = [Draft::Draft202012, Draft::Draft7, Draft::Draft4];

/// How many schemas may be held against values for one call: about a second's work.
const MAX_WORK: u64 = 20_000_000;

/// How many may be for faults to be told: what is wrong in each alternative is collected then.
const MAX_TOLD_WORK: u64 = 500_000;

/// How many may be for repairs to be tried, each of which is checked anew.
const MAX_MENDED_WORK: u64 = SMALL;

/// How many things that are wrong in a schema are left out of it.
const MAX_LEFT_OUT: usize = 16;

/// How many names that the schema does not have are told apart: a call with more is no call of this tool.
const MAX_UNDECLARED: usize = 32;

/// How often a pattern may go back and try again on one text.
const BACKTRACK_LIMIT: usize = 50_000;

/// How large a compiled pattern may be.
const PATTERN_BYTES: usize = 1 << 20;

/// One tool's schema, ready to check arguments against. It is built once, when the first call of the tool is checked.
///
/// The dialect is the one that `$schema` names (drafts 4 to 2020-12); without it 2020-12, as MCP says, or draft 7
/// or 4 for what is no schema of 2020-12 but one of those. Formats are checked. No reference is followed out of the schema: nothing is
/// read from a network or a file.
#[derive(Debug)]
pub struct Validator {
    /// What is checked against: as it was written, or without what is wrong in it.
    schema: Value,
    checker: Result<Checker, String>,
    /// Why some of the schema was left out.
    left_out: Option<String>,
    declared: Declared,
}

#[derive(Debug)]
struct Checker {
    validator: jsonschema::Validator,
    reach: Reach,
}

/// The names that a schema writes for the members of its top level.
#[derive(Debug)]
struct Declared {
    /// In the order in which the schema writes them.
    names: Vec<String>,
    lookup: BTreeSet<String>,
    /// Names beyond these are admitted: all of them.
    is_open: bool,
    /// Names that match a pattern are admitted besides.
    patterns: Option<jsonschema::Validator>,
}

impl Validator {
    /// Prepares a schema. It does not fail: what cannot be checked against is known by [`Validator::unchecked`].
    ///
    /// ```
    /// use recto_catalog::Validator;
    /// use serde_json::json;
    ///
    /// let validator = Validator::new(&json!({"type": "object", "properties": {"q": {"type": "string"}}}));
    /// assert!(validator.check(&json!({"q": "rust"})).is_ok());
    /// assert_eq!(validator.check(&json!({"q": 5})).unwrap_err(), "q must be a string; you passed 5: pass \"5\".");
    /// ```
    #[must_use]
    pub fn new(schema: &Value) -> Self {
        let mut checked = schema.clone();
        let mut checker = build(&checked);
        let mut left_out = None;
        for _ in 0..MAX_LEFT_OUT {
            let Err(Unusable { reason, error: Some(error) }) = &checker else { break };
            if !leave_out(&mut checked, error) {
                break;
            }
            left_out.get_or_insert_with(|| reason.clone());
            checker = build(&checked);
        }
        let checker = checker.map_err(|unusable| left_out.take().unwrap_or(unusable.reason));
        Self { schema: checked, checker, left_out, declared: Declared::of(schema, true) }
    }

    /// Prepares what is known of a tool that writes no schema: any object is taken.
    pub(crate) fn of_any_object() -> Self {
        let schema = json!({"type": "object"});
        let checker = build(&schema).map_err(|unusable| unusable.reason);
        Self { checker, left_out: None, declared: Declared::of(&schema, false), schema }
    }

    /// Returns why the schema cannot be checked against, if it cannot: it is no schema, refers to what is not in it, or never ends.
    #[must_use]
    pub fn unchecked(&self) -> Option<&str> {
        self.checker.as_ref().err().map(String::as_str)
    }

    /// Returns why some of the schema is not checked against, if that is so: what is wrong in it was left out, which only admits more.
    #[must_use]
    pub fn left_out(&self) -> Option<&str> {
        self.left_out.as_deref()
    }

    /// Checks arguments by the standard alone. What a schema that cannot be checked against describes is not known: it passes.
    ///
    /// # Errors
    /// What is wrong, where, and what to pass instead: one line of a few hundred characters. The tool is not named in it.
    pub fn check(&self, arguments: &Value) -> Result<(), String> {
        limits::check(arguments)?;
        let Ok(checker) = &self.checker else { return Ok(()) };
        descend(&self.schema, checker, arguments)?;
        if checker.validator.is_valid(arguments) {
            return Ok(());
        }
        Err(message::tell(&self.faults(arguments), arguments, &self.declared.names))
    }

    /// Tells whether arguments within the limits are valid by the standard, and name nothing that the schema does not.
    pub(super) fn accepts(&self, arguments: &Value) -> bool {
        let is_valid = match &self.checker {
            Ok(checker) => {
                descend(&self.schema, checker, arguments).is_ok() && checker.validator.is_valid(arguments)
            }
            Err(_) => arguments.is_object(),
        };
        is_valid && (self.checker.is_err() || self.undeclared(arguments).next().is_none())
    }

    /// Returns what is wrong with arguments by the standard: the first of it, where it is much.
    pub(super) fn faults(&self, arguments: &Value) -> Vec<Fault> {
        match &self.checker {
            Ok(checker)
                if descend(&self.schema, checker, arguments).is_ok_and(|work| work <= MAX_TOLD_WORK) =>
            {
                let errors: Vec<ValidationError<'_>> =
                    checker.validator.iter_errors(arguments).take(MAX_ERRORS).collect();
                faults(&self.schema, &errors)
            }
            _ => Vec::new(),
        }
    }

    /// Returns what is wrong with arguments: by the standard, and names that the schema does not declare.
    pub(super) fn all_faults(&self, arguments: &Value) -> Vec<Fault> {
        let mut faults = self.faults(arguments);
        for name in self.undeclared(arguments).take(MAX_UNDECLARED) {
            let problem = Problem::Unknown { name: name.to_owned(), accepted: Vec::new() };
            let is_told = |fault: &Fault| {
                fault.pointer.is_empty()
                    && matches!(&fault.problem, Problem::Unknown { name: told, .. } if told == name)
            };
            if !faults.iter().any(is_told) {
                faults.push(Fault { pointer: String::new(), problem });
            }
        }
        faults
    }

    /// Refuses arguments that are nested so deep for this schema that checking them could exhaust the stack.
    pub(super) fn fits(&self, arguments: &Value) -> Result<(), String> {
        match &self.checker {
            Ok(checker) => descend(&self.schema, checker, arguments).map(|_| ()),
            Err(_) => Ok(()),
        }
    }

    /// Tells whether arguments can be checked so quickly that repairs may be tried.
    pub(super) fn is_quick(&self, arguments: &Value) -> bool {
        self.checker.as_ref().is_ok_and(|checker| {
            descend(&self.schema, checker, arguments).is_ok_and(|work| work <= MAX_MENDED_WORK)
        })
    }

    /// Returns the top-level names that the schema declares nowhere and does not admit.
    pub(super) fn undeclared<'a>(&'a self, arguments: &'a Value) -> impl Iterator<Item = &'a str> {
        let names = arguments.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        names.filter(|name| self.checker.is_ok() && !self.declared.admits(name))
    }

    /// Tells whether the schema writes this name for a member of its top level.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.declared.lookup.contains(name)
    }

    /// Returns the names that the schema writes for the members of its top level, in its order.
    pub(super) fn names(&self) -> &[String] {
        &self.declared.names
    }
}

impl Declared {
    /// Collects the names. `is_written` is whether the tool has a schema at all.
    fn of(schema: &Value, is_written: bool) -> Self {
        let mut names = Vec::new();
        let mut lookup = BTreeSet::new();
        let mut is_open = !is_written;
        let mut patterns: Vec<Value> = Vec::new();
        let mut add = |name: &str| {
            if lookup.insert(name.to_owned()) {
                names.push(name.to_owned());
            }
        };
        let is_whole = same_value(schema, schema, |schema| {
            if let Some(Value::Object(properties)) = schema.get("properties") {
                properties.keys().for_each(|name| add(name));
            }
            if let Some(Value::Array(required)) = schema.get("required") {
                required.iter().filter_map(Value::as_str).for_each(&mut add);
            }
            for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
                for (name, needed) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                    add(name);
                    needed.as_array().into_iter().flatten().filter_map(Value::as_str).for_each(&mut add);
                }
            }
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                is_open |= schema.get(keyword).is_some_and(|written| *written != Value::Bool(false));
            }
            // What says which names may be has thought of more than it lists, and is checked itself.
            is_open |= schema.get("propertyNames").is_some_and(Value::is_object);
            if let Some(Value::Object(properties)) = schema.get("patternProperties") {
                patterns.extend(properties.keys().map(|pattern| json!({"pattern": pattern})));
            }
        });
        // What a reference leads to that is not seen may declare anything.
        is_open |= !is_whole;
        let patterns = (!patterns.is_empty() && !is_open)
            .then(|| options(Draft::Draft202012).build(&json!({"propertyNames": {"anyOf": patterns}})).ok())
            .flatten();
        Self { names, lookup, is_open, patterns }
    }

    fn admits(&self, name: &str) -> bool {
        if self.is_open || self.lookup.contains(name) {
            return true;
        }
        self.patterns.as_ref().is_some_and(|patterns| {
            let mut one = serde_json::Map::new();
            one.insert(name.to_owned(), Value::Null);
            patterns.is_valid(&Value::Object(one))
        })
    }
}

/// Refuses arguments that this schema cannot be checked against within bounds of stack and time. Returns the work that it may be.
fn descend(schema: &Value, checker: &Checker, arguments: &Value) -> Result<u64, String> {
    // Without references and alternatives checking is as deep and as much as the arguments are.
    if checker.reach.visits <= 1 {
        return Ok(0);
    }
    let extent = Extent::of(arguments);
    let allowed = MAX_DESCENT / checker.reach.depth.max(1);
    if extent.depth > allowed.min(limits::MAX_DEPTH) {
        return Err(format!(
            "The arguments are nested deeper than the {allowed} levels that this tool's schema can be checked for: flatten them."
        ));
    }
    let work = work(schema, arguments, checker.reach.visits, extent);
    if work > MAX_WORK {
        return Err(
            "The arguments are too many, or nested too deep, for the alternatives of this tool's schema: pass less, or flatten them."
                .to_owned(),
        );
    }
    Ok(work)
}

/// Why a schema cannot be used.
struct Unusable {
    reason: String,
    /// What is wrong in it, where it is one thing.
    error: Option<ValidationError<'static>>,
}

impl From<&str> for Unusable {
    fn from(reason: &str) -> Self {
        Self { reason: reason.to_owned(), error: None }
    }
}

fn build(schema: &Value) -> Result<Checker, Unusable> {
    let reach = reach(schema).ok_or("it refers to itself without end")?;
    if reach.visits > MAX_VISITS || reach.depth > MAX_DESCENT / 4 {
        return Err("its references multiply beyond what can be checked".into());
    }
    let dialects = match dialect(schema) {
        Some(written) => vec![written],
        None => UNWRITTEN_DIALECTS.to_vec(),
    };
    let mut built = Err(None);
    for draft in dialects {
        built = match (options(draft).build(schema), built) {
            (Ok(validator), _) => {
                built = Ok(validator);
                break;
            }
            // What is wrong with it is told of the dialect that it should be in.
            (Err(error), Err(None)) => Err(Some(error)),
            (Err(_), told) => told,
        };
    }
    let built = built.map_err(|error| Unusable {
        reason: error.as_ref().map(why).unwrap_or_default(),
        error: error.map(ValidationError::to_owned),
    });
    Ok(Checker { validator: built?, reach })
}

fn why(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let place = if place.is_empty() { String::new() } else { format!(" (at {})", quoted(place)) };
    format!("{}{place}", one_line(&error.to_string(), 120))
}

fn options<'i>(draft: Draft) -> jsonschema::ValidationOptions<'i> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(PATTERN_BYTES);
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(patterns)
}

/// The dialect that a schema says it is written in, where it says so and it is a known one.
fn dialect(schema: &Value) -> Option<Draft> {
    let written = schema.get("$schema").and_then(Value::as_str)?;
    let known = [
        ("2020-12", Draft::Draft202012),
        ("2019-09", Draft::Draft201909),
        ("draft-07", Draft::Draft7),
        ("draft-06", Draft::Draft6),
        ("draft-04", Draft::Draft4),
    ];
    known.into_iter().find(|(name, _)| written.contains(name)).map(|(_, draft)| draft)
}
