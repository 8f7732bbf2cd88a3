//! A compiled catalogue.

use std::{collections::HashMap, sync::OnceLock};

use recto_tokens::Tokenizer;
use serde_json::{Value, json};

use crate::{
    answer::{answer_code, answer_words},
    budget::Budget,
    directory::{Directory, Entry},
    error::CatalogError,
    ledger::{Detail, Ledger, LedgerEntry, WireTool},
    level::{Note, map},
    options::Level,
    policy::MapChoice,
    resolve::{Outcome, Question, Surface, resolve},
    search::SearchIndex,
    stats::Stats,
};

/// Tools compiled into what is sent, and the way back from a model's call to the real one.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) level: Level,
    pub(crate) choice: MapChoice,
    pub(crate) directory: Directory,
    pub(crate) tools: Vec<WireTool>,
    pub(crate) preamble: String,
    pub(crate) parts: Vec<usize>,
    pub(crate) entries: Vec<LedgerEntry>,
    /// Places in `entries` by code.
    pub(crate) places: HashMap<String, usize>,
    pub(crate) notes: Vec<Note>,
    pub(crate) budget: Option<Budget>,
    pub(crate) search_limit: usize,
    pub(crate) surface: Surface,
    /// What calls are resolved with: `directory`, or its tools without their schemas.
    pub(crate) callable: Directory,
    /// Built at the first look-up.
    pub(crate) index: OnceLock<SearchIndex>,
}

impl Catalog {
    /// Returns the level.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns how the map is written, and why.
    #[must_use]
    pub fn map_choice(&self) -> &MapChoice {
        &self.choice
    }

    /// Returns the tools by their codes.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns the tools as they are sent, in order.
    #[must_use]
    pub fn tools(&self) -> &[WireTool] {
        &self.tools
    }

    /// Returns what goes into the system prompt: the map of level 3, empty at the others.
    #[must_use]
    pub fn system_preamble(&self) -> &str {
        &self.preamble
    }

    /// Returns the preamble in the parts in which it grew: providers that cache block by block find the earlier ones again.
    #[must_use]
    pub fn system_parts(&self) -> Vec<&str> {
        let starts = std::iter::once(0).chain(self.parts.iter().copied());
        let parts =
            starts.zip(&self.parts).map(|(start, end)| self.preamble.get(start..*end).unwrap_or_default());
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// Tells whether the preamble belongs behind a cache breakpoint.
    #[must_use]
    pub fn cache_preamble(&self) -> bool {
        !self.preamble.is_empty()
    }

    /// Returns what became of tools that changed, went or came back, and of ones that could not be offered as asked.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns what the budget was spent on, where there was one.
    #[must_use]
    pub fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref()
    }

    /// Returns what was sent, for the next catalogue of the same conversation to build on.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        Ledger {
            version: Ledger::VERSION,
            level: self.level,
            map_style: self.choice.map_style,
            code_style: self.choice.code_style,
            budget_tokens: self.budget.as_ref().map(|budget| budget.budget_tokens),
            entries: self.entries.clone(),
            tools: self.tools.clone(),
            preamble: self.preamble.clone(),
            parts: self.parts.clone(),
        }
    }

    /// Counts what is saved. Loads the tokenizer's vocabulary at its first use.
    #[must_use]
    pub fn stats(&self, tokenizer: Tokenizer) -> Stats {
        Stats::of(self, tokenizer)
    }

    /// Returns what a model writes for a tool at level 3, by the tool's name or code.
    ///
    /// # Errors
    /// Below level 3, where tools have no codes, and for a name that no tool or more than one has.
    pub fn code_for(&self, name: &str) -> Result<&str, CatalogError> {
        if self.level != Level::Map {
            let message =
                format!("there are codes at level 3 only; this catalogue is of level {}", self.level);
            return Err(CatalogError::Options { message });
        }
        let entry = self.entry(name)?;
        Ok(self.sent(entry.code()).and_then(|sent| sent.short.as_deref()).unwrap_or_else(|| entry.code()))
    }

    /// Returns the call that a model would make of a tool at this level, as `{name, args}`: for tests and examples.
    ///
    /// # Errors
    /// For a name that no tool or more than one has.
    pub fn encode_call(&self, name: &str, arguments: Value) -> Result<Value, CatalogError> {
        let entry = self.entry(name)?;
        let code = entry.code();
        let is_native = self.sent(code).is_some_and(|sent| sent.detail == Detail::Native);
        Ok(match self.level {
            Level::Map if !is_native => {
                json!({"name": map::CALL, "args": {"f": self.code_for(code)?, "a": arguments}})
            }
            Level::Namespaces => {
                let found = self.tools.iter().find_map(|tool| {
                    let operation = tool.operations.iter().find(|(_, operation)| *operation == code);
                    operation.map(|(operation, _)| (tool, operation))
                });
                let Some((tool, operation)) = found else {
                    return Err(CatalogError::UnknownTool { name: name.to_owned(), nearest: String::new() });
                };
                json!({"name": tool.name, "args": {"op": operation, "args": arguments}})
            }
            _ => json!({"name": code, "args": arguments}),
        })
    }

    /// Makes a model's call the call of a real tool, checked against the tool's own schema; answers what the model asks the
    /// catalogue itself; or says what to write instead.
    ///
    /// ```
    /// use recto_catalog::{Level, Options, Outcome, Tool, compile};
    /// use serde_json::json;
    ///
    /// let tools = [Tool::new("get_weather", "Says the weather.", json!({
    ///     "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    /// }))?];
    /// let catalog = compile(&tools, &Options::at(Level::Map))?;
    /// let Outcome::Call { name, .. } = catalog.resolve("t", json!({"f": "get_weather", "a": {"city": "Bern"}})) else { panic!() };
    /// assert_eq!(name, "get_weather");
    /// let Outcome::Meta { result, .. } = catalog.resolve("q", json!({"s": "will it rain"})) else { panic!() };
    /// assert!(result.starts_with("get_weather(city)"));
    /// # Ok::<(), recto_catalog::CatalogError>(())
    /// ```
    #[must_use]
    pub fn resolve(&self, name: &str, arguments: Value) -> Outcome {
        resolve(&self.callable, &self.surface, name, arguments, &|question| self.answer(&question))
    }

    fn answer(&self, question: &Question) -> String {
        let index = self.index.get_or_init(|| SearchIndex::new(self.directory.entries()));
        match question {
            Question::Code(code) => answer_code(&self.directory, index, code),
            Question::Words(words) => answer_words(&self.directory, index, words, self.search_limit),
        }
    }

    /// Finds a tool by its code, else by the name that one tool alone has.
    pub(crate) fn entry(&self, name: &str) -> Result<&Entry, CatalogError> {
        if let Some(entry) = self.directory.get(name) {
            return Ok(entry);
        }
        let named: Vec<&Entry> =
            self.directory.entries().iter().filter(|entry| entry.tool().name() == name).collect();
        if let [entry] = named[..] {
            return Ok(entry);
        }
        let codes: Vec<String> = named.iter().map(|entry| format!("{:?}", entry.code())).collect();
        let nearest =
            if codes.is_empty() { String::new() } else { format!("; say which: {}", codes.join(", ")) };
        Err(CatalogError::UnknownTool { name: name.to_owned(), nearest })
    }

    pub(crate) fn sent(&self, code: &str) -> Option<&LedgerEntry> {
        self.places.get(code).and_then(|&place| self.entries.get(place))
    }
}
