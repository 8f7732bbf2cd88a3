//! The dimensions of an AVIF image: boxes within boxes, in which properties stand apart from what they belong to.
//!
//! The layout is that of ISO/IEC 14496-12 (boxes, `meta`, `pitm`) and ISO/IEC 23008-12 (`iprp`, `ipco`, `ipma`, `ispe`).

use super::size::array;

/// Reads the size of the primary item: an image may hold others, such as its transparency, its tiles or a preview.
///
/// Nothing is read until all of the box `meta` is there, so that a file that is cut never says another item's size.
pub(super) fn avif(bytes: &[u8]) -> Option<(u32, u32)> {
    let brands = child(bytes, b"ftyp")?;
    let mut brands = brands.chunks_exact(4).enumerate().filter(|(number, _)| *number != 1);
    brands.find(|(_, brand)| matches!(*brand, b"avif" | b"avis"))?;
    let meta = full_box(child(bytes, b"meta")?)?;
    let primary = primary_item(child(meta, b"pitm")?)?;
    let properties = child(meta, b"iprp")?;
    let numbers = associated(child(properties, b"ipma")?, primary)?;
    let containers: Vec<_> = boxes(child(properties, b"ipco")?).collect();
    numbers.into_iter().find_map(|number| {
        let (kind, payload) = containers.get(number.checked_sub(1)?)?;
        let sides = (kind == b"ispe").then(|| full_box(payload))??;
        Some((u32::from_be_bytes(array(sides, 0)?), u32::from_be_bytes(array(sides, 4)?)))
    })
}

/// The boxes that stand one behind the other, each with its kind; up to the first that is not whole.
fn boxes(mut rest: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let kind = array(rest, 4)?;
        let (head, length) = match u32::from_be_bytes(array(rest, 0)?) {
            // To the end of the file.
            0 => (8, rest.len()),
            1 => (16, usize::try_from(u64::from_be_bytes(array(rest, 8)?)).ok()?),
            length => (8, usize::try_from(length).ok()?),
        };
        let payload = rest.get(head..length)?;
        rest = rest.get(length..)?;
        Some((kind, payload))
    })
}

fn child<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<&'a [u8]> {
    boxes(bytes).find(|(found, _)| found == kind).map(|(_, payload)| payload)
}

/// What stands behind a version and flags.
fn full_box(payload: &[u8]) -> Option<&[u8]> {
    payload.get(4..)
}

fn primary_item(payload: &[u8]) -> Option<u32> {
    match payload.first()? {
        0 => Some(u32::from(u16::from_be_bytes(array(payload, 4)?))),
        _ => Some(u32::from_be_bytes(array(payload, 4)?)),
    }
}

/// The numbers of an item's properties, counted from 1.
fn associated(payload: &[u8], item: u32) -> Option<Vec<usize>> {
    const NARROW_MASK: u8 = 0x7f;
    const WIDE_MASK: u16 = 0x7fff;
    let [version, _, _, flags] = array(payload, 0)?;
    let is_wide = flags & 1 == 1;
    let entries = u32::from_be_bytes(array(payload, 4)?);
    let mut at = 8;
    for _ in 0..entries {
        let found = if version == 0 {
            at += 2;
            u32::from(u16::from_be_bytes(array(payload, at - 2)?))
        } else {
            at += 4;
            u32::from_be_bytes(array(payload, at - 4)?)
        };
        let count = usize::from(*payload.get(at)?);
        at += 1;
        let width = if is_wide { 2 } else { 1 };
        let numbers = payload.get(at..at + count * width)?;
        if found == item {
            let wide = numbers.chunks_exact(2).map(|number| match number {
                [high, low] => usize::from(u16::from_be_bytes([*high, *low]) & WIDE_MASK),
                _ => 0,
            });
            let narrow = numbers.iter().map(|number| usize::from(number & NARROW_MASK));
            return Some(if is_wide { wide.collect() } else { narrow.collect() });
        }
        at += count * width;
    }
    None
}
