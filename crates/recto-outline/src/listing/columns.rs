//! Where the columns of a grid begin: the blank gutters that run through its header and its first rows.

/// A header with more words is cut at blanks instead.
const MAX_COLUMNS: usize = 64;

/// The columns of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Where each begins: characters from the start of the line.
    pub(super) starts: Vec<u32>,
    /// How many pairs of neighbouring words of the header have a gutter between them or are one name, of 100.
    pub(super) aligned: usize,
    /// How many of the header's words begin a column, of 100.
    pub(super) named: usize,
    /// How many boundaries stand in gaps of more than one blank of the header, of 100.
    pub(super) wide: usize,
    /// How many cells of the rows hold something, of 100.
    pub(super) filled: usize,
}

/// One line as bits: is there something at a column?
struct Marks(Vec<bool>);

impl Marks {
    /// Only this much of a line is looked at.
    const MAX: usize = 2_048;

    fn of(text: &[u8]) -> Self {
        let characters = text.iter().filter(|byte| **byte & 0xC0 != 0x80);
        Self(characters.take(Self::MAX).map(|byte| !matches!(byte, b' ' | b'\t')).collect())
    }

    fn is_marked(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }

    fn is_marked_within(&self, from: usize, to: usize) -> bool {
        self.0.iter().take(to).skip(from).any(|marked| *marked)
    }

    /// The ranges of columns that hold words.
    fn words(&self) -> Vec<(usize, usize)> {
        let mut words = Vec::new();
        let mut start = None;
        for (at, marked) in self.0.iter().chain(std::iter::once(&false)).enumerate() {
            match (start, marked) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    words.push((from, at));
                    start = None;
                }
                _ => {}
            }
        }
        words
    }
}

/// Finds the columns of `rows` below `header`; `None` where there are none.
pub(super) fn find(header: &[u8], rows: &[&[u8]]) -> Option<Columns> {
    if header.contains(&b'\t') || rows.is_empty() {
        return None;
    }
    let head = Marks::of(header);
    let words = head.words();
    let rows: Vec<Marks> = rows.iter().map(|row| Marks::of(row)).collect();
    let (first, _) = *words.first()?;
    if words.len() < 2 || words.len() > MAX_COLUMNS {
        return None;
    }
    // Rows are let off the rule one in ten, for a value may be wider than its column.
    let enough = rows.len() - rows.len() / 10;
    let mut starts = vec![0_usize];
    if let Some(gutter) = unnamed_column(&rows, first, enough) {
        starts.push(gutter);
    }
    let mut fits = 0;
    let mut wide = 0;
    for pair in words.windows(2) {
        let [(_, end), (next, right_end)] = *pair else { continue };
        let is_left_aligned =
            rows.iter().filter(|row| row.is_marked(next) && !row.is_marked(next - 1)).count() * 2
                > rows.len();
        let votes = |at: usize| rows.iter().filter(|row| !row.is_marked(at)).count();
        let best = (end..next).map(votes).max().unwrap_or(0);
        if best < enough {
            // Values may be wider than their name and reach below the next one; else it is two words of one name.
            let left = starts.last().copied().unwrap_or(0);
            let right = right_end;
            let splits = |at: usize| {
                let split = |row: &&Marks| {
                    !row.is_marked(at) && row.is_marked_within(left, at) && row.is_marked_within(at, right)
                };
                rows.iter().filter(split).count() >= enough
            };
            if (left + 1..right).any(splits) {
                starts.push(next);
                fits += 1;
            } else {
                fits += usize::from(next - end == 1);
            }
            continue;
        }
        let mut gutters = (end..next).filter(|at| votes(*at) == best);
        let gutter = if is_left_aligned { gutters.next_back() } else { gutters.next() };
        let Some(gutter) = gutter else { continue };
        fits += 1;
        wide += usize::from(next - end > 1);
        starts.push(gutter + 1);
        // A blank inside a name looks like a gutter where one side of it is always empty.
        if next - end == 1 && joins(&rows, &words, &starts, next) {
            starts.pop();
        }
    }
    starts.dedup();
    let cells = starts.len() * rows.len();
    let filled: usize = rows.iter().map(|row| filled(row, &starts)).sum();
    Some(Columns {
        named: starts.len() * 100 / words.len(),
        wide: wide * 100 / (starts.len() - 1).max(1),
        aligned: fits * 100 / (words.len() - 1),
        filled: filled * 100 / cells.max(1),
        starts: starts.into_iter().map(crate::span::offset).collect(),
    })
}

/// Says whether the boundary put last only cuts a name: one of the columns beside it is empty in every row.
fn joins(rows: &[Marks], words: &[(usize, usize)], starts: &[usize], next: usize) -> bool {
    let [.., left, boundary] = *starts else { return false };
    let right = words.iter().map(|word| word.0).find(|start| *start > next).unwrap_or(usize::MAX);
    rows.iter().all(|row| !row.is_marked_within(left, boundary))
        || rows.iter().all(|row| !row.is_marked_within(boundary, right))
}

/// The start of the first named column, if rows have a column before it that the header leaves unnamed.
fn unnamed_column(rows: &[Marks], first: usize, enough: usize) -> Option<usize> {
    let gutter = (1..first).rev().find(|at| {
        let split = rows.iter().filter(|row| !row.is_marked(*at) && row.is_marked_within(0, *at)).count();
        split >= enough
    })?;
    Some(gutter + 1)
}

fn filled(row: &Marks, starts: &[usize]) -> usize {
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(usize::MAX));
    starts.iter().zip(ends).filter(|(start, end)| row.is_marked_within(**start, *end)).count()
}

/// The columns that a ruler (`---- ----`, `+++-====-===`) shows: where each run of strokes begins.
pub(super) fn of_ruler(ruler: &[u8]) -> Vec<u32> {
    let stroke = if ruler.contains(&b'=') { b'=' } else { b'-' };
    let mut starts = vec![0_u32];
    let mut before = None;
    for (at, byte) in ruler.iter().enumerate().take(2_048) {
        if *byte == stroke && before != Some(stroke) && at > 0 && starts.len() < MAX_COLUMNS {
            starts.push(crate::span::offset(at));
        }
        before = Some(*byte);
    }
    // A ruler that begins further right has nothing before its first column.
    let leading = ruler.iter().take_while(|byte| **byte == b' ').count();
    if leading > 0 && starts.len() > 1 {
        starts.remove(1);
    }
    starts
}
