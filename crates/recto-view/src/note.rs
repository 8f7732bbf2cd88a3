//! The words of a note: how much is left out, its number, and, once, how to get it back.

use std::{fmt::Write as _, sync::OnceLock};

use memchr::{memchr2, memmem};
use recto_outline::{Kind, LineEnd, NoteSyntax, Outline, Role};

use crate::{
    facts::{Fact, Of},
    line_ends::LineEnds,
    literals::Literals,
    policy::Recall,
    tiling::{Gap, Silent, Site, Tiling},
};

/// What begins the words of every note: U+2026. An amount follows at once.
pub const MARK: &str = "\u{2026}";

/// What begins the key of a note in an object.
const MEMBER: &str = "\"\u{2026}#";

/// What notes say of the view as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice<'n> {
    pub(crate) recall: Recall,
    /// The ref, if the rest was (or will be) stored under it.
    pub(crate) name: Option<&'n str>,
    /// Texts in the source that look like notes or refs.
    pub(crate) look_alikes: u64,
    /// Length of the source.
    pub(crate) source_bytes: u64,
}

impl Voice<'_> {
    fn has_way(&self) -> bool {
        self.name.is_some() && self.recall != Recall::None
    }

    /// How the reader gets at the whole, if it can.
    fn way(&self) -> Option<String> {
        let name = self.name?;
        match self.recall {
            Recall::None => None,
            Recall::Shell => Some(format!("recto expand {name}")),
            Recall::Tool => Some(format!("recto_expand {name}")),
        }
    }
}

/// The notes of a view, in one text: one for each gap, empty for the silent ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    text: String,
    /// Where each note ends in the text.
    ends: Vec<usize>,
}

impl Notes {
    /// Writes the note of each gap, in order.
    pub(crate) fn new(
        outline: &Outline<'_>,
        line_ends: &LineEnds<'_>,
        tiling: &Tiling,
        voice: &Voice<'_>,
        facts: &[Fact],
    ) -> Self {
        let mut notes = Self { text: String::new(), ends: Vec::with_capacity(tiling.gaps.len()) };
        let mut is_first = true;
        let mut said = Said::default();
        let mut words = String::new();
        for (index, gap) in tiling.gaps.iter().enumerate() {
            if let Some(site) = gap.site.filter(|site| !site.is_told) {
                words.clear();
                let told = Told::of(tiling, index);
                let amount = told.amount(outline, line_ends);
                amount.write(&mut words, said.is_news(amount.noun, site.syntax));
                let is_first = std::mem::take(&mut is_first);
                // The way to the rest holds the number, too.
                if site.syntax != NoteSyntax::JsonMember && !(is_first && voice.has_way()) {
                    words.push(' ');
                    told.number(&mut words);
                }
                if is_first {
                    first_words(&mut words, tiling, voice, &told);
                }
                fact_words(&mut words, facts.iter().filter(|fact| told.has(fact.gap)), &told);
                place(&mut notes.text, &words, &site, outline.line_end, &told);
            }
            notes.ends.push(notes.text.len());
        }
        notes
    }

    /// The note of gap number `index`, if it has one.
    pub(crate) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end).filter(|note| !note.is_empty())
    }

    /// Length of all notes.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.len() as u64
    }
}

/// What the first note says besides: that the source is whole, how to get the rest (its size, if there is no way), and what is not
/// announced elsewhere.
fn first_words(words: &mut String, tiling: &Tiling, voice: &Voice<'_>, told: &Told<'_>) {
    words.push_str(" (source whole");
    match voice.way() {
        Some(way) => {
            let _ = write!(words, ": {way}");
            told.number(words);
        }
        None => {
            words.push_str(", ");
            whole_size(words, voice.source_bytes);
        }
    }
    silent_words(words, tiling.silent);
    if voice.look_alikes > 0 {
        let _ = write!(words, "; {} note-like texts are the source's own", voice.look_alikes);
    }
    words.push(')');
}

/// What is known of what is left out: `: state 371 ok, 9 failed; ms 12 to 980`; where other gaps leave out more of the same, of all
/// of that together.
fn fact_words<'f>(words: &mut String, facts: impl Iterator<Item = &'f Fact>, told: &Told<'_>) {
    let mut before = None;
    for fact in facts {
        // Of several gaps, one alone is not what the note counts.
        let of = if told.are_several() && fact.of == Of::Gap { Of::Gaps } else { fact.of };
        words.push_str(match (before.replace(of), of) {
            (None, Of::Gap) => ": ",
            (before, Of::Gaps) if before != Some(Of::Gaps) => "; all left out: ",
            _ => "; ",
        });
        words.push_str(&fact.words);
    }
}

