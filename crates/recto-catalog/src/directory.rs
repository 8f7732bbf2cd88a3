//! Which code stands for which tool, for ever.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    names::{marked, plain, short},
    tool::Tool,
};

/// A tool and the code that a model names it by.
#[derive(Clone, Debug)]
pub struct Entry {
    code: String,
    tool: Tool,
}

impl Entry {
    /// Returns what a model names it by: its name, where that is no other's and every provider takes it.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.tool
    }
}

/// A code whose tool is there no more. It is never given to another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removed {
    /// What a model named it by.
    pub code: String,
    /// The name that its server knew it by.
    pub name: String,
    /// The server that it was of, where that is known.
    pub server: Option<String>,
}

/// The tools of a catalogue by their codes.
///
/// A code belongs to a name on a server. Once given, it stands for that and nothing else: tools that come or go change no other
/// tool's code, one that goes leaves its code behind as [`Removed`], and gets it again when it comes back.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    entries: Vec<Entry>,
    removed: Vec<Removed>,
    by_code: HashMap<String, usize>,
    /// Codes by the short ones that stand for them.
    shorts: HashMap<String, String>,
}

impl Directory {
    /// Gives codes to tools. `known` are the codes given before, in their order; they come first, then newcomers, sorted.
    ///
    /// Without known codes the result depends on the set of tools alone, not on their order. Tools of the same name on different
    /// servers are told apart by the server's name in front; tools that are written alike on one server are one tool.
    #[must_use]
    pub fn new(tools: &[Tool], known: &[Removed]) -> Self {
        Self::with_reserved(tools, known, &[], BTreeSet::new())
    }

    /// Gives codes to tools, and none of those that are `reserved` to a newcomer.
    pub(crate) fn with_reserved(
        tools: &[Tool],
        known: &[Removed],
        digests: &[String],
        reserved: BTreeSet<String>,
    ) -> Self {
        let mut sorted: Vec<&Tool> = tools.iter().collect();
        sorted.sort_by_cached_key(|tool| (tool.name(), tool.server(), tool.digest()));
        sorted.dedup_by(|one, other| {
            (one.name(), one.server(), one.digest()) == (other.name(), other.server(), other.digest())
        });
        let mut waiting: BTreeMap<(&str, Option<&str>), Vec<&Tool>> = BTreeMap::new();
        for tool in &sorted {
            waiting.entry((tool.name(), tool.server())).or_default().push(tool);
        }
        let mut directory = Self::default();
        let mut taken = reserved;
        taken.extend(known.iter().map(|known| known.code.clone()));
        // Where one server has two tools of a name, each code stays with the definition that it was given to.
        let mut found: Vec<Option<&Tool>> = vec![None; known.len()];
        for ((known, digest), found) in known.iter().zip(digests).zip(&mut found) {
            let same = waiting.get_mut(&(known.name.as_str(), known.server.as_deref()));
            *found = same.and_then(|tools| {
                let place = tools.iter().position(|tool| tool.short_digest() == *digest)?;
                Some(tools.remove(place))
            });
        }
        for (known, found) in known.iter().zip(found) {
            let changed = || {
                let same = waiting.get_mut(&(known.name.as_str(), known.server.as_deref()));
                same.filter(|tools| !tools.is_empty()).map(|tools| tools.remove(0))
            };
            match found.or_else(changed) {
                Some(tool) => directory.add(known.code.clone(), tool),
                None => directory.removed.push(known.clone()),
            }
        }
        let newcomers: Vec<&Tool> = waiting.into_values().flatten().collect();
        let mut wanted: HashMap<String, Vec<&Tool>> = HashMap::new();
        for tool in &newcomers {
            wanted.entry(wish(tool)).or_default().push(tool);
        }
        for tool in newcomers {
            let wish = wish(tool);
            let rivals = wanted.get(&wish).map_or(&[][..], Vec::as_slice);
            let exact = rivals.iter().filter(|rival| rival.name() == wish).count();
            let first = rivals.len() == 1 || (exact == 1 && tool.name() == wish);
            let code = code_for(tool, &wish, first, &taken);
            taken.insert(code.clone());
            directory.add(code, tool);
        }
        directory
    }

    /// Returns the same codes with tools that take any object.
    pub(crate) fn unchecked(&self) -> Self {
        let mut unchecked = self.clone();
        for entry in &mut unchecked.entries {
            entry.tool = entry.tool.unchecked();
        }
        unchecked
    }

