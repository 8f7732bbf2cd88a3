//! Blocks of a result: their shares of a budget, their places in a list.

use recto_session::Block;

/// What each of several lengths may take at most, so that together they take `room`: small ones stand, and leave more to the others.
pub(super) fn share(lengths: &[u64], room: u64) -> u64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, length) in sorted.iter().enumerate() {
        let among = (sorted.len() - at) as u64;
        if length.saturating_mul(among) > left {
            return left / among;
        }
        left -= length;
    }
    u64::MAX
}

/// Blocks for the pruner, each with its number.
pub(super) fn marked<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    texts
        .enumerate()
        .map(|(number, text)| {
            let quoted = recto_wire::quote(text);
            format!(r#"{{"type":"text","recto":{number},"text":{}}}"#, String::from_utf8_lossy(&quoted))
        })
        .collect()
}

/// What the pruner left of each numbered block.
pub(super) fn by_mark(kept: &[Block<'_>], count: usize) -> Vec<Option<String>> {
    let mut texts: Vec<Option<String>> = vec![None; count];
    for block in kept {
        let Ok(document) = recto_wire::Document::parse(block.json().as_bytes()) else { continue };
        let number = document.root().get("recto").and_then(recto_wire::Value::number);
        let number = number.and_then(|number| usize::try_from(number).ok());
        if let Some(text) = number.and_then(|number| texts.get_mut(number)) {
            *text = block.text().map(|text| text.into_owned());
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_texts_leave_their_room_to_large_ones() {
        assert_eq!(share(&[10, 1000], 100), 90);
        assert_eq!(share(&[1000, 1000], 100), 50);
        assert_eq!(share(&[10, 20], 100), u64::MAX);
        assert_eq!(share(&[], 100), u64::MAX);
    }
}
