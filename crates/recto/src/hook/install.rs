//! Where each agent's hook is put, and how it is taken away again.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use recto_hooks::settings::{self, Entry};

use crate::{
    environment,
    failure::{Failure, Outcome},
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

/// What a file becomes; `None`: it is not there.
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Files of recto's own begin with this.
const OWN_FILE: &str = "// recto for ";

/// Behind the name of the file of which it is a copy.
const BACKUP: &str = "recto-backup";

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
        let home = || {
            environment::home().ok_or_else(|| {
                Failure::usage("there is no HOME, where the agent's settings would be")
                    .hint("use --project in the project's folder")
            })
        };
        let (path, way) = match agent {
            Agent::Claude => {
                let folder = match environment::claude_folder().filter(|_| !in_project) {
                    Some(folder) => folder,
                    None if in_project => PathBuf::from(".claude"),
                    None => home()?.join(".claude"),
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
                    "add to its AGENTS.md: \"run commands that print much as `recto run --max-bytes 9000 --recall tool --shell '...'`\" \
                     (it cuts what is longer than 10,000 bytes), and `codex mcp add recto -- recto mcp-tools`",
                ));
            }
            // Seen in 0.61: AfterTool adds to a result or blocks it ("Tool result blocked: ...", an error to the model).
            Agent::Gemini => {
                return Err(Failure::usage("Gemini CLI's hooks can block a tool's result or add to it, not replace it").hint(
                    "say in its GEMINI.md: \"run commands that print much as `recto run --max-bytes 9000 --recall tool --shell '...'`\", and `gemini mcp add recto recto \
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
        let after = match &self.way {
            Way::File(own) => {
                if before.as_ref().is_some_and(|text| !text.starts_with(OWN_FILE)) {
                    return Err(self.not_own());
                }
                (*own).to_owned()
            }
            Way::Entries(entries) => {
                let text = before.as_deref().unwrap_or("{}\n");
                let bare = settings::take_out(text, is_own).map_err(|error| self.wrong(&error))?;
                settings::add(&bare, entries).map_err(|error| self.wrong(&error))?
            }
        };
        Ok(self.change(before, Some(after)))
    }

    /// What uninstalling changes.
    pub(crate) fn uninstall(&self) -> Outcome<Change> {
        let Some(before) = self.read()? else { return Ok(self.change(None, None)) };
        let after = match &self.way {
            Way::File(_) if before.starts_with(OWN_FILE) => None,
            Way::File(_) => return Err(self.not_own()),
            Way::Entries(_) => {
                let bare = settings::take_out(&before, is_own).map_err(|error| self.wrong(&error))?;
                // Of a file that was made for recto nothing is left.
                Some(bare).filter(|bare| bare != "{}\n" || bare == &before || backup(&self.path).exists())
            }
        };
        Ok(self.change(Some(before), after))
    }

    fn change(&self, before: Option<String>, after: Option<String>) -> Change {
        Change { path: self.path.clone(), before, after }
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

impl Change {
    pub(crate) fn is_none(&self) -> bool {
        self.before == self.after
    }

    /// Writes it. A settings file that was there is copied first; the copy goes once the file is again as it was.
    pub(crate) fn write(&self) -> Outcome<()> {
        let failed = |error: &io::Error| Failure::writing(&self.path, error);
        // A link to a file elsewhere stays one.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let copy = backup(&self.path);
        let Some(after) = &self.after else {
            fs::remove_file(&path).map_err(|error| failed(&error))?;
            let _ = fs::remove_file(&copy);
            return Ok(());
        };
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        if let Some(before) = &self.before
            && !before.starts_with(OWN_FILE)
            && !copy.exists()
        {
            fs::copy(&path, &copy).map_err(|error| failed(&error))?;
        }
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        io::Write::write_all(&mut file, after.as_bytes()).map_err(|error| failed(&error))?;
        let mode = fs::metadata(&path).map_or(0o600, |about| about.permissions().mode() & 0o777);
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).map_err(|error| failed(&error))?;
        file.as_file().sync_all().map_err(|error| failed(&error))?;
        file.persist(&path).map_err(|error| failed(&error.error))?;
        if fs::read_to_string(&copy).is_ok_and(|text| text == *after) {
            let _ = fs::remove_file(&copy);
        }
        Ok(())
    }
}

fn backup(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(BACKUP);
    name.into()
}

/// The entries for Claude Code.
fn entries(store: Option<&Path>) -> Vec<Entry> {
    let command = command(store);
    let entry =
        |event, matcher| Entry { event, matcher: Some(matcher), command: command.clone(), timeout: TIMEOUT };
    vec![entry("PostToolUse", RESULTS), entry("PreToolUse", CALLS), entry("SessionStart", "compact")]
}

/// The shell word that runs this recto: its name where that means this one, else its path.
pub(crate) fn program() -> String {
    let own = std::env::current_exe().ok().and_then(|path| fs::canonicalize(path).ok());
    let on_path = environment::on_path("recto").and_then(|path| fs::canonicalize(path).ok());
    match &own {
        Some(own) if on_path.as_ref() != Some(own) => quoted(own),
        _ => "recto".to_owned(),
    }
}

/// The shell line of the hook.
fn command(store: Option<&Path>) -> String {
    format!("{}{} hook claude", program(), store_flag(store))
}

/// What names an archive in a shell line, behind the program.
pub(crate) fn store_flag(store: Option<&Path>) -> String {
    store.map(|path| format!(" --store {}", quoted(path))).unwrap_or_default()
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Whether a command is a hook that recto has put in.
pub(crate) fn is_own(command: &str) -> bool {
    let program = command.trim_start_matches('\'').split([' ', '\'']).next().unwrap_or_default();
    let runs_recto = program.rsplit('/').next() == Some("recto")
        || command.contains("/recto'")
        || command.contains("/recto ");
    runs_recto && command.trim_end().ends_with(" hook claude")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands() {
        for own in [
            "recto hook claude",
            "/usr/bin/recto hook claude",
            "'/a b/recto' --store '/x y' hook claude",
            "recto --store /x hook claude",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            "rtk hook claude",
            "echo recto hook claude; x",
            "recto gc",
            "directo hook claude",
            "recto hook claude && bell",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn paths_are_quoted_for_the_shell() {
        assert_eq!(quoted(Path::new("/usr/bin/recto")), "/usr/bin/recto");
        assert_eq!(quoted(Path::new("/it's/a b")), r"'/it'\''s/a b'");
    }
}
