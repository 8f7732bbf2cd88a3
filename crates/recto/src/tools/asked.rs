//! How tools are to be compiled, as it is asked for on the command line.

use std::{collections::BTreeMap, fs, path::PathBuf};

use clap::Args;
use recto::tokens::Tokenizer;
use recto_catalog::{
    Catalog, CatalogError, CodeStyle, Ledger, Level, MapStyle, Objective, Options, Tool, compile,
};

use crate::{
    failure::{Failure, Outcome},
    usage::text::plain,
};

/// How tools are compiled.
#[derive(Debug, Args)]
pub(crate) struct Compiling {
    /// 0 the definitions as they are; 1 the same tools, short; 2 one tool a namespace; 3 two tools and a map of one line a tool
    /// [default: 1, or the ledger's]
    #[arg(long, short, value_name = "N", value_parser = level, conflicts_with = "budget")]
    level: Option<Level>,

    /// The most tokens that the tools may cost: each is offered as richly as fits, those first that are used most
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,

    /// How a line of the map is written: `name+required`, `explicit` (the same, with `()` where nothing is required), `signature`
    #[arg(long, value_name = "STYLE", value_parser = map_style)]
    map_style: Option<MapStyle>,

    /// What stands for a tool in the map: its name, or a short code before it
    #[arg(long, value_name = "CODES", value_parser = code_style)]
    codes: Option<CodeStyle>,

    /// The model that will read it: its row in the table of what was measured chooses style and codes
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// What is to be small: the room in the window, or the bill
    #[arg(long, value_name = "WHAT", value_parser = objective)]
    objective: Option<Objective>,

    /// A tool that is always offered as itself; may be given again
    #[arg(long = "pin", value_name = "TOOL")]
    pins: Vec<String>,

    /// How often each tool was called, as JSON: {"read_file": 120}
    #[arg(long, value_name = "FILE")]
    uses: Option<PathBuf>,

    /// How many hits a look-up answers
    #[arg(long, value_name = "N", default_value_t = 8)]
    search_limit: usize,

    /// What was sent before: read if it is there, and written. Nothing of it changes or moves; newcomers follow
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
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
            ..Options::default()
        };
        compile(tools, &options).map_err(refused)
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
        let about = match fs::metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file(path, "read", &error)),
        };
        if about.len() > MAX_LEDGER_BYTES {
            return Err(Failure::usage(format!("{} is larger than any ledger", path.display())));
        }
        let text = fs::read(path).map_err(|error| Failure::file(path, "read", &error))?;
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

pub(crate) fn level(text: &str) -> Result<Level, String> {
    let number: u8 = text.parse().map_err(|_| "levels are 0, 1, 2 and 3".to_owned())?;
    Level::try_from(number)
}

/// Reads a word as one of a type's own.
fn word<T: serde::de::DeserializeOwned>(text: &str, words: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|_| format!("write one of {words}"))
}

pub(crate) fn map_style(text: &str) -> Result<MapStyle, String> {
    word(text, "name+required, explicit, signature")
}

pub(crate) fn code_style(text: &str) -> Result<CodeStyle, String> {
    word(text, "name, short")
}

fn objective(text: &str) -> Result<Objective, String> {
    word(text, "occupancy, cost")
}
