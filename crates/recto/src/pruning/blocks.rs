//! Blocks of a result: their shares of a budget, their places in a list.

use recto_session::Block;
use recto_wire::Span;

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

/// What to take away so that these items of JSON arrays are gone, each with one comma.
pub(super) fn without(record: &[u8], blocks: &[Span]) -> Vec<Span> {
    let mut spans: Vec<Span> = blocks.iter().map(|block| remove_block(record, *block)).collect();
    spans.sort_unstable();
    // Neighbours that both go share a comma: the second range begins where the first ends.
    for at in 1..spans.len() {
        let end = spans.get(at - 1).map_or(0, |before| before.e);
        if let Some(span) = spans.get_mut(at) {
            span.s = span.s.max(end);
        }
    }
    spans
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

fn remove_block(source: &[u8], block: Span) -> Span {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let before = source.get(..block.s as usize).unwrap_or_default();
    let start = before.iter().rposition(|byte| !blank(byte));
    if let Some(comma) = start.filter(|at| before.get(*at) == Some(&b',')) {
        return Span::new(comma, block.e as usize);
    }
    let after = source.get(block.e as usize..).unwrap_or_default();
    match after.iter().position(|byte| !blank(byte)) {
        Some(at) if after.get(at) == Some(&b',') => Span::new(block.s as usize, block.e as usize + at + 1),
        _ => block,
    }
}
