//! How hits are written, line by line.

use crate::lines::Lines;

/// How many lines are looked at.
const MAX_LINES: usize = 160;
/// Paths longer than this are none.
const MAX_PATH_BYTES: usize = 512;

/// How a search prints its hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `path:12:text`, context as `path-12-text`.
    Numbered,
    /// `path:text`, context as `path-text`.
    Unnumbered,
    /// `path:12`: how many hits each file has.
    Counts,
    /// The path alone, then `12:text`, context as `12-text`.
    Heading,
}

impl Form {
    /// The form of a text by its first lines, and how sure that is, of 100.
    pub(crate) fn of(head: &[u8]) -> Option<(Self, u8)> {
        let mut tally = Tally::default();
        let mut after_blank = true;
        for line in Lines::new(head, 0, head.len()).take(MAX_LINES) {
            let text = line.of(head);
            if text.is_empty() {
                after_blank = true;
                continue;
            }
            tally.add(text, after_blank);
            after_blank = false;
        }
        tally.form()
    }
}

/// What the lines are like.
#[derive(Debug, Default)]
struct Tally {
    lines: usize,
    separators: usize,
    numbered: usize,
    context: usize,
    counted: usize,
    unnumbered: usize,
    /// Unnumbered lines whose text begins at once, as source text may and messages do not.
    unpadded: usize,
    /// Unnumbered lines of a file with an extension.
    extended: usize,
    heading_paths: usize,
    heading_hits: usize,
    /// Hits whose text begins as a compiler's or linter's message does.
    messages: usize,
}

impl Tally {
    fn add(&mut self, text: &[u8], after_blank: bool) {
        self.lines += 1;
        if text == b"--" {
            self.separators += 1;
        } else if let Some(place) = Place::numbered(text, b':').filter(|place| is_path(place.path(text))) {
            self.numbered += 1;
            self.messages += usize::from(is_message(place.text(text)));
        } else if let Some(path_end) =
            counted(text).filter(|end| is_path(text.get(..*end).unwrap_or_default()))
        {
            self.counted += 1;
            self.unnumbered +=
                usize::from(memchr::memchr(b'/', text.get(..path_end).unwrap_or_default()).is_some());
        } else if Place::numbered(text, b'-').is_some_and(|place| is_path(place.path(text))) {
            self.context += 1;
        } else if number(text).is_some() {
            self.heading_hits += 1;
        } else if after_blank && is_path(text) {
            self.heading_paths += 1;
        } else if let Some(place) = Place::unnumbered(text).filter(|place| is_path(place.path(text))) {
            let path = place.path(text);
            self.unnumbered += usize::from(memchr::memchr(b'/', path).is_some());
            self.unpadded += usize::from(!place.text(text).starts_with(b" "));
            self.extended += usize::from(extension(path).is_some());
        }
    }

    fn form(&self) -> Option<(Form, u8)> {
        let mostly = |part: usize| part * 100 >= self.lines * 85;
        if self.numbered > 0
            && mostly(self.numbered + self.context + self.separators)
            && self.numbered + self.context > 1
        {
            return Some((Form::Numbered, if self.messages * 2 > self.numbered { 60 } else { 82 }));
        }
        if self.heading_paths > 0
            && self.heading_hits > 0
            && mostly(self.heading_paths + self.heading_hits + self.separators)
        {
            return Some((Form::Heading, 80));
        }
        if self.counted > 2 && self.counted * 100 >= self.lines * 95 {
            return Some((Form::Counts, 72));
        }
        let is_code = self.unpadded > 0 && self.extended * 10 >= self.unnumbered * 6;
        if self.unnumbered > 2 && is_code && self.unnumbered * 100 >= (self.lines - self.separators) * 95 {
            return Some((Form::Unnumbered, 66));
        }
        None
    }
}

/// Where a line of a search points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The length of the path.
    pub(crate) path_end: usize,
    /// Where the text begins, after the line's and the column's number.
    pub(crate) text_start: usize,
}

impl Place {
    /// `path:12:` or, with `-` as `mark`, `path-12-`: the first number between two marks.
    pub(crate) fn numbered(line: &[u8], mark: u8) -> Option<Self> {
        let mut at = drive(line);
        for _ in 0..8 {
            let found = at + memchr::memchr(mark, line.get(at..)?)?;
            if let Some(text_start) = after_number(line, found, mark).filter(|_| found > 0) {
                // A second number is the column.
                let text_start = match mark {
                    b':' => after_number(line, text_start - 1, mark).unwrap_or(text_start),
                    _ => text_start,
                };
                return Some(Self { path_end: found, text_start });
            }
            at = found + 1;
        }
        None
    }

