//! How sure we are that a text is prose: its headings, fences, links and sentences, against what code and logs have.

use super::shape::{Fence, Shape, indentation, is_delimiter_row, shape};
use crate::lines::Lines;

/// Bytes looked at.
const BYTES: usize = 16_384;
/// Lines looked at.
const LINES: usize = 250;
/// How sure we are of what is plainly Markdown.
pub(super) const MARKDOWN: u8 = 66;
/// How sure we are of running text without marks.
const PLAIN_TEXT: u8 = 45;

#[derive(Debug, Default)]
struct Counts {
    lines: usize,
    /// Blank lines, a run of them once.
    gaps: usize,
    /// Lines of several words of letters.
    wordy: usize,
    /// Wordy lines that end as sentences do, or go on in the next line.
    sentences: usize,
    /// Lines in which or at whose end a sentence ends.
    stops: usize,
    headings: usize,
    deep_headings: usize,
    underlined: usize,
    fences: usize,
    items: usize,
    links: usize,
    quotes: usize,
    /// Rows of pipe tables.
    rows: usize,
    /// Lines of a word or three: a signature, a title.
    short: usize,
    /// Lines that end or begin as code, data and logs do.
    foreign: usize,
}

/// Says how sure we are that `head` is prose.
pub(super) fn sniff(head: &[u8], whole: bool) -> u8 {
    let whole = whole && head.len() <= BYTES;
    let head = head.get(..BYTES).unwrap_or(head);
    let counts = count(head, whole);
    let wordy = counts.wordy;
    let lines = counts.lines - counts.short.min(wordy / 2);
    if lines == 0 || begins_as_code(head) {
        return 0;
    }
    let marks = counts.deep_headings * 2
        + counts.headings
        + counts.fences * 2
        + counts.links
        + if counts.underlined >= 3 || (counts.underlined > 0 && lines < 40) {
            counts.underlined * 2
        } else {
            0
        };
    let all_headings = counts.headings + counts.deep_headings + counts.underlined;
    let prose = wordy + counts.items + counts.rows + all_headings + counts.quotes + counts.fences;
    let is_foreign = counts.foreign * 3 > lines;
    // A comment marker is a heading of level one: code is full of it, and of little else.
    let comments_only =
        counts.headings > 0 && counts.deep_headings + counts.fences + counts.links + counts.underlined == 0;
    if !is_foreign
        && marks >= 2
        && prose * 2 >= lines
        && !(comments_only && (wordy + counts.items) * 2 < lines)
    {
        return MARKDOWN;
    }
    let begins_with_heading = head.trim_ascii_start().starts_with(b"# ");
    if counts.foreign * 10 <= lines && begins_with_heading && wordy * 2 >= lines && counts.stops * 6 >= lines
    {
        return MARKDOWN - 6;
    }
    if is_foreign && counts.deep_headings >= 2 && counts.fences >= 2 {
        return MARKDOWN - 6;
    }
    // Hits of a search in a book are wordy too, but no paragraphs.
    let has_paragraphs = lines <= 30 * (counts.gaps + 1);
    if lines >= 2
        && has_paragraphs
        && counts.foreign * 10 <= lines
        && wordy * 10 >= lines * 7
        && counts.sentences * 3 >= lines
        && counts.stops * 6 >= lines
    {
        return PLAIN_TEXT;
    }
    if lines == 1
        && wordy == 1
        && counts.sentences == 1
        && counts.stops > 0
        && counts.foreign == 0
        && head.len() > 200
    {
        return PLAIN_TEXT;
    }
    0
}

/// Says whether a comment of code comes first: what it says is prose, but the source is not.
fn begins_as_code(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    [&b"/*"[..], b"//", b"#!", b"\"\"\"", b"'''", b"(*", b"{-", b"--[["]
        .iter()
        .any(|mark| head.starts_with(mark))
}

