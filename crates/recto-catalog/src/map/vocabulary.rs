//! What the lines of a segment have in common, written once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::groups;
use crate::signature::{Cursor, Parameter, Signature, written};

/// The kind of a text where another kind is meant without saying so.
const TEXT: &str = "str";

/// How many groups a segment may have: one letter each.
pub(super) const MAX_GROUPS: usize = 20;

/// Names with the kind that they stand for where none is said, and groups of parameters.
#[derive(Default)]
pub(super) struct Vocabulary {
    kinds: BTreeMap<String, String>,
    groups: Vec<Group>,
}

struct Group {
    letter: char,
    /// As they are written in lines.
    items: Vec<String>,
    parameters: Vec<Parameter>,
}

/// About as many sixteenths of a token as a piece of a line and its comma take.
pub(super) fn cost(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX / 8).saturating_mul(5) + 16
}

impl Vocabulary {
    /// Adds to it what new lines have in common, and returns the lines that say what was added.
    ///
    /// Whatever was said before keeps its meaning: names that were `mentioned` get no kind that they did not have, and groups get
    /// letters that are free.
    pub(super) fn extended(
        mut self,
        signatures: &[&Signature],
        mentioned: &BTreeSet<String>,
    ) -> (Self, Vec<String>) {
        let mut kinds = kinds(signatures);
        kinds.retain(|name, _| !self.kinds.contains_key(name) && !mentioned.contains(name));
        self.kinds.extend(kinds.clone());
        let mut texts: BTreeMap<String, &Parameter> = BTreeMap::new();
        let mut items: Vec<Vec<String>> = Vec::with_capacity(signatures.len());
        for signature in signatures {
            for parameter in &signature.parameters {
                texts.entry(self.item(parameter)).or_insert(parameter);
            }
            items.push(self.items(&signature.parameters));
        }
        let numbers: HashMap<&str, u32> = texts.keys().map(String::as_str).zip(0..).collect();
        let sets: Vec<BTreeSet<u32>> = items
            .iter()
            .map(|items| items.iter().filter_map(|item| numbers.get(item.as_str()).copied()).collect())
            .collect();
        let all: Vec<(&String, &&Parameter)> = texts.iter().collect();
        let costs: Vec<u64> = all.iter().map(|(text, _)| cost(text)).collect();
        let free: Vec<char> =
            ('a'..='z').filter(|letter| self.groups.iter().all(|group| group.letter != *letter)).collect();
        let room = MAX_GROUPS.saturating_sub(self.groups.len());
        let mut groups = Vec::new();
        for (group, letter) in groups::choose(&sets, &costs, room).iter().zip(free) {
            let mut members: Vec<_> = group.iter().filter_map(|place| all.get(*place as usize)).collect();
            members.sort_by_key(|(text, parameter)| (!parameter.required, *text));
            groups.push(Group {
                letter,
                items: members.iter().map(|(text, _)| (*text).clone()).collect(),
                parameters: members.iter().map(|(_, parameter)| (**parameter).clone()).collect(),
            });
        }
        let added = Self { kinds, groups };
        let lines = added.lines();
        self.groups.extend(added.groups);
        (self, lines)
    }

