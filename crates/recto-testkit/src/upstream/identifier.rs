//! Identifiers that follow from a request: the same request gets the same ones, another request others.

/// A source of identifiers for one answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identifiers {
    seed: u64,
}

impl Identifiers {
    /// Identifiers for the answer to a body.
    pub(super) fn of(body: &[u8]) -> Self {
        Self { seed: fold(OFFSET, body) }
    }

    /// The identifier of the `index`-th thing of a kind, whose name is the prefix (`toolu_`, `call_`).
    pub(super) fn next(self, prefix: &str, index: usize) -> String {
        let once = fold(fold(self.seed, prefix.as_bytes()), &index.to_le_bytes());
        let twice = fold(once, b"again");
        format!("{prefix}{once:016x}{:08x}", twice & 0xffff_ffff)
    }
}

/// What stands for the signature of a text that the client must give back unchanged.
pub(super) fn signature(text: &str) -> String {
    format!("{SIGNATURE_PREFIX}{:016x}", fold(OFFSET, text.as_bytes()))
}

/// How signatures of this server begin; others are not judged.
pub(super) const SIGNATURE_PREFIX: &str = "scripted-";

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn fold(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
