//! The configuration file: what may stand in it, and on which line it stands.

use std::{
    fs::OpenOptions,
    io::{self, Read as _},
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use recto_hooks::classes::Rule;
use rustix::fs::OFlags;
use serde::Deserialize;
use toml::Spanned;

use crate::{
    environment,
    failure::{Failure, Outcome},
    settings::Setting,
};

/// Longest configuration that is read.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys {
    #[serde(default)]
    pub(crate) store: StoreKeys,
    #[serde(default)]
    pub(crate) compress: CompressKeys,
    #[serde(default)]
    pub(crate) hook: HookKeys,
    /// Rules that go before those of the table that ships with recto.
    #[serde(default, rename = "class-rule")]
    pub(crate) class_rules: Vec<Rule>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreKeys {
    pub(crate) path: Option<Spanned<PathBuf>>,
    pub(crate) max_age: Option<Spanned<String>>,
    pub(crate) max_bytes: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompressKeys {
    pub(crate) ratio: Option<Spanned<f64>>,
    pub(crate) mode: Option<Spanned<String>>,
    pub(crate) tokenizer: Option<Spanned<String>>,
    pub(crate) recall: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookKeys {
    pub(crate) threshold: Option<Spanned<String>>,
    pub(crate) max_bytes: Option<Spanned<String>>,
    pub(crate) deadline: Option<Spanned<String>>,
    pub(crate) deny_notes: Option<Spanned<bool>>,
    pub(crate) wrap: Option<Spanned<Vec<String>>>,
}

/// The file's place and text, for the origins of its values.
#[derive(Default)]
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    text: String,
}

impl ConfigFile {
    /// Reads the file, if there is one: `RECTO_CONFIG` must be there, the usual place may be empty.
    pub(crate) fn read() -> Outcome<Self> {
        let named = environment::config();
        let is_named = named.is_some();
        let usual = || environment::config_folder().map(|folder| folder.join("recto/config.toml"));
        let Some(path) = named.or_else(usual) else {
            return Ok(Self::default());
        };
        match read_text(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(error) if is_named => Err(Failure::file(&path, "read the configuration", &error)
                .hint(format!("{} names it", environment::RECTO_CONFIG))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Self { path, text: String::new() })
            }
            Err(error) => Err(Failure::file(&path, "read the configuration", &error)),
        }
    }

    /// The keys that are set.
    pub(crate) fn keys(&self) -> Outcome<Keys> {
        toml::from_str(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Failure::usage(format!("{}: {}", self.line(at), error.message()))
                .hint("`recto config show` lists every setting; docs/configuration.md explains them")
        })
    }

    /// The setting that a key makes: its value, or the default where it is absent.
    pub(crate) fn setting<F, T>(
        &self,
        found: Option<&Spanned<F>>,
        default: T,
        read: impl Fn(&F) -> Result<T, String>,
    ) -> Outcome<Setting<T>> {
        let Some(found) = found else { return Ok(Setting::new(default, "default")) };
        let origin = self.line(found.span().start);
        match read(found.get_ref()) {
            Ok(value) => Ok(Setting { value, origin }),
            Err(message) => Err(Failure::usage(format!("{origin}: {message}"))),
        }
    }

    /// As in `/home/me/.config/recto/config.toml:3`.
    fn line(&self, at: usize) -> String {
        let line = self.text.get(..at).map_or(0, |before| before.matches('\n').count()) + 1;
        format!("{}:{line}", self.path.display())
    }
}

/// Reads a file that nobody must wait for: a hook has no time for a pipe. `/dev/null` is no configuration.
fn read_text(path: &Path) -> io::Result<String> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_char_device() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    Ok(text)
}
