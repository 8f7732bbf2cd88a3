//! Settings in layers: defaults, the configuration file, the environment, flags. Each knows where it comes from.

mod file;
pub(crate) mod quantity;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use recto::{
    tokens::{Tokenizer, TokenizerError},
    view::{Budget, DEFAULT_RATIO_PPM, Mode, Recall},
};
use recto_hooks::classes::Rule;
use serde::Serialize;

pub(crate) use self::quantity::{bytes, duration};
use self::{
    file::ConfigFile,
    quantity::{bytes_text, duration_text},
};
use crate::{environment, failure::Outcome};

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    origin: String,
}

impl<T> Setting<T> {
    fn new(value: T, origin: &str) -> Self {
        Self { value, origin: origin.to_owned() }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) store: Setting<PathBuf>,
    /// Where the archive is if nobody names one.
    pub(crate) usual_store: PathBuf,
    /// None: originals are kept however old they are.
    pub(crate) max_age: Setting<Option<Duration>>,
    /// None: originals are kept however many they are.
    pub(crate) max_bytes: Setting<Option<u64>>,
    /// Set by the person, or none: then small sources are shown whole.
    pub(crate) ratio: Setting<Option<f64>>,
    pub(crate) mode: Setting<Mode>,
    pub(crate) tokenizer: Setting<Tokenizer>,
    pub(crate) recall: Setting<Recall>,
    /// Results up to this many bytes are never cut by a hook.
    pub(crate) hook_threshold: Setting<u64>,
    pub(crate) hook_max_bytes: Setting<u64>,
    /// A hook that is not done by then gives no answer.
    pub(crate) hook_deadline: Setting<Duration>,
    pub(crate) hook_deny_notes: Setting<bool>,
    pub(crate) hook_wrap: Setting<Vec<String>>,
    pub(crate) classes: Vec<Rule>,
}

/// One setting as `recto config show` prints it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) origin: String,
    /// For the documentation.
    #[serde(skip)]
    pub(crate) meaning: &'static str,
}

const FLAG: &str = "flag --store";
const WITHOUT_HOME: &str = "default without HOME";
const MAX_AGE: Duration = Duration::from_secs(30 * 86_400);
const MAX_BYTES: u64 = 5_000_000_000;
/// About 2,300 tokens of ordinary text: most results are shorter, most bytes are in longer ones.
const HOOK_THRESHOLD: u64 = 8 << 10;
/// About 3,500 tokens; also well below what Claude Code takes from a tool before it puts the result into a file (30,000 characters).
const HOOK_MAX_BYTES: u64 = 12 << 10;
/// Below, a view is hardly more than its first note.
const LEAST_HOOK_BYTES: u64 = 1 << 10;
const HOOK_DEADLINE: Duration = Duration::from_millis(50);

impl Settings {
    /// The defaults, and what a configuration file sets.
    fn of(file: &ConfigFile) -> Outcome<Self> {
        let keys = file.keys()?;
        let (of_store, of_compress, of_hook) = (&keys.store, &keys.compress, &keys.hook);
        let placed = |path: &PathBuf| place(path, &file.path);
        Ok(Self {
            store: file.setting(of_store.path.as_ref(), PathBuf::new(), placed)?,
            usual_store: PathBuf::new(),
            max_age: file
                .setting(of_store.max_age.as_ref(), Some(MAX_AGE), |text| unless_none(text, duration))?,
            max_bytes: file
                .setting(of_store.max_bytes.as_ref(), Some(MAX_BYTES), |text| unless_none(text, bytes))?,
            ratio: file.setting(of_compress.ratio.as_ref(), None, |ratio| {
                Budget::ratio(*ratio).map(|_| Some(*ratio)).map_err(|error| error.to_string())
            })?,
            mode: file.setting(of_compress.mode.as_ref(), Mode::Marked, |name| name.parse())?,
            tokenizer: file.setting(of_compress.tokenizer.as_ref(), Tokenizer::default(), |name| {
                name.parse().map_err(|error: TokenizerError| error.to_string())
            })?,
            recall: file.setting(of_compress.recall.as_ref(), Recall::Shell, |name| name.parse())?,
            hook_threshold: file.setting(of_hook.threshold.as_ref(), HOOK_THRESHOLD, |text| bytes(text))?,
            hook_max_bytes: file.setting(of_hook.max_bytes.as_ref(), HOOK_MAX_BYTES, |text| {
                at_least(LEAST_HOOK_BYTES, bytes(text)?)
            })?,
            hook_deadline: file.setting(of_hook.deadline.as_ref(), HOOK_DEADLINE, |text| duration(text))?,
            hook_deny_notes: file.setting(of_hook.deny_notes.as_ref(), true, |deny| Ok(*deny))?,
            hook_wrap: file.setting(of_hook.wrap.as_ref(), Vec::new(), |wrap| Ok(wrap.clone()))?,
            classes: keys.class_rules,
        })
    }

    /// The settings of somebody who set nothing, for the documentation.
    pub(crate) fn defaults() -> Outcome<Self> {
        let settings = Self::of(&ConfigFile::default())?;
        Ok(Self {
            store: Setting::new(PathBuf::from("$XDG_DATA_HOME/recto/recto.db"), "default"),
            ..settings
        })
    }

    /// Reads all layers; `store` is the flag's value.
    pub(crate) fn load(store: Option<&PathBuf>) -> Outcome<Self> {
        Self::placed(Self::of(&ConfigFile::read()?)?, store)
    }

    /// All layers but the configuration file, for where that cannot be read.
    pub(crate) fn without_file(store: Option<&PathBuf>) -> Outcome<Self> {
        Self::placed(Self::of(&ConfigFile::default())?, store)
    }

