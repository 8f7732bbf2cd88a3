use recto_archive::{Archive, ArchiveError, Digest, Ref, Scope, Target, block_on};
use recto_outline::Fuel;
use recto_view::{Policy, Recall, Source, View, ViewError, view};

/// A view, and the name under which the rest of its source can be had.
#[derive(Debug)]
pub struct Issued {
    /// The view.
    pub view: View,
    /// The name, if the original was stored: then its notes state it.
    pub name: Option<Ref>,
}

/// Why a source was not compressed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The view could not be made.
    #[error(transparent)]
    View(#[from] ViewError),
    /// What the view leaves out could not be stored, so the view must not be shown.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Makes the view of `source` and, if it leaves anything out, stores the original and the span map and binds the view's name.
///
/// `open` is called only then: a source that is shown whole touches no store. Without an archive the notes carry no name.
/// The view that comes back states a name only if that name is bound.
///
/// # Errors
/// [`CompressError::View`] if there is no view, [`CompressError::Archive`] if storing failed: show the original then.
///
/// ```
/// use recto::{archive::{MemoryArchive, Scope}, compress, view::{Budget, Mode, Policy, Recall, Source}};
/// let archive = MemoryArchive::new();
/// let text = "all is well\n".repeat(500);
/// let source = Source::new(text.as_bytes());
/// let policy = Policy { mode: Mode::Marked, recall: Recall::Shell, budget: Budget::bytes(300), ..Policy::default() };
/// let issued = compress(&source, &policy, &Scope::local(), || Ok(Some(&archive)))?;
/// let name = issued.name.expect("something was left out");
/// assert!(issued.view.render(&source)?.contains(&format!("recto expand {name}")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress<A: std::ops::Deref<Target: Archive + Sized>>(
    source: &Source<'_>,
    policy: &Policy,
    scope: &Scope,
    open: impl FnOnce() -> Result<Option<A>, ArchiveError>,
) -> Result<Issued, CompressError> {
    let original = Digest(source.sha256());
    let mut name = Ref::for_view(&original, &Digest(policy.digest()));
    let mut fuel = Fuel::unlimited();
    let mut made = view(source, policy, Some(&name.to_string()), &mut fuel)?;
    if made.is_whole() {
        return Ok(Issued { view: made, name: None });
    }
    let Some(archive) = open()? else {
        if policy.recall != Recall::None {
            made = view(source, policy, None, &mut fuel)?;
        }
        return Ok(Issued { view: made, name: None });
    };
    block_on(archive.put(scope, source.bytes()))?;
    loop {
        let map = serde_json::to_vec(&made.map()).unwrap_or_default();
        let map = block_on(archive.put_map(scope, &map))?;
        let target = Target::View { original, policy: Digest(policy.digest()), map };
        let issued = block_on(archive.issue(scope, &target))?;
        if issued == name {
            return Ok(Issued { view: made, name: Some(name) });
        }
        // The name is taken by another view: it became longer, and the notes must say the longer one.
        name = issued;
        made = view(source, policy, Some(&name.to_string()), &mut fuel)?;
    }
}
