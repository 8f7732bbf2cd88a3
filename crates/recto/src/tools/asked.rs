//! How tools are to be compiled, as it is asked for on the command line.

use std::{collections::BTreeMap, fs, io::Read as _, path::PathBuf};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use recto::tokens::Tokenizer;
use recto_catalog::{
    Catalog, CatalogError, CodeStyle, Ledger, Level, MapStyle, Objective, Options, Policy, Tool, compile_with,
};

use crate::{
    failure::{Failure, Outcome},
    named::Counting,
    output,
    usage::text::plain,
};

/// How tools are compiled.
#[derive(Debug, Args)]
pub(crate) struct Compiling {
    /// 0 the definitions as they are; 1 the same tools, short; 2 one tool a namespace; 3 two tools and a map of one line a tool
    /// [default: 1, or the ledger's]
    #[arg(long, short, value_name = "N", value_parser = words::<Level>(&["0", "1", "2", "3"]), conflicts_with = "budget")]
    level: Option<Level>,

    /// The most tokens that the tools may cost: each is offered as richly as fits, those first that are used most
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,

    /// How a line of the map is written: `name+required`, `explicit` (the same, with `()` where nothing is required), `signature`
    #[arg(long, value_name = "STYLE", value_parser = words::<MapStyle>(&["name+required", "explicit", "signature"]))]
    map_style: Option<MapStyle>,

    /// What stands for a tool in the map: its name, or a short code before it
    #[arg(long, value_name = "CODES", value_parser = words::<CodeStyle>(&["name", "short"]))]
    codes: Option<CodeStyle>,

    /// The model that will read it: its row in the table of what was measured chooses style and codes
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// What is to be small: the room in the window, or the bill
    #[arg(long, value_name = "WHAT", value_parser = words::<Objective>(&["occupancy", "cost"]))]
    objective: Option<Objective>,

    /// Another table of what was measured of models, as `recto tools policy --json` prints it
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// A tool that is always offered as itself; may be given again
    #[arg(long = "pin", value_name = "TOOL")]
    pins: Vec<String>,

    /// How often each tool was called, as JSON: {"read_file": 120}
    #[arg(long, value_name = "FILE")]
    uses: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) counting: Counting,

    /// How many hits a look-up answers
    #[arg(long, value_name = "N", default_value_t = 8)]
    search_limit: usize,

    /// What was sent before: read if it is there, and written by `compile`. Nothing of it changes or moves; newcomers follow
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,

    /// With a ledger: send everything anew, at any level or budget; every code stands for what it stood for. For a cache that is cold
    #[arg(long, requires = "ledger")]
    afresh: bool,
}

/// The largest ledger that is read.
const MAX_LEDGER_BYTES: u64 = 256 << 20;

impl Compiling {
    /// Compiles tools as it is asked for.
    pub(crate) fn compile(&self, tools: &[Tool], tokenizer: Tokenizer) -> Outcome<Catalog> {
        self.compile_for_calls(tools, tokenizer, true)
    }

    /// Compiles tools as it is asked for, and says whether calls are to be checked.
    pub(crate) fn compile_for_calls(
        &self,
        tools: &[Tool],
        tokenizer: Tokenizer,
        validate: bool,
    ) -> Outcome<Catalog> {
        let options = Options {
            validate,
            level: self.level,
            budget_tokens: self.budget,
            map_style: self.map_style,
            code_style: self.codes,
            search_limit: self.search_limit,
            model: self.model.clone(),
            objective: self.objective.unwrap_or_default(),
            pins: self.pins.clone(),
            uses: self.uses()?,
            tokenizer,
            base: self.base()?,
            afresh: self.afresh,
            ..Options::default()
        };
        let policy = self.policy()?;
        compile_with(tools, &options, policy.as_ref().unwrap_or_else(|| Policy::shipped())).map_err(refused)
    }

    fn policy(&self) -> Outcome<Option<Policy>> {
        let Some(path) = &self.policy else { return Ok(None) };
        let text = fs::read(path).map_err(|error| Failure::file(path, "read", &error))?;
        let policy = serde_json::from_slice(&text).map_err(|error| {
            Failure::usage(format!("{}: {error}", path.display()))
                .hint("`recto tools policy --json` prints one to begin with")
        })?;
        Ok(Some(policy))
    }

    fn uses(&self) -> Outcome<BTreeMap<String, u64>> {
        let Some(path) = &self.uses else { return Ok(BTreeMap::new()) };
        let text = fs::read(path).map_err(|error| Failure::file(path, "read", &error))?;
        serde_json::from_slice(&text).map_err(|error| {
            Failure::usage(format!("{}: {error}", path.display()))
                .hint("write numbers of calls by tool: {\"read_file\": 120}")
        })
    }

    fn base(&self) -> Outcome<Option<Ledger>> {
        let Some(path) = &self.ledger else { return Ok(None) };
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file(path, "read", &error)),
        };
        let mut text = Vec::new();
        file.take(MAX_LEDGER_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| Failure::file(path, "read", &error))?;
        if text.len() as u64 > MAX_LEDGER_BYTES {
            return Err(Failure::usage(format!("{} is larger than any ledger", path.display())));
        }
        let ledger = serde_json::from_slice(&text).map_err(|error| {
            Failure::usage(format!("{} is no ledger: {error}", path.display()))
                .hint("name the file that an earlier `--ledger` wrote, or one that is not there yet")
        })?;
        Ok(Some(ledger))
    }
}

fn refused(error: CatalogError) -> Failure {
    let message = plain(&error.to_string()).into_owned();
    match error {
        CatalogError::Budget { .. } => Failure::usage(message).hint("give more tokens, or pin fewer tools"),
        _ => Failure::usage(message),
    }
}

/// A value that is one of some words, which shells complete.
pub(crate) fn words<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| {
        let number = word.parse::<u8>().ok().map(serde_json::Value::from);
        serde_json::from_value(number.unwrap_or_else(|| word.into()))
    })
}

impl Compiling {
    /// Says which of what was asked for does nothing.
    pub(crate) fn complain_of_idle(&self, catalog: &Catalog) {
        let is_map = catalog.level() == Level::Map;
        let idle = [
            ("--map-style", self.map_style.is_some() && !is_map),
            ("--codes", self.codes.is_some() && !is_map),
            ("--pin", !self.pins.is_empty() && catalog.level() < Level::Namespaces && self.budget.is_none()),
            ("--uses", self.uses.is_some() && catalog.budget().is_none()),
        ];
        for (option, _) in idle.into_iter().filter(|(_, is_idle)| *is_idle) {
            output::warn(&format!("{option} does nothing at level {} without a budget", catalog.level()));
        }
    }
}
