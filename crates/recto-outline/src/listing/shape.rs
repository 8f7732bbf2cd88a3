//! Which listing a source is.

use super::{grid, line};
use crate::{
    lines::{Line, Lines},
    search::is_path,
};

/// How many lines are looked at.
const MAX_LINES: usize = 120;

/// The kinds of listings that are cut each in their own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `tree`: branches.
    Tree,
    /// psql's expanded records and MySQL's `\G`: a block a record.
    Expanded,
    /// Prometheus metrics: a block a metric.
    Metrics,
    /// `ls -l`, `ls -R`: folders and their entries.
    Folders,
    /// A path a line.
    Paths,
    /// A number and a path or word a line: `du`, `wc -l`, `uniq -c`.
    Counts,
    /// A file or file system a line, in the forms of `git status -s`, `git diff --stat` and `mount`.
    Entries,
    /// Tables with header rows, among other lines.
    Grid,
}

impl Shape {
    /// The shape of a text by its first lines, and how sure that is, of 100.
    pub(super) fn of(head: &[u8]) -> Option<(Self, u8)> {
        let lines: Vec<Line> = Lines::new(head, 0, head.len()).take(MAX_LINES).collect();
        let first = lines.iter().map(|line| line.of(head)).find(|text| !line::is_blank(text))?;
        if matches!(first.first(), Some(b'{' | b'<')) {
            return None;
        }
        if line::is_record_head(first) {
            return Some((Self::Expanded, 85));
        }
        let tally = Tally::of(head, &lines);
        let shape = tally.shape();
        // The rows of a table may begin with numbers as well.
        if matches!(shape, None | Some((Self::Counts, _)))
            && let Some(sure) = grid::certainty(head, &lines)
            && shape.is_none_or(|(_, other)| sure >= other)
        {
            return Some((Self::Grid, sure));
        }
        shape
    }
}

#[derive(Debug, Default)]
struct Tally {
    lines: usize,
    modes: usize,
    branches: usize,
    metric_heads: usize,
    metric_samples: usize,
    folder_heads: usize,
    words: usize,
    paths: usize,
    separated_paths: usize,
    numbers: usize,
    number_paths: usize,
    /// Numbers that are one more than that of the line before: line numbers, not counts.
    rising: usize,
    statuses: usize,
    changes: usize,
    /// Lines that sum such changes up.
    totals: usize,
    mounts: usize,
}

impl Tally {
    fn of(head: &[u8], lines: &[Line]) -> Self {
        let mut tally = Self::default();
        let mut after_blank = true;
        let mut before: Option<u64> = None;
        for line in lines {
            let text = line.of(head);
            if line::is_blank(text) {
                after_blank = true;
                continue;
            }
            tally.lines += 1;
            tally.statuses += usize::from(line::is_file_status(text));
            tally.changes += usize::from(line::is_change(text));
            tally.totals += usize::from(line::is_summary(text));
            tally.mounts += usize::from(line::is_mount(text));
            if line::is_mode(text) {
                tally.modes += 1;
            } else if line::branch_column(text).is_some() {
                tally.branches += 1;
            } else if text.starts_with(b"# HELP ") || text.starts_with(b"# TYPE ") {
                tally.metric_heads += 1;
            } else if after_blank && line::is_folder_head(text) {
                tally.folder_heads += usize::from(memchr::memchr(b'/', text).is_some() || text == b".:");
            } else if let Some(number) = line::leading_number(text) {
                tally.add_number(text, number, &mut before);
            } else {
                let (word, after) = line::first_word(text);
                let is_single = after >= text.len() && word.len() == text.len();
                tally.words += usize::from(is_single && !text.ends_with(b":"));
                if is_single && is_path(text) && memchr::memchr(b':', text).is_none() {
                    tally.paths += 1;
                    tally.separated_paths += usize::from(memchr::memchr(b'/', text).is_some());
                }
                tally.metric_samples += usize::from(is_sample(text));
            }
            after_blank = false;
        }
        tally
    }

    fn add_number(&mut self, text: &[u8], number: &[u8], before: &mut Option<u64>) {
        self.numbers += 1;
        let value = std::str::from_utf8(number).ok().and_then(|digits| digits.parse::<u64>().ok());
        self.rising +=
            usize::from(value.is_some() && value == before.and_then(|before| before.checked_add(1)));
        *before = value;
        let (_, after) = line::first_word(text);
        let rest = text.get(after..).unwrap_or_default().trim_ascii();
        self.number_paths += usize::from(
            rest == b"total" || is_path(rest) || rest.starts_with(b"/") || rest.starts_with(b"./"),
        );
    }

    fn shape(&self) -> Option<(Shape, u8)> {
        let mostly = |part: usize, of_100: usize| part * 100 >= self.lines * of_100;
        if self.metric_heads > 1 && mostly(self.metric_heads + self.metric_samples, 90) {
            return Some((Shape::Metrics, 85));
        }
        if self.modes > 0 && mostly(self.modes + self.folder_heads, 60) {
            return Some((Shape::Folders, 85));
        }
        if self.branches > 1 && mostly(self.branches, 50) {
            return Some((Shape::Tree, 85));
        }
        if self.folder_heads > 0 && self.lines > 3 && mostly(self.words + self.folder_heads + self.modes, 90)
        {
            return Some((Shape::Folders, 75));
        }
        if self.lines > 3
            && mostly(self.words, 98)
            && mostly(self.paths, 80)
            && mostly(self.separated_paths, 40)
        {
            return Some((Shape::Paths, 72));
        }
        if self.lines > 1
            && (mostly(self.statuses, 98)
                || mostly(self.mounts, 98)
                || self.changes > 0 && mostly(self.changes + self.totals, 98))
        {
            return Some((Shape::Entries, 80));
        }
        let is_numbering = self.rising * 2 > self.numbers;
        if self.lines > 3 && !is_numbering && mostly(self.numbers, 95) {
            let sure = if mostly(self.number_paths, 80) { 68 } else { 45 };
            return Some((Shape::Counts, sure));
        }
        None
    }
}

/// Says whether a line is a sample of a metric: a name, maybe labels, a number.
fn is_sample(text: &[u8]) -> bool {
    let Some(blank) = memchr::memrchr(b' ', text) else { return false };
    let value = text.get(blank + 1..).unwrap_or_default();
    let name = text.get(..blank).unwrap_or_default();
    let is_number = matches!(value, b"NaN" | b"+Inf" | b"-Inf")
        || (!value.is_empty()
            && value
                .iter()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')));
    is_number && (name.ends_with(b"}") || !name.contains(&b' '))
}
