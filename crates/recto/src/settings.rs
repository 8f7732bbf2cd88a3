//! Settings in layers: defaults, the configuration file, the environment, flags. Each knows where it comes from.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use recto::{
    tokens::Tokenizer,
    view::{DEFAULT_RATIO_PPM, Mode, Recall},
};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::{
    environment,
    failure::{Failure, Outcome},
};

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    origin: String,
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) store: Setting<PathBuf>,
    pub(crate) max_age: Setting<Option<Duration>>,
    pub(crate) max_bytes: Setting<Option<u64>>,
    /// Set by the person, or none: then small sources are shown whole.
    pub(crate) ratio: Setting<Option<f64>>,
    pub(crate) mode: Setting<Mode>,
    pub(crate) tokenizer: Setting<Tokenizer>,
    pub(crate) recall: Setting<Recall>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    store: StoreSection,
    #[serde(default)]
    compress: CompressSection,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreSection {
    path: Option<Spanned<PathBuf>>,
    max_age: Option<Spanned<String>>,
    max_bytes: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CompressSection {
    ratio: Option<Spanned<f64>>,
    mode: Option<Spanned<String>>,
    tokenizer: Option<Spanned<String>>,
    recall: Option<Spanned<String>>,
}

/// One setting as `recto config show` prints it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) origin: String,
}

/// The configuration file's text and place, for the origins of its values.
struct Place<'t> {
    path: &'t Path,
    text: &'t str,
}

impl Place<'_> {
    fn of<T>(&self, value: &Spanned<T>) -> String {
        let line = self.text.get(..value.span().start).map_or(0, |before| before.matches('\n').count()) + 1;
        format!("{}:{line}", self.path.display())
    }

    fn setting<F, T>(
        &self,
        found: Option<&Spanned<F>>,
        default: T,
        read: impl Fn(&F) -> Result<T, String>,
    ) -> Outcome<Setting<T>> {
        let Some(found) = found else { return Ok(Setting { value: default, origin: "default".to_owned() }) };
        let origin = self.of(found);
        match read(found.get_ref()) {
            Ok(value) => Ok(Setting { value, origin }),
            Err(message) => Err(Failure::usage(format!("{origin}: {message}"))),
        }
    }
}

impl Settings {
    /// Reads all layers; `store` is the flag's value.
    pub(crate) fn load(store: Option<&PathBuf>) -> Outcome<Self> {
        let path = environment::config()
            .or_else(|| environment::config_folder().map(|folder| folder.join("recto/config.toml")));
        let text = match path.as_deref().map(std::fs::read_to_string) {
            Some(Ok(text)) => text,
            // An explicit file must be there; the usual place may be empty.
            Some(Err(error)) if environment::config().is_some() => {
                let path = path.unwrap_or_default();
                return Err(Failure::file(&path, "read the configuration", &error));
            }
            _ => String::new(),
        };
        let path = path.unwrap_or_default();
        let file: File = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).map_or(0, |before| before.matches('\n').count()) + 1
            });
            Failure::usage(format!("{}:{line}: {}", path.display(), error.message()))
                .hint("`recto config show` lists every setting; docs/configuration.md explains them")
        })?;
        let place = Place { path: &path, text: &text };
        let mut settings = Self {
            store: place.setting(file.store.path.as_ref(), PathBuf::new(), |path| Ok(path.clone()))?,
            max_age: place.setting(
                file.store.max_age.as_ref(),
                Some(Duration::from_secs(30 * 86_400)),
                |text| duration(text).map(Some),
            )?,
            max_bytes: place
                .setting(file.store.max_bytes.as_ref(), Some(5_000_000_000), |text| bytes(text).map(Some))?,
            ratio: place.setting(file.compress.ratio.as_ref(), None, |ratio| {
                if *ratio > 0.0 && *ratio <= 1.0 {
                    Ok(Some(*ratio))
                } else {
                    Err(format!("a ratio of {ratio} is outside (0, 1]"))
                }
            })?,
            mode: place.setting(file.compress.mode.as_ref(), Mode::Marked, |name| name.parse())?,
            tokenizer: place.setting(file.compress.tokenizer.as_ref(), Tokenizer::O200k, |name| {
                name.parse().map_err(|error: recto::tokens::TokenizerError| error.to_string())
            })?,
            recall: place.setting(file.compress.recall.as_ref(), Recall::Shell, |name| name.parse())?,
        };
        settings.place_store(store)?;
        Ok(settings)
    }

    fn place_store(&mut self, flag: Option<&PathBuf>) -> Outcome<()> {
        let set = |value: PathBuf, origin: &str| Setting { value, origin: origin.to_owned() };
        if let Some(path) = flag {
            self.store = set(path.clone(), "flag --store");
        } else if let Some(path) = environment::store() {
            self.store = set(path, environment::RECTO_STORE);
        } else if self.store.value.as_os_str().is_empty() {
            let folder = environment::data_folder().ok_or_else(|| {
                Failure::usage("there is no place for the archive: neither HOME nor XDG_DATA_HOME is set")
                    .hint("name one with `--store PATH`, or do without with `--no-store`")
            });
            // Commands that need no store must work without a home.
            self.store = match folder {
                Ok(folder) => set(folder.join("recto/recto.db"), "default"),
                Err(_) => set(
                    environment::temporary_folder().join("recto-without-home/recto.db"),
                    "default without HOME",
                ),
            };
        }
        Ok(())
    }

    /// Every setting, for `recto config show`.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let show = |name, value: String, origin: &str| Shown { name, value, origin: origin.to_owned() };
        let default_ratio = f64::from(DEFAULT_RATIO_PPM) / 1e6;
        vec![
            show("store.path", self.store.value.display().to_string(), &self.store.origin),
            show(
                "store.max_age",
                self.max_age
                    .value
                    .map_or_else(|| "none".to_owned(), |age| format!("{}d", age.as_secs() / 86_400)),
                &self.max_age.origin,
            ),
            show(
                "store.max_bytes",
                self.max_bytes.value.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string()),
                &self.max_bytes.origin,
            ),
            show("compress.ratio", self.ratio.value.unwrap_or(default_ratio).to_string(), &self.ratio.origin),
            show("compress.mode", self.mode.value.to_string(), &self.mode.origin),
            show("compress.tokenizer", self.tokenizer.value.name().to_owned(), &self.tokenizer.origin),
            show("compress.recall", format!("{:?}", self.recall.value).to_lowercase(), &self.recall.origin),
        ]
    }
}

/// Reads a duration such as `90s`, `15m`, `12h`, `30d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration: write a number and s, m, h or d, such as 30s or 30d");
    let text = text.trim();
    let split = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "ms" => return Ok(Duration::from_millis(number)),
        "s" | "" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// Reads a size such as `5000000`, `500kB`, `5GB`, `2GiB`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("{text:?} is no size: write a number and B, kB, MB, GB, KiB, MiB or GiB, such as 5GB");
    let text = text.trim();
    let split = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit.trim() {
        "" | "B" => 1,
        "kB" | "KB" | "k" => 1_000,
        "MB" | "M" => 1_000_000,
        "GB" | "G" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes() {
        assert_eq!(duration("30d"), Ok(Duration::from_secs(2_592_000)));
        assert_eq!(duration("1500ms"), Ok(Duration::from_millis(1_500)));
        assert!(duration("soon").is_err());
        assert!(duration("99999999999999999d").is_err());
        assert_eq!(bytes("5GB"), Ok(5_000_000_000));
        assert_eq!(bytes("2 MiB"), Ok(2 << 20));
        assert!(bytes("5 parsecs").is_err());
    }
}
