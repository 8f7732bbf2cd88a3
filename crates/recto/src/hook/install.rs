//! Where each agent's hook is put, and how it is taken away again.

mod command;
mod write;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use recto_hooks::settings::{self, Entry};

use crate::{
    environment,
    failure::{Failure, Outcome},
};

use self::{command::command, write::Copy};
pub(crate) use self::{
    command::{is_own, program, store_flag},
    write::Change,
};

/// Agents that have hooks, or files in the place of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code: entries in its settings
    Claude,
    /// Pi: an extension
    Pi,
    /// opencode: a plug-in
    Opencode,
    /// Codex has no such hook: says what to do
    Codex,
    /// Gemini CLI has no such hook either
    Gemini,
}

/// How it gets there.
enum Way {
    /// Entries in a settings file of the client's own.
    Entries(Vec<Entry>),
    /// A file that is recto's alone.
    File(&'static str),
}

/// One agent's hook in one place.
pub(crate) struct Place {
    pub(crate) agent: Agent,
    pub(crate) path: PathBuf,
    way: Way,
}

/// Files of recto's own begin with this.
const OWN_FILE: &str = "// recto for ";

/// Tools whose results may become views.
const RESULTS: &str = "Bash|PowerShell|Read|Grep|Glob|LS|WebFetch|mcp__.*";
/// Tools whose arguments may hold a note.
const CALLS: &str = "Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*";
/// Seconds after which the client gives up; a hook has done after 50 ms.
const TIMEOUT: u32 = 5;

impl Agent {
    pub(crate) const ALL: [Self; 3] = [Self::Claude, Self::Pi, Self::Opencode];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Pi => "pi",
            Self::Opencode => "opencode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }
}

impl Place {
    /// The place for all of a person's projects, or for the one in this folder.
    pub(crate) fn of(agent: Agent, in_project: bool, store: Option<&Path>) -> Outcome<Self> {
        let no_home = || {
            Failure::usage("there is no HOME, where the agent's settings would be")
                .hint("use --project in the project's folder")
        };
        let home = || environment::home().ok_or_else(no_home);
        let (path, way) = match agent {
            Agent::Claude => {
                let folder = if in_project {
                    PathBuf::from(".claude")
                } else {
                    environment::claude_folder().ok_or_else(no_home)?
                };
                (folder.join("settings.json"), Way::Entries(entries(store)))
            }
            Agent::Pi => {
                let folder = if in_project { PathBuf::from(".pi") } else { home()?.join(".pi/agent") };
                (
                    folder.join("extensions/recto.ts"),
                    Way::File(include_str!("../../../../plugins/pi/recto.ts")),
                )
            }
            Agent::Opencode => {
                let folder = if in_project {
                    PathBuf::from(".opencode")
                } else {
                    environment::config_folder()
                        .map_or_else(|| home().map(|home| home.join(".config")), Ok)?
                        .join("opencode")
                };
                (
                    folder.join("plugin/recto.ts"),
                    Way::File(include_str!("../../../../plugins/opencode/recto.ts")),
                )
            }
            Agent::Codex => {
                return Err(Failure::usage("Codex has no hook that could replace a tool's result").hint(
                    "add to its AGENTS.md: \"run commands that print much as `recto run --max-bytes 4000 --recall tool --shell '...'`\" \
                     (it cuts what is longer than 10,000 bytes), and `codex mcp add recto -- recto mcp-tools`",
                ));
            }
            // Seen in 0.61: AfterTool adds to a result or blocks it ("Tool result blocked: ...", an error to the model).
            Agent::Gemini => {
                return Err(Failure::usage("Gemini CLI's hooks can block a tool's result or add to it, not replace it").hint(
                    "say in its GEMINI.md: \"run commands that print much as `recto run --max-bytes 4000 --recall tool --shell '...'`\", and `gemini mcp add recto recto \
                     mcp-tools`",
                ));
            }
        };
        Ok(Self { agent, path, way })
    }

