//! Texts taken apart into words, and words reduced to what their forms share.

/// The longest word that is looked at, in characters; what is longer is cut.
const MAX_WORD_CHARS: usize = 40;

/// Gives `each` the runs of letters and digits of a text, as they are written. Han, Kana and Hangul give single characters and
/// pairs of them, since nothing stands between their words.
pub(super) fn runs(text: &str, mut each: impl FnMut(&str)) {
    first_runs(text, |run| {
        each(run);
        true
    });
}

/// The same, as long as `each` says that it wants more.
pub(super) fn first_runs(text: &str, mut each: impl FnMut(&str) -> bool) {
    let mut start = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_pictured = is_ideographic(c);
        if !is_pictured && (c.is_alphanumeric() || ((c == '\'' || c == '’') && start.is_some())) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take()
            && !each(text.get(start..at).unwrap_or_default())
        {
            return;
        }
        if is_pictured {
            let end = at + c.len_utf8();
            if !each(text.get(at..end).unwrap_or_default()) {
                return;
            }
            if let Some((next_at, next)) = chars.peek().filter(|(_, next)| is_ideographic(*next))
                && !each(text.get(at..next_at + next.len_utf8()).unwrap_or_default())
            {
                return;
            }
        }
    }
    if let Some(start) = start {
        each(text.get(start..).unwrap_or_default());
    }
}

/// Gives `each` the words of one run in lower case, split where cases and digits meet (`listIssues`, `HTMLPage`, `utf8`).
/// Returns how many there were; `whole` becomes the run without a split, in lower case.
pub(super) fn parts(run: &str, whole: &mut String, mut each: impl FnMut(&str)) -> usize {
    whole.clear();
    let mut count = 0;
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut chars = run.chars().filter(|c| c.is_alphanumeric()).take(MAX_WORD_CHARS).peekable();
    while let Some(c) = chars.next() {
        let is_start = before.is_some_and(|before| {
            (before.is_lowercase() && c.is_uppercase())
                || (before.is_uppercase()
                    && c.is_uppercase()
                    && chars.peek().is_some_and(|next| next.is_lowercase()))
                || before.is_numeric() != c.is_numeric()
        });
        if is_start {
            each(whole.get(start..).unwrap_or_default());
            count += 1;
            start = whole.len();
        }
        whole.extend(c.to_lowercase());
        before = Some(c);
    }
    if start < whole.len() {
        each(whole.get(start..).unwrap_or_default());
        count += 1;
    }
    count
}

/// Tells whether a character is of a script that puts no space between words.
pub(super) fn is_ideographic(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Cuts a word's endings, so that `repositories` and `repository`, `deletion` and `deleted` come out alike. What comes out is
/// no word, only a key.
pub(super) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let mut stem = word;
    if let Some(rest) = cut(stem, "ies", 2) {
        stem = rest;
    } else if let Some(rest) = ["sses", "shes", "ches", "xes", "zes"].iter().find_map(|end| cut(stem, end, 1))
    {
        stem = word
            .get(..rest.len() + if word.ends_with("xes") || word.ends_with("zes") { 1 } else { 2 })
            .unwrap_or(stem);
    } else if !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is") {
        stem = cut(stem, "s", 3).unwrap_or(stem);
    }
    for end in ["ments", "ment", "ations", "ation", "ingly", "edly", "ings", "ing", "ion", "ed", "ly"] {
        let Some(rest) = cut(stem, end, 3) else { continue };
        if matches!(end, "ing" | "ings" | "ed" | "ingly" | "edly") && !rest.bytes().any(is_vowel) {
            continue;
        }
        // `conversation` keeps what `station` would lose.
        stem = if end.starts_with("ation") { word.get(..rest.len() + 2).unwrap_or(rest) } else { rest };
        break;
    }
    stem = cut(stem, "e", 3).unwrap_or(stem);
    stem = cut(stem, "y", 3).or_else(|| cut(stem, "i", 3)).unwrap_or(stem);
    let bytes = stem.as_bytes();
    match bytes {
        [.., one, other]
            if one == other && stem.len() > 3 && !is_vowel(*one) && !matches!(one, b'l' | b's') =>
        {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
}

fn cut<'a>(word: &'a str, end: &str, least: usize) -> Option<&'a str> {
    word.strip_suffix(end).filter(|rest| rest.len() >= least)
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (mut words, mut whole) = (Vec::new(), String::new());
        runs(text, |run| {
            parts(run, &mut whole, |word| words.push(word.to_owned()));
        });
        words
    }

    #[test]
    fn names_are_split_where_their_words_meet() {
        assert_eq!(words("list_pull-requests"), ["list", "pull", "requests"]);
        assert_eq!(words("getHTMLPage2"), ["get", "html", "page", "2"]);
        assert_eq!(words("user's OAuth"), ["users", "o", "auth"]);
        assert_eq!(words("查询票ok"), ["查", "查询", "询", "询票", "票", "ok"]);
        assert!(words(" -_. ").is_empty());
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            &["repository", "repositories"][..],
            &["delete", "deleted", "deletion", "deleting", "deletes"],
            &["branch", "branches"],
            &["merge", "merging", "merged"],
            &["deploy", "deployment", "deployments"],
            &["creation", "create", "creating"],
            &["box", "boxes"],
            &["run", "running", "runs"],
            &["annotate", "annotation"],
        ] {
            let stems: Vec<&str> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
        assert_ne!(stem("string"), stem("strong"));
        assert_eq!(stem("是"), "是");
    }
}
