//! What stood in a session before recto made it smaller: from the log, or through the ref of a view that stands there as it was made.

use recto::{
    archive::{Archive, ArchiveError, Digest, Ref, Scope, Target, block_on},
    view::{CompressionResult, Source, SpanMap, render},
    wire::{Span, Splice, quote, unquote},
};

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

/// A ref that a text names, and what it means for that text.
pub(crate) enum View {
    /// The text is that view, byte for byte; here is what it is of.
    Of { name: Ref, original: Vec<u8> },
    /// It names a ref that means something else, or nothing.
    Foreign(Ref),
    /// Its original was removed.
    Gone { name: Ref, why: String },
    /// It names none.
    None,
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

    /// The original of a text that is a view: only if the view that the ref means is, byte for byte, what stands.
    pub(crate) fn view(&self, text: &str) -> Outcome<View> {
        let Some(name) = first_ref(text) else { return Ok(View::None) };
        let (original, map) = match block_on(self.archive.resolve(self.scope, &name))? {
            Some(Target::View { original, map, .. }) => (original, map),
            Some(Target::Gone { why }) => return Ok(View::Gone { name, why }),
            _ => return Ok(View::Foreign(name)),
        };
        let read = |digest| block_on(self.archive.get(self.scope, digest, 0..u64::MAX));
        let (original, map) = match read(&original).and_then(|original| Ok((original, read(&map)?))) {
            Ok(both) => both,
            Err(ArchiveError::Gone { why, .. }) => return Ok(View::Gone { name, why }),
            Err(ArchiveError::NotFound { .. }) => return Ok(View::Foreign(name)),
            Err(error) => return Err(error.into()),
        };
        let Ok(map) = serde_json::from_slice::<SpanMap>(&map) else { return Ok(View::Foreign(name)) };
        let result = CompressionResult::Structural { span_map: map, mode: None };
        match render(&result, &Source::new(&original)) {
            Ok(view) if view == text => Ok(View::Of { name, original }),
            _ => Ok(View::Foreign(name)),
        }
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

/// The first ref in a text, as notes state them.
pub(crate) fn first_ref(text: &str) -> Option<Ref> {
    text.match_indices("r:").find_map(|(at, _)| {
        let is_word = text.get(..at)?.ends_with(|c: char| c.is_alphanumeric());
        let digits: String = text.get(at + 2..)?.chars().take_while(char::is_ascii_digit).collect();
        if is_word { None } else { format!("r:{digits}").parse().ok() }
    })
}
