//! Terminal colours and cursor codes: where they end, and how to look past them.

use crate::Builder;

pub(super) const ESCAPE: u8 = 0x1B;
const BELL: u8 = 0x07;
/// Parameters longer than this are no terminal's.
const MAX_PARAMETER_BYTES: usize = 64;

/// Where the escape sequence ends whose escape character stands at `at`: one past its last byte, never past `end`.
///
/// Covers ECMA-48: control sequences (`ESC [ ... letter`), strings (`ESC ] ... BEL` or `... ESC \`) and the two- and
/// three-character ones. Of a sequence that is cut or broken, only what surely belongs to it.
pub(crate) fn escape_end(source: &[u8], at: usize, end: usize) -> usize {
    let Some(rest) = source.get(at + 1..end) else { return end.min(source.len()).max(at) };
    match rest.first() {
        Some(b'[') => {
            let body = rest.get(1..).unwrap_or_default();
            let parameters =
                body.iter().take(MAX_PARAMETER_BYTES).take_while(|byte| matches!(byte, 0x20..=0x3F)).count();
            let last = usize::from(matches!(body.get(parameters), Some(0x40..=0x7E)));
            at + 2 + parameters + last
        }
        Some(b']' | b'_' | b'P' | b'^' | b'X') => match memchr::memchr3(BELL, ESCAPE, b'\n', rest) {
            Some(found) if rest[found] == BELL => at + 1 + found + 1,
            Some(found) if rest[found] == ESCAPE && rest.get(found + 1) == Some(&b'\\') => at + 1 + found + 2,
            _ => at + 2,
        },
        Some(0x20..=0x2F) => at + 2 + usize::from(matches!(rest.get(1), Some(0x30..=0x7E))),
        Some(0x30..=0x7E) => at + 2,
        _ => at + 1,
    }
}

/// Marks every escape sequence of `source[start..end]` as silent, and says whether there are any.
pub(crate) fn silence(builder: &mut Builder<'_>, start: usize, end: usize) -> bool {
    let source = builder.source();
    let end = end.min(source.len());
    let mut at = start;
    let mut found_any = false;
    while let Some(found) = source.get(at..end).and_then(|rest| memchr::memchr(ESCAPE, rest)) {
        let escape = at + found;
        at = escape_end(source, escape, end);
        builder.silent(escape, at);
        found_any = true;
    }
    found_any
}

/// The text of a line without its escape sequences: the line itself, or, if it has any, a copy in `scratch`.
pub(crate) fn visible<'t>(line: &'t [u8], scratch: &'t mut Vec<u8>) -> &'t [u8] {
    let Some(first) = memchr::memchr(ESCAPE, line) else { return line };
    scratch.clear();
    scratch.extend_from_slice(&line[..first]);
    let mut at = first;
    while at < line.len() {
        at = escape_end(line, at, line.len());
        let rest = line.get(at..).unwrap_or_default();
        let text = memchr::memchr(ESCAPE, rest).unwrap_or(rest.len());
        scratch.extend_from_slice(&rest[..text]);
        at += text;
    }
    scratch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &[u8]) -> String {
        String::from_utf8_lossy(visible(line, &mut Vec::new())).into_owned()
    }

    #[test]
    fn looks_past_colours_strings_and_character_sets() {
        assert_eq!(seen(b"[\x1b[1;34mINFO\x1b[m] done"), "[INFO] done");
        assert_eq!(seen(b"\x1b_bk;t=1778140778598\x07~~~ go\x1b[K"), "~~~ go");
        assert_eq!(seen(b"\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\!"), "link!");
        assert_eq!(seen(b"\x1b(Bplain\x1b7x"), "plainx");
    }

    #[test]
    fn broken_sequences_hide_no_text() {
        assert_eq!(seen(b"\x1b]0;never ended"), "0;never ended");
        assert_eq!(seen("\u{1b}é".as_bytes()), "é");
        assert_eq!(seen(b"\x1b[31"), "");
        assert_eq!(seen(b"end\x1b"), "end");
        assert_eq!(escape_end(b"\x1b", 0, 1), 1);
    }
}
