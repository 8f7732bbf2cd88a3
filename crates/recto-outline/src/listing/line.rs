//! What single lines of listings and text tables look like.

/// Says whether a line is blank.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// Says whether a line is a line of `ls -l`: it begins with a file's mode.
pub(super) fn is_mode(text: &[u8]) -> bool {
    let Some((kind, rest)) = text.split_first() else { return false };
    matches!(kind, b'-' | b'd' | b'l' | b'b' | b'c' | b'p' | b's' | b'D')
        && rest.len() > 9
        && rest
            .iter()
            .take(9)
            .all(|byte| matches!(byte, b'-' | b'r' | b'w' | b'x' | b's' | b'S' | b't' | b'T'))
        && rest.get(9).is_some_and(|byte| matches!(byte, b' ' | b'.' | b'+' | b'@'))
}

/// Says whether a line is nothing but a ruler between a grid's header and its rows: `---+---`, `==== ====`, box drawing.
pub(super) fn is_ruler(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    match text.first() {
        Some(b'-' | b'=' | b'+' | b'|' | 0xE2) if text.len() >= 3 => {}
        _ => return false,
    }
    let mut at = 0;
    let mut strokes = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'-' | b'=' => strokes += 1,
            b'+' | b'|' | b':' | b' ' | b'\t' => {}
            // U+2500 to U+257F, but for the upright line alone, are what rulers of boxes are drawn with.
            0xE2 if matches!(text.get(at + 1), Some(0x94 | 0x95)) => {
                strokes += 1;
                at += 2;
            }
            _ => return false,
        }
        at += 1;
    }
    strokes >= 2
}

/// Says whether a ruler has more than one column.
pub(super) fn is_split_ruler(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.iter().skip(1).rev().skip(1).any(|byte| matches!(byte, b'+' | b' ' | b'|'))
        || text.starts_with(b"+-")
        || text.first() == Some(&0xE2)
}

/// Says whether a line sums up: `(12 rows)`, `[1794 rows x 15 columns]`, `12 rows in set`, `56241 total`.
pub(super) fn is_summary(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    match text.first() {
        Some(b'(') => text.ends_with(b")") && ends_in_rows(text),
        Some(b'[') => text.ends_with(b"]") && crate::words::find(text, b" rows x ").is_some(),
        Some(b't' | b'T') => {
            text.get(1..6).is_some_and(|rest| rest.eq_ignore_ascii_case(b"otal ")) && text.len() < 40
        }
        Some(byte) if byte.is_ascii_digit() => {
            text.len() < 80
                && (text.ends_with(b" total")
                    || text.ends_with(b"\ttotal")
                    || crate::words::find(text, b" rows in set").is_some()
                    || crate::words::find(text, b" units listed").is_some()
                    || text.ends_with(b" listed.")
                    || crate::words::find(text, b" file changed").is_some()
                    || crate::words::find(text, b" files changed").is_some()
                    || (text.ends_with(b" files") && crate::words::find(text, b" director").is_some()))
        }
        _ => false,
    }
}

fn ends_in_rows(text: &[u8]) -> bool {
    text.get(1).is_some_and(u8::is_ascii_digit) && (text.ends_with(b"rows)") || text.ends_with(b"row)"))
}

/// The first word of a line and where what follows it begins.
pub(super) fn first_word(text: &[u8]) -> (&[u8], usize) {
    let start = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = text.get(start..).unwrap_or_default();
    let length = memchr::memchr2(b' ', b'\t', rest).unwrap_or(rest.len());
    (rest.get(..length).unwrap_or_default(), start + length)
}

/// The number that a line of `du`, `wc` or `uniq -c` begins with, if something stands behind it.
pub(super) fn leading_number(text: &[u8]) -> Option<&[u8]> {
    let (word, after) = first_word(text);
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let unit = match word.last() {
        Some(b'K' | b'M' | b'G' | b'T' | b'P' | b'B') => 1,
        _ => 0,
    };
    let rest = word.iter().take(word.len() - unit).all(|byte| byte.is_ascii_digit() || *byte == b'.');
    (digits > 0 && rest && after < text.len() && word.len() <= 16).then_some(word)
}

/// Says whether a line begins with a number, as those of `du`, `wc` and `uniq -c` do.
pub(super) fn has_number(text: &[u8]) -> bool {
    leading_number(text).is_some()
}

/// Says whether a line is an entry of one of the forms below.
pub(super) fn is_entry(text: &[u8]) -> bool {
    is_file_status(text) || is_change(text) || is_mount(text)
}

/// Says whether a line heads a folder's list in `ls -R`: a path and a colon.
pub(super) fn is_folder_head(text: &[u8]) -> bool {
    let Some(path) = text.strip_suffix(b":") else { return false };
    !path.is_empty()
        && path.len() <= 1024
        && !path.iter().any(|byte| matches!(byte, b'\t' | b'"' | b'(' | b'='))
        && (path == b"." || memchr::memchr2(b'/', b'\\', path).is_some() || !path.contains(&b' '))
        && crate::words::find(path, b": ").is_none()
}

/// Says whether a line opens a record: psql's `-[ RECORD 1 ]---`, MySQL's `***** 1. row *****`.
pub(super) fn is_record_head(text: &[u8]) -> bool {
    text.starts_with(b"-[ RECORD ")
        || (text.starts_with(b"***") && crate::words::find(text, b". row ***").is_some())
}

