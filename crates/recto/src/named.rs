//! Values of options that have names: a shell completes them.

use std::ffi::OsStr;

use clap::{
    Arg, Args, Command,
    builder::{PossibleValue, TypedValueParser},
};
use recto::{session::policy::PolicyName, tokens::Tokenizer, wire::Format};

use crate::settings::Settings;

/// What a command counts tokens in.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Counting {
    /// What tokens are counted in [default: as configured]
    #[arg(long, value_name = "NAME", value_parser = tokenizer(), hide_possible_values = true)]
    tokenizer: Option<Tokenizer>,
}

impl Counting {
    pub(crate) fn tokenizer(self, settings: &Settings) -> Tokenizer {
        self.tokenizer.unwrap_or(settings.tokenizer.value)
    }
}

/// The format of a session that a command reads.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Written {
    /// The session's format, where it is not told from the file
    #[arg(long, value_name = "NAME", value_parser = format(), hide_possible_values = true)]
    pub(crate) format: Option<Format>,
}

/// Clients whose sessions are found in their own folders.
pub(crate) const CLIENTS: [Format; 5] =
    [Format::ClaudeCode, Format::Codex, Format::Pi, Format::OpenCode, Format::GeminiCli];

/// Reads a value by a function; the names are those that a shell offers, and need not be all that it takes.
#[derive(Clone, Copy)]
pub(crate) struct Named<T> {
    read: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// A format of sessions.
pub(crate) fn format() -> Named<Format> {
    Named { read: read_format, names: || Format::ALL.iter().map(|format| format.name()).collect() }
}

/// A client.
pub(crate) fn client() -> Named<Format> {
    Named { read: read_format, names: || CLIENTS.iter().map(|client| client.name()).collect() }
}

/// A tokenizer, or a model whose tokenizer is meant.
pub(crate) fn tokenizer() -> Named<Tokenizer> {
    Named {
        read: |name| name.parse::<Tokenizer>().map_err(|error| error.to_string()),
        names: || Tokenizer::ALL.iter().map(|tokenizer| tokenizer.short_name()).collect(),
    }
}

/// A policy.
pub(crate) fn policy() -> Named<PolicyName> {
    Named { read: read_policy, names: || PolicyName::ALL.iter().map(|policy| policy.name()).collect() }
}

fn read_format(name: &str) -> Result<Format, String> {
    Format::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("unknown format {name:?}: known are {}", known.join(", "))
    })
}

fn read_policy(name: &str) -> Result<PolicyName, String> {
    PolicyName::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = PolicyName::ALL.iter().map(|policy| policy.name()).collect();
        format!("known are {}", known.join(", "))
    })
}
