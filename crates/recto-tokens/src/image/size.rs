//! The dimensions of an image, from its header.

use super::avif::avif;

/// Reads width and height in pixels from the header of a PNG, JPEG, GIF, WebP or AVIF image; `None` for anything else.
///
/// Nothing is decoded: the beginning of a file is enough, up to the dimensions (30 bytes; of a JPEG image, which may begin with
/// a preview and a colour profile, mostly some 64 kB; of an AVIF image all that stands before its data, mostly less than 1 kB). The
/// size is that of the image as it is stored, before it is turned. A header that states no pixels gives `None` too, as does JPEG's rare
/// form that states its height at the end. Never panics, whatever the bytes; time is at most linear in them.
///
/// ```
/// let gif = b"GIF89a\x40\x01\xf0\x00";
/// assert_eq!(recto_tokens::image_size(gif), Some((320, 240)));
/// assert_eq!(recto_tokens::image_size(b"no image"), None);
/// ```
#[must_use]
pub fn image_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let found = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        png(bytes)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        jpeg(bytes)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some((
            u32::from(u16::from_le_bytes(array(bytes, 6)?)),
            u32::from(u16::from_le_bytes(array(bytes, 8)?)),
        ))
    } else if bytes.starts_with(b"RIFF") && array(bytes, 8) == Some(*b"WEBP") {
        webp(bytes)
    } else if array(bytes, 4) == Some(*b"ftyp") {
        avif(bytes)
    } else {
        None
    };
    found.filter(|(width, height)| *width > 0 && *height > 0)
}

/// `N` bytes from `at` on.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// The first chunk is `IHDR`, which begins with the dimensions.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (array(bytes, 12)? == *b"IHDR").then_some(())?;
    Some((u32::from_be_bytes(array(bytes, 16)?), u32::from_be_bytes(array(bytes, 20)?)))
}

/// Goes from segment to segment up to the frame's header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        (*bytes.get(at)? == 0xff).then_some(())?;
        at += 1;
        match *bytes.get(at)? {
            // Padding, then markers without a segment.
            0xff => {}
            0x01 | 0xd0..=0xd7 => at += 1,
            // Tables and arithmetic coding stand among the frames' markers.
            0xc0..=0xcf if !matches!(bytes.get(at), Some(0xc4 | 0xc8 | 0xcc)) => {
                let height = u16::from_be_bytes(array(bytes, at + 4)?);
                let width = u16::from_be_bytes(array(bytes, at + 6)?);
                return Some((u32::from(width), u32::from(height)));
            }
            // The image's own data, or its end: there was no header.
            0x00 | 0xd8..=0xda => return None,
            _ => {
                let length = usize::from(u16::from_be_bytes(array(bytes, at + 1)?));
                (length >= 2).then_some(())?;
                at += 1 + length;
            }
        }
    }
}

/// Three kinds of first chunk, each with dimensions of its own form.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    const SIDE_BITS: u32 = 14;
    const SIDE_MASK: u32 = (1 << SIDE_BITS) - 1;
    match &array(bytes, 12)? {
        b"VP8 " => {
            (array(bytes, 23)? == *b"\x9d\x01\x2a").then_some(())?;
            let width = u16::from_le_bytes(array(bytes, 26)?);
            let height = u16::from_le_bytes(array(bytes, 28)?);
            Some((u32::from(width) & SIDE_MASK, u32::from(height) & SIDE_MASK))
        }
        b"VP8L" => {
            (*bytes.get(20)? == 0x2f).then_some(())?;
            let sides = u32::from_le_bytes(array(bytes, 21)?);
            Some(((sides & SIDE_MASK) + 1, ((sides >> SIDE_BITS) & SIDE_MASK) + 1))
        }
        b"VP8X" => {
            let [w0, w1, w2, h0, h1, h2] = array(bytes, 24)?;
            Some((u32::from_le_bytes([w0, w1, w2, 0]) + 1, u32::from_le_bytes([h0, h1, h2, 0]) + 1))
        }
        _ => None,
    }
}
