//! Base64: how long it is decoded, and its beginning.

/// The length of what a Base64 text decodes to; `None` if it does not decode. Nothing is decoded.
///
/// Both alphabets are read; white space is skipped; padding may be left out, but not be wrong.
pub(super) fn decoded_bytes(text: &str) -> Option<u64> {
    let (mut digits, mut padding) = (0_u64, 0_u64);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        match byte {
            b'=' => padding += 1,
            _ if padding == 0 && digit(byte).is_some() => digits += 1,
            _ => return None,
        }
    }
    let is_whole = match padding {
        0 => digits % 4 != 1,
        1 | 2 => digits % 4 + padding == 4,
        _ => false,
    };
    is_whole.then_some(digits / 4 * 3 + (digits % 4) * 3 / 4)
}

/// The first bytes of what a Base64 text decodes to, `most_bytes` or fewer, up to where it no longer is Base64.
pub(super) fn decoded_prefix(text: &str, most_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(most_bytes.min(text.len()));
    let (mut held, mut held_bits) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let Some(value) = digit(byte) else { break };
        held = (held << 6 | u32::from(value)) & 0xffff;
        held_bits += 6;
        if held_bits >= 8 {
            if bytes.len() == most_bytes {
                break;
            }
            held_bits -= 8;
            bytes.push((held >> held_bits & 0xff) as u8);
        }
    }
    bytes
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_beginnings_are_those_of_the_whole() {
        let cases: [(&str, &[u8]); 8] = [
            ("", b""),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm8", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9v\r\nYmFy", b"foobar"),
            ("+/-_", &[0xfb, 0xff, 0xbf]),
            ("AP8Q", &[0, 255, 16]),
        ];
        for (text, bytes) in cases {
            assert_eq!(decoded_bytes(text), Some(bytes.len() as u64), "{text}");
            for most in 0..8 {
                assert_eq!(decoded_prefix(text, most), bytes[..most.min(bytes.len())], "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_base64_has_no_length() {
        for text in ["Z", "Zm9vY", "Zg=", "Zg===", "====", "Zm9v=", "Zg==Zg==", "Zm 9*", "é"] {
            assert_eq!(decoded_bytes(text), None, "{text}");
        }
    }
}