/// What is left out without a note: `; also cut: 12 runs of terminal codes, 1 of blanks`.
fn silent_words(words: &mut String, silent: Silent) {
    let mut is_first = true;
    for (count, what) in
        [(silent.codes, "terminal codes"), (silent.blanks, "blanks"), (silent.invalid, "invalid bytes")]
    {
        let (start, runs) = match (std::mem::take(&mut is_first), count) {
            (is_still_first, 0) => {
                is_first = is_still_first;
                continue;
            }
            (true, 1) => ("; also cut: ", " run of "),
            (true, _) => ("; also cut: ", " runs of "),
            (false, _) => (", ", " of "),
        };
        words.push_str(start);
        number(words, count.into());
        words.push_str(runs);
        words.push_str(what);
    }
}

/// The lines that may stand for a source of which nothing is shown, the fullest first: what it is, how large, and the way to it; the
/// last ones give up all but the way.
pub(crate) fn one_lines(source: &[u8], what: &str, voice: &Voice<'_>) -> [String; 3] {
    let size = size_text(source.len() as u64);
    match voice.way() {
        Some(way) => [
            format!("[recto: {what}, {size}, {way}]"),
            format!("[recto: {what}, {way}]"),
            format!("[recto: {way}]"),
        ],
        None => [
            format!("[recto: {what}, {size}, not shown]"),
            format!("[recto: {size}, not shown]"),
            "[recto: not shown]".to_owned(),
        ],
    }
}

/// What the notes so far said that they count.
#[derive(Default)]
struct Said {
    last: &'static str,
    items: bool,
    members: bool,
}

impl Said {
    /// Says whether a note has to say what it counts: where that changes. In an array and in an object the place tells, once it
    /// was said there.
    fn is_news(&mut self, noun: &'static str, syntax: NoteSyntax) -> bool {
        let is_other = std::mem::replace(&mut self.last, noun) != noun;
        let known = match syntax {
            NoteSyntax::JsonElement => &mut self.items,
            NoteSyntax::JsonMember => &mut self.members,
            _ => return is_other,
        };
        is_other && (noun.is_empty() || !std::mem::replace(known, true))
    }
}

/// The gaps that one note tells of: a gap of lines, items or bytes by itself, all gaps of an object together.
struct Told<'t> {
    tiling: &'t Tiling,
    /// The first of them, and the last, which may be the first.
    ends: [usize; 2],
}

impl<'t> Told<'t> {
    fn of(tiling: &'t Tiling, first: usize) -> Self {
        let last = each_told(tiling, first).last().map_or(first, |(last, _)| last);
        Self { tiling, ends: [first, last] }
    }

    fn has(&self, gap: usize) -> bool {
        each_told(self.tiling, self.ends[0]).any(|(told, _)| told == gap)
    }

    fn are_several(&self) -> bool {
        self.ends[0] < self.ends[1]
    }

    /// Writes `#3`, or `#3-9`: what is named so goes from where the first gap begins to where the last one ends.
    fn number(&self, words: &mut String) {
        let [first, last] = self.ends;
        words.push('#');
        number(words, first as u64 + 1);
        if self.are_several() {
            words.push('-');
            number(words, last as u64 + 1);
        }
    }

    /// How much is left out in all: a number of bytes if anywhere nothing else is known.
    fn amount(&self, outline: &Outline<'_>, line_ends: &LineEnds<'_>) -> Amount {
        let (mut bytes, mut counted) = (0, None::<Amount>);
        let mut is_alike = true;
        for (_, gap) in each_told(self.tiling, self.ends[0]) {
            let Some(site) = gap.site else { continue };
            bytes += gap.span.len() as u64;
            let amount = Amount::of(outline, line_ends, gap, &site);
            let before = counted.get_or_insert(Amount { count: 0, noun: amount.noun });
            is_alike &= before.noun == amount.noun;
            before.count += amount.count;
        }
        counted.filter(|_| is_alike).unwrap_or(Amount { count: bytes, noun: "" })
    }
}

