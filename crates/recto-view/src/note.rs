//! The words of a note: how much is left out, its number, and, once, how to get it back.

use std::fmt::Write as _;

use memchr::{memchr_iter, memmem};
use recto_outline::{Kind, LineEnd, NoteSyntax, Outline, Role};

use crate::{
    policy::Recall,
    tiling::{Gap, Site, Tiling},
};

/// What begins the words of every note: U+2026 and a blank.
pub const MARK: &str = "\u{2026} ";

/// What notes say of the view as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice<'n> {
    pub(crate) recall: Recall,
    /// The ref, if the rest was (or will be) stored under it.
    pub(crate) name: Option<&'n str>,
    /// Texts in the source that look like notes or refs.
    pub(crate) look_alikes: u64,
}

impl Voice<'_> {
    /// How the reader gets at an elision or the whole, if it can.
    fn way(&self, ordinal: Option<usize>) -> Option<String> {
        let name = self.name?;
        let verb = match self.recall {
            Recall::None => return None,
            Recall::Shell => "recto expand",
            Recall::Tool => "recto_expand",
        };
        Some(match ordinal {
            Some(ordinal) => format!("{verb} {name}#{ordinal}"),
            None => format!("{verb} {name}"),
        })
    }
}

/// Writes the note of each gap, in order; `None` for the silent ones.
pub(crate) fn notes(outline: &Outline<'_>, tiling: &Tiling, voice: &Voice<'_>) -> Vec<Option<String>> {
    let mut is_first = true;
    let mut words = String::new();
    let mut out = Vec::with_capacity(tiling.gaps.len());
    for (index, gap) in tiling.gaps.iter().enumerate() {
        let Some(site) = gap.site else {
            out.push(None);
            continue;
        };
        words.clear();
        words.push_str(MARK);
        amount(&mut words, outline, gap, &site);
        // Writing to a string cannot fail.
        let _ = write!(words, " #{}", index + 1);
        if std::mem::take(&mut is_first) {
            first_words(&mut words, outline, tiling, voice, index + 1);
        }
        out.push(Some(place(&words, &site, outline.line_end, index + 1)));
    }
    out
}

/// What the first note says besides: that the source is whole, how to get the rest, and what is not announced elsewhere.
fn first_words(words: &mut String, outline: &Outline<'_>, tiling: &Tiling, voice: &Voice<'_>, ordinal: usize) {
    words.push_str(" (source is whole, ");
    size(words, outline.source.len() as u64);
    if let Some(way) = voice.way(Some(ordinal)) {
        let _ = write!(words, ": {way}");
    }
    if tiling.silent > 0 {
        let _ = write!(words, "; {} codes or invalid bytes cut", tiling.silent);
    }
    if voice.look_alikes > 0 {
        let _ = write!(words, "; {} note-like texts are the source's own", voice.look_alikes);
    }
    words.push(')');
}

/// The one line that stands for a source of which nothing is shown.
pub(crate) fn one_line(source: &[u8], what: &str, voice: &Voice<'_>) -> String {
    let mut line = format!("[recto: {what}, ");
    size(&mut line, source.len() as u64);
    match voice.way(None) {
        Some(way) => {
            let _ = write!(line, ", {way}]");
        }
        None => line.push_str(", not shown]"),
    }
    line
}

/// How much a gap leaves out, in the unit that its format counts in.
fn amount(words: &mut String, outline: &Outline<'_>, gap: &Gap, site: &Site) {
    let (count, noun) = match (site.units, site.syntax) {
        (None, NoteSyntax::JsonElement | NoteSyntax::JsonMember) => return size(words, gap.span.len() as u64),
        (Some((_, Kind::Piece, _)), _) => return size(words, gap.span.len() as u64),
        (Some((count, ..)), NoteSyntax::JsonElement) => (count, "item"),
        (Some((count, ..)), NoteSyntax::JsonMember) => (count, "member"),
        (Some((count, Kind::Row, _)), _) => (count, "row"),
        (Some((count, Kind::File, _)), _) => (count, "file"),
        (Some((count, Kind::Hunk, _)), _) => (count, "hunk"),
        (Some((count, Kind::Turn, _)), _) => (count, "turn"),
        (Some((count, Kind::Sentence, _)), _) => (count, "sentence"),
        (Some((count, Kind::Element | Kind::Boilerplate, Role::Record)), _) => (count, "element"),
        (_, NoteSyntax::Inline) => return size(words, gap.span.len() as u64),
        _ => (lines(outline, gap, site), "line"),
    };
    let _ = write!(words, "{count} {noun}{}", if count == 1 { "" } else { "s" });
}

