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

impl Done {
    /// No answer, and a line that says why.
    pub(crate) fn failed(agent: &str, tool: &str, why: &str) -> Self {
        let line = Line { why: why.to_owned(), ..Line::new(agent, tool, What::Failed) };
        Self { answer: None, lines: vec![line] }
    }
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

/// What each text of a result may take.
#[derive(Clone, Copy)]
struct Share {
    /// Texts up to this length stand.
    threshold: u64,
    /// The most bytes of a view.
    max_bytes: u64,
}

impl Share {
    /// Fewest bytes of a view of one text among many: below, it is hardly more than its note.
    const LEAST_BYTES: u64 = 1 << 10;

    /// A result has a budget as a whole, which its large texts share. `None`: it stands.
    fn of(lengths: &[u64], settings: &Settings) -> Option<Self> {
        let (threshold, max_bytes) = (settings.hook_threshold.value, settings.hook_max_bytes.value);
        let share = |among: u64| (max_bytes / among.max(1)).max(Self::LEAST_BYTES.min(max_bytes));
        let count = |above: u64| lengths.iter().filter(|length| **length > above).count() as u64;
        let large = count(threshold);
        if large > 0 {
            return Some(Self { threshold, max_bytes: share(large) });
        }
        // Many small texts are a large result too.
        let total: u64 = lengths.iter().sum();
        let least = 2 * Self::LEAST_BYTES.min(max_bytes);
        let many = count(least);
        (total > 4 * threshold.max(max_bytes) && many > 0)
            .then(|| Self { threshold: least, max_bytes: share(many) })
    }
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
        let lengths: Vec<u64> = texts.iter().enumerate().map(|(index, text)| length(index, text)).collect();
        let total: u64 = lengths.iter().sum();
        let line = |what, why: &str| Line {
            bytes: total,
            shown: total,
            why: why.to_owned(),
            ..Line::new(self.agent, &call.tool, what)
        };
        let Some(share) = Share::of(&lengths, &self.settings) else {
            return vec![line(What::Whole, "")];
        };
        let verdicts = texts.iter().map(|text| self.table.class(call, text.original()));
        if let Some(verdict) = verdicts.into_iter().find(|verdict| !verdict.class.may_be_cut()) {
            return vec![line(What::Whole, &format!("{}: {}", verdict.class.name(), verdict.why))];
        }
        let mut views = Vec::new();
        let mut whole_bytes = 0;
        for (index, text) in texts.iter().enumerate() {
            let bytes = match persisted {
                Some((of, whole)) if of == index => whole,
                _ => text.original().as_bytes(),
            };
            match self.view(bytes, share) {
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
    fn view(&self, bytes: &[u8], share: Share) -> Result<Option<(String, Given)>, Stands> {
        let settings = &self.settings;
        if bytes.len() as u64 <= share.threshold {
            return Ok(None);
        }
        let ratio = match settings.ratio.value {
            Some(ratio) => Budget::ratio(ratio).map_err(CompressError::from)?,
            None => Budget { ratio_ppm: Some(DEFAULT_RATIO_PPM), ..Budget::default() },
        };
        let policy = Policy {
            mode: if settings.mode.value == Mode::Exact { Mode::Marked } else { settings.mode.value },
            budget: Budget { max_bytes: Some(share.max_bytes), ..ratio },
            tokenizer: settings.tokenizer.value,
            recall: self.recall,
            ..Policy::default()
        };
        while_hashing(bytes, |source: &Source<'_>| {
            let open = || -> Result<_, ArchiveError> { store::open(settings).map(Some) };
            let issued = compress(source, &policy, &store::scope(), open)?;
            let Some(name) = issued.name else { return Ok(None) };
            let view = issued.view.render(source).map_err(CompressError::from)?;
            let (whole, shown) = (bytes.len() as u64, view.len() as u64);
            let reference = name.to_string();
            // A view that does not say how to get the rest would lose it.
            if shown * 100 > whole * MOST_PERCENT || self.recall != Recall::None && !view.contains(&reference)
            {
                return Ok(None);
            }
            Ok(Some((view, Given { reference, bytes: whole, shown })))
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