/// The gaps that the note of the gap `first` tells of, ascending, each with its number.
fn each_told(tiling: &Tiling, first: usize) -> impl Iterator<Item = (usize, &Gap)> {
    let gap = |number: usize| tiling.gaps.get(number).map(|gap| (number, gap));
    std::iter::successors(gap(first), move |(_, before)| gap(before.site?.next?))
}

/// How much a gap leaves out.
struct Amount {
    count: u64,
    /// What is counted, of one; empty for bytes.
    noun: &'static str,
}

impl Amount {
    /// Counts in the unit that the gap's format counts in.
    fn of(outline: &Outline<'_>, line_ends: &LineEnds<'_>, gap: &Gap, site: &Site) -> Self {
        let bytes = Self { count: gap.span.len() as u64, noun: "" };
        let kind = site.alike.map(|(kind, _)| kind);
        let (count, noun) = match (site.count, site.syntax, kind) {
            (None, NoteSyntax::JsonElement | NoteSyntax::JsonMember, _) | (_, _, Some(Kind::Piece)) => {
                return bytes;
            }
            (Some(count), NoteSyntax::JsonElement, _) => (count, "item"),
            (Some(count), NoteSyntax::JsonMember, _) => (count, "member"),
            (Some(count), _, Some(Kind::Row)) => (count, "row"),
            (Some(count), _, Some(Kind::File)) => (count, "file"),
            (Some(count), _, Some(Kind::Hunk)) => (count, "hunk"),
            (Some(count), _, Some(Kind::Turn)) => (count, "turn"),
            (Some(count), _, Some(Kind::Sentence)) => (count, "sentence"),
            (Some(count), _, Some(Kind::Element))
                if site.alike.is_some_and(|(_, role)| role == Role::Record) =>
            {
                (count, "element")
            }
            (_, NoteSyntax::Inline, _) => return bytes,
            // A string that is not closed runs on over real line ends: what a line of it is, readers may differ over.
            _ if site.quote > 0 && memchr2(b'\n', b'\r', gap.span.of(outline.source)).is_some() => {
                return bytes;
            }
            _ => (lines(outline, line_ends, gap, site), "line"),
        };
        Self { count: count.into(), noun }
    }

    /// Writes `12 lines`; just the number if what is counted need not be said.
    fn write(&self, words: &mut String, says_noun: bool) {
        if self.noun.is_empty() {
            return size(words, self.count);
        }
        number(words, self.count);
        if says_noun {
            words.push(' ');
            words.push_str(self.noun);
            if self.count != 1 {
                words.push('s');
            }
        }
    }
}

/// How many lines a gap leaves out: its line ends, and the line that they do not end.
fn lines(outline: &Outline<'_>, line_ends: &LineEnds<'_>, gap: &Gap, site: &Site) -> u32 {
    let bytes = gap.span.of(outline.source);
    let (ends, touches) = if site.quote > 0 {
        quoted_line_ends(bytes, site.quote)
    } else {
        let end = line_ends.byte;
        let begins = bytes.first() == Some(&end) || bytes.starts_with(b"\r\n");
        (line_ends.count(gap.span), begins || bytes.last() == Some(&end))
    };
    u32::try_from(ends).unwrap_or(u32::MAX).saturating_add(u32::from(!touches)).max(1)
}

/// Line ends in a text that stands in `quote` JSON strings, and whether one stands at either end. In one string a line end is a
/// backslash and `n`, in two it is two backslashes and `n`; twice as many mean a backslash in the text.
fn quoted_line_ends(bytes: &[u8], quote: u8) -> (usize, bool) {
    let signs = 1_usize << u32::from(quote - 1).min(16);
    let mut ends = 0;
    // A carriage return before the first line end belongs to it.
    let mut touches = false;
    for at in memmem::find_iter(bytes, b"\\n") {
        let before = bytes.get(..=at).unwrap_or_default();
        let run = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if run % signs == 0 && (run / signs) % 2 == 1 {
            ends += 1;
            let start = at + 1 - signs.min(at + 1);
            touches |= start == 0
                || at + 2 == bytes.len()
                || (start == signs + 1 && bytes.get(signs) == Some(&b'r'));
        }
    }
    (ends, touches)
}

