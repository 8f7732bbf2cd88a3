//! Sentences of running text, found by their stops and a short list of abbreviations.

use crate::{Builder, Kind, Role};

/// A sentence longer than this is cut at natural points: text without stops must be keepable in part too.
const LONG_SENTENCE_BYTES: usize = 500;
/// Where the cut of a long sentence is looked for, in bytes from its beginning.
const CUT_WINDOW: std::ops::Range<usize> = 160..400;

/// Words that a stop follows without ending a sentence, in lower case.
const ABBREVIATIONS: &[&[u8]] = &[
    b"al", b"approx", b"capt", b"cf", b"ch", b"col", b"dr", b"eq", b"eqs", b"esp", b"fig", b"figs", b"gen",
    b"gov", b"incl", b"lt", b"mr", b"mrs", b"ms", b"pp", b"prof", b"resp", b"rev", b"sec", b"sen", b"sgt",
    b"st", b"vol", b"vs",
];
/// The same, but only before a number.
const BEFORE_NUMBERS: &[&[u8]] = &[
    b"apr", b"art", b"aug", b"dec", b"feb", b"jan", b"jul", b"jun", b"mar", b"no", b"nos", b"nov", b"nr",
    b"oct", b"p", b"sep", b"sept",
];

/// Calls `sink` with the end of each sentence of `source[start..end]`, in order.
///
/// A sentence begins after the blanks that follow the one before, so the ends say it all; the last one is `end` without
/// the blanks before it. Nothing is reported for blank text.
pub(crate) fn sentence_ends(source: &[u8], start: usize, end: usize, mut sink: impl FnMut(usize)) {
    let end = trim_end(source, start, end);
    let mut begin = skip_blanks(source, start, end);
    let mut at = begin;
    while let Some(found) = next_stop(source, at, end) {
        match after_stop(source, begin, found, end) {
            Ok(stop) => {
                cut_long(source, begin, stop, &mut sink);
                sink(stop);
                begin = skip_blanks(source, stop, end);
                at = begin;
            }
            Err(next) => at = next,
        }
    }
    if begin < end {
        cut_long(source, begin, end, &mut sink);
        sink(end);
    }
}

/// Adds the sentences of `source[start..end]` as units, the first one's separator beginning at `lead`; returns where the
/// last one ends (`lead` for blank text).
pub(crate) fn add_sentences(builder: &mut Builder<'_>, lead: usize, start: usize, end: usize) -> usize {
    let source = builder.source();
    let mut lead = lead;
    let mut begin = skip_blanks(source, start, end);
    sentence_ends(source, start, end, |stop| {
        builder.leaf(lead, begin, stop, Role::Text, Kind::Sentence);
        lead = stop;
        begin = skip_blanks(source, stop, end);
    });
    lead
}

/// The first position at or after `at` that is no ASCII blank; `end` if there is none.
pub(crate) fn skip_blanks(source: &[u8], at: usize, end: usize) -> usize {
    let rest = source.get(at..end).unwrap_or_default();
    rest.iter().position(|byte| !byte.is_ascii_whitespace()).map_or(end.max(at), |found| at + found)
}

/// `end` without the ASCII blanks before it, never before `start`.
pub(crate) fn trim_end(source: &[u8], start: usize, end: usize) -> usize {
    start + source.get(start..end).unwrap_or_default().trim_ascii_end().len()
}

/// Moves a cut back to the beginning of the character it is in; more than three continuation bytes are invalid anyway.
pub(crate) fn character_start(source: &[u8], cut: usize) -> usize {
    let mut at = cut;
    for _ in 0..3 {
        if at > 0 && source.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
            at -= 1;
        }
    }
    at
}

/// The bytes that can begin a stop: ASCII ones and the first bytes of the wide ones.
static STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    stops[b'.' as usize] = true;
    stops[b'!' as usize] = true;
    stops[b'?' as usize] = true;
    stops[0xE3] = true;
    stops[0xEF] = true;
    stops
};

