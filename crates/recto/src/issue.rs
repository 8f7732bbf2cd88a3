use std::panic::{AssertUnwindSafe, catch_unwind};

use recto_archive::{Archive, ArchiveError, Digest, Ref, Scope, Target, block_on};
use recto_outline::Fuel;
use recto_view::{Mode, Policy, Recall, Source, View, ViewError, view};

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
    /// The span map could not be written as JSON, so nothing could be stored.
    #[error("the span map could not be written as JSON: {0}")]
    Map(#[from] serde_json::Error),
    /// The engine panicked: a defect of recto. The source is as it was.
    #[error("no view could be made of this source: {what} (a defect of recto; please report it)")]
    Defect {
        /// What the panic said.
        what: String,
    },
}

/// Makes the view of `source` and, if it leaves anything out, stores the original and the span map and binds the view's name.
///
/// `open` is called only then: a source that is shown whole touches no store. Without an archive the notes carry no name.
/// The view that comes back states a name only if that name is bound, to this very view.
///
/// # Errors
/// [`CompressError::View`] and [`CompressError::Defect`] if there is no view, [`CompressError::Archive`] if storing failed:
/// show the original then.
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
pub fn compress<T: Archive + ?Sized, A: std::ops::Deref<Target = T>>(
    source: &Source<'_>,
    policy: &Policy,
    scope: &Scope,
    open: impl FnOnce() -> Result<Option<A>, ArchiveError>,
) -> Result<Issued, CompressError> {
    // Only notes that tell how the rest is had state a name. Without them nothing waits for the source's hash until the view is made.
    let states_name = policy.mode != Mode::Exact && policy.recall != Recall::None;
    let mut named_by = Digest(policy.digest());
    let name_now = |named_by: &Digest| Ref::for_view(&Digest(source.sha256()), named_by);
    let first_name = states_name.then(|| name_now(&named_by));
    let mut made = make(source, policy, first_name.as_ref())?;
    if made.is_complete() {
        return Ok(Issued { view: made, name: None });
    }
    let Some(archive) = open()? else {
        if states_name {
            made = make(source, policy, None)?;
        }
        return Ok(Issued { view: made, name: None });
    };
    let original = Digest(source.sha256());
    let mut name = first_name.unwrap_or_else(|| name_now(&named_by));
    block_on(archive.put(scope, source.bytes()))?;
    loop {
        let map = block_on(archive.put_map(scope, &serde_json::to_vec(&made.map())?))?;
        let target = Target::View { original, policy: named_by, map };
        let issued = block_on(archive.issue(scope, &target))?;
        if issued != name {
            // Taken by another view, so it became longer, and the notes must say the longer one.
            name = issued;
        } else if block_on(archive.resolve(scope, &name))? == Some(target) {
            return Ok(Issued { view: made, name: Some(name) });
        } else {
            // Bound long ago to the map of a recto that cut this source otherwise: there `#3` is another elision. That name
            // stands; this view takes the one that follows from policy and map.
            let mut both = named_by.0.to_vec();
            both.extend_from_slice(&map.0);
            named_by = Digest::of(&both);
            name = Ref::for_view(&original, &named_by);
        }
        made = make(source, policy, Some(&name))?;
    }
}

fn make(source: &Source<'_>, policy: &Policy, name: Option<&Ref>) -> Result<View, CompressError> {
    let name = name.map(Ref::to_string);
    guarded(|| view(source, policy, name.as_deref(), &mut Fuel::unlimited()))
}

/// Turns a panic into an error, so that whoever called still has the source to show.
fn guarded<T>(work: impl FnOnce() -> Result<T, ViewError>) -> Result<T, CompressError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(made) => Ok(made?),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(CompressError::Defect { what: what.unwrap_or("it panicked").to_owned() })
        }
    }
}

#[cfg(test)]
mod tests;
