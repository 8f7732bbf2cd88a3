//! Images in base64: how large they are, without decoding more than their headers.

/// Bytes of base64 in which a header is looked for: a JPEG image may begin with a preview and a colour profile.
const HEAD_BYTES: usize = 128 << 10;

/// The length of what base64 text holds (0 if it is none), and the image's width and height.
pub(crate) fn facts(base64: &[u8]) -> (u64, Option<(u32, u32)>) {
    let plain = base64.strip_suffix(b"==").or_else(|| base64.strip_suffix(b"=")).unwrap_or(base64);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    if plain.is_empty() || plain.len() % 4 == 1 || !plain.iter().all(is_base64) {
        return (0, None);
    }
    let bytes = plain.len() as u64 * 3 / 4;
    let head = plain.get(..plain.len().min(HEAD_BYTES)).unwrap_or_default();
    (bytes, recto_tokens::image_size(&decode(head)))
}

fn decode(base64: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(base64.len() / 4 * 3 + 3);
    for four in base64.chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, byte| bits << 6 | value(*byte));
        let bits = bits << (6 * (4 - four.len().min(4)));
        let [_, first, second, third] = bits.to_be_bytes();
        decoded.extend_from_slice([first, second, third].get(..four.len().saturating_sub(1)).unwrap_or_default());
    }
    decoded
}

fn value(byte: u8) -> u32 {
    u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_from_base64() {
        // GIF89a, 320 by 240.
        assert_eq!(facts(b"R0lGODlhQAHwAA=="), (10, Some((320, 240))));
        assert_eq!(facts(b"AAAA"), (3, None));
        assert_eq!(facts(b"not base64!"), (0, None));
        assert_eq!(decode(b"TWFu"), b"Man");
        assert_eq!(decode(b"TWE"), b"Ma");
    }
}
