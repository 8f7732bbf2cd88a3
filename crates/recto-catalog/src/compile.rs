//! From tools to a catalogue.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use crate::{
    budget::{Budget, Weighed},
    catalog::Catalog,
    directory::{Directory, Entry},
    error::CatalogError,
    ledger::{Detail, Ledger},
    level::{Draft, Note, direct, map, namespaces},
    map::MapStyle,
    options::{Level, Options},
    policy::{MapChoice, Policy},
    resolve::{MapTools, NamespaceTools, Operation, Surface},
    stats,
    tool::Tool,
    tool_list::MAX_TOOLS,
};

/// How often what a budget holds is measured: each time what is not known of it is halved.
const BUDGET_ROUNDS: usize = 12;

/// Compiles tools into a catalogue.
///
/// Pure: without a base the result is a function of the set of tools and the options; with one, every byte that the base sent keeps
/// its place, newcomers follow, and no code ever stands for another tool.
///
/// # Errors
/// If options do not go together or not with the base, if there are more than [`MAX_TOOLS`] tools, or if a budget does not hold what must be sent.
///
/// ```
/// use recto_catalog::{Level, Options, Tool, compile};
/// use serde_json::json;
///
/// let tools = [Tool::new("get_weather", "Says the weather.", json!({
///     "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
/// }))?];
/// let catalog = compile(&tools, &Options::at(Level::Map))?;
/// assert!(catalog.system_preamble().ends_with("get_weather(city)\n"));
/// assert_eq!(catalog.tools().len(), 2);
/// # Ok::<(), recto_catalog::CatalogError>(())
/// ```
pub fn compile(tools: &[Tool], options: &Options) -> Result<Catalog, CatalogError> {
    compile_with(tools, options, Policy::shipped())
}

/// Compiles tools into a catalogue, with a policy table of the caller's. See [`compile`].
///
/// # Errors
/// As [`compile`].
pub fn compile_with(tools: &[Tool], options: &Options, policy: &Policy) -> Result<Catalog, CatalogError> {
    if tools.len() > MAX_TOOLS {
        return Err(CatalogError::TooManyTools { found: tools.len(), limit: MAX_TOOLS });
    }
    let base = options.base.as_ref();
    let choice = choice(options, policy)?;
    let level = level(options)?;
    let codes = base.map(Ledger::codes).unwrap_or_default();
    let directory = Directory::with_reserved(tools, &codes, base.map(Ledger::reserved).unwrap_or_default());
    let pins = pins(&directory, options)?;
    let mut compiler = Compiler { options, choice, directory, pins, level };
    match options.budget_tokens.or_else(|| base.and_then(|base| base.budget_tokens)) {
        Some(budget) => compiler.within(budget),
        None => {
            let details = compiler.pinned_details();
            Ok(compiler.catalog(&details))
        }
    }
}

/// The level that is asked for, or the base's.
fn level(options: &Options) -> Result<Level, CatalogError> {
    if options.level.is_some() && options.budget_tokens.is_some() {
        let message = "a level and a budget do not go together: a budget chooses for each tool".to_owned();
        return Err(CatalogError::Options { message });
    }
    let Some(base) = &options.base else { return Ok(options.level.unwrap_or_default()) };
    if base.version != Ledger::VERSION {
        let message = format!(
            "the ledger is of version {}; this recto writes and reads version {}",
            base.version,
            Ledger::VERSION
        );
        return Err(CatalogError::Options { message });
    }
    if let Some(level) = options.level.filter(|level| *level != base.level) {
        return Err(differs("level", &level, &base.level));
    }
    if let Some(budget) = options.budget_tokens.filter(|budget| Some(*budget) != base.budget_tokens) {
        let before =
            base.budget_tokens.map_or_else(|| "no budget".to_owned(), |budget| format!("{budget} tokens"));
        return Err(differs("budget", &budget, &before));
    }
    Ok(base.level)
}