fn next_stop(source: &[u8], at: usize, end: usize) -> Option<usize> {
    let rest = source.get(at..end)?;
    rest.iter().position(|byte| STOPS[*byte as usize]).map(|found| at + found)
}

/// The length of the wide stop at `at` (`。`, `！`, `？`, `｡`), or nothing.
fn wide_stop(source: &[u8], at: usize, end: usize) -> usize {
    match source.get(at..end.min(at + 3)) {
        Some(b"\xE3\x80\x82" | b"\xEF\xBC\x81" | b"\xEF\xBC\x9F" | b"\xEF\xBD\xA1") => 3,
        _ => 0,
    }
}

/// Whether the stop at `at` ends the sentence that began at `begin`: where it ends, or else where to look on.
fn after_stop(source: &[u8], begin: usize, at: usize, end: usize) -> Result<usize, usize> {
    let mut after = at;
    loop {
        let wide = wide_stop(source, after, end);
        if wide == 0 {
            break;
        }
        after += wide;
    }
    if after > at {
        return Ok(skip_closers(source, after, end));
    }
    while after < end && matches!(source.get(after), Some(b'.' | b'!' | b'?')) {
        after += 1;
    }
    if after == at {
        return Err(at + 1);
    }
    let closed = skip_closers(source, after, end);
    if closed >= end {
        return Ok(end);
    }
    if !source.get(closed).is_some_and(u8::is_ascii_whitespace) {
        return Err(after);
    }
    let next = source.get(skip_blanks(source, closed, end)).copied().unwrap_or(b' ');
    if next.is_ascii_lowercase() {
        return Err(after);
    }
    let is_period = after == at + 1 && closed == after && source.get(at) == Some(&b'.');
    if is_period && is_abbreviated(source, begin, at, next) { Err(after) } else { Ok(closed) }
}

/// Steps over what closes a quotation, a bracket or an emphasis.
fn skip_closers(source: &[u8], at: usize, end: usize) -> usize {
    let mut at = at;
    while at < end {
        let rest = source.get(at..end).unwrap_or_default();
        at += match rest {
            [b'"' | b'\'' | b')' | b']' | b'*' | b'_' | b'`' | b'~', ..] => 1,
            [0xC2, 0xBB, ..] => 2,
            [0xE2, 0x80, 0x99 | 0x9D, ..] | [0xE3, 0x80, 0x8D | 0x8F | 0x91, ..] | [0xEF, 0xBC, 0x89, ..] => {
                3
            }
            _ => return at,
        };
    }
    at
}

/// Whether the word before the period at `at` is an abbreviation, an initial or the number of a list item.
fn is_abbreviated(source: &[u8], begin: usize, at: usize, next: u8) -> bool {
    let before = source.get(begin.max(at.saturating_sub(16))..at).unwrap_or_default();
    let word_start = before.iter().rposition(|byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'(' | b'[' | b'"' | b'\'' | b'*' | b'_')
    });
    let word = word_start.map_or(before, |found| before.get(found + 1..).unwrap_or_default());
    if word.is_empty() {
        return false;
    }
    if word.len() <= 3 && word.iter().all(u8::is_ascii_digit) {
        return word_start.is_none() && at - begin == word.len();
    }
    // Initials and dotted abbreviations: `J.`, `U.S.`, `e.g.`, `a.m.`
    let is_dotted = word
        .iter()
        .enumerate()
        .all(|(index, byte)| if index % 2 == 0 { byte.is_ascii_alphabetic() } else { *byte == b'.' });
    if is_dotted && word.len() % 2 == 1 && (word.len() > 1 || word[0].is_ascii_uppercase()) {
        return true;
    }
    let is_listed = |list: &[&[u8]]| list.iter().any(|known| word.eq_ignore_ascii_case(known));
    is_listed(ABBREVIATIONS) || (next.is_ascii_digit() && is_listed(BEFORE_NUMBERS))
}

