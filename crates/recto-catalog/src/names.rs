//! Names that every provider takes.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

/// The longest name that all of the providers take (OpenAI's limit; Anthropic takes 128, Gemini 64).
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// How many hexadecimal digits tell two names apart that would else be the same.
const SUFFIX_DIGITS: usize = 8;

/// Returns `name` with each character outside `A-Z a-z 0-9 _ -` written as `_`.
pub(crate) fn plain(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let plain: String =
        name.chars().map(|c| if u8::try_from(c).is_ok_and(is_plain) { c } else { '_' }).collect();
    Cow::Owned(if plain.is_empty() { "_".to_owned() } else { plain })
}

/// Returns `name` if it is short enough, else its beginning and digits that stand for the whole of it: the same on every machine.
pub(crate) fn short(name: &str, whole: &[&[u8]]) -> String {
    if name.len() <= MAX_NAME_BYTES { name.to_owned() } else { marked(name, whole) }
}

/// Returns `name`, cut where needed, with `_` and digits of a hash over `whole`.
pub(crate) fn marked(name: &str, whole: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in whole {
        // Lengths first, so that no two lists of parts are hashed alike.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let digits = hex(digest.get(..SUFFIX_DIGITS / 2).unwrap_or_default());
    let end = name.len().min(MAX_NAME_BYTES - SUFFIX_DIGITS - 1);
    let end = (0..=end).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    format!("{}_{digits}", name.get(..end).unwrap_or_default())
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from_digit(u32::from(half), 16).unwrap_or('0')).collect()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_ones_that_providers_take() {
        assert_eq!(plain("list-mails_2"), "list-mails_2");
        assert_eq!(plain("users.list/all"), "users_list_all");
        assert_eq!(plain("查询"), "__");
        assert_eq!(plain(""), "_");
        let long = "a".repeat(80);
        let one = short(&long, &[long.as_bytes()]);
        assert_eq!((one.len(), one.is_ascii()), (64, true));
        assert_ne!(one, short(&format!("{long}b"), &[format!("{long}b").as_bytes()]));
        assert_eq!(short("short", &[b"short"]), "short");
    }
}
