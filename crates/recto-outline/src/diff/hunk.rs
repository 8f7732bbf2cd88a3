//! The heads of hunks, and the lines they announce.

use crate::diff::parts::Part;

/// Parents of a merge that are told apart.
const MOST_PARENTS: usize = 8;

/// The lines of a hunk that are still to come, on each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Lines of the old sides, one count a parent (a merge's diff has several).
    old: [u32; MOST_PARENTS],
    parents: usize,
    new: u32,
}

impl Counts {
    /// Reads `@@ -1,2 +3,4 @@` or, of a merge, `@@@ -1,2 -1,2 +3,4 @@@`.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        if !text.starts_with(b"@@") {
            return None;
        }
        let signs = text.iter().take(MOST_PARENTS + 2).take_while(|byte| **byte == b'@').count();
        if signs > MOST_PARENTS + 1 || text.get(signs) != Some(&b' ') {
            return None;
        }
        let mut counts = Self { parents: signs - 1, ..Self::default() };
        let mut words = text.get(signs + 1..)?.split(|byte| *byte == b' ');
        for count in counts.old.iter_mut().take(counts.parents) {
            *count = side(words.next()?, b'-')?;
        }
        counts.new = side(words.next()?, b'+')?;
        let closing = words.next()?;
        (closing.len() == signs && closing.iter().all(|byte| *byte == b'@')).then_some(counts)
    }

    pub(super) fn parents(&self) -> usize {
        self.parents
    }

    /// Says whether the hunk has no more lines.
    pub(super) fn is_done(&self) -> bool {
        self.new == 0 && self.old.iter().take(self.parents).all(|count| *count == 0)
    }

    /// Takes a line of the hunk.
    pub(super) fn take(&mut self, text: &[u8]) -> Part {
        let signs = text.get(..self.parents).unwrap_or(text);
        let removed = signs.contains(&b'-');
        let added = signs.contains(&b'+');
        for (parent, count) in self.old.iter_mut().take(self.parents).enumerate() {
            // A line is in a parent unless that column says it was added there.
            let sign = signs.get(parent).copied().unwrap_or(b' ');
            let is_in = if removed { sign == b'-' } else { sign != b'+' };
            *count = count.saturating_sub(u32::from(is_in));
        }
        self.new = self.new.saturating_sub(u32::from(!removed));
        match (removed, added) {
            (true, _) => Part::Removed,
            (false, true) => Part::Added,
            _ => Part::Context,
        }
    }
}

/// The number of lines in `-12,3` (3) or `-12` (1).
fn side(word: &[u8], sign: u8) -> Option<u32> {
    let word = word.strip_prefix(&[sign])?;
    match memchr::memchr(b',', word) {
        Some(comma) => {
            number(word.get(..comma)?)?;
            number(word.get(comma + 1..)?)
        }
        None => number(word).map(|_| 1),
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.len() < 10 && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

/// A change of a normal diff (`5,6c7`): its lines begin with `< ` and `> `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Normal {
    removed: u32,
    added: u32,
    is_change: bool,
}

impl Normal {
    /// Reads `5c5`, `5,6d7`, `5a6,8`.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        if text.len() > 48 || !text.first()?.is_ascii_digit() {
            return None;
        }
        let at = text.iter().position(|byte| matches!(byte, b'a' | b'c' | b'd'))?;
        let old = lines_of(text.get(..at)?)?;
        let new = lines_of(text.get(at + 1..)?)?;
        let sign = text.get(at)?;
        Some(Self {
            removed: if *sign == b'a' { 0 } else { old },
            added: if *sign == b'd' { 0 } else { new },
            is_change: *sign == b'c',
        })
    }

    /// Takes a line, if it is one of the change.
    pub(super) fn take(&mut self, text: &[u8]) -> Option<Part> {
        match text.first()? {
            b'<' if self.removed > 0 => {
                self.removed -= 1;
                Some(Part::Removed)
            }
            b'>' if self.added > 0 => {
                self.added -= 1;
                Some(Part::Added)
            }
            b'-' if self.is_change && text == b"---" => {
                // What a view left out of the old side is not waited for.
                self.is_change = false;
                self.removed = 0;
                Some(Part::Divider)
            }
            b'\\' => Some(Part::NoNewline),
            _ => None,
        }
    }
}

/// The number of lines in `5,8` (4) or `5` (1).
fn lines_of(range: &[u8]) -> Option<u32> {
    match memchr::memchr(b',', range) {
        Some(comma) => {
            let (first, last) = (number(range.get(..comma)?)?, number(range.get(comma + 1..)?)?);
            (last >= first).then(|| last - first + 1)
        }
        None => number(range).map(|_| 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_hunks() {
        let mut counts = Counts::of(b"@@ -1,2 +1,3 @@ fn main() {").unwrap();
        for (line, part) in [
            (&b"--- a"[..], Part::Removed),
            (b"+++ b", Part::Added),
            (b"+c", Part::Added),
            (b" d", Part::Context),
        ] {
            assert!(!counts.is_done());
            assert_eq!(counts.take(line), part);
        }
        assert!(counts.is_done());
        assert!(Counts::of(b"@@ -1 +1 @@").is_some());
        for text in [&b"@@ nothing @@"[..], b"@@", b"@@@@@@@@@@@@@@@@@ -1 +1 @@", b"@@ -1,99999999999 +1 @@"]
        {
            assert!(Counts::of(text).is_none());
        }
        let mut merge = Counts::of(b"@@@ -1,1 -1,1 +1,2 @@@").unwrap();
        assert_eq!(merge.take(b"  both"), Part::Context);
        assert_eq!(merge.take(b"++new"), Part::Added);
        assert!(merge.is_done());
    }

    #[test]
    fn changes_of_normal_diffs() {
        let mut change = Normal::of(b"5,6c7").unwrap();
        assert_eq!(change.take(b"< a"), Some(Part::Removed));
        assert_eq!(change.take(b"< b"), Some(Part::Removed));
        assert_eq!(change.take(b"---"), Some(Part::Divider));
        assert_eq!(change.take(b"> c"), Some(Part::Added));
        assert_eq!(change.take(b"> d"), None);
        for text in [&b"5"[..], b"a5", b"5x5", b"abc", b"5,4d3"] {
            assert!(Normal::of(text).is_none());
        }
    }
}
