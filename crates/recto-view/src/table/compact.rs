//! JSON without blanks between its tokens: written, and compared with.

/// Takes the tokens of JSON in order.
pub(super) trait Sink {
    /// Whole tokens without blanks between them; none of them is part of a string only.
    fn put(&mut self, tokens: &[u8]);
    /// A brace, a comma or a colon.
    fn sign(&mut self, sign: u8);
    /// A string whose inside is these parts, joined.
    fn string(&mut self, parts: [&[u8]; 3]);
    /// What parts two values that stand in no array.
    fn line_end(&mut self);
}

impl Sink for Vec<u8> {
    fn put(&mut self, tokens: &[u8]) {
        self.extend_from_slice(tokens);
    }

    fn sign(&mut self, sign: u8) {
        self.push(sign);
    }

    fn string(&mut self, parts: [&[u8]; 3]) {
        self.push(b'"');
        for part in parts {
            self.extend_from_slice(part);
        }
        self.push(b'"');
    }

    fn line_end(&mut self) {
        self.push(b'\n');
    }
}

/// Compares tokens with a source as they come.
#[derive(Debug)]
pub(super) struct Comparison<'s> {
    source: &'s [u8],
    at: usize,
    is_same: bool,
}

impl<'s> Comparison<'s> {
    pub(super) fn new(source: &'s [u8], at: usize) -> Self {
        Self { source, at, is_same: true }
    }

    /// Says whether all tokens were those of the source, and all of them.
    pub(super) fn ends_whole(mut self) -> bool {
        self.skip_blanks();
        self.is_same && self.at == self.source.len()
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while self.source.get(self.at).copied().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    fn take(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.source.get(self.at..).is_some_and(|rest| rest.starts_with(bytes));
        if is_next {
            self.at += bytes.len();
        }
        is_next
    }

    /// Tokens with blanks between them in the source: byte by byte.
    fn put_slowly(&mut self, tokens: &[u8]) {
        let (mut is_inside, mut is_escaped) = (false, false);
        for byte in tokens {
            if !is_inside {
                self.skip_blanks();
            }
            if self.source.get(self.at) != Some(byte) {
                self.is_same = false;
                return;
            }
            self.at += 1;
            if is_inside {
                is_inside = is_escaped || *byte != b'"';
                is_escaped = !is_escaped && *byte == b'\\';
            } else {
                is_inside = *byte == b'"';
            }
        }
    }
}

impl Sink for Comparison<'_> {
    fn put(&mut self, tokens: &[u8]) {
        if !self.is_same {
            return;
        }
        self.skip_blanks();
        if !self.take(tokens) {
            self.put_slowly(tokens);
        }
    }

    fn sign(&mut self, sign: u8) {
        self.skip_blanks();
        self.is_same &= self.source.get(self.at) == Some(&sign);
        self.at += 1;
    }

    fn string(&mut self, parts: [&[u8]; 3]) {
        self.sign(b'"');
        for part in parts {
            // Most templates are empty, and most texts short.
            if !part.is_empty() {
                self.is_same &= self.take(part);
            }
        }
        self.is_same &= self.source.get(self.at) == Some(&b'"');
        self.at += 1;
    }

    fn line_end(&mut self) {
        self.skip_blanks();
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Appends JSON without the blanks between its tokens.
pub(super) fn push_compact(out: &mut Vec<u8>, json: &[u8]) {
    let mut rest = json;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        let (before, from) = rest.split_at(quote);
        out.extend(before.iter().copied().filter(|byte| !is_blank(*byte)));
        let end = string_bytes(from);
        let (string, behind) = from.split_at(end);
        out.extend_from_slice(string);
        rest = behind;
    }
    out.extend(rest.iter().copied().filter(|byte| !is_blank(*byte)));
}

/// Length of the string that a text begins with, quotes included; the whole text if it does not end.
pub(super) fn string_bytes(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if text.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// Length of the value that a text begins with, which holds no blanks; `None` if it does not end or is nothing.
pub(super) fn value_bytes(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' => {
            let length = string_bytes(text);
            (length > 1 && text.get(length - 1) == Some(&b'"')).then_some(length)
        }
        b'{' | b'[' => {
            let (mut depth, mut at) = (0_usize, 0);
            loop {
                match text.get(at)? {
                    b'"' => {
                        at += string_bytes(text.get(at..)?);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b'{' | b'[' | b'"' | b':' | 0..=b' ');
            let length = text.iter().position(ends).unwrap_or(text.len());
            (length > 0).then_some(length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_strings_stay() {
        let mut out = Vec::new();
        push_compact(&mut out, br#" { "a \" b" : [ 1 , "x y\\" ] } "#);
        assert_eq!(out, br#"{"a \" b":[1,"x y\\"]}"#);
    }

    #[test]
    fn a_comparison_sees_each_difference() {
        let source = br#"{ "a" : [ 1, " b" ] }"#;
        let same = |tokens: &[&[u8]]| {
            let mut comparison = Comparison::new(source, 0);
            tokens.iter().for_each(|token| comparison.put(token));
            comparison.ends_whole()
        };
        assert!(same(&[br#"{"a":"#, br#"[1," b"]"#, b"}"]));
        assert!(!same(&[br#"{"a":"#, br#"[1,"b"]"#, b"}"]));
        assert!(!same(&[br#"{"a":"#, br#"[1," b"]"#]));
        assert!(!same(&[br#"{"a":"#, br#"[1," b"]"#, b"}}"]));
        let mut comparison = Comparison::new(br#"" b""#, 0);
        comparison.string([b"", b"b", b""]);
        assert!(!comparison.ends_whole());
    }

    #[test]
    fn values_end_where_they_end() {
        for (text, length) in [(&b"[1,[2]],3"[..], 7), (br#""a\"",1"#, 5), (b"-1.5]", 4), (br#"{"]":1}x"#, 7)]
        {
            assert_eq!(value_bytes(text).unwrap(), length);
        }
        for text in [&b""[..], b"[1", b"\"a", b",", b"\""] {
            assert_eq!(value_bytes(text), None);
        }
    }
}
