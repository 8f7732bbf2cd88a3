use std::{
    collections::VecDeque,
    ops::{ControlFlow, Range},
};

use regex::bytes::{Regex, RegexBuilder};

use crate::{
    RecallError,
    lines::{Line, Lines},
};

/// Memory that a compiled pattern may take.
const PATTERN_BYTES: usize = 10 << 20;

/// The lines to look for: those that match a regular expression, and their neighbours.
#[derive(Clone, Debug)]
pub struct Search {
    pattern: Regex,
    context: u64,
}

impl Search {
    /// Compiles a pattern, which is matched against each line without its end, as bytes; `context` lines are shown around
    /// each match. Time is linear in what is searched, whatever the pattern.
    ///
    /// # Errors
    /// [`RecallError::Pattern`], [`RecallError::PatternTooLarge`].
    pub fn new(pattern: &str, ignore_case: bool, context: u64) -> Result<Self, RecallError> {
        let built =
            RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(PATTERN_BYTES).build();
        match built {
            Ok(pattern) => Ok(Self { pattern, context }),
            Err(regex::Error::CompiledTooBig(limit_bytes)) => {
                Err(RecallError::PatternTooLarge { limit_bytes })
            }
            Err(source) => Err(RecallError::Pattern { source }),
        }
    }

    /// Writes the pattern that matches a text as it is.
    #[must_use]
    pub fn literal(text: &str) -> String {
        regex::escape(text)
    }

    /// Hands `number:line` for each match and `number-line` for its neighbours to `sink`, until it wants no more, and counts the
    /// matches. `--` stands between neighbourhoods.
    pub(crate) fn run<R: FnMut(Range<u64>) -> Result<Vec<u8>, RecallError>>(
        &self,
        mut lines: Lines<R>,
        sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<u64, RecallError> {
        let mut matches = 0;
        let mut before: VecDeque<(u64, Vec<u8>)> = VecDeque::new();
        let mut after = 0;
        let mut last_shown = 0;
        while let Some(line) = lines.next_line()? {
            let is_match = self.pattern.is_match(bare(line.bytes));
            let mut out = Vec::new();
            if is_match {
                matches += 1;
                let first = before.front().map_or(line.number, |(number, _)| *number);
                if self.context > 0 && last_shown > 0 && first > last_shown + 1 {
                    out.extend_from_slice(b"--\n");
                }
                for (number, bytes) in before.drain(..) {
                    put(&mut out, number, b'-', &bytes);
                }
                after = self.context;
            }
            if is_match || after > 0 {
                put(&mut out, line.number, if is_match { b':' } else { b'-' }, line.bytes);
                after -= u64::from(!is_match);
                last_shown = line.number;
                if sink(&out).is_break() {
                    break;
                }
            } else if self.context > 0 {
                self.remember(&mut before, &line);
            }
        }
        Ok(matches)
    }

    fn remember(&self, before: &mut VecDeque<(u64, Vec<u8>)>, line: &Line<'_>) {
        if before.len() as u64 >= self.context {
            before.pop_front();
        }
        before.push_back((line.number, line.bytes.to_vec()));
    }
}

/// A line without its end: `$` stands before it, also where it is CR LF.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn put(out: &mut Vec<u8>, number: u64, mark: u8, line: &[u8]) {
    out.extend_from_slice(number.to_string().as_bytes());
    out.push(mark);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str, context: u64) -> (u64, String) {
        let lines = Lines::new(text.len() as u64, |part: Range<u64>| {
            Ok(text.as_bytes()[usize::try_from(part.start).unwrap()..usize::try_from(part.end).unwrap()]
                .to_vec())
        });
        let mut out = Vec::new();
        let matches = Search::new(pattern, false, context)
            .unwrap()
            .run(lines, &mut |piece| {
                out.extend_from_slice(piece);
                ControlFlow::Continue(())
            })
            .unwrap();
        (matches, String::from_utf8(out).unwrap())
    }

    #[test]
    fn neighbourhoods_are_shown_once_and_kept_apart() {
        let text: String = (1..=20).map(|number| format!("l{number}\n")).collect();
        assert_eq!(found(&text, "^l(3|5)$", 1), (2, "2-l2\n3:l3\n4-l4\n5:l5\n6-l6\n".to_owned()));
        assert_eq!(found(&text, "^l(3|7)$", 1), (2, "2-l2\n3:l3\n4-l4\n--\n6-l6\n7:l7\n8-l8\n".to_owned()));
        assert_eq!(
            found(&text, "^l(3|6)$", 1),
            (2, "2-l2\n3:l3\n4-l4\n5-l5\n6:l6\n7-l7\n".to_owned()),
            "no gap, no mark"
        );
        assert_eq!(found(&text, "^l(1|20)$", 0), (2, "1:l1\n20:l20\n".to_owned()));
        assert_eq!(found(&text, "nothing", 3), (0, String::new()));
    }

    #[test]
    fn line_ends_are_no_part_of_a_line() {
        assert_eq!(found("a\r\nb", "^(a|b)$", 0), (2, "1:a\r\n2:b\n".to_owned()));
    }

    #[test]
    fn bad_patterns_say_what_is_wrong() {
        let said = |pattern: &str| Search::new(pattern, false, 0).err().unwrap().to_string();
        assert!(said("a(b").contains("unclosed group"));
        assert!(said("((a{1000}){1000}){1000}").contains("bytes of memory"));
    }
}
