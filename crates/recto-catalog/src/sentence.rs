//! The first sentence of a description.

/// How many bytes of a description a first sentence may take.
pub const MAX_SENTENCE_BYTES: usize = 300;

/// Returns the first sentence of a description, without headings or the marks of a list in front of it.
///
/// It ends with a full stop, an exclamation or question mark before white space, with one of those of Chinese and Japanese, or with a
/// blank line; the stops of `e.g.`, `v1.2` and initials end nothing. A sentence of more than [`MAX_SENTENCE_BYTES`] is cut behind a word.
///
/// ```
/// use recto_catalog::first_sentence;
///
/// assert_eq!(first_sentence("## Search\n\nFinds files, e.g. `*.rs`. Slow."), "Finds files, e.g. `*.rs`.");
/// ```
#[must_use]
pub fn first_sentence(description: &str) -> &str {
    let mut text = description.trim_start();
    // A heading says what the tool is called; what it does stands below.
    while let Some((_, below)) = text.split_once('\n').filter(|(line, _)| line.starts_with('#')) {
        match below.trim_start() {
            "" => break,
            below => text = below,
        }
    }
    let text = text.trim_start_matches(|letter: char| {
        letter.is_whitespace() || letter.is_control() || matches!(letter, '#' | '*' | '-' | '>' | '=' | '•')
    });
    let mut before: [char; 2] = [' ', ' '];
    let mut letters = text.char_indices().peekable();
    let mut last_space = None;
    while let Some((place, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let end = place + letter.len_utf8();
        if end > MAX_SENTENCE_BYTES {
            return trimmed(text.get(..last_space.unwrap_or(place)).unwrap_or_default());
        }
        if matches!(letter, '。' | '！' | '？' | '｡') {
            return trimmed(text.get(..end).unwrap_or_default());
        }
        if letter == '\n' {
            let rest = text.get(end..).unwrap_or_default();
            let line = rest.split('\n').next().unwrap_or_default().trim_start();
            // A wrapped line goes on in small letters or with a name; a new paragraph, a list or a heading does not.
            if line.is_empty()
                || line.starts_with(['-', '*', '#', '•', '|', '`', '<'])
                || is_heading(text, place)
            {
                return trimmed(text.get(..place).unwrap_or_default());
            }
        }
        let is_stop = matches!(letter, '.' | '!' | '?') && next.is_none_or(char::is_whitespace);
        if is_stop && !(letter == '.' && is_abbreviation(text.get(..place).unwrap_or_default(), before)) {
            return trimmed(text.get(..end).unwrap_or_default());
        }
        if letter.is_whitespace() {
            last_space = Some(place);
        }
        before = [before[1], letter];
    }
    trimmed(text)
}

fn trimmed(sentence: &str) -> &str {
    sentence.trim_end_matches(|letter: char| letter.is_whitespace() || letter == '*')
}

/// Whether the line that ends here is a title or an introduction: no sentence that goes on in the next line.
fn is_heading(text: &str, end: usize) -> bool {
    let line = text.get(..end).unwrap_or_default();
    line.ends_with(':') || line.len() < 40
}

/// Whether the stop behind this text belongs to a short form. `before` are the two letters before it.
fn is_abbreviation(text: &str, before: [char; 2]) -> bool {
    const SHORT: [&str; 9] = ["approx", "cf", "dr", "eg", "ex", "ie", "incl", "max", "vs"];
    // One letter behind a stop, a bracket or white space: `e.g.`, `i.e.`, `U.S.`, `J. Doe`.
    let is_initial = before[1].is_alphabetic()
        && (before[0] == '.' || (before[0].is_whitespace() && before[1].is_uppercase()) || before[0] == '(');
    let start = text.rfind(|letter: char| !letter.is_alphabetic()).map_or(0, |place| place + 1);
    let word = text.get(start..).unwrap_or_default();
    is_initial || SHORT.iter().any(|short| word.eq_ignore_ascii_case(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        for (description, sentence) in [
            ("", ""),
            ("  \n ", ""),
            ("Reads a file", "Reads a file"),
            ("Reads a file. Or two.", "Reads a file."),
            ("Reads v1.2 of e.g. a file (i.e. bytes). More", "Reads v1.2 of e.g. a file (i.e. bytes)."),
            ("Of the U.S. alone. More", "Of the U.S. alone."),
            ("Really? Yes", "Really?"),
            ("# Title\n\n## Sub\n\nDoes it. Well.", "Does it."),
            ("# Title only", "Title only"),
            ("**Reads** a file\n\nArgs:\n  a", "Reads** a file"),
            ("- one thing\n- another", "one thing"),
            ("读取文件。然后", "读取文件。"),
            (
                "Searches for things in all of the folders\nof the disk. Slow.",
                "Searches for things in all of the folders\nof the disk.",
            ),
            ("Does the following:\nfirst this. Then", "Does the following:"),
            ("Files etc. More", "Files etc."),
        ] {
            assert_eq!(first_sentence(description), sentence, "{description:?}");
        }
    }

    #[test]
    fn bombs_are_cut() {
        let words = "word ".repeat(100_000);
        assert!(
            first_sentence(&words).len() <= MAX_SENTENCE_BYTES && first_sentence(&words).ends_with("word")
        );
        assert!(first_sentence(&"é".repeat(1_000)).len() <= MAX_SENTENCE_BYTES);
        assert_eq!(first_sentence(&"#\n".repeat(10_000)), "");
    }
}
