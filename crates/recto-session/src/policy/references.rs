//! Names that an agent comes back to.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

use regex::Regex;

/// The distinctive names in a text: four characters at least, and more than a plain word (a path, a number, an id, `camelCase`).
///
/// ```
/// let found: Vec<&str> = recto_session::policy::names("The order-17 (at src/main.rs:12), HashMap, and words.").collect();
/// assert_eq!(found, ["order-17", "src/main.rs:12", "HashMap"]);
/// ```
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "a constant pattern, compiled by tests")]
        Regex::new(r"[A-Za-z0-9_~/][A-Za-z0-9_./@#:+-]{2,}[A-Za-z0-9_]").expect("the pattern is sound")
    });
    NAME.find_iter(text).map(|found| found.as_str()).filter(|name| is_distinctive(name))
}

fn is_distinctive(name: &str) -> bool {
    /// Longer ones are data, not names.
    const MOST_BYTES: usize = 200;
    let is_camel = || {
        let mut pairs = name.as_bytes().windows(2);
        pairs.any(
            |pair| matches!(pair, [one, other] if one.is_ascii_lowercase() && other.is_ascii_uppercase()),
        )
    };
    name.len() <= MOST_BYTES
        && (name.contains(['/', '_', '@', '#'])
            || name.trim_matches('.').contains('.')
            || name.bytes().any(|byte| byte.is_ascii_digit())
            || is_camel())
}

/// The names of a text, as hashes: a set that is kept for every text of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    sorted: Box<[u64]>,
}

impl References {
    /// The names in a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let distinct: HashSet<u64> = names(text).map(|name| fnv(name.as_bytes())).collect();
        let mut sorted: Vec<u64> = distinct.into_iter().collect();
        sorted.sort_unstable();
        Self { sorted: sorted.into() }
    }

    /// Whether a name is among them.
    #[must_use]
    pub fn has(&self, name: u64) -> bool {
        self.sorted.binary_search(&name).is_ok()
    }

    /// The names' hashes, in their order.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.sorted
    }
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo): names are counted here, nothing is decided by them.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Takes hashes as they are.
#[derive(Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = fnv(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A map by such hashes.
pub(crate) type ByHash<V> = std::collections::HashMap<u64, V, BuildHasherDefault<AsItIs>>;
