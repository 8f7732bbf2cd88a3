//! The one place where the environment is read. `docs/configuration.md` is made of [`VARIABLES`], among others.

use std::{ffi::OsString, path::PathBuf};

/// Path of the archive.
pub(crate) const RECTO_STORE: &str = "RECTO_STORE";
/// Path of the configuration file.
pub(crate) const RECTO_CONFIG: &str = "RECTO_CONFIG";
/// Folder of the user's data.
const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// Folder of the user's configuration.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The user's home folder.
const HOME: &str = "HOME";
/// Folder of temporary files.
const TMPDIR: &str = "TMPDIR";
/// Password of the database that is the archive, where its address has none; PostgreSQL's own variable.
const PGPASSWORD: &str = "PGPASSWORD";
/// Folder of Claude Code's settings; its own variable.
const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Folder of Codex's configuration; its own variable.
const CODEX_HOME: &str = "CODEX_HOME";
/// Folder of Pi's settings and sessions; its own variable.
const PI_CODING_AGENT_DIR: &str = "PI_CODING_AGENT_DIR";
/// Variables that send an agent's requests, and recto's own to a provider, to another address.
pub(crate) const BASE_URLS: [&str; 3] = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"];
/// Keys of providers; their own variables.
pub(crate) const API_KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
/// Folders of programs.
const PATH: &str = "PATH";
/// Whether colours are wanted; read by the library that writes to terminals.
const NO_COLOR: &str = "NO_COLOR";
/// Whether colours are wanted where no terminal is; read by the same library.
const CLICOLOR_FORCE: &str = "CLICOLOR_FORCE";

/// Every variable that recto reads, and what for.
pub(crate) const VARIABLES: [(&str, &str); 19] = [
    (RECTO_STORE, "the archive: a path, or a database's address; `--store` goes before it"),
    (PGPASSWORD, "password for the archive's database, where its address has none"),
    (RECTO_CONFIG, "path of the configuration file, instead of the one in the configuration folder"),
    (XDG_DATA_HOME, "folder of the archive: `$XDG_DATA_HOME/recto/recto.db`; by default `~/.local/share`"),
    (
        XDG_CONFIG_HOME,
        "folder of the configuration: `$XDG_CONFIG_HOME/recto/config.toml`; by default `~/.config`",
    ),
    (HOME, "where the two folders above are by default"),
    (
        TMPDIR,
        "where `recto run` spills output that the archive cannot take, and where the archive is without HOME",
    ),
    (CLAUDE_CONFIG_DIR, "where Claude Code's settings and sessions are; by default `~/.claude`"),
    (CODEX_HOME, "where Codex's configuration and sessions are; by default `~/.codex`"),
    (PI_CODING_AGENT_DIR, "where Pi's sessions are; by default `~/.pi/agent`"),
    (
        BASE_URLS[0],
        "where `recto tools bench` asks the provider, with `--live` or `--count-with`; `recto doctor` says that it is set",
    ),
    (BASE_URLS[1], "likewise"),
    (BASE_URLS[2], "likewise"),
    (
        API_KEYS[0],
        "the key that `recto tools bench` asks the provider with, with `--live` or `--count-with` only",
    ),
    (API_KEYS[1], "likewise"),
    (API_KEYS[2], "likewise"),
    (
        PATH,
        "where `recto hook` and `recto doctor` look for recto and for agents, and `recto tools bench --live` for curl",
    ),
    (NO_COLOR, "set to anything: no colours"),
    (CLICOLOR_FORCE, "set to 1: colours also where stderr is no terminal"),
];

fn read(name: &str) -> Option<OsString> {
    #[expect(clippy::disallowed_methods, reason = "this is the one door to the environment")]
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The archive's path, if the environment names one.
pub(crate) fn store() -> Option<PathBuf> {
    read(RECTO_STORE).map(PathBuf::from)
}

/// The password for the archive's database.
pub(crate) fn postgres_password() -> Option<String> {
    read(PGPASSWORD).and_then(|password| password.into_string().ok())
}

/// The configuration file's path, if the environment names one.
pub(crate) fn config() -> Option<PathBuf> {
    read(RECTO_CONFIG).map(PathBuf::from)
}

/// The user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    read(HOME).map(PathBuf::from)
}

/// The user's folder for data.
pub(crate) fn data_folder() -> Option<PathBuf> {
    folder(XDG_DATA_HOME, ".local/share")
}

/// The user's folder for configuration.
pub(crate) fn config_folder() -> Option<PathBuf> {
    folder(XDG_CONFIG_HOME, ".config")
}

/// The folder of Claude Code's settings.
pub(crate) fn claude_folder() -> Option<PathBuf> {
    agent_folder(CLAUDE_CONFIG_DIR, ".claude")
}

/// The folder of Codex's configuration.
pub(crate) fn codex_folder() -> Option<PathBuf> {
    agent_folder(CODEX_HOME, ".codex")
}

/// The folder of Pi's settings and sessions.
pub(crate) fn pi_folder() -> Option<PathBuf> {
    agent_folder(PI_CODING_AGENT_DIR, ".pi/agent")
}

/// The folder that an agent's own variable names, else its usual one.
fn agent_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    read(variable).map(PathBuf::from).or_else(|| home().map(|home| home.join(below_home)))
}

/// The address to which one of [`BASE_URLS`] sends requests.
pub(crate) fn base_url(name: &str) -> Option<String> {
    read(name).map(|url| url.to_string_lossy().into_owned())
}

/// The key that one of [`API_KEYS`] holds.
pub(crate) fn api_key(name: &str) -> Option<String> {
    read(name).map(|key| key.to_string_lossy().trim().to_owned()).filter(|key| !key.is_empty())
}

/// The program that a shell would run by a name.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = read(PATH)?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The folder for temporary files.
pub(crate) fn temporary_folder() -> PathBuf {
    read(TMPDIR).map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

fn folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    // The XDG specification says that relative paths are to be ignored.
    read(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home().map(|home| home.join(below_home)))
}