    /// Whether it is there: `None` if not, else whether it is as this recto would write it.
    pub(crate) fn is_current(&self) -> Outcome<Option<bool>> {
        let Some(text) = self.read()? else { return Ok(None) };
        match &self.way {
            Way::File(own) => Ok(text.starts_with(OWN_FILE).then_some(text == *own)),
            Way::Entries(_) => {
                let found = settings::commands(&text).map_err(|error| self.wrong(&error))?;
                if !found.iter().any(|(_, command)| is_own(command)) {
                    return Ok(None);
                }
                Ok(Some(self.install()?.after.as_ref() == Some(&text)))
            }
        }
    }

    /// What installing changes.
    pub(crate) fn install(&self) -> Outcome<Change> {
        let before = self.read()?;
        let (after, copy) = match &self.way {
            Way::File(own) => {
                if before.as_ref().is_some_and(|text| !text.starts_with(OWN_FILE)) {
                    return Err(self.not_own());
                }
                // A person may have written into it.
                ((*own).to_owned(), Copy::Anew)
            }
            Way::Entries(entries) => {
                let text = before.as_deref().unwrap_or("{}\n");
                let bare = settings::take_out(text, is_own).map_err(|error| self.wrong(&error))?;
                let added = settings::add(&bare, entries).map_err(|error| self.wrong(&error))?;
                (added, if bare == text { Copy::Anew } else { Copy::Once })
            }
        };
        Ok(self.change(before, Some(after), copy))
    }

    /// What uninstalling changes.
    pub(crate) fn uninstall(&self) -> Outcome<Change> {
        let Some(before) = self.read()? else { return Ok(self.change(None, None, Copy::No)) };
        match &self.way {
            Way::File(own) if before.starts_with(OWN_FILE) => {
                let copy = if before == *own { Copy::No } else { Copy::Anew };
                Ok(self.change(Some(before), None, copy))
            }
            Way::File(_) => Err(self.not_own()),
            Way::Entries(_) => {
                let bare = settings::take_out(&before, is_own).map_err(|error| self.wrong(&error))?;
                let copied = write::copied(&self.path);
                // Of a file that was made for recto nothing is left.
                let is_left = bare != "{}\n" || bare == before || copied.is_some();
                let note = (bare != before).then(|| self.what_stays(&bare, copied.as_deref())).flatten();
                let copy = if is_left { Copy::Once } else { Copy::No };
                let change = self.change(Some(before), is_left.then_some(bare), copy);
                Ok(Change { note, ..change })
            }
        }
    }

    /// The lists that recto may have made, in a file in which that cannot be seen any more.
    fn what_stays(&self, bare: &str, copied: Option<&str>) -> Option<String> {
        let of = |text: &str| settings::empty(text).unwrap_or_default();
        let before = copied.map(of).unwrap_or_default();
        let stays: Vec<String> = of(bare).into_iter().filter(|path| !before.contains(path)).collect();
        (!stays.is_empty()).then(|| {
            format!("{}: stays, empty, as it may not be recto's: {}", self.path.display(), stays.join(", "))
        })
    }

    fn change(&self, before: Option<String>, after: Option<String>, copy: Copy) -> Change {
        let is_copied =
            copy == Copy::Anew && matches!(self.way, Way::File(_)) && before.is_some() && before != after;
        let note = is_copied.then(|| {
            let (path, copy) = (self.path.display(), write::backup(&self.path));
            format!("{path}: it was not as recto writes it, and is kept as {}", copy.display())
        });
        Change { path: self.path.clone(), before, after, copy, note }
    }

    fn read(&self) -> Outcome<Option<String>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(Failure::file(&self.path, "read", &error)),
        }
    }

    fn wrong(&self, error: &settings::SettingsError) -> Failure {
        Failure::usage(format!("{}: {error}", self.path.display()))
            .hint("nothing was changed; mend the file first")
    }

    fn not_own(&self) -> Failure {
        Failure::usage(format!("{} is not recto's: it does not begin with {OWN_FILE:?}", self.path.display()))
            .hint("nothing was changed; move the file away first")
    }
}

/// The entries for Claude Code.
fn entries(store: Option<&Path>) -> Vec<Entry> {
    let command = command(store);
    let entry =
        |event, matcher| Entry { event, matcher: Some(matcher), command: command.clone(), timeout: TIMEOUT };
    vec![entry("PostToolUse", RESULTS), entry("PreToolUse", CALLS), entry("SessionStart", "compact")]
}