    fn placed(mut settings: Self, store: Option<&PathBuf>) -> Outcome<Self> {
        settings.usual_store = usual_store().value;
        if let Some(path) = store {
            settings.store = Setting::new(path.clone(), FLAG);
        } else if let Some(path) = environment::store() {
            settings.store = Setting::new(path, &format!("environment {}", environment::RECTO_STORE));
        } else if settings.store.value.as_os_str().is_empty() {
            settings.store = usual_store();
        }
        Ok(settings)
    }

    /// Says whether the store was named on this command line.
    pub(crate) fn store_is_named(&self) -> bool {
        self.store.origin == FLAG
    }

    /// Says whether the store lies in a folder that all users share, for want of a home.
    pub(crate) fn store_is_without_home(&self) -> bool {
        self.store.origin == WITHOUT_HOME
    }

    /// Every setting, for `recto config show`.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let none = || "none".to_owned();
        let ratio = self.ratio.value.unwrap_or(f64::from(DEFAULT_RATIO_PPM) / 1e6);
        let show = |name, value: String, origin: &str, meaning| Shown {
            name,
            value,
            origin: origin.to_owned(),
            meaning,
        };
        vec![
            show(
                "store.path",
                crate::store::said(self),
                &self.store.origin,
                "The archive: a file, or a PostgreSQL database by its address (`postgresql://user@host/database`). `~/` is the home folder; a \
                 relative path begins at the configuration file's folder.",
            ),
            show(
                "store.max_age",
                self.max_age.value.map_or_else(none, duration_text),
                &self.max_age.origin,
                "`recto gc` removes what was not used for this long: a number and `s`, `m`, `h` or `d`; `none` for no limit.",
            ),
            show(
                "store.max_bytes",
                self.max_bytes.value.map_or_else(none, bytes_text),
                &self.max_bytes.origin,
                "`recto gc` removes what was used longest ago beyond this: a number and `kB`, `MB`, `GB`, `KiB`, `MiB` or \
                 `GiB`; `none` for no limit.",
            ),
            show(
                "compress.ratio",
                ratio.to_string(),
                &self.ratio.origin,
                "Share of the bytes to show where no budget is given, in (0, 1]. While it is not set, sources up to 16 KiB \
                 are shown whole.",
            ),
            show(
                "compress.mode",
                self.mode.value.to_string(),
                &self.mode.origin,
                "`marked`: each omission is announced by a note; `exact`: the kept bytes and nothing else (not for `recto run`); \
                 `table`: JSON with arrays of like records as tables; `auto`: `table` where that is clearly smaller.",
            ),
            show(
                "compress.tokenizer",
                self.tokenizer.value.short_name().to_owned(),
                &self.tokenizer.origin,
                "What tokens are counted in: `o200k`, `cl100k`, `claude`, `gemini`, or the name of a model.",
            ),
            show(
                "compress.recall",
                format!("{:?}", self.recall.value).to_lowercase(),
                &self.recall.origin,
                "How the reader can get the rest, which the first note says: `shell` (`recto expand`), `tool` (the tool \
                 `recto_expand`), `none`.",
            ),
            show(
                "hook.threshold",
                bytes_text(self.hook_threshold.value),
                &self.hook_threshold.origin,
                "Hooks never cut a result up to this size.",
            ),
            show(
                "hook.max_bytes",
                bytes_text(self.hook_max_bytes.value),
                &self.hook_max_bytes.origin,
                "A larger result becomes a view of at most this size, and of at most `compress.ratio` of its own.",
            ),
            show(
                "hook.deadline",
                duration_text(self.hook_deadline.value),
                &self.hook_deadline.origin,
                "A hook that is not done by then gives no answer, and the result stands as it is.",
            ),
            show(
                "hook.deny_notes",
                self.hook_deny_notes.value.to_string(),
                &self.hook_deny_notes.origin,
                "Refuse calls whose arguments hold a note that this session was shown, or whose ref the archive knows: a file would get the \
                 note in the place of its lines.",
            ),
            show(
                "hook.wrap",
                if self.hook_wrap.value.is_empty() { none() } else { self.hook_wrap.value.join(", ") },
                &self.hook_wrap.origin,
                "Commands that hooks run under `recto run` (a program and, behind blanks, arguments that it has), so that all they \
                 print is kept, also when they fail: Claude Code cuts what a failing command prints at 10,000 characters.",
            ),
        ]
    }
}

/// A path of the configuration file: `~/` is the home folder, and a relative one begins where the file lies.
fn place(path: &Path, file: &Path) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err("an empty path names no archive".to_owned());
    }
    if path.to_str().is_some_and(crate::store::is_address) {
        return Ok(path.to_owned());
    }
    if let Ok(below_home) = path.strip_prefix("~")
        && let Some(home) = environment::home()
    {
        return Ok(home.join(below_home));
    }
    Ok(file.parent().unwrap_or_else(|| Path::new("")).join(path))
}

fn usual_store() -> Setting<PathBuf> {
    match environment::data_folder() {
        Some(folder) => Setting::new(folder.join("recto/recto.db"), "default"),
        // Commands that need no store must work without a home.
        None => {
            let user = rustix::process::geteuid().as_raw();
            let folder = environment::temporary_folder().join(format!("recto-without-home-{user}"));
            Setting::new(folder.join("recto.db"), WITHOUT_HOME)
        }
    }
}

fn at_least(least: u64, given: u64) -> Result<u64, String> {
    if given >= least {
        Ok(given)
    } else {
        Err(format!("{given} bytes are too few for a view: give at least {}", bytes_text(least)))
    }
}

fn unless_none<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text.trim() == "none" { Ok(None) } else { read(text).map(Some) }
}
