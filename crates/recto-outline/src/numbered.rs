//! Files as agents' read tools print them: each line behind its number.

use crate::{
    Builder, ContentType, Fuel, LINE_NOTES, OutlineError, code,
    lines::Lines,
    parser::{Context, Parser},
};

/// The parser.
pub(crate) struct Numbered;

impl Parser for Numbered {
    fn content_type(&self) -> ContentType {
        ContentType::Numbered
    }

    fn sniff(&self, head: &[u8], _whole: bool) -> u8 {
        let (mut lines, mut numbered, mut ascending) = (0, 0, 0);
        let mut last = None;
        for line in Lines::new(head, 0, head.len()).take(200) {
            let text = line.of(head);
            if text.is_empty() {
                continue;
            }
            lines += 1;
            if let Some((number, _)) = split(text) {
                numbered += 1;
                ascending += usize::from(last.is_some_and(|last| number == last + 1));
                last = Some(number);
            }
        }
        // Numbers that go up one by one are the mark; a column of numbers in a table does not.
        if numbered >= 3 && numbered * 10 >= lines * 8 && (ascending + 1) * 10 >= numbered * 9 { 94 } else { 0 }
    }

    fn parse(
        &self,
        builder: &mut Builder<'_>,
        start: usize,
        end: usize,
        _context: Context,
        fuel: &mut Fuel,
    ) -> Result<(), OutlineError> {
        fuel.burn(end - start)?;
        code::parse_blocks(builder, start, end, LINE_NOTES, |text| split(text).map_or(text, |(_, inside)| inside));
        Ok(())
    }
}

/// Splits a line into its number and what stands behind: `    12<tab>text`, `12: text`, `12:text`, `00012| text`, `12→text`.
fn split(text: &[u8]) -> Option<(u64, &[u8])> {
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    let rest = text.get(blanks..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 9 || blanks > 12 {
        return None;
    }
    let number = rest.get(..digits)?.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    let after = rest.get(digits..)?;
    let inside = after
        .strip_prefix(b"\t")
        .or_else(|| after.strip_prefix("\u{2192}".as_bytes()))
        .or_else(|| after.strip_prefix(b":"))
        .or_else(|| after.strip_prefix(b"|"))
        .or_else(|| after.strip_prefix(b" |"))?;
    Some((number, inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_tools() {
        for text in ["    12\tlet a = 1;", "12:let a = 1;", "00012|let a = 1;", "  12\u{2192}let a = 1;", "12 |let a = 1;"] {
            assert_eq!(split(text.as_bytes()), Some((12, &b"let a = 1;"[..])), "{text}");
        }
        assert_eq!(split(b"12 apples"), None);
        assert_eq!(split(b"no number"), None);
    }

    #[test]
    fn a_table_of_numbers_is_not_numbered() {
        assert_eq!(Numbered.sniff(b"10\ta\n12\tb\n9\tc\n40\td\n", true), 0);
        assert_eq!(Numbered.sniff(b"7:\n8: a\n9: b\n10: c\n", true), 94);
    }
}
