use super::write::number;

/// Writes JSON, compact or indented, straight into bytes; it trusts its caller to open and close in order.
pub(super) struct JsonWriter<'o> {
    pub(super) out: &'o mut Vec<u8>,
    indented: bool,
    depth: usize,
    is_first: bool,
}

impl<'o> JsonWriter<'o> {
    /// Starts at a depth, before the first member of whatever is open there.
    pub(super) fn new(out: &'o mut Vec<u8>, indented: bool, depth: usize) -> Self {
        Self { out, indented, depth, is_first: true }
    }

    pub(super) fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.depth += 1;
        self.is_first = true;
    }

    pub(super) fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        if !self.is_first {
            self.line_break();
        }
        self.out.push(bracket);
        self.is_first = false;
    }

    /// Starts the next element of an array.
    pub(super) fn element(&mut self) {
        if !self.is_first {
            self.out.push(b',');
        }
        self.is_first = false;
        self.line_break();
    }

    /// Starts the next member of an object; the name is written as it is, so it must need no escapes.
    pub(super) fn key(&mut self, name: &str) {
        self.element();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(if self.indented { b"\": " } else { b"\":" });
    }

    /// Writes a string that needs no escapes.
    pub(super) fn plain(&mut self, text: &str) {
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }

    /// Writes a string with the escapes that JSON asks for.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push(b'"');
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => self.out.extend_from_slice(&[b'\\', byte]),
                b'\t' => self.out.extend_from_slice(b"\\t"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                _ => self.out.push(byte),
            }
        }
        self.out.push(b'"');
    }

    pub(super) fn number(&mut self, value: u64) {
        number(self.out, value);
    }

    pub(super) fn boolean(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn line_break(&mut self) {
        if self.indented {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + self.depth * 2, b' ');
        }
    }
}