    /// Returns the tools: those known before in their order, then the others by name.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the codes whose tools are gone.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    /// Finds a tool by its code, letter for letter, or by the short one that stands for it.
    #[must_use]
    pub fn get(&self, code: &str) -> Option<&Entry> {
        let whole = self.by_code.get(code).or_else(|| self.by_code.get(self.shorts.get(code)?));
        whole.and_then(|&place| self.entries.get(place))
    }

    /// Finds what a code stood for whose tool is gone.
    pub(crate) fn gone(&self, code: &str) -> Option<&Removed> {
        let whole = self.shorts.get(code).map_or(code, String::as_str);
        self.removed.iter().find(|removed| removed.code == whole)
    }

    /// Adds short codes. One that is a tool's code stays that tool's.
    pub(crate) fn with_shorts(mut self, shorts: HashMap<String, String>) -> Self {
        self.shorts = shorts;
        self.shorts.retain(|short, _| {
            !self.by_code.contains_key(short) && self.removed.iter().all(|removed| removed.code != *short)
        });
        self
    }

    /// Returns the place in [`Directory::entries`] of the tool with this code.
    #[must_use]
    pub fn position(&self, code: &str) -> Option<usize> {
        self.by_code.get(code).copied()
    }

    fn add(&mut self, code: String, tool: &Tool) {
        self.by_code.insert(code.clone(), self.entries.len());
        self.entries.push(Entry { code, tool: tool.clone() });
    }
}

/// The code that a tool would have if no other one wanted it.
fn wish(tool: &Tool) -> String {
    short(&plain(tool.name()), &[tool.name().as_bytes()])
}

fn code_for(tool: &Tool, wish: &str, is_first: bool, taken: &BTreeSet<String>) -> String {
    if is_first && !taken.contains(wish) {
        return wish.to_owned();
    }
    if let Some(server) = tool.server() {
        let name = format!("{}_{}", plain(server), plain(tool.name()));
        let code = short(&name, &[server.as_bytes(), tool.name().as_bytes()]);
        if !taken.contains(&code) {
            return code;
        }
    }
    let whole = [tool.server().unwrap_or_default().as_bytes(), tool.name().as_bytes(), &tool.digest()[..]];
    let mut code = marked(wish, &whole);
    while taken.contains(&code) {
        code = marked(wish, &[code.as_bytes()]);
    }
    code
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, server: &str) -> Tool {
        let tool = Tool::new(name, &format!("{name} of {server}"), json!({"type": "object"})).unwrap();
        if server.is_empty() { tool } else { tool.on_server(server) }
    }

    fn codes(directory: &Directory) -> Vec<&str> {
        directory.entries().iter().map(Entry::code).collect()
    }

    fn known(directory: &Directory) -> Vec<Removed> {
        let live = directory.entries().iter().map(|entry| Removed {
            code: entry.code.clone(),
            name: entry.tool.name().to_owned(),
            server: entry.tool.server().map(str::to_owned),
        });
        live.chain(directory.removed().iter().cloned()).collect()
    }

    #[test]
    fn names_are_codes_and_servers_tell_like_ones_apart() {
        let tools =
            [tool("search", "b"), tool("search", "a"), tool("read", "a"), tool("a.b", ""), tool("a_b", "")];
        let directory = Directory::new(&tools, &[]);
        assert_eq!(codes(&directory)[1..], ["a_b", "read", "a_search", "b_search"]);
        assert!(directory.entries()[0].code().starts_with("a_b_"));
        let mut reversed = tools.to_vec();
        reversed.reverse();
        assert_eq!(codes(&Directory::new(&reversed, &[])), codes(&directory));
    }

    #[test]
    fn a_code_once_given_is_never_another_tools() {
        let one = Directory::new(&[tool("search", "a")], &[]);
        assert_eq!(codes(&one), ["search"]);
        let two = Directory::new(&[tool("search", "b"), tool("aaa", "")], &known(&one));
        assert_eq!(codes(&two), ["aaa", "b_search"]);
        assert_eq!(two.removed()[0].code, "search");
        let three = Directory::new(&[tool("search", "b"), tool("search", "a")], &known(&two));
        assert_eq!(codes(&three), ["b_search", "search"]);
        assert_eq!(three.get("search").unwrap().tool().server(), Some("a"));
    }

    #[test]
    fn what_is_written_twice_is_one_tool_and_what_differs_is_two() {
        let one = tool("x", "s");
        let other = Tool::new("x", "another", json!({"type": "object"})).unwrap().on_server("s");
        assert_eq!(Directory::new(&[one.clone(), one.clone()], &[]).entries().len(), 1);
        let both = Directory::new(&[one, other], &[]);
        assert_eq!(both.entries().len(), 2);
        assert_ne!(codes(&both)[0], codes(&both)[1]);
    }
}
