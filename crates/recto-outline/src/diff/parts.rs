//! What each line of a diff is, told from the lines before it and a look at the next two.

use crate::diff::hunk::{Counts, Normal};

/// A line's part in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `commit 1f2e...` or a patch mail's `From 1f2e... Mon Sep 17`: a commit with its message and files.
    Commit,
    /// The first line of a file's head.
    FileHead,
    /// A further line of it.
    HeadMore,
    /// `@@ -1,2 +3,4 @@`
    HunkHead,
    Added,
    Removed,
    Context,
    /// `\ No newline at end of file`: belongs to the line before.
    NoNewline,
    /// `---` between the sides of a normal diff's change.
    Divider,
    /// A binary patch's letters.
    Binary,
    /// Anything else.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    Head,
    Hunk(Counts),
    Normal(Normal),
    Binary,
}

/// Follows a diff line by line.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    state: State,
    /// Git begins each file with a line of its own.
    is_git: bool,
}

impl Parts {
    pub(super) fn new() -> Self {
        Self { state: State::Text, is_git: false }
    }

    /// How many signs stand before a line's own text: one for each parent.
    pub(super) fn sign_bytes(&self) -> usize {
        match self.state {
            State::Hunk(counts) => counts.parents(),
            State::Normal(_) => 2,
            _ => 0,
        }
    }

    /// Reads the next line; `peek` gives the one that stands so many lines below it.
    pub(super) fn read<'t>(&mut self, text: &[u8], mut peek: impl FnMut(usize) -> &'t [u8]) -> Part {
        match &mut self.state {
            State::Hunk(counts) => {
                if text.first() == Some(&b'\\') {
                    return Part::NoNewline;
                }
                let signed = matches!(text.first(), None | Some(b' ' | b'+' | b'-'));
                if !counts.is_done() && signed && (self.is_git || !cuts_hunk(text, *counts, &mut peek)) {
                    return counts.take(text);
                }
            }
            State::Normal(normal) => {
                if let Some(part) = normal.take(text) {
                    return part;
                }
            }
            State::Head if is_head_line(text) || self.is_git && is_damaged_head_line(text, &mut peek) => {
                if text.starts_with(b"GIT binary patch") {
                    self.state = State::Binary;
                }
                return Part::HeadMore;
            }
            State::Binary if !begins_part(text) => return Part::Binary,
            _ => {}
        }
        self.outside(text, &mut peek)
    }

    /// A line that no hunk claims.
    fn outside<'t>(&mut self, text: &[u8], peek: &mut impl FnMut(usize) -> &'t [u8]) -> Part {
        // Hunks stand in a file, or are all there is.
        if let Some(counts) = Counts::of(text) {
            self.state = State::Hunk(counts);
            return Part::HunkHead;
        }
        if is_file_head(text, peek) {
            self.state = State::Head;
            self.is_git = text.starts_with(b"diff --");
            return Part::FileHead;
        }
        if let Some(normal) = Normal::of(text)
            && matches!(peek(1), [b'<' | b'>', b' ', ..] | [b'<' | b'>'])
        {
            self.state = State::Normal(normal);
            return Part::HunkHead;
        }
        self.state = State::Text;
        if is_commit(text) { Part::Commit } else { Part::Text }
    }
}

/// A view of a diff leaves out lines of hunks: what reads like a file's head and its first hunk is one, unless the hunk's own
/// counts say that it ends with these two lines.
fn cuts_hunk<'t>(text: &[u8], mut counts: Counts, peek: &mut impl FnMut(usize) -> &'t [u8]) -> bool {
    if !text.starts_with(b"--- ") || !peek(1).starts_with(b"+++ ") || Counts::of(peek(2)).is_none() {
        return false;
    }
    counts.take(text);
    counts.take(peek(1));
    !counts.is_done()
}

/// Whether a line begins a file's diff.
fn is_file_head<'t>(text: &[u8], peek: &mut impl FnMut(usize) -> &'t [u8]) -> bool {
    match text.first() {
        Some(b'd') if text.starts_with(b"diff --") => [&b"git "[..], b"cc ", b"combined "]
            .iter()
            .any(|kind| text.get(7..).is_some_and(|rest| rest.starts_with(kind))),
        Some(b'd') if text.starts_with(b"diff -") => {
            let next = peek(1);
            next.starts_with(b"--- ") || Normal::of(next).is_some() || next.starts_with(b"Binary files ")
        }
        Some(b'I') if text.starts_with(b"Index: ") => peek(1).starts_with(b"====="),
        Some(b'-') if text.starts_with(b"--- ") => peek(1).starts_with(b"+++ "),
        _ => false,
    }
}