/// Reports cuts in `[begin, stop)` until what is left is no longer than a long sentence.
fn cut_long(source: &[u8], begin: usize, stop: usize, sink: &mut impl FnMut(usize)) {
    let mut begin = begin;
    while stop - begin > LONG_SENTENCE_BYTES {
        let cut = natural_cut(source, begin);
        sink(cut);
        begin = skip_blanks(source, cut, stop);
    }
}

/// The best place to cut the long text that begins at `begin`: after a line, a clause, a word, or anywhere.
fn natural_cut(source: &[u8], begin: usize) -> usize {
    let first = begin + CUT_WINDOW.start;
    let limit = begin + CUT_WINDOW.end;
    let window = source.get(first..limit).unwrap_or_default();
    let mut clause = None;
    let mut blank = None;
    for (index, byte) in window.iter().enumerate().rev() {
        match byte {
            b'\n' => return trim_end(source, begin, first + index),
            b' ' | b'\t' => {
                if blank.is_none() {
                    blank = Some(index);
                }
                let before = source.get(first + index - 1);
                if clause.is_none() && matches!(before, Some(b',' | b';' | b':')) {
                    clause = Some(index);
                }
            }
            _ => {}
        }
    }
    match clause.or(blank) {
        Some(index) => trim_end(source, begin, first + index),
        None => character_start(source, limit),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG_SENTENCE_BYTES, sentence_ends, skip_blanks};

    fn sentences(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut begin = skip_blanks(text.as_bytes(), 0, text.len());
        sentence_ends(text.as_bytes(), 0, text.len(), |stop| {
            found.push(&text[begin..stop]);
            begin = skip_blanks(text.as_bytes(), stop, text.len());
        });
        found
    }

    #[test]
    fn stops_end_sentences_only_before_a_blank_and_no_lower_case() {
        assert_eq!(sentences(" One. Two!  Three?\nFour"), ["One.", "Two!", "Three?", "Four"]);
        assert_eq!(
            sentences("See v1.2.3 at https://a.b/c?d=e. Then go."),
            ["See v1.2.3 at https://a.b/c?d=e.", "Then go."]
        );
        assert_eq!(sentences("Wait... what? Yahoo! is one. \n"), ["Wait... what?", "Yahoo! is one."]);
        assert_eq!(sentences("  \n "), Vec::<&str>::new());
    }

    #[test]
    fn abbreviations_initials_and_list_numbers_end_nothing() {
        assert_eq!(
            sentences("Mr. Smith, i.e. J. R. Smith, left. See Fig. 3 and No. 4. No. Yes."),
            ["Mr. Smith, i.e. J. R. Smith, left.", "See Fig. 3 and No. 4.", "No.", "Yes."]
        );
        assert_eq!(sentences("1. First item. 2. Second."), ["1. First item.", "2. Second."]);
        assert_eq!(sentences("It was 1999. Then 2000 came."), ["It was 1999.", "Then 2000 came."]);
    }

    #[test]
    fn closers_belong_to_the_sentence_they_close() {
        assert_eq!(
            sentences("(He said “no.”) She **left.** `Done.` End"),
            ["(He said “no.”)", "She **left.**", "`Done.`", "End"]
        );
    }

    #[test]
    fn wide_stops_need_no_blank() {
        assert_eq!(
            sentences("今日は。「はい！」そうですか？終わり"),
            ["今日は。", "「はい！」", "そうですか？", "終わり"]
        );
    }

    #[test]
    fn a_long_sentence_is_cut_at_lines_then_clauses_then_words_then_characters() {
        for text in [
            "a line of words without a stop\n".repeat(60),
            "a clause, ".repeat(200),
            "word ".repeat(400),
            "é".repeat(1_000),
        ] {
            let found = sentences(&text);
            assert!(found.iter().all(|sentence| sentence.len() <= LONG_SENTENCE_BYTES), "{found:?}");
            assert!(found.len() > 2);
            let bytes: usize = found.iter().map(|sentence| sentence.split_whitespace().count()).sum();
            assert!(bytes >= text.split_whitespace().count());
        }
        assert!(sentences(&"a clause, ".repeat(200))[0].ends_with(','));
    }
}