    /// `path:`.
    pub(crate) fn unnumbered(line: &[u8]) -> Option<Self> {
        let at = drive(line);
        let found = at + memchr::memchr(b':', line.get(at..)?)?;
        let is_cut = line.get(found + 1) != Some(&b':') && line.get(found + 1..found + 3) != Some(b"//");
        (found > 0 && is_cut).then_some(Self { path_end: found, text_start: found + 1 })
    }

    /// The place of a line that begins with the known `path`.
    pub(crate) fn below(line: &[u8], path: &[u8], form: Form) -> Option<(Self, bool)> {
        let mark = *line.strip_prefix(path)?.first()?;
        let is_hit = mark == b':';
        if !is_hit && mark != b'-' {
            return None;
        }
        let path_end = path.len();
        if form == Form::Unnumbered {
            return Some((Self { path_end, text_start: path_end + 1 }, is_hit));
        }
        let text_start = after_number(line, path_end, mark)?;
        let text_start =
            if is_hit { after_number(line, text_start - 1, mark).unwrap_or(text_start) } else { text_start };
        Some((Self { path_end, text_start }, is_hit))
    }

    pub(crate) fn path<'s>(&self, line: &'s [u8]) -> &'s [u8] {
        line.get(..self.path_end).unwrap_or_default()
    }

    pub(crate) fn text<'s>(&self, line: &'s [u8]) -> &'s [u8] {
        line.get(self.text_start..).unwrap_or_default()
    }
}

/// The number that a hit below a heading begins with: where the text starts, and whether it is a hit or context.
pub(crate) fn number(line: &[u8]) -> Option<(usize, bool)> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = *line.get(digits)?;
    if digits == 0 || digits > 9 || !matches!(mark, b':' | b'-') {
        return None;
    }
    let column = if mark == b':' { after_number(line, digits, mark) } else { None };
    Some((column.unwrap_or(digits + 1), mark == b':'))
}

/// The length of the path of a line like `path:12`.
pub(crate) fn counted(line: &[u8]) -> Option<usize> {
    let found = memchr::memrchr(b':', line)?;
    let digits = line.get(found + 1..)?;
    (found > 0 && !digits.is_empty() && digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit))
        .then_some(found)
}

/// The length of a drive's name (`C:`) before a path.
fn drive(line: &[u8]) -> usize {
    match line {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    }
}

/// Where the text goes on if a number and another mark stand behind the mark at `at`.
fn after_number(line: &[u8], at: usize, mark: u8) -> Option<usize> {
    let behind = line.get(at + 1..)?;
    let digits = behind.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && digits < 10 && behind.get(digits) == Some(&mark)).then_some(at + digits + 2)
}

/// Says whether `text` may be a file's path, and is hardly anything else.
pub(crate) fn is_path(text: &[u8]) -> bool {
    if text.is_empty() || text.len() > MAX_PATH_BYTES {
        return false;
    }
    let mut letters = false;
    let mut folders = false;
    for byte in text {
        match byte {
            0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'{' | b'}' | b'|' | b';' | b',' | b'=' | b'`' | 0x7F => {
                return false;
            }
            b'/' | b'\\' => folders = true,
            _ => letters |= byte.is_ascii_alphabetic() || *byte >= 0x80,
        }
    }
    letters
        && (folders || extension(text).is_some() || is_bare_name(text))
        && !text.starts_with(b"[")
        && !text.starts_with(b"-")
        && crate::words::find(text, b"://").is_none()
}

/// The extension of a path's last part, if it is one: up to eight letters and digits, not all digits.
fn extension(path: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', path)?;
    let extension = path.get(dot + 1..)?;
    let fits = (1..=8).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric);
    (fits && extension.first().is_some_and(u8::is_ascii_alphabetic)).then_some(extension)
}

/// Files that have neither a folder nor an extension.
fn is_bare_name(path: &[u8]) -> bool {
    matches!(
        path,
        b"Makefile"
            | b"Dockerfile"
            | b"Justfile"
            | b"justfile"
            | b"LICENSE"
            | b"README"
            | b"Gemfile"
            | b"Rakefile"
    )
}

/// Says whether a hit's text is the message of a compiler or linter.
pub(crate) fn is_message(text: &[u8]) -> bool {
    is_failure(text) || text.starts_with(b" warning") || text.starts_with(b" note")
}

/// Says whether a hit's text reports an error.
pub(crate) fn is_failure(text: &[u8]) -> bool {
    text.starts_with(b" error") || text.starts_with(b" fatal error") || text.starts_with(b" Error")
}