/// The further lines of a file's head.
fn is_head_line(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 18] = [
        b"index ",
        b"--- ",
        b"+++ ",
        b"old mode ",
        b"new mode ",
        b"mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"similarity index ",
        b"dissimilarity index ",
        b"rename from ",
        b"rename to ",
        b"copy from ",
        b"copy to ",
        b"Binary files ",
        b"GIT binary patch",
        b"=====",
        b"Files ",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// A line that is none of a head's but stands before one that names the file's other name: such as a similarity with a flipped bit.
fn is_damaged_head_line<'t>(text: &[u8], peek: &mut impl FnMut(usize) -> &'t [u8]) -> bool {
    const NAMES: [&[u8]; 4] = [b"rename from ", b"rename to ", b"copy from ", b"copy to "];
    !text.is_empty()
        && !text.starts_with(b"diff -")
        && Counts::of(text).is_none()
        && NAMES.iter().any(|name| peek(1).starts_with(name))
}

/// Whether a line ends a binary patch.
fn begins_part(text: &[u8]) -> bool {
    text.starts_with(b"diff --git ") || is_commit(text) || text.starts_with(b"-- ")
}

/// `commit 4f2a...` of `git log`, `From 4f2a... Mon Sep 17 00:00:00 2001` of a patch mail.
pub(super) fn is_commit(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"commit ").or_else(|| text.strip_prefix(b"From ")) else {
        return false;
    };
    let digits = rest.iter().take(64).take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits >= 7
        && matches!(rest.get(digits), None | Some(b' '))
        && (text.starts_with(b"commit ") || digits >= 40)
}

/// Whether a file's head names one that no person wrote: lock files, minified or generated code, snapshots.
pub(super) fn is_generated(head: &[u8]) -> bool {
    const ENDS: [&[u8]; 18] = [
        b"Cargo.lock",
        b"package-lock.json",
        b"npm-shrinkwrap.json",
        b"yarn.lock",
        b"pnpm-lock.yaml",
        b"poetry.lock",
        b"uv.lock",
        b"Pipfile.lock",
        b"Gemfile.lock",
        b"composer.lock",
        b"go.sum",
        b".min.js",
        b".min.css",
        b".js.map",
        b".css.map",
        b".snap",
        b".pb.go",
        b"_pb2.py",
    ];
    let mut from = 0;
    let ends = memchr::memchr_iter(b'\n', head).chain(std::iter::once(head.len()));
    ends.filter_map(|end| {
        let line = head.get(from..end);
        from = end + 1;
        path_of(line?)
    })
    .any(|path| is_foreign(path) || ENDS.iter().any(|end| path.ends_with(end)))
}

/// The path in a line of a file's head that names one: of two the second.
fn path_of(line: &[u8]) -> Option<&[u8]> {
    let starts: [&[u8]; 5] = [b"diff --git ", b"diff --cc ", b"+++ ", b"--- ", b"Index: "];
    let name = starts.iter().find_map(|start| line.strip_prefix(*start))?;
    let name = name.get(..memchr::memchr(b'\t', name).unwrap_or(name.len()))?.trim_ascii_end();
    let path = memchr::memrchr(b' ', name).and_then(|at| name.get(at + 1..)).unwrap_or(name);
    Some(path.strip_prefix(b"a/").or_else(|| path.strip_prefix(b"b/")).unwrap_or(path))
}

/// Says whether a path leads through a folder of other people's code.
fn is_foreign(path: &[u8]) -> bool {
    let mut from = 0;
    memchr::memchr_iter(b'/', path).any(|end| {
        let folder = path.get(from..end);
        from = end + 1;
        matches!(folder, Some(b"vendor" | b"node_modules"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_and_vendored_code_are_generated() {
        for head in [
            &b"diff --git a/Cargo.lock b/Cargo.lock\nindex 1..2"[..],
            b"--- /dev/null\n+++ b/web/dist/app.min.js",
            b"diff --git a/vendor/x/y.go b/vendor/x/y.go",
            b"--- a/third/node_modules/z.js\t2026-01-02",
        ] {
            assert!(is_generated(head), "{}", String::from_utf8_lossy(head));
        }
        assert!(!is_generated(b"diff --git a/src/lib.rs b/src/lib.rs"));
        assert!(!is_generated(b"diff --git a/src/vendor.rs b/src/vendor.rs"));
    }

    #[test]
    fn commits_are_told_from_text() {
        assert!(is_commit(b"commit 096fffdb79807d34b99985b38df0a3df7f6a86c7"));
        assert!(is_commit(b"commit 096fffd (HEAD -> main)"));
        assert!(is_commit(b"From 096fffdb79807d34b99985b38df0a3df7f6a86c7 Mon Sep 17 00:00:00 2001"));
        assert!(!is_commit(b"commit often"));
        assert!(!is_commit(b"From added to removed"));
    }
}
