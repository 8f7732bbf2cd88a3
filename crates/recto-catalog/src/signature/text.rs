//! Names and values in lines: what is plain, how the rest is quoted, and how both are read.

use std::fmt::Write as _;

use crate::letters::is_hidden;

/// Whether a name can stand in a line as it is.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./@$+*#".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

/// Whether a name looks like that of a group of parameters in a map: `$a`.
pub(super) fn is_group(name: &str) -> bool {
    matches!(name.as_bytes(), [b'$', letter] if letter.is_ascii_lowercase())
}

/// Writes a text as a JSON string in which nothing breaks a line, hides or turns the direction of what follows.
pub(crate) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            letter if is_unseen(letter) => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(written, "\\u{unit:04x}");
                }
            }
            letter => written.push(letter),
        }
    }
    written.push('"');
    written
}

/// Whether a letter is a control, or not seen as what it is: in names and values those that choose how another one looks are too.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || is_hidden(letter)
        || matches!(letter, '\u{202f}' | '\u{205f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0080}'..='\u{e0fff}')
}

/// A place in a line that is being read.
pub(crate) struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads the name of a group of parameters.
    pub(crate) fn take_group(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix('$').and_then(|rest| rest.strip_prefix(letter));
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with([',', ')']));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a name, plain or quoted.
    pub(crate) fn name(&mut self) -> Option<String> {
        if self.rest.starts_with('"') {
            let text = self.string();
            return serde_json::from_str(text).ok();
        }
        let end = self.rest.find(|letter: char| !is_plain(letter.encode_utf8(&mut [0; 4])));
        let (name, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Reads up to one of the signs, outside of strings, or to the end.
    pub(crate) fn until_any(&mut self, signs: &[char]) -> &'a str {
        let whole = self.rest;
        let mut depth = 0_usize;
        while let Some(sign) = self.rest.chars().next() {
            if sign == '"' {
                self.string();
                continue;
            }
            if depth == 0 && signs.contains(&sign) {
                break;
            }
            match sign {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.rest = self.rest.get(sign.len_utf8()..).unwrap_or_default();
        }
        whole.get(..whole.len() - self.rest.len()).unwrap_or_default()
    }

    /// Reads a string with its quotes, as it is written; to the end, if it does not end.
    fn string(&mut self) -> &'a str {
        let whole = self.rest;
        let mut escaped = false;
        let end = whole.char_indices().skip(1).find_map(|(place, sign)| {
            if !escaped && sign == '"' {
                return Some(place + 1);
            }
            escaped = !escaped && sign == '\\';
            None
        });
        let (text, rest) = whole.split_at_checked(end.unwrap_or(whole.len())).unwrap_or((whole, ""));
        self.rest = rest;
        text
    }
}
