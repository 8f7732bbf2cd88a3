use std::sync::OnceLock;

use recto_outline::beside;

use crate::Source;

/// Calls `work` with the source that `bytes` are. A large one is hashed by a second thread meanwhile: whoever asks for the digest
/// before it is done waits for it.
///
/// ```
/// let text = "all is well\n".repeat(200_000);
/// let digest = recto_view::while_hashing(text.as_bytes(), |source| {
///     assert_eq!(source.bytes().len(), 2_400_000);
///     source.sha256()
/// });
/// assert_eq!(digest, recto_view::Source::new(text.as_bytes()).sha256());
/// ```
pub fn while_hashing<T>(bytes: &[u8], work: impl FnOnce(&Source<'_>) -> T) -> T {
    let digest = OnceLock::new();
    let source = Source::with_shared_digest(bytes, &digest);
    beside(bytes.len(), || work(&source), || source.sha256()).0
}