/// Where a tree's entry is drawn: the column of the branch before its name. `None` for a line without a branch.
pub(super) fn branch_column(text: &[u8]) -> Option<usize> {
    let mut column = 0;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b' ' => {}
            // A line going down, unless a branch leaves it.
            b'|' | b'`' | b'+' => {
                if matches!(text.get(at + 1..at + 4), Some([b'-', b'-', b' ' | 0xC2])) {
                    return Some(column);
                }
                if *byte != b'|' {
                    return None;
                }
            }
            // No-break spaces, as `tree` pads with.
            0xC2 if text.get(at + 1) == Some(&0xA0) => at += 1,
            0xE2 if text.get(at + 1) == Some(&0x94) => match text.get(at + 2) {
                // U+2502 and U+2503.
                Some(0x82 | 0x83) => at += 2,
                // Corners and crossings: U+2514 to U+251F.
                Some(0x94..=0x9F) => return Some(column),
                _ => return None,
            },
            _ => return None,
        }
        column += 1;
        at += 1;
    }
    None
}

/// Says whether a line may be a grid's header: words that name things, at least two.
pub(super) fn is_header_like(text: &[u8]) -> bool {
    if text.len() > 2_000 {
        return false;
    }
    let mut words = 0;
    let mut letters = 0;
    for word in words_of(text) {
        words += 1;
        let (first, last) = (word.first().copied().unwrap_or(b' '), word.last().copied().unwrap_or(b' '));
        let is_amount =
            first.is_ascii_digit() && (word.len() > 10 || !word.iter().any(u8::is_ascii_alphabetic));
        let is_other = word.len() > 40 || is_amount || matches!(last, b':' | b',' | b';' | b'{');
        if is_other
            || word.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'[' | b']' | b'=' | b'<' | b'>' | b'`'))
        {
            return false;
        }
        letters += usize::from(word.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80));
    }
    words >= 2
        && letters * 2 > words
        && !matches!(text.trim_ascii_end().last(), Some(b')'))
        && (!text.trim_ascii_end().ends_with(b".") || text.trim_ascii_end().ends_with(b" ..."))
}

/// Says whether most words of a header begin in upper case, as those of `ps` and `kubectl` do.
pub(super) fn is_capital(text: &[u8]) -> bool {
    let (mut all, mut capital) = (0, 0);
    for first in words_of(text).filter_map(|word| word.iter().find(|byte| byte.is_ascii_alphabetic())) {
        all += 1;
        capital += usize::from(first.is_ascii_uppercase());
    }
    capital * 10 >= all * 7 && all > 0
}

/// The words of a line.
pub(super) fn words_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| matches!(byte, b' ' | b'\t' | b'\r')).filter(|word| !word.is_empty())
}

/// Says whether the words of a line are set apart by more than one blank each, as those of a grid's header are.
pub(super) fn is_padded(text: &[u8]) -> bool {
    // A blank that stands alone is one between two other bytes.
    !text
        .trim_ascii()
        .windows(3)
        .any(|three| matches!(three, [left, b' ', right] if *left != b' ' && *right != b' '))
}

/// Says whether a word is a plain amount: digits, with a point, a sign of percent or a unit.
pub(super) fn is_amount(word: &[u8]) -> bool {
    let digits = word.strip_suffix(b"%").unwrap_or(word);
    let digits = match digits.split_last() {
        Some((b'K' | b'M' | b'G' | b'T' | b'k' | b'B' | b'i', rest)) => rest,
        _ => digits,
    };
    digits.first().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Says whether a line is one of `mount`: `/dev/sda1 on / type ext4 (rw,relatime)`, or `/dev/disk1 on / (apfs, local)`.
pub(super) fn is_mount(text: &[u8]) -> bool {
    let Some(on) = crate::words::find(text, b" on /") else { return false };
    let rest = text.get(on..).unwrap_or_default();
    on > 0 && rest.ends_with(b")") && crate::words::find(rest, b" (").is_some()
}

/// Says whether a line is one of `git status -s` or `git diff --name-status`: ` M path`, `?? path`, `R100<tab>old<tab>new`.
pub(super) fn is_file_status(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| matches!(byte, b'M' | b'A' | b'D' | b'R' | b'C' | b'T' | b'U');
    let path = match text {
        [b'#', b'#', b' ', branch @ ..] => return !branch.is_empty(),
        [b'?', b'?', b' ', path @ ..] | [b'!', b'!', b' ', path @ ..] => path,
        [index, tree, b' ', path @ ..]
            if (is_letter(index) || *index == b' ')
                && (is_letter(tree) || *tree == b' ')
                && [*index, *tree] != *b"  " =>
        {
            path
        }
        [letter, rest @ ..] if is_letter(letter) => {
            let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
            return rest.get(digits) == Some(&b'\t') && rest.len() > digits + 1;
        }
        _ => return false,
    };
    // Names with blanks are quoted.
    path.first().is_some_and(|first| *first == b'"' || !first.is_ascii_whitespace())
        && (path.first() == Some(&b'"')
            || !path.contains(&b' ')
            || crate::words::find(path, b" -> ").is_some())
}

/// Says whether a line is one of `git diff --stat`: ` path | 12 ++--`, ` path | Bin 0 -> 12 bytes`.
pub(super) fn is_change(text: &[u8]) -> bool {
    let Some(bar) = memchr::memmem::rfind(text, b" | ") else { return false };
    let (path, change) = (text.get(..bar).unwrap_or_default(), text.get(bar + 3..).unwrap_or_default());
    let change = change.trim_ascii_start();
    let digits = change.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let signs = change.get(digits..).unwrap_or_default().trim_ascii();
    let is_count = digits > 0 && signs.iter().all(|byte| matches!(byte, b'+' | b'-'));
    path.first() == Some(&b' ')
        && !path.trim_ascii().is_empty()
        && (is_count || change == b"Bin" || change.starts_with(b"Bin ") || change.starts_with(b"Unmerged"))
}