/// How the map is written: as in the base, else as the table says.
fn choice(options: &Options, policy: &Policy) -> Result<MapChoice, CatalogError> {
    let Some(base) = &options.base else { return Ok(policy.choose(options)) };
    if let Some(style) = options.map_style.filter(|style| *style != base.map_style) {
        return Err(differs("map style", &style, &base.map_style));
    }
    if options.code_style.is_some_and(|style| style != base.code_style) {
        let message =
            "other codes were asked for than the ledger has: compile without it, once the cache is cold"
                .to_owned();
        return Err(CatalogError::Options { message });
    }
    Ok(MapChoice {
        map_style: base.map_style,
        requested_map_style: options.map_style,
        code_style: base.code_style,
        ..MapChoice::default()
    })
}

fn differs(what: &str, asked: &dyn std::fmt::Display, before: &dyn std::fmt::Display) -> CatalogError {
    let message = format!(
        "{what} {asked} was asked for, but the ledger was made with {before}: compile without it, once the cache is cold"
    );
    CatalogError::Options { message }
}

/// The codes of the tools that are always offered as themselves.
fn pins(directory: &Directory, options: &Options) -> Result<BTreeSet<String>, CatalogError> {
    let mut pins = BTreeSet::new();
    for pin in &options.pins {
        let named: Vec<&Entry> = directory
            .entries()
            .iter()
            .filter(|entry| entry.code() == pin || entry.tool().name() == pin)
            .collect();
        if named.is_empty() && !directory.removed().iter().any(|removed| removed.code == *pin) {
            return Err(CatalogError::UnknownTool { name: pin.clone(), nearest: " (pinned)".to_owned() });
        }
        pins.extend(named.iter().map(|entry| entry.code().to_owned()));
    }
    Ok(pins)
}

struct Compiler<'a> {
    options: &'a Options,
    choice: MapChoice,
    directory: Directory,
    pins: BTreeSet<String>,
    level: Level,
}

type Details = BTreeMap<String, Detail>;