fn count(head: &[u8], whole: bool) -> Counts {
    let mut counts = Counts::default();
    let mut in_fence: Option<Fence> = None;
    // The length of the line above, if it could be a heading over an underline.
    let mut title_bytes: Option<usize> = None;
    let mut goes_on = false;
    for line in Lines::new(head, 0, head.len()).take(LINES) {
        if line.end == head.len() && !whole && counts.lines > 4 {
            break;
        }
        let text = line.of(head);
        let (columns, first) = indentation(text);
        let text = text.get(first..).unwrap_or_default();
        if let Some(fence) = in_fence {
            if fence.is_closed_by(text) {
                in_fence = None;
            }
            continue;
        }
        if text.trim_ascii().is_empty() {
            counts.gaps += usize::from(goes_on || title_bytes.is_some());
            title_bytes = None;
            // A paragraph's last line may end without a stop.
            goes_on = false;
            continue;
        }
        counts.lines += 1;
        let above = title_bytes.take();
        match shape(text) {
            Shape::Heading(1) if columns == 0 => counts.headings += 1,
            Shape::Heading(_) if columns == 0 => counts.deep_headings += 1,
            Shape::Fence(fence) => {
                counts.fences += 1;
                in_fence = Some(fence);
            }
            Shape::Underline(_)
                if above.is_some_and(|title| text.trim_ascii_end().len().abs_diff(title) <= 4) =>
            {
                counts.underlined += 1;
            }
            Shape::Underline(_) | Shape::Break | Shape::Definition | Shape::Tags | Shape::Comment => {
                counts.items += 1
            }
            Shape::Item { .. } => {
                if Words::of(text).is_wordy() || memchr::memchr(b']', text).is_some() {
                    counts.items += 1;
                }
                counts.links += has_link(text);
                goes_on = true;
            }
            Shape::Quote => counts.quotes += 1,
            _ if text.starts_with(b"|") && text.trim_ascii_end().ends_with(b"|") => counts.rows += 1,
            _ if is_delimiter_row(text) => counts.rows += 1,
            _ => {
                title_bytes = (columns < 4 && text.len() < 120).then_some(text.len());
                counts.links += has_link(text);
                let foreign = is_foreign(text);
                counts.foreign += usize::from(foreign);
                let words = Words::of(text);
                if !foreign && words.is_wordy() {
                    counts.wordy += 1;
                    let stops = ends_as_sentence(text);
                    counts.stops += usize::from(stops || has_stop(text));
                    counts.sentences += usize::from(stops || goes_on || text.len() > 60);
                    goes_on = !stops;
                } else if goes_on && !foreign && words.is_plain() {
                    // The short end of a paragraph.
                    counts.wordy += 1;
                    counts.sentences += 1;
                    counts.stops += usize::from(ends_as_sentence(text));
                    goes_on = false;
                } else if !foreign && words.is_plain() && text.len() < 40 {
                    counts.short += 1;
                }
            }
        }
    }
    counts
}

fn has_link(text: &[u8]) -> usize {
    usize::from(crate::words::find(text, b"](").is_some())
}

fn ends_as_sentence(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    matches!(text.last(), Some(b'.' | b'!' | b'?' | b':' | b'"' | b')' | b'*'))
        || text.ends_with("。".as_bytes())
}

/// Says whether a sentence ends inside a line.
fn has_stop(text: &[u8]) -> bool {
    text.windows(2).any(|pair| matches!(pair, b". " | b"? " | b"! "))
        || crate::words::find(text, "。".as_bytes()).is_some()
}

/// What a line has of words.
struct Words {
    /// Runs of letters after a blank or a quote.
    words: usize,
    /// Bytes of letters beyond ASCII: scripts without blanks count by them.
    wide: usize,
    letters: usize,
    blanks: usize,
    bytes: usize,
    /// Several blanks in a row, as in tables.
    has_gap: bool,
}

impl Words {
    fn of(text: &[u8]) -> Self {
        let text = text.get(..400).unwrap_or(text).trim_ascii_end();
        let mut found = Self { words: 0, wide: 0, letters: 0, blanks: 0, bytes: text.len(), has_gap: false };
        let mut before = b' ';
        let mut lead = 0;
        for byte in text.iter().copied() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' => {
                    found.letters += 1;
                    found.words +=
                        usize::from(matches!(before, b' ' | b'"' | b'(' | b'`' | b'*' | b'_' | b'['));
                }
                0x80.. => {
                    if byte >= 0xC0 {
                        lead = byte;
                    }
                    // Lines, arrows, symbols and emojis are no letters.
                    if !matches!(lead, 0xE2 | 0xF0..) {
                        found.wide += 1;
                        found.letters += 1;
                    }
                }
                b' ' => {
                    found.blanks += 1;
                    found.has_gap |= before == b' ' && found.blanks > 1 && found.letters > 0;
                }
                _ => {}
            }
            before = byte;
        }
        found
    }

    /// Mostly letters and blanks.
    fn is_plain(&self) -> bool {
        (self.letters + self.blanks) * 100 >= self.bytes * 76 && (self.blanks > 0 || self.bytes < 30)
    }

    /// Four words or more, mostly of letters.
    fn is_wordy(&self) -> bool {
        self.is_plain() && ((self.words >= 4 && self.blanks >= 3 && !self.has_gap) || self.wide >= 24)
    }
}

/// Says whether a line ends or begins as those of code, data or logs do.
fn is_foreign(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let ends = matches!(text.last(), Some(b'{' | b'}' | b';' | b'[' | b'(' | b'\\' | b'=' | b'<'))
        || text.ends_with(b");")
        || text.ends_with(b"},")
        || text.ends_with(b"],");
    let begins = matches!(
        text,
        [b'{' | b'}' | b'/' | b'@' | b'$', ..]
            | [b'[', b'0'..=b'9', ..]
            | [b'[', b'A'..=b'Z', b'A'..=b'Z', ..]
    ) || text.starts_with(b"error")
        || text.starts_with(b"warning")
        || text.starts_with(b"^^")
        || text.get(..10).is_some_and(|head| {
            head.iter().filter(|byte| byte.is_ascii_digit()).count() >= 5
                && head.iter().any(|byte| matches!(byte, b':' | b'-' | b'/' | b'.'))
        });
    let assigns = crate::words::find(text, b" = ").is_some() || crate::words::find(text, b"();").is_some();
    ends || begins || assigns
}
