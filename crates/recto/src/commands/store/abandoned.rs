//! Originals made of what killed commands left.

use recto::archive::{Archive, ArchiveError, Digest, Ref, RunId, RunState, Target, block_on};

use crate::{output, store};

/// Bytes adopted before a command is run, altogether: reading them takes a fraction of a second.
const SMALL_BYTES: u64 = 64 << 20;

/// Makes originals of all journals that killed commands left. What cannot be adopted now can be later.
pub(crate) fn adopt_all(archive: &dyn Archive) {
    adopt_within(archive, u64::MAX);
}

/// Makes originals of those journals that are adopted so fast that nobody notices.
pub(crate) fn adopt_small(archive: &dyn Archive) {
    adopt_within(archive, SMALL_BYTES);
}

fn adopt_within(archive: &dyn Archive, most_bytes: u64) {
    let mut left = most_bytes;
    for run in block_on(archive.runs(&store::scope())).unwrap_or_default() {
        if run.state != RunState::Abandoned || run.bytes > left {
            continue;
        }
        left -= run.bytes;
        match adopt(archive, &run.id) {
            // Its command line may be nobody's business here: it stays in the archive.
            Ok((name, _)) => output::complain(&format!(
                "note: {} of output of a command whose recto was killed: recto expand {name}",
                output::size(run.bytes)
            )),
            Err(error) if is_passing(&error) => {}
            Err(error) => output::warn(&format!("run {} could not be adopted: {error}", run.id)),
        }
    }
}

/// Somebody else adopts it, or will.
fn is_passing(error: &ArchiveError) -> bool {
    matches!(
        error,
        ArchiveError::RunLive { .. }
            | ArchiveError::NotFound { .. }
            | ArchiveError::Gone { .. }
            | ArchiveError::ReadOnly { .. }
            | ArchiveError::Busy { .. }
    )
}

/// Makes an original of one run, and names it.
pub(super) fn adopt(archive: &dyn Archive, run: &RunId) -> Result<(Ref, Digest), ArchiveError> {
    let scope = store::scope();
    let digest = block_on(archive.adopt(&scope, run))?;
    Ok((block_on(archive.issue(&scope, &Target::Original(digest)))?, digest))
}