    /// Writes the lines that say it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, kind) in &self.kinds {
            names.entry(kind).or_default().push(name);
        }
        let kinds = names.iter().map(|(kind, names)| {
            let names: Vec<_> = names.iter().map(|name| written(name)).collect();
            format!("{kind}: {}", names.join(","))
        });
        let groups = self.groups.iter().map(|group| format!("${}={}", group.letter, group.items.join(",")));
        kinds.chain(groups).collect()
    }

    /// Writes parameters as they stand in a line.
    pub(super) fn items(&self, parameters: &[Parameter]) -> Vec<String> {
        let mut items: Vec<String> = parameters.iter().map(|parameter| self.item(parameter)).collect();
        for group in &self.groups {
            let is_member = |item: &String| group.items.contains(item);
            let found = items.iter().filter(|item| is_member(item)).count();
            // A name may stand twice only where a server's schema is read from two places; then it is no group's.
            if found < group.items.len() || !group.items.iter().all(|member| items.contains(member)) {
                continue;
            }
            let Some(first) = items.iter().position(is_member) else { continue };
            let mut place = 0;
            items.retain_mut(|item| {
                place += 1;
                if place == first + 1 {
                    *item = format!("${}", group.letter);
                    return true;
                }
                !is_member(item)
            });
        }
        items
    }

    fn item(&self, parameter: &Parameter) -> String {
        let kind = match self.kinds.get(&parameter.name) {
            Some(kind) if *kind == parameter.kind => "",
            Some(_) if parameter.kind.is_empty() => TEXT,
            _ => &parameter.kind,
        };
        let mut item = written(&parameter.name).into_owned();
        if !parameter.required {
            item.push('?');
        }
        if !kind.is_empty() {
            item.push(':');
            item.push_str(kind);
        }
        item
    }

    /// Reads a line, if it is one of the vocabulary's. `None` if it is broken.
    pub(super) fn read_line(&mut self, line: &str) -> Option<bool> {
        let mut cursor = Cursor::new(line);
        if cursor.take('$')
            && let [letter, b'=', ..] = line.as_bytes().get(1..)?
            && letter.is_ascii_lowercase()
        {
            let mut cursor = Cursor::new(line.get(3..)?);
            let mut group = Group { letter: char::from(*letter), items: Vec::new(), parameters: Vec::new() };
            while !cursor.is_at_end() {
                if !group.parameters.is_empty() && !cursor.take(',') {
                    return None;
                }
                self.read_item(&mut cursor, &mut group.parameters)?;
            }
            group.items = group.parameters.iter().map(|parameter| self.item(parameter)).collect();
            self.groups.push(group);
            return Some(true);
        }
        let mut cursor = Cursor::new(line);
        let kind = cursor.until_any(&[' ']);
        let Some(kind) = kind.strip_suffix(':').filter(|_| cursor.take(' ')) else { return Some(false) };
        while !cursor.is_at_end() {
            let name = cursor.name()?;
            self.kinds.insert(name, kind.to_owned());
            if !cursor.is_at_end() && !cursor.take(',') {
                return None;
            }
        }
        Some(true)
    }

    /// Reads a parameter, or the parameters of a group.
    pub(super) fn read_item(&self, cursor: &mut Cursor<'_>, parameters: &mut Vec<Parameter>) -> Option<()> {
        // A name of its own that looks like a group's is quoted.
        if let Some(group) = self.groups.iter().find(|group| cursor.take_group(group.letter)) {
            parameters.extend(group.parameters.iter().cloned());
            return Some(());
        }
        let mut parameter = Parameter::read(cursor)?;
        if parameter.kind.is_empty() {
            parameter.kind = self.kinds.get(&parameter.name).cloned().unwrap_or_default();
        } else if parameter.kind == TEXT {
            parameter.kind.clear();
        }
        parameters.push(parameter);
        Some(())
    }
}

/// Chooses the names whose kind is said once, where that is shorter than saying it each time.
fn kinds(signatures: &[&Signature]) -> BTreeMap<String, String> {
    let mut uses: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for parameter in signatures.iter().flat_map(|signature| &signature.parameters) {
        *uses.entry(&parameter.name).or_default().entry(&parameter.kind).or_default() += 1;
    }
    let mut by_kind: BTreeMap<&str, Vec<(&str, i64)>> = BTreeMap::new();
    for (name, kinds) in &uses {
        let marked = kinds.iter().filter(|(kind, _)| !kind.is_empty());
        let Some((kind, times)) = marked.max_by_key(|(_, times)| **times) else { continue };
        let unmarked = kinds.get("").copied().unwrap_or(0);
        let saved = times.saturating_mul(cost(kind));
        let spent = cost(name).saturating_add(unmarked.saturating_mul(cost(TEXT)));
        let gain =
            i64::try_from(saved).unwrap_or(i64::MAX / 2) - i64::try_from(spent).unwrap_or(i64::MAX / 2);
        if gain > 0 {
            by_kind.entry(kind).or_default().push((name, gain));
        }
    }
    let mut chosen = BTreeMap::new();
    for (kind, names) in by_kind {
        let gain: i64 = names.iter().fold(0, |sum, (_, gain)| sum.saturating_add(*gain));
        if gain > i64::try_from(cost(kind)).unwrap_or(i64::MAX) + 16 {
            chosen.extend(names.into_iter().map(|(name, _)| (name.to_owned(), kind.to_owned())));
        }
    }
    chosen
}