/// A size with its unit, as notes write it: cut to a tenth, not rounded.
///
/// ```
/// use recto_view::size_text;
/// assert_eq!([size_text(812), size_text(3_499)], ["812 B", "3.4 kB"]);
/// ```
#[must_use]
pub fn size_text(bytes: u64) -> String {
    let mut words = String::new();
    size(&mut words, bytes);
    words
}

/// Writes a size with its unit.
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

/// Writes the size of a source in whole units, of which there are fewer than ten thousand: a point and a tenth cost two tokens,
/// and say less than a larger number does.
fn whole_size(words: &mut String, bytes: u64) {
    let (unit, name) = match bytes {
        0..10_000 => (1, " B"),
        10_000..10_000_000 => (1_000, " kB"),
        10_000_000..10_000_000_000 => (1_000_000, " MB"),
        _ => (1_000_000_000, " GB"),
    };
    number(words, bytes / unit);
    words.push_str(name);
}

/// Writes a decimal number: notes are written by the thousand, and formatting machinery is slow.
fn number(words: &mut String, value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    while at == digits.len() || rest > 0 {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    words.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// Dresses the words for their place: separators, quotes, comment signs, escapes.
fn place(out: &mut String, words: &str, site: &Site, line_end: LineEnd, told: &Told<'_>) {
    let from = out.len();
    match site.syntax {
        NoteSyntax::Line(_) | NoteSyntax::JsonLine if site.follows => out.push_str(line_end.text()),
        NoteSyntax::JsonElement | NoteSyntax::JsonMember if site.follows => out.push(','),
        NoteSyntax::Inline if site.follows => out.push(' '),
        _ => {}
    }
    match site.syntax {
        NoteSyntax::Line(comment) => {
            out.push_str(comment.prefix());
            out.push_str(MARK);
            out.push_str(words);
            out.push_str(comment.suffix());
        }
        NoteSyntax::JsonElement | NoteSyntax::JsonLine => {
            out.push('"');
            out.push_str(MARK);
            out.push_str(words);
            out.push('"');
        }
        NoteSyntax::JsonMember => {
            // The number makes the reserved key unique in its object, and is not said twice.
            out.push_str("\"\u{2026}");
            told.number(out);
            out.push_str("\":\"");
            out.push_str(words);
            out.push('"');
        }
        NoteSyntax::Inline => {
            out.push('[');
            out.push_str(MARK);
            out.push_str(words);
            out.push(']');
            if site.precedes {
                out.push(' ');
            }
        }
    }
    for _ in 0..site.quote {
        let quoted = escaped(out.get(from..).unwrap_or_default());
        out.truncate(from);
        out.push_str(&quoted);
    }
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
/// assert_eq!(look_alikes("a\n[\u{2026}12 lines #3]\nrecto expand r:123456789012345".as_bytes()), 2);
/// ```
#[must_use]
pub fn look_alikes(source: &[u8]) -> u64 {
    static SIGNS: OnceLock<Option<Literals>> = OnceLock::new();
    let signs = SIGNS.get_or_init(|| {
        // Every literal has three bytes or more: those of two are found all over and make the search slow.
        let refs = ["r:0", "r:1", "r:2", "r:3", "r:4", "r:5", "r:6", "r:7", "r:8", "r:9"];
        Literals::new(&[&[MARK, MEMBER, "[recto: "], &refs[..]].concat())
    });
    let Some(signs) = signs else { return 0 };
    let is_real = |found: &aho_corasick::Match| {
        let behind = source.get(found.end()..).unwrap_or_default();
        match found.pattern().as_usize() {
            0 => is_note(behind),
            1 => behind.first().is_some_and(u8::is_ascii_digit),
            2 => true,
            // A ref has fifteen digits; the first is found.
            _ => behind.len() >= 14 && behind.iter().take(14).all(u8::is_ascii_digit),
        }
    };
    signs.all(source).filter(is_real).count() as u64
}

/// Says whether what follows a mark goes on as a note does: an amount, and a number behind `#`.
fn is_note(rest: &[u8]) -> bool {
    let near = rest.get(..120).unwrap_or(rest).trim_ascii_start();
    let line = near.split(|byte| matches!(byte, b'\n' | b'"' | b']')).next().unwrap_or_default();
    let numbered = line.windows(2).any(|pair| pair[0] == b'#' && pair[1].is_ascii_digit());
    line.first().is_some_and(u8::is_ascii_digit) && numbered
}
