//! What hooks of all agents share: whether a result may be cut, and its view.

use std::{fs::File, io::Read as _, path::Path};

use recto::{
    CompressError,
    archive::ArchiveError,
    compress,
    view::{Budget, DEFAULT_RATIO_PPM, Mode, Policy, Recall, Source},
    while_hashing,
};
use recto_hooks::{
    HookError, Persisted, Text,
    classes::{Call, Table},
};

use crate::{
    settings::Settings,
    store,
    usage::{Line, Usage, What},
};

/// A view that takes more than this share of its source is not worth its notes.
const MOST_PERCENT: u64 = 85;

/// Longest file that is read in the place of what the client shows of it.
const MOST_FILE_BYTES: u64 = 64 << 20;

/// Gives views in the place of results.
pub(crate) struct Carrier {
    /// The agent whose hook it is.
    pub(crate) agent: &'static str,
    pub(crate) settings: Settings,
    pub(crate) recall: Recall,
    pub(crate) table: Table,
}

/// What comes of an event.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// What is printed; nothing, if the original stands.
    pub(crate) answer: Option<String>,
    /// What is written down.
    pub(crate) lines: Vec<Line>,
}

/// Why a result stands as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stands {
    #[error(transparent)]
    Compress(#[from] CompressError),
    #[error("{0}")]
    Hook(#[from] HookError),
    #[error("{0}")]
    File(String),
}

/// A view in the place of a text.
struct Given {
    reference: String,
    bytes: u64,
    shown: u64,
}

impl Carrier {
    /// The carrier of an agent, by its settings.
    pub(crate) fn new(agent: &'static str, settings: Settings, recall: Recall) -> Result<Self, HookError> {
        let table = Table::before(settings.classes.clone(), Table::builtin()?);
        Ok(Self { agent, settings, recall, table })
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage::of(&self.settings)
    }

    /// Puts views in the place of those texts that may be cut and are large enough, all or none. `persisted` is the whole of the text
    /// of that index, where the client has put it into a file.
    ///
    /// Says what is to be written down: a line for each view, or one that says why there is none.
    pub(crate) fn cut(
        &self,
        call: &Call<'_>,
        texts: &mut [Text<'_>],
        persisted: Option<(usize, &[u8])>,
    ) -> Vec<Line> {
        let length = |index: usize, text: &Text<'_>| match persisted {
            Some((of, whole)) if of == index => whole.len() as u64,
            _ => text.original().len() as u64,
        };
        let total: u64 = texts.iter().enumerate().map(|(index, text)| length(index, text)).sum();
        let line = |what, why: &str| Line {
            bytes: total,
            shown: total,
            why: why.to_owned(),
            ..Line::new(self.agent, &call.tool, what)
        };
        if texts
            .iter()
            .enumerate()
            .all(|(index, text)| length(index, text) <= self.settings.hook_threshold.value)
        {
            return vec![line(What::Whole, "")];
        }
        let start = texts.first().map_or("", |text| text.original());
        let verdict = self.table.class(call, start);
        if !verdict.class.may_be_cut() {
            return vec![line(What::Whole, &format!("{}: {}", verdict.class.name(), verdict.why))];
        }
        let mut views = Vec::new();
        let mut whole_bytes = 0;
        for (index, text) in texts.iter().enumerate() {
            let bytes = match persisted {
                Some((of, whole)) if of == index => whole,
                _ => text.original().as_bytes(),
            };
            match self.view(bytes) {
                Ok(Some(view)) => views.push((index, view)),
                Ok(None) => whole_bytes += bytes.len() as u64,
                Err(error) => return vec![line(What::Failed, &error.to_string())],
            }
        }
        let mut lines: Vec<Line> = Vec::new();
        for (index, (view, given)) in views {
            if let Some(text) = texts.get_mut(index) {
                text.replace(view);
            }
            lines.push(Line {
                bytes: given.bytes,
                shown: given.shown,
                reference: Some(given.reference),
                ..Line::new(self.agent, &call.tool, What::View)
            });
        }
        match lines.first_mut() {
            None => vec![line(What::Whole, "a view would not be smaller")],
            Some(first) => {
                first.bytes += whole_bytes;
                first.shown += whole_bytes;
                lines
            }
        }
    }

    /// The view of a text, if it is large and its view is clearly smaller.
    fn view(&self, bytes: &[u8]) -> Result<Option<(String, Given)>, Stands> {
        let settings = &self.settings;
        if bytes.len() as u64 <= settings.hook_threshold.value {
            return Ok(None);
        }
        let ratio = match settings.ratio.value {
            Some(ratio) => Budget::ratio(ratio).map_err(CompressError::from)?,
            None => Budget { ratio_ppm: Some(DEFAULT_RATIO_PPM), ..Budget::default() },
        };
        let policy = Policy {
            mode: if settings.mode.value == Mode::Exact { Mode::Marked } else { settings.mode.value },
            budget: Budget { max_bytes: Some(settings.hook_max_bytes.value), ..ratio },
            tokenizer: settings.tokenizer.value,
            recall: self.recall,
            ..Policy::default()
        };
        while_hashing(bytes, |source: &Source<'_>| {
            let open = || -> Result<_, ArchiveError> {
                store::open(settings).map(|archive| Some(Box::new(archive)))
            };
            let issued = compress(source, &policy, &store::scope(), open)?;
            let Some(name) = issued.name else { return Ok(None) };
            let view = issued.view.render(source).map_err(CompressError::from)?;
            let (whole, shown) = (bytes.len() as u64, view.len() as u64);
            if shown * 100 > whole * MOST_PERCENT {
                return Ok(None);
            }
            Ok(Some((view, Given { reference: name.to_string(), bytes: whole, shown })))
        })
    }
}

/// All of a text that the client has put into a file, and which text it is.
pub(crate) fn persisted(persisted: &Persisted) -> Result<(usize, Vec<u8>), Stands> {
    let path = Path::new(&persisted.path);
    let wrong = |why: String| Stands::File(format!("the client's file {}: {why}", path.display()));
    let about = path.metadata().map_err(|error| wrong(error.to_string()))?;
    if !about.is_file() || about.len() > MOST_FILE_BYTES {
        return Err(wrong("no plain file of at most 64 MiB".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    file.take(MOST_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    Ok((persisted.text, bytes))
}
