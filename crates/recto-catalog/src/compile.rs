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
    let directory = Directory::with_reserved(
        tools,
        &codes,
        &base.map(Ledger::digests).unwrap_or_default(),
        base.map(Ledger::reserved).unwrap_or_default(),
    );
    let pins = pins(&directory, options);
    let mut compiler = Compiler { options, choice, directory, pins, level, afresh: options.afresh };
    match options
        .budget_tokens
        .or_else(|| base.filter(|_| options.level.is_none()).and_then(|base| base.budget_tokens))
    {
        Some(budget) => match compiler.within(budget) {
            // What was sent before leaves no room: everything is sent anew, and every code stands for what it stood for.
            Err(CatalogError::Budget { .. }) if base.is_some() && !compiler.afresh => {
                compiler.afresh = true;
                let mut catalog = compiler.within(budget)?;
                catalog
                    .notes
                    .insert(0, Note::new("", "sent anew: the budget does not hold what was sent before"));
                Ok(catalog)
            }
            made => made,
        },
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
    if options.afresh {
        return Ok(options.level.unwrap_or(base.level));
    }
    if let Some(level) = options.level.filter(|level| *level != base.level) {
        return Err(differs("level", &level, &base.level));
    }
    if options.budget_tokens.is_some() && base.budget_tokens.is_none() {
        return Err(differs(
            "a budget",
            &options.budget_tokens.unwrap_or_default(),
            &format!("level {}", base.level),
        ));
    }
    Ok(base.level)
}

/// How the map is written: as in the base, else as the table says.
fn choice(options: &Options, policy: &Policy) -> Result<MapChoice, CatalogError> {
    let Some(base) = options.base.as_ref().filter(|_| !options.afresh) else {
        return Ok(policy.choose(options));
    };
    if let Some(style) = options.map_style.filter(|style| *style != base.map_style) {
        return Err(differs("map style", &style, &base.map_style));
    }
    if options.code_style.is_some_and(|style| style != base.code_style) {
        let message =
            "other codes were asked for than the ledger has: compile afresh, once the cache is cold"
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
        "{what} {asked} was asked for, but the ledger was made with {before}: compile afresh, once the cache is cold"
    );
    CatalogError::Options { message }
}

/// The codes of the tools that are always offered as themselves. A pin of no tool is none: its server may be away.
fn pins(directory: &Directory, options: &Options) -> BTreeSet<String> {
    let pins: BTreeSet<&str> = options.pins.iter().map(String::as_str).collect();
    let is_pinned = |entry: &&Entry| pins.contains(entry.code()) || pins.contains(entry.tool().name());
    directory.entries().iter().filter(is_pinned).map(|entry| entry.code().to_owned()).collect()
}

struct Compiler<'a> {
    options: &'a Options,
    choice: MapChoice,
    directory: Directory,
    pins: BTreeSet<String>,
    level: Level,
    /// Whether of the base only the codes are kept.
    afresh: bool,
}

type Details = BTreeMap<String, Detail>;

impl Compiler<'_> {
    fn pinned_details(&self) -> Details {
        self.pins
            .iter()
            .filter(|code| map::can_be_native(code))
            .map(|code| (code.clone(), Detail::Native))
            .collect()
    }

    fn catalog(&self, details: &Details) -> Catalog {
        let draft = self.draft(details, true);
        self.finished(draft)
    }

    /// What is sent; without the tools that are offered beside a map, where it is only to be weighed.
    fn draft(&self, details: &Details, whole: bool) -> Draft {
        let mut draft = Draft::on(self.options.base.as_ref(), &self.directory, self.afresh);
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
                for pin in self.pins.iter().filter(|pin| !map::can_be_native(pin)) {
                    draft.notes.push(Note::new(
                        pin,
                        "pinned, but named as one of the two tools of the map: called through it",
                    ));
                }
            }
        }
        for pin in &self.options.pins {
            let is_there = self
                .directory
                .entries()
                .iter()
                .any(|entry| entry.code() == pin || entry.tool().name() == pin);
            if !is_there {
                draft.notes.push(Note::new(pin, "pinned, but there is no such tool"));
            }
        }
        if draft.preamble.len() > draft.parts.last().copied().unwrap_or_default() {
            draft.parts.push(draft.preamble.len());
        }
        draft
    }

    fn finished(&self, draft: Draft) -> Catalog {
        let shorts =
            draft.entries.iter().filter_map(|entry| Some((entry.short.clone()?, entry.code.clone())));
        let directory = self.directory.clone().with_shorts(shorts.collect());
        Catalog {
            level: self.level,
            choice: self.choice.clone(),
            surface: surface(self.level, &draft),
            callable: if self.options.validate { directory.clone() } else { directory.unchecked() },
            directory,
            index: OnceLock::new(),
            tools: draft.tools,
            preamble: draft.preamble,
            parts: draft.parts,
            entries: draft.entries,
            places: draft.places,
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
            Some(base) if !self.afresh => {
                base.entries.iter().map(|entry| (entry.code.clone(), entry.detail)).collect()
            }
            _ => self.pinned_details(),
        };
        let weighed = Weighed::new(&directory, &self.options.uses, &given, counter);
        let base = self.options.base.as_ref().filter(|_| !self.afresh);
        let was_native = base.is_some_and(|base| base.level == Level::Native);
        if was_native || (base.is_none() && weighed.native_tokens() <= budget_tokens) {
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