/// How many lines a gap leaves out: its line ends, and the line that they do not end.
fn lines(outline: &Outline<'_>, gap: &Gap, site: &Site) -> u32 {
    let bytes = gap.span.of(outline.source);
    let ends = if site.quote > 0 {
        memmem::find_iter(bytes, b"\\n").count()
    } else if outline.line_end == LineEnd::Cr {
        memchr_iter(b'\r', bytes).count()
    } else {
        memchr_iter(b'\n', bytes).count()
    };
    let begins_with_end = if site.quote > 0 { bytes.first() == Some(&b'\\') } else { matches!(bytes.first(), Some(b'\n' | b'\r')) };
    let ends_with_end = if site.quote > 0 { bytes.ends_with(b"\\n") } else { matches!(bytes.last(), Some(b'\n' | b'\r')) };
    let open = u32::from(!begins_with_end && !ends_with_end);
    u32::try_from(ends).unwrap_or(u32::MAX).saturating_add(open).max(1)
}

/// Writes a size with its unit: `812 B`, `3.4 kB`, `20.1 MB`.
pub(crate) fn size(words: &mut String, bytes: u64) {
    let (unit, name) = match bytes {
        0..1_000 => {
            let _ = write!(words, "{bytes} B");
            return;
        }
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    let _ = write!(words, "{}.{} {name}", tenths / 10, tenths % 10);
}

/// Dresses the words for their place: separators, quotes, comment signs, escapes.
fn place(words: &str, site: &Site, line_end: LineEnd, ordinal: usize) -> String {
    let end = line_end.text();
    let text = match site.syntax {
        NoteSyntax::Line(comment) => {
            let before = if site.follows { end } else { "" };
            format!("{before}{}{words}{}", comment.prefix(), comment.suffix())
        }
        NoteSyntax::JsonElement => format!("{}\"{words}\"", if site.follows { "," } else { "" }),
        NoteSyntax::JsonMember => {
            // The number makes the reserved key unique in its object, and is not said twice.
            let words = words.strip_prefix(MARK).unwrap_or(words);
            let words = words.replacen(&format!(" #{ordinal}"), "", 1);
            format!("{}\"\u{2026}#{ordinal}\":\"{words}\"", if site.follows { "," } else { "" })
        }
        NoteSyntax::JsonLine => format!("{}\"{words}\"", if site.follows { end } else { "" }),
        NoteSyntax::Inline => {
            let before = if site.follows { " " } else { "" };
            let after = if site.precedes { " " } else { "" };
            format!("{before}[{words}]{after}")
        }
    };
    (0..site.quote).fold(text, |text, _| escaped(&text))
}

/// Escapes a text as JSON strings do.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out
}

/// Counts the texts in `source` that look like a note or a ref of recto: none of them is one, and the first note says so.
///
/// ```
/// use recto_view::look_alikes;
/// assert_eq!(look_alikes(b"nothing here"), 0);
/// assert_eq!(look_alikes("a\n[\u{2026} 12 lines #3]\nrecto expand r:123456789012345".as_bytes()), 2);
/// ```
#[must_use]
pub fn look_alikes(source: &[u8]) -> u64 {
    let mut count = 0;
    for at in memmem::find_iter(source, MARK.as_bytes()) {
        let rest = source.get(at + MARK.len()..).unwrap_or_default();
        let near = rest.get(..120).unwrap_or(rest);
        let line = near.split(|byte| matches!(byte, b'\n' | b'"' | b']')).next().unwrap_or_default();
        let begins = line.first().is_some_and(u8::is_ascii_digit);
        let numbered = line.windows(2).any(|pair| pair[0] == b'#' && pair[1].is_ascii_digit());
        count += u64::from(begins && numbered);
    }
    count += memmem::find_iter(source, b"[recto: ").count() as u64;
    for at in memmem::find_iter(source, b"r:") {
        let digits = source.get(at + 2..).unwrap_or_default().iter().take(15);
        count += u64::from(digits.len() == 15 && digits.clone().all(u8::is_ascii_digit));
    }
    count
}
