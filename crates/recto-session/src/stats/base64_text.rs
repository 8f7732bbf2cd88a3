/// Shorter texts are not looked at: a key or a hash is no file.
const FEWEST_BYTES: usize = 256;
/// Shorter runs are words, paths and names.
const FEWEST_RUN_BYTES: usize = 60;

/// Whether most of a text is Base64: a file that was printed as text, which a model can do nothing with.
///
/// Runs of 60 bytes or more of the alphabet count that have letters of both cases and a digit; together they must be more than half of the text. One pass.
///
/// ```
/// use recto_session::stats::is_mostly_base64;
///
/// let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA".repeat(4);
/// assert!(is_mostly_base64(&png));
/// assert!(is_mostly_base64(&format!("data:image/png;base64,{png}")));
/// assert!(!is_mostly_base64(&"a".repeat(4000)));
/// assert!(!is_mostly_base64(&"The quick brown fox 1234 ".repeat(40)));
/// ```
#[must_use]
pub fn is_mostly_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < FEWEST_BYTES {
        return false;
    }
    let (mut found, mut start) = (0, 0);
    while let Some(window) = bytes.get(start..start + FEWEST_RUN_BYTES) {
        // From the window's end: what is in the way there is in the way of all before it.
        if let Some(in_the_way) = window.iter().rposition(|byte| !is_of_alphabet(*byte)) {
            start += in_the_way + 1;
        } else {
            let run = bytes.get(start..).unwrap_or_default();
            let end = run.iter().position(|byte| !is_of_alphabet(*byte)).unwrap_or(run.len());
            let run = run.get(..end).unwrap_or_default();
            let has = |is: fn(&u8) -> bool| run.iter().any(is);
            if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit) {
                found += run.len();
            }
            start += run.len() + 1;
        }
        // Nothing of what is left could make it the most.
        if found + bytes.len().saturating_sub(start) <= bytes.len() / 2 {
            return false;
        }
    }
    found > bytes.len() / 2
}

fn is_of_alphabet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}
