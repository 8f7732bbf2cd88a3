use super::{
    plant::room_for,
    vocabulary::{ADJECTIVES, NOUNS},
    write::{number, padded},
};
use crate::Prng;

/// Source code: functions of a few lines, with comments between them.
pub(super) fn code(prng: &mut Prng, min_bytes: usize) -> Vec<u8> {
    let mut out = room_for(min_bytes);
    let mut lines = CodeLines::default();
    while out.len() < min_bytes {
        lines.write(&mut out, prng);
        out.push(b'\n');
    }
    out
}

/// Source code with the line numbers of `cat -n`.
pub(super) fn numbered(prng: &mut Prng, min_bytes: usize) -> Vec<u8> {
    let mut out = room_for(min_bytes);
    let mut lines = CodeLines::default();
    let mut line = 0;
    while out.len() < min_bytes {
        line += 1;
        padded(&mut out, line, 6, b' ');
        out.push(b'\t');
        lines.write(&mut out, prng);
        out.push(b'\n');
    }
    out
}

/// Where in its function the next line of code stands.
#[derive(Default)]
pub(super) struct CodeLines {
    line: u64,
    body_lines: u64,
}

impl CodeLines {
    /// Writes the next line without its end.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, prng: &mut Prng) {
        let line = self.line;
        self.line += 1;
        match line {
            0 => {
                self.body_lines = prng.within(3..9);
                out.extend_from_slice(b"// Keeps the ");
                out.extend_from_slice(prng.pick(ADJECTIVES).as_bytes());
                out.push(b' ');
                out.extend_from_slice(prng.pick(NOUNS).as_bytes());
                out.extend_from_slice(b" in order.");
            }
            1 => {
                out.extend_from_slice(b"pub fn ");
                identifier(out, prng);
                out.extend_from_slice(b"(input: &[u8], limit: usize) -> Option<usize> {");
            }
            _ if line < 2 + self.body_lines => Self::write_statement(out, prng),
            _ if line == 2 + self.body_lines => out.push(b'}'),
            _ => self.line = 0,
        }
    }

    fn write_statement(out: &mut Vec<u8>, prng: &mut Prng) {
        out.extend_from_slice(b"    ");
        match prng.below(4) {
            0 => {
                out.extend_from_slice(b"if input.len() > ");
                number(out, prng.below(4_096));
                out.extend_from_slice(b" { return None; }");
            }
            1 => {
                out.extend_from_slice(b"let ");
                identifier(out, prng);
                out.extend_from_slice(b" = ");
                identifier(out, prng);
                out.extend_from_slice(b"(input, limit)?;");
            }
            2 => {
                out.extend_from_slice(b"log::debug!(\"");
                out.extend_from_slice(prng.pick(NOUNS).as_bytes());
                out.extend_from_slice(b": {}\", limit);");
            }
            _ => {
                identifier(out, prng);
                out.extend_from_slice(b"(&input[..limit]);");
            }
        }
    }
}

fn identifier(out: &mut Vec<u8>, prng: &mut Prng) {
    out.extend_from_slice(prng.pick(ADJECTIVES).as_bytes());
    out.push(b'_');
    out.extend_from_slice(prng.pick(NOUNS).as_bytes());
}

/// Writes the path of a source file.
pub(super) fn path(out: &mut Vec<u8>, prng: &mut Prng) {
    out.extend_from_slice(b"src/");
    out.extend_from_slice(prng.pick(super::vocabulary::FOLDERS).as_bytes());
    out.push(b'/');
    identifier(out, prng);
    out.extend_from_slice(b".rs");
}
