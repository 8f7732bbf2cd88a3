//! What stood in a session before recto made it smaller: from the log, or through the ref of a view that stands there as it was made.

use recto::{
    archive::{Archive, ArchiveError, Digest, Ref, Scope, block_on},
    wire::{Span, Splice, quote, unquote},
};

pub(crate) use recto::shown::{Shown as View, first_ref};

use super::log::SessionLog;
use crate::failure::Outcome;

/// Rewritings of one result that are gone back through.
const MOST_GENERATIONS: usize = 64;

/// Where what stood before was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the file: nobody made it smaller.
    File,
    /// By the session's log.
    Log,
    /// By the ref of a view.
    Ref,
}

impl Origin {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Log => "log",
            Self::Ref => "ref",
        }
    }
}

/// The content of a result, or the arguments of a call.
pub(crate) struct Standing<'r> {
    /// As JSON.
    pub(crate) bytes: &'r [u8],
    /// Where its texts are in that.
    pub(crate) texts: Vec<Span>,
    /// The id of its call.
    pub(crate) id: &'r str,
    /// How many others of that id come before it.
    pub(crate) nth: u32,
    /// Whether it is arguments.
    pub(crate) is_call: bool,
    /// Finds the texts again in other content of this place.
    pub(crate) reread: &'r dyn Fn(&[u8]) -> Vec<Span>,
}

/// What stood before.
pub(crate) struct Before {
    /// As JSON.
    pub(crate) bytes: Vec<u8>,
    /// Where it was found.
    pub(crate) origin: Origin,
    /// Why an original that is known of cannot be had.
    pub(crate) gone: Option<String>,
    /// Whether a text names a ref that is not the ref of what stands there.
    pub(crate) foreign: Option<Ref>,
    /// The refs that recto put into what stands, by the log.
    pub(crate) refs: Vec<Ref>,
}

/// Finds originals.
pub(crate) struct Originals<'a> {
    pub(crate) archive: &'a dyn Archive,
    pub(crate) scope: &'a Scope,
    pub(crate) log: &'a SessionLog,
}

impl Originals<'_> {
    /// What stood before all rewriting that is known of.
    pub(crate) fn before(&self, standing: &Standing<'_>) -> Outcome<Before> {
        let mut before = Before {
            bytes: standing.bytes.to_vec(),
            origin: Origin::File,
            gone: None,
            foreign: None,
            refs: Vec::new(),
        };
        let mut texts = Some(standing.texts.clone());
        for _ in 0..MOST_GENERATIONS {
            let digest = Digest::of(&before.bytes);
            let found = self.log.before(standing.is_call, standing.id, standing.nth, &digest);
            let Some(generation) = found else { break };
            before.refs.extend(generation.refs.iter().filter_map(|name| name.parse::<Ref>().ok()));
            let restored = if generation.is_plain {
                let texts = texts.take().unwrap_or_else(|| (standing.reread)(&before.bytes));
                let parts = generation.texts.iter().map(|part| (part.number, part.original));
                self.quoted(&before.bytes, &texts, parts)
            } else {
                block_on(self.archive.get(self.scope, &generation.original, 0..u64::MAX)).map(Some)
            };
            match restored {
                Ok(Some(bytes)) if Digest::of(&bytes) == generation.original => {
                    texts = None;
                    before.bytes = bytes;
                    before.origin = Origin::Log;
                }
                Ok(_) => break,
                Err(ArchiveError::Gone { why, .. }) => {
                    before.gone = Some(why);
                    break;
                }
                Err(ArchiveError::NotFound { .. }) => {
                    before.gone = Some("it is not in this archive".to_owned());
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if before.origin == Origin::File && !standing.is_call {
            self.through_refs(standing, &mut before)?;
        }
        Ok(before)
    }

    /// Puts originals in the place of views that stand as hooks gave them.
    fn through_refs(&self, standing: &Standing<'_>, before: &mut Before) -> Outcome<()> {
        let mut edits = Vec::new();
        for span in &standing.texts {
            let Some(text) = unquote(span.of(standing.bytes)) else { continue };
            match self.view(&text)? {
                View::Of { original, .. } => {
                    if let Ok(original) = String::from_utf8(original) {
                        edits.push((*span, quote(&original)));
                    }
                }
                View::Foreign(name) => before.foreign = Some(name),
                View::Gone { why, .. } => before.gone = Some(why),
                View::None => {}
            }
        }
        if let Ok(splice) = Splice::new(edits)
            && !splice.is_identity()
        {
            before.bytes = splice.apply(standing.bytes).into_owned();
            before.origin = Origin::Ref;
        }
        Ok(())
    }

    /// The original of a text that is a view.
    pub(crate) fn view(&self, text: &str) -> Outcome<View> {
        Ok(View::of(self.archive, self.scope, text)?)
    }

    fn quoted(
        &self,
        bytes: &[u8],
        texts: &[Span],
        parts: impl Iterator<Item = (u32, Digest)>,
    ) -> Result<Option<Vec<u8>>, ArchiveError> {
        let mut edits = Vec::new();
        for (number, original) in parts {
            let Some(span) = texts.get(number as usize) else { return Ok(None) };
            let text = block_on(self.archive.get(self.scope, &original, 0..u64::MAX))?;
            let Ok(text) = String::from_utf8(text) else { return Ok(None) };
            edits.push((*span, quote(&text)));
        }
        Ok(Splice::new(edits).ok().map(|splice| splice.apply(bytes).into_owned()))
    }
}
