//! Texts that are views, told from texts that only look like one.

use recto_archive::{Archive, ArchiveError, Ref, Scope, Target, block_on};
use recto_view::{CompressionResult, Source, SpanMap, render};

/// A ref that a text names, and what it means for that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The text is that view, byte for byte.
    Of {
        /// Its ref.
        name: Ref,
        /// What it is of.
        original: Vec<u8>,
    },
    /// It names a ref that means something else, or nothing.
    Foreign(Ref),
    /// Its original was removed.
    Gone {
        /// Its ref.
        name: Ref,
        /// Why.
        why: String,
    },
    /// It names none.
    None,
}

impl Shown {
    /// Finds the original of a text that is a view: only if the view that its first ref means is, byte for byte, that text. Anybody can print a
    /// ref; views in the form of tables are not known in this way.
    ///
    /// # Errors
    /// Those of the archive, but for what it does not have.
    pub fn of(archive: &dyn Archive, scope: &Scope, text: &str) -> Result<Self, ArchiveError> {
        let Some(name) = first_ref(text) else { return Ok(Self::None) };
        let (original, map) = match block_on(archive.resolve(scope, &name))? {
            Some(Target::View { original, map, .. }) => (original, map),
            Some(Target::Gone { why }) => return Ok(Self::Gone { name, why }),
            _ => return Ok(Self::Foreign(name)),
        };
        let read = |digest| block_on(archive.get(scope, digest, 0..u64::MAX));
        let (original, map) = match read(&original).and_then(|original| Ok((original, read(&map)?))) {
            Ok(both) => both,
            Err(ArchiveError::Gone { why, .. }) => return Ok(Self::Gone { name, why }),
            Err(ArchiveError::NotFound { .. }) => return Ok(Self::Foreign(name)),
            Err(error) => return Err(error),
        };
        let Ok(map) = serde_json::from_slice::<SpanMap>(&map) else { return Ok(Self::Foreign(name)) };
        let result = CompressionResult::Structural { span_map: map, mode: None };
        match render(&result, &Source::new(&original)) {
            Ok(view) if view == text => Ok(Self::Of { name, original }),
            _ => Ok(Self::Foreign(name)),
        }
    }
}

/// The first ref in a text, as notes state them.
#[must_use]
pub fn first_ref(text: &str) -> Option<Ref> {
    text.match_indices("r:").find_map(|(at, _)| {
        let is_word = text.get(..at)?.ends_with(|c: char| c.is_alphanumeric());
        let digits: String = text.get(at + 2..)?.chars().take_while(char::is_ascii_digit).collect();
        if is_word { None } else { format!("r:{digits}").parse().ok() }
    })
}