impl Compiler<'_> {
    fn pinned_details(&self) -> Details {
        self.pins
            .iter()
            .filter(|code| can_be_native(code))
            .map(|code| (code.clone(), Detail::Native))
            .collect()
    }

    fn catalog(&self, details: &Details) -> Catalog {
        let draft = self.draft(details, true);
        self.finished(draft)
    }

    /// What is sent; without the tools that are offered beside a map, where it is only to be weighed.
    fn draft(&self, details: &Details, whole: bool) -> Draft {
        let mut draft = Draft::on(self.options.base.as_ref(), &self.directory);
        match self.level {
            Level::Passthrough | Level::Native => direct::build(&mut draft, &self.directory, self.level),
            Level::Namespaces => namespaces::build(&mut draft, &self.directory, self.options, &self.pins),
            Level::Map => {
                let details = details.iter().map(|(code, detail)| (code.as_str(), *detail)).collect();
                let plan = map::Plan {
                    style: self.choice.map_style,
                    codes: self.choice.code_style,
                    details: &details,
                    whole,
                };
                map::build(&mut draft, &self.directory, &plan);
                for pin in self.pins.iter().filter(|pin| !can_be_native(pin)) {
                    draft.notes.push(Note::new(
                        pin,
                        "pinned, but named as one of the two tools of the map: called through it",
                    ));
                }
            }
        }
        draft
    }

    fn finished(&self, draft: Draft) -> Catalog {
        let shorts =
            draft.entries.iter().filter_map(|entry| Some((entry.short.clone()?, entry.code.clone())));
        Catalog {
            level: self.level,
            choice: self.choice.clone(),
            surface: surface(self.level, &draft),
            callable: if self.options.validate { self.directory.clone() } else { self.directory.unchecked() },
            directory: self.directory.clone(),
            shorts: shorts.collect(),
            index: OnceLock::new(),
            tools: draft.tools,
            preamble: draft.preamble,
            entries: draft.entries,
            notes: draft.notes,
            budget: None,
            search_limit: self.options.search_limit,
        }
    }

    /// Offers each tool as richly as the budget allows, never above it.
    fn within(&mut self, budget_tokens: u64) -> Result<Catalog, CatalogError> {
        let counter = self.options.tokenizer.counter();
        let directory = self.directory.clone();
        let given: BTreeMap<String, Detail> = match &self.options.base {
            Some(base) => base.entries.iter().map(|entry| (entry.code.clone(), entry.detail)).collect(),
            None => self.pinned_details(),
        };
        let weighed = Weighed::new(&directory, &self.options.uses, &given, counter);
        let was_native = self.options.base.as_ref().is_some_and(|base| base.level == Level::Native);
        if was_native || (self.options.base.is_none() && weighed.native_tokens() <= budget_tokens) {
            self.level = Level::Native;
            let details =
                directory.entries().iter().map(|entry| (entry.code().to_owned(), Detail::Native)).collect();
            let catalog = self.catalog(&details);
            let spent = stats::tokens(&catalog, counter);
            if spent <= budget_tokens {
                return Ok(explained(catalog, &weighed, budget_tokens, spent, &details));
            }
            if was_native {
                return Err(CatalogError::Budget {
                    budget_tokens,
                    needed_tokens: spent,
                    pins: self.pins.len(),
                });
            }
        }
        self.level = Level::Map;
        self.choice.map_style = MapStyle::Signature;
        let owned = |details: BTreeMap<&str, Detail>| -> Details {
            details.into_iter().map(|(code, detail)| (code.to_owned(), detail)).collect()
        };
        let least = owned(weighed.choose(0));
        let catalog = self.catalog(&least);
        let fixed = stats::tokens(&catalog, counter);
        if fixed > budget_tokens {
            return Err(CatalogError::Budget { budget_tokens, needed_tokens: fixed, pins: self.pins.len() });
        }
        let map_before = counter.count(catalog.system_preamble());
        // Lines share their parts, so all together cost less than one by one: the room is searched that spends the budget. What
        // is sent beside the map is summed up here, and counted when it is chosen.
        let (mut low, mut high) = (0, weighed.native_tokens().max(budget_tokens));
        let mut room = budget_tokens - fixed;
        let mut candidates = Vec::new();
        for _ in 0..BUDGET_ROUNDS {
            let details = owned(weighed.choose(room));
            let map = counter.count(&self.draft(&details, false).preamble);
            let spent = (fixed + map).saturating_sub(map_before) + weighed.chosen_native_tokens(&details);
            if spent <= budget_tokens {
                candidates.push(details);
                low = room;
            } else {
                high = room;
            }
            let next = u64::midpoint(low, high);
            if next == room || next == low {
                break;
            }
            room = next;
        }
        while let Some(details) = candidates.pop() {
            let catalog = self.catalog(&details);
            let spent = stats::tokens(&catalog, counter);
            if spent <= budget_tokens {
                return Ok(explained(catalog, &weighed, budget_tokens, spent, &details));
            }
        }
        Ok(explained(catalog, &weighed, budget_tokens, fixed, &least))
    }
}

fn explained(
    mut catalog: Catalog,
    weighed: &Weighed<'_>,
    budget_tokens: u64,
    spent_tokens: u64,
    details: &Details,
) -> Catalog {
    let details = details.iter().map(|(code, detail)| (code.as_str(), *detail)).collect();
    catalog.budget = Some(Budget { budget_tokens, spent_tokens, lines: weighed.explain(&details) });
    catalog
}

/// Whether a tool can be offered beside the two tools of the map.
fn can_be_native(code: &str) -> bool {
    code != map::CALL && code != map::LOOK_UP
}

/// How calls come back.
fn surface(level: Level, draft: &Draft) -> Surface {
    let native = draft
        .entries
        .iter()
        .filter(|entry| entry.detail == Detail::Native)
        .map(|entry| entry.code.clone())
        .collect();
    match level {
        Level::Passthrough | Level::Native => Surface::Direct,
        Level::Namespaces => {
            let offered = draft.tools.iter().filter(|tool| !tool.operations.is_empty()).map(|tool| {
                let operations = tool.operations.iter();
                let operations =
                    operations.map(|(name, code)| Operation { name: name.clone(), code: code.clone() });
                (tool.name.clone(), operations.collect())
            });
            Surface::Namespaces(NamespaceTools {
                offered: offered.collect(),
                describe: namespaces::DESCRIBE.to_owned(),
                native,
            })
        }
        Level::Map => {
            Surface::Map(MapTools { call: map::CALL.to_owned(), ask: map::LOOK_UP.to_owned(), native })
        }
    }
}
