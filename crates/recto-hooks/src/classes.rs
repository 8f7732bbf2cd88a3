//! The classes of tool results: which ones are never cut, whatever their size.
//!
//! The table is data ([`Table::builtin`], shown by `recto config show classes`); a person's own rules come before it
//! ([`Table::before`]).

mod rule;
mod shell;
mod wrap;

use std::{borrow::Cow, str::FromStr, sync::OnceLock};

use serde::Deserialize;

use self::shell::Line;
pub use self::{rule::Rule, wrap::wrapped};
use crate::HookError;

/// What a tool's result is, as far as cutting it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Class {
    /// To be followed as it stands: never cut.
    Instructions,
    /// What was just asked for by ref: never cut.
    Recall,
    /// Text that may be edited next: not cut while it is fresh.
    Source,
    /// A program reads it, not the model: never cut.
    Program,
    /// Cut when it is large.
    Ordinary,
}

impl Class {
    /// The name in tables and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Recall => "recall",
            Self::Source => "source",
            Self::Program => "program",
            Self::Ordinary => "ordinary",
        }
    }

    /// Whether it is an answer of recto itself.
    #[must_use]
    pub fn is_recall(self) -> bool {
        self == Self::Recall
    }

    /// Whether a fresh result of this class may be cut.
    #[must_use]
    pub fn may_be_cut(self) -> bool {
        self == Self::Ordinary
    }
}

/// A tool call, as far as its class hangs on it.
#[derive(Clone, Debug, Default)]
pub struct Call<'c> {
    /// The tool's name, as the agent offers it.
    pub tool: Cow<'c, str>,
    /// The files that the call names in arguments.
    pub paths: Vec<Cow<'c, str>>,
    /// The shell line that the call runs.
    pub command: Option<Cow<'c, str>>,
    /// Whether the call asked for a part of the file.
    pub is_ranged: bool,
    /// Whether a program made the call, as in programmatic tool calling and code modes.
    pub by_program: bool,
}

impl Call<'_> {
    /// The first file that the call names.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.paths.first().map(|path| &**path)
    }

    /// Whether the tool is one of recto's own, whatever its arguments.
    #[must_use]
    pub fn is_recall(&self) -> bool {
        let name = self.tool.rsplit("__").next().unwrap_or_default();
        ["recto_expand", "recto_search", "recto_query"]
            .iter()
            .any(|own| name == *own || name.strip_suffix(own).is_some_and(|head| head.ends_with('_')))
    }
}

/// A class and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict<'t> {
    /// The class.
    pub class: Class,
    /// Why, in words; empty where no rule speaks.
    pub why: &'t str,
}

/// Rules in their order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The form of the table: 1.
    version: u32,
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

impl Table {
    /// The table that ships with recto.
    ///
    /// # Errors
    /// Never, but for a build of recto that is broken.
    pub fn builtin() -> Result<&'static Self, HookError> {
        static TABLE: OnceLock<Result<Table, String>> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            include_str!("classes/builtin.toml").parse().map_err(|e: HookError| e.to_string())
        });
        table.as_ref().map_err(|message| HookError::Classes(message.clone()))
    }

    /// These rules, and behind them another table's.
    #[must_use]
    pub fn before(rules: Vec<Rule>, rest: &Self) -> Self {
        let mut rules = rules;
        rules.extend_from_slice(&rest.rules);
        Self { version: rest.version, rules }
    }

    /// The rules in their order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The class of a result that begins with `text`.
    ///
    /// ```
    /// use recto_hooks::classes::{Call, Class, Table};
    /// let table = Table::builtin()?;
    /// let shell = |command: &'static str| Call { tool: "Bash".into(), command: Some(command.into()), ..Call::default() };
    /// assert_eq!(table.class(&shell("kubectl get pods -o json"), "").class, Class::Ordinary);
    /// assert_eq!(table.class(&shell("cd api && sed -n '1,200p' main.rs"), "").class, Class::Source);
    /// assert_eq!(table.class(&shell("cat docs/AGENTS.md"), "").class, Class::Instructions);
    /// assert_eq!(table.class(&shell("recto expand r:123456789012345"), "").class, Class::Recall);
    /// # Ok::<(), recto_hooks::HookError>(())
    /// ```
    #[must_use]
    pub fn class(&self, call: &Call<'_>, text: &str) -> Verdict<'_> {
        if call.by_program {
            return Verdict { class: Class::Program, why: "a program reads it" };
        }
        let line = Line::of(call.command.as_deref().unwrap_or_default());
        let found = self.rules.iter().find(|rule| rule.holds(call, &line, text));
        found.map_or(Verdict { class: Class::Ordinary, why: "" }, |rule| Verdict {
            class: rule.class,
            why: &rule.why,
        })
    }
}

impl FromStr for Table {
    type Err = HookError;

    fn from_str(text: &str) -> Result<Self, HookError> {
        let table: Self = toml::from_str(text).map_err(|error| HookError::Classes(error.to_string()))?;
        if table.version != 1 {
            return Err(HookError::Classes(format!("version {} is not known, only 1 is", table.version)));
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests;
