//! What is installed where, what would conflict, and why results were left as they were.

pub(crate) mod agents;
mod archive;
mod others;
mod recent;

use std::path::PathBuf;

use serde::Serialize;

use crate::{environment, settings::Settings, usage::text};

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something is likely to go wrong.
    Warning,
    /// Something does not work.
    Failure,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) about: &'static str,
    pub(crate) state: State,
    pub(crate) what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Finding {
    fn new(about: &'static str, state: State, what: impl Into<String>) -> Self {
        Self { about, state, what: text::plain(&what.into()).into_owned(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(text::plain(&hint.into()).into_owned());
        self
    }
}

/// Looks at everything.
pub(crate) fn examine(store: Option<&PathBuf>) -> Vec<Finding> {
    let mut found = vec![program()];
    let settings = match Settings::load(store) {
        Ok(settings) => Some(settings),
        Err(failure) => {
            found
                .push(Finding::new("configuration", State::Failure, failure.message()).hint(
                    "until then hooks leave every result as it is; `recto config show` reads it again",
                ));
            Settings::without_file(store).ok()
        }
    };
    if let Some(settings) = &settings {
        archive::examine(settings, &mut found);
    }
    agents::examine(store, &mut found);
    others::examine(&mut found);
    if let Some(settings) = &settings {
        recent::examine(settings, &mut found);
    }
    found
}

/// Whether what agents run by the name of recto is this recto.
fn program() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let on_path = environment::on_path("recto");
    let is_own = on_path.as_ref().and_then(|path| path.canonicalize().ok()) == own;
    match on_path {
        None => Finding::new("recto", State::Warning, format!("version {version}, which is not on the PATH"))
            .hint("plug-ins run `recto` by its name: put it into a folder of your PATH"),
        Some(path) if !is_own => Finding::new(
            "recto",
            State::Warning,
            format!("version {version}, but {} is what agents run", path.display()),
        )
        .hint("remove one of them, or put this one first on your PATH"),
        Some(path) => Finding::new("recto", State::Ok, format!("version {version}, {}", path.display())),
    }
}
