//! Tools offered as the operations of their namespaces.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Answer, by_name, call,
    envelope::Envelope,
    find::{Found, find, gone, unclear, without_prefix},
    outcome::{Outcome, Repair},
    question,
    text::{ALIKE, listed, quoted, ranked, spelled},
};
use crate::directory::{Directory, Entry};

/// One tool for each namespace, one that describes an operation, and those that are offered besides.
///
/// No two of the names are the same; a name of one of these never means a tool whose code it is besides.
#[derive(Clone, Debug, Default)]
pub struct NamespaceTools {
    /// The operations of each namespace by the name of its tool.
    pub offered: BTreeMap<String, Vec<Operation>>,
    /// The tool that describes: `describe_op {op: operation}`.
    pub describe: String,
    /// The codes of the tools that are offered under their own names.
    pub native: BTreeSet<String>,
}

/// One operation of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is called in its namespace.
    pub name: String,
    /// The code of the tool that it is.
    pub code: String,
}

impl NamespaceTools {
    pub(super) fn resolve(
        &self,
        directory: &Directory,
        name: &str,
        arguments: Value,
        answer: Answer<'_>,
    ) -> Outcome {
        let is_free = directory.get(name).is_none() && directory.gone(name).is_none();
        let bare = if is_free { without_prefix(name) } else { name };
        if let Some((namespace, operations)) =
            self.offered.get_key_value(name).or_else(|| self.offered.get_key_value(bare))
        {
            return self.call(directory, namespace, operations, arguments);
        }
        if name == self.describe || bare == self.describe {
            return self.describe(directory, arguments, answer);
        }
        let through = self.namespace_of(directory, name);
        let through = through.map(|namespace| (namespace, &self.native));
        by_name(directory, name, arguments, through, &self.how())
    }

    fn how(&self) -> String {
        format!("The tools are operations of {}.", listed(self.offered.keys().map(|name| quoted(name))))
    }

    /// The namespace of the tool that a name stands for.
    fn namespace_of(&self, directory: &Directory, name: &str) -> Option<&str> {
        let (Found::Exact(entry) | Found::Spelled(entry)) = find(directory, name) else { return None };
        let has =
            |operations: &[Operation]| operations.iter().any(|operation| operation.code == entry.code());
        self.offered.iter().find(|(_, operations)| has(operations)).map(|(name, _)| name.as_str())
    }

    fn call(
        &self,
        directory: &Directory,
        namespace: &str,
        operations: &[Operation],
        arguments: Value,
    ) -> Outcome {
        let envelope = Envelope { tool: namespace, code: "op", arguments: "args" };
        let is_code = |text: &str| operation(operations, text).is_some();
        let mut repairs = Vec::new();
        let (written, beside) = match envelope.open(arguments, &is_code, &mut repairs) {
            Ok(parts) => parts,
            Err(message) => {
                let names = listed(operations.iter().map(|operation| quoted(&operation.name)));
                return Outcome::error(format!("{message} Its operations: {names}."));
            }
        };
        let entry = match self.operation(directory, namespace, operations, &written, &mut repairs) {
            Ok(entry) => entry,
            Err(outcome) => return *outcome,
        };
        match envelope.arguments(beside, entry.tool().validator(), &mut repairs) {
            Ok(arguments) => call(entry, arguments, repairs),
            Err(message) => Outcome::Error {
                message: format!("{}: {message}", entry.code()),
                recoverable: true,
                code: Some(entry.code().to_owned()),
            },
        }
    }

    fn operation<'a>(
        &self,
        directory: &'a Directory,
        namespace: &str,
        operations: &[Operation],
        written: &str,
        repairs: &mut Vec<Repair>,
    ) -> Result<&'a Entry, Box<Outcome>> {
        if let Some((found, is_exact)) = operation(operations, written)
            && let Some(entry) = directory.get(&found.code)
        {
            if !is_exact {
                repairs.push(Repair::Spelling { written: written.to_owned(), code: found.code.clone() });
            }
            return Ok(entry);
        }
        for name in [written.to_owned(), format!("{namespace}_{written}")] {
            if let Found::Removed(removed) = find(directory, &name) {
                let code = Some(removed.code.clone());
                return Err(Box::new(Outcome::Error { message: gone(removed), recoverable: false, code }));
            }
        }
        if let Some(other) = self.namespace_of(directory, written) {
            let message = format!(
                "{} is no operation of {}, but of {}: call {} with it.",
                quoted(written),
                quoted(namespace),
                quoted(other),
                quoted(other)
            );
            return Err(Box::new(Outcome::error(message)));
        }
        let names = operations.iter().map(|operation| operation.name.as_str());
        let near = ranked(written, names.clone(), ALIKE);
        let (what, told): (&str, Vec<&str>) =
            if near.is_empty() { ("Its operations", names.collect()) } else { ("Nearest", near) };
        let told = listed(told.into_iter().map(quoted));
        Err(Box::new(Outcome::error(format!(
            "{} is no operation of {}. {what}: {told}.",
            quoted(written),
            quoted(namespace)
        ))))
    }

    fn describe(&self, directory: &Directory, arguments: Value, answer: Answer<'_>) -> Outcome {
        let text = match &arguments {
            Value::String(text) if !text.trim_start().starts_with('{') => Some(text.clone()),
            Value::Object(members) => ["op", "operation", "code", "name", "tool", "c", "f"]
                .iter()
                .find_map(|name| members.get(*name).and_then(Value::as_str).map(str::to_owned)),
            _ => None,
        };
        let Some(written) = text else { return question::ask(directory, &self.describe, arguments, answer) };
        let mut codes: Vec<&str> = self
            .offered
            .values()
            .filter_map(|operations| operation(operations, &written))
            .map(|(operation, _)| operation.code.as_str())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        let code = match codes.as_slice() {
            [] => written,
            [code] => (*code).to_owned(),
            several => return Outcome::error(unclear(directory, &written, several, &self.how())),
        };
        question::ask(directory, &self.describe, serde_json::json!({ "c": code }), answer)
    }
}

/// The operation that a text names, and whether it is its name letter for letter.
fn operation<'a>(operations: &'a [Operation], written: &str) -> Option<(&'a Operation, bool)> {
    if let Some(found) = operations.iter().find(|operation| operation.name == written) {
        return Some((found, true));
    }
    if let Some(found) = operations.iter().find(|operation| operation.code == written) {
        return Some((found, false));
    }
    let fold = spelled(without_prefix(written));
    if fold.is_empty() {
        return None;
    }
    let mut same = operations.iter().filter(|operation| {
        !fold.is_empty() && (spelled(&operation.name) == fold || spelled(&operation.code) == fold)
    });
    match (same.next(), same.next()) {
        (Some(only), None) => Some((only, false)),
        _ => None,
    }
}
