//! The lines that make up a diff.

/// The lines of a hunk that are still to come, on each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HunkCounts {
    /// Lines of the old sides, one count a parent (a merge's diff has several).
    old: [u32; MOST_PARENTS],
    parents: usize,
    new: u32,
}

/// Parents of a merge that are told apart.
const MOST_PARENTS: usize = 8;

impl HunkCounts {
    /// Reads `@@ -1,2 +3,4 @@` or, of a merge, `@@@ -1,2 -1,2 +3,4 @@@`.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let signs = text.iter().take_while(|byte| **byte == b'@').count();
        if !(2..=MOST_PARENTS + 1).contains(&signs) || text.get(signs) != Some(&b' ') {
            return None;
        }
        let mut counts = Self { parents: signs - 1, ..Self::default() };
        let mut words = text.get(signs + 1..)?.split(|byte| *byte == b' ');
        for parent in 0..counts.parents {
            counts.old[parent] = side(words.next()?, b'-')?;
        }
        counts.new = side(words.next()?, b'+')?;
        let closing = words.next()?;
        (closing.len() == signs && closing.iter().all(|byte| *byte == b'@')).then_some(counts)
    }

    /// Says whether the hunk has no more lines.
    pub(super) fn is_done(&self) -> bool {
        self.new == 0 && self.old.iter().take(self.parents).all(|count| *count == 0)
    }

    /// Takes a line of the hunk; gives its sign: `+`, `-` or a blank.
    pub(super) fn take(&mut self, text: &[u8]) -> u8 {
        if text.first() == Some(&b'\\') {
            return b' ';
        }
        let signs = text.get(..self.parents).unwrap_or(text);
        let removed = signs.contains(&b'-');
        let added = signs.contains(&b'+');
        for (parent, count) in self.old.iter_mut().take(self.parents).enumerate() {
            // A line is in a parent unless that column says it was added there.
            let sign = signs.get(parent).copied().unwrap_or(b' ');
            if if removed { sign == b'-' } else { sign != b'+' } {
                *count = count.saturating_sub(1);
            }
        }
        if !removed {
            self.new = self.new.saturating_sub(1);
        }
        match (removed, added) {
            (true, _) => b'-',
            (false, true) => b'+',
            _ => b' ',
        }
    }
}

/// The number of lines in `-12,3` (3) or `-12` (1).
fn side(word: &[u8], sign: u8) -> Option<u32> {
    let word = std::str::from_utf8(word.strip_prefix(&[sign])?).ok()?;
    match word.split_once(',') {
        Some((start, count)) => {
            start.parse::<u32>().ok()?;
            count.parse().ok()
        }
        None => {
            word.parse::<u32>().ok()?;
            Some(1)
        }
    }
}

/// Says whether a line begins a file's diff; `next` is the line after it.
pub(super) fn is_file_head(text: &[u8], next: &[u8]) -> bool {
    if text.starts_with(b"diff --git ") || text.starts_with(b"diff --cc ") || text.starts_with(b"diff --combined ") {
        return true;
    }
    let begins_pair = text.starts_with(b"--- ") && next.starts_with(b"+++ ");
    begins_pair || (text.starts_with(b"Index: ") && next.starts_with(b"=====")) || (text.starts_with(b"diff -") && next.starts_with(b"--- "))
}

/// Says whether a file's head names one that no person wrote: lock files, minified or generated code, snapshots.
pub(super) fn is_generated(head: &[u8]) -> bool {
    const ENDS: [&[u8]; 16] = [
        b"Cargo.lock",
        b"package-lock.json",
        b"yarn.lock",
        b"pnpm-lock.yaml",
        b"poetry.lock",
        b"uv.lock",
        b"Gemfile.lock",
        b"composer.lock",
        b"go.sum",
        b".min.js",
        b".min.css",
        b".map",
        b".snap",
        b".pb.go",
        b"_pb2.py",
        b".svg",
    ];
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let name = first.split(|byte| *byte == b'\t').next().unwrap_or_default().trim_ascii_end();
    let in_vendor = memchr::memmem::find(name, b"/vendor/").is_some() || memchr::memmem::find(name, b"node_modules/").is_some();
    in_vendor || ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_hunks() {
        let mut counts = HunkCounts::of(b"@@ -1,2 +1,3 @@ fn main() {").unwrap();
        for (line, sign) in [(&b"--- a"[..], b'-'), (b"+++ b", b'+'), (b"+c", b'+'), (b" d", b' ')] {
            assert!(!counts.is_done());
            assert_eq!(counts.take(line), sign);
        }
        assert!(counts.is_done());
        assert!(HunkCounts::of(b"@@ -1 +1 @@").is_some());
        assert!(HunkCounts::of(b"@@ nothing @@").is_none());
        let mut merge = HunkCounts::of(b"@@@ -1,1 -1,1 +1,2 @@@").unwrap();
        assert_eq!(merge.take(b"  both"), b' ');
        assert_eq!(merge.take(b"++new"), b'+');
        assert!(merge.is_done());
    }

    #[test]
    fn lock_files_are_generated() {
        assert!(is_generated(b"diff --git a/Cargo.lock b/Cargo.lock\nindex 1..2"));
        assert!(!is_generated(b"diff --git a/src/lib.rs b/src/lib.rs"));
    }
}
