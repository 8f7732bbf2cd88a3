//! Real agents, run headless against a scripted model: no key, no network, a home that is thrown away.
//!
//! ```no_run
//! use recto_testkit::{
//!     agents::Agent,
//!     upstream::{Network, Script, Turn, Upstream},
//! };
//!
//! let Some(agent) = Agent::Pi.find() else { return };
//! let (tool, input) = Agent::Pi.shell_call("seq 1 9");
//! let network = Network::closed_if_possible();
//! let upstream = Upstream::start_in(&network, Script::new().call(tool, input).say("Counted.")).unwrap();
//! let finished = agent.task("Count.").network(&network).run(&upstream.url()).unwrap();
//! assert_eq!(finished.exit, Some(0), "{finished:?}");
//! assert_eq!(upstream.complaints(), Vec::<String>::new());
//! ```

mod setup;
mod task;

use std::{
    env,
    ffi::OsString,
    io::{self, Write as _},
    panic::Location,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

pub use task::{Finished, Task};

/// The environment variable naming the folder where agents are installed: one with their programs, or one with a
/// `node_modules` of npm. `PATH` is searched after it.
pub const AGENTS_FOLDER: &str = "RECTO_AGENTS";

/// The environment variable that, set to `1`, turns a missing agent from a skipped test into a failed one.
pub const REQUIRE_AGENTS: &str = "RECTO_REQUIRE_AGENTS";

/// An agent that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Agent {
    /// Claude Code, `@anthropic-ai/claude-code`; speaks Messages.
    Claude,
    /// Codex, `@openai/codex`; speaks Responses.
    Codex,
    /// Pi, `@mariozechner/pi-coding-agent`; speaks Messages here.
    Pi,
    /// opencode, `opencode-ai`; speaks Messages here.
    OpenCode,
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Pi, Self::OpenCode];

    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Pi => "pi",
            Self::OpenCode => "opencode",
        }
    }

    /// The name and the input of a call that makes the agent run a command in its shell.
    pub fn shell_call(self, command: &str) -> (&'static str, Value) {
        match self {
            Self::Claude => ("Bash", json!({ "command": command, "description": "Runs a command" })),
            Self::Codex => ("exec_command", json!({ "cmd": command })),
            Self::Pi => ("bash", json!({ "command": command })),
            Self::OpenCode => ("bash", json!({ "command": command, "description": "Runs a command" })),
        }
    }

    /// The name and the input of a call that makes the agent read a file; `None` for Codex, which reads by its shell.
    pub fn read_call(self, path: &Path) -> Option<(&'static str, Value)> {
        let path = path.to_string_lossy();
        match self {
            Self::Claude => Some(("Read", json!({ "file_path": path }))),
            Self::Codex => None,
            Self::Pi => Some(("read", json!({ "path": path }))),
            Self::OpenCode => Some(("read", json!({ "filePath": path }))),
        }
    }

    /// Finds the installed agent; `None`, with a word on stderr, where it is not installed.
    ///
    /// # Panics
    /// If it is not installed and [`REQUIRE_AGENTS`] is `1`.
    #[track_caller]
    pub fn find(self) -> Option<Installed> {
        let named = environment(AGENTS_FOLDER).map(PathBuf::from);
        let below =
            named.iter().flat_map(|folder| [folder.clone(), folder.join("node_modules").join(".bin")]);
        let path = environment("PATH").unwrap_or_default();
        let found = below
            .chain(env::split_paths(&path))
            .map(|folder| folder.join(self.program()))
            .find(|program| program.is_file());
        if found.is_none() {
            self.is_missing(Location::caller());
        }
        found.map(|program| Installed { agent: self, program })
    }

    #[expect(
        clippy::panic,
        reason = "a test that requires an agent can only fail without it, with the reason"
    )]
    fn is_missing(self, caller: &Location<'_>) {
        let program = self.program();
        if environment(REQUIRE_AGENTS).is_some_and(|value| value == "1") {
            panic!("no program {program} in {AGENTS_FOLDER} or PATH, and {REQUIRE_AGENTS}=1 asks for it");
        }
        // Straight to the stream: the test harness swallows what the print macros write in a test that passes.
        let skipped = format!("skipped: no program {program} (needed at {caller}; see {AGENTS_FOLDER})\n");
        let _ = std::io::stderr().write_all(skipped.as_bytes());
    }
}

/// An agent that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// Which agent.
    pub agent: Agent,
    /// Its program.
    pub program: PathBuf,
}

impl Installed {
    /// What its `PATH` is: the folders asked for, that of the program, then the caller's own: the agents need their runtime.
    ///
    /// # Errors
    /// If a folder's name cannot stand in a `PATH`.
    pub fn search_path(&self, first: &[PathBuf]) -> io::Result<OsString> {
        let own = self.program.parent().map(Path::to_owned);
        let inherited = environment("PATH").unwrap_or_default();
        let folders = first.iter().cloned().chain(own).chain(std::env::split_paths(&inherited));
        std::env::join_paths(folders).map_err(io::Error::other)
    }

    /// A task for the agent, to be run once.
    pub fn task(&self, prompt: impl Into<String>) -> Task {
        Task::new(self.clone(), prompt.into())
    }
}

#[expect(clippy::disallowed_methods, reason = "test support reads its own variables, and the search path")]
fn environment(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
