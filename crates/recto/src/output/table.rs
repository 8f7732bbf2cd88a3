//! Tables for the terminal, no wider than it.

/// Columns between two cells.
const GAP: usize = 2;
/// A name is cut to no less.
const FEWEST_NAME_COLUMNS: usize = 8;

/// Lays out rows under headings, columns as wide as their widest cell; columns in `right` are set to the right.
///
/// On a terminal that is too narrow headings stand on several lines, and then the widest names are cut in their middle; what is in `right` is never cut.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    fitted(headings, rows, right, super::columns())
}

fn fitted(headings: &[&str], rows: &[Vec<String>], right: &[usize], most: Option<usize>) -> String {
    let cells = |column: usize| {
        let lengths = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0)
    };
    let cells: Vec<usize> = (0..headings.len()).map(cells).collect();
    let mut gap = GAP;
    let total =
        |widths: &[usize], gap: usize| widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
    let widest = |lines: &[String]| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut heads: Vec<Vec<String>> = headings.iter().map(|heading| vec![(*heading).to_owned()]).collect();
    let widths_of = |heads: &[Vec<String>]| -> Vec<usize> {
        heads.iter().zip(&cells).map(|(lines, cell)| widest(lines).max(*cell)).collect()
    };
    let mut widths = widths_of(&heads);
    if let Some(most) = most.filter(|most| total(&widths, gap) > *most) {
        for ((lines, heading), cell) in heads.iter_mut().zip(headings).zip(&cells) {
            let longest = heading.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
            *lines = wrapped(heading, longest.max(*cell));
        }
        widths = widths_of(&heads);
        let names: usize = (0..widths.len()).filter(|column| !right.contains(column)).count();
        // Numbers alone may be too many.
        let least: Vec<usize> = widths
            .iter()
            .enumerate()
            .map(
                |(column, width)| {
                    if right.contains(&column) { *width } else { (*width).min(FEWEST_NAME_COLUMNS) }
                },
            )
            .collect();
        if names < 2 && total(&widths, gap) > most || total(&least, gap) > most {
            gap = 1;
        }
        while total(&widths, gap) > most {
            let names = widths.iter_mut().enumerate().filter(|(column, _)| !right.contains(column));
            let Some((_, width)) = names.max_by_key(|(_, width)| **width) else { break };
            if *width <= FEWEST_NAME_COLUMNS {
                break;
            }
            *width -= 1;
        }
    }
    let mut out = String::new();
    let mut push = |cells: Vec<String>| {
        let mut text = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = widths.get(column).copied().unwrap_or_default();
            let cell = if right.contains(&column) { cell.clone() } else { cut(cell, width) };
            let pad = width.saturating_sub(cell.chars().count());
            if column > 0 {
                text.extend(std::iter::repeat_n(' ', gap));
            }
            if right.contains(&column) {
                text.extend(std::iter::repeat_n(' ', pad));
                text.push_str(&cell);
            } else {
                text.push_str(&cell);
                text.extend(std::iter::repeat_n(' ', pad));
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    };
    let lines = heads.iter().map(Vec::len).max().unwrap_or(1);
    for line in 0..lines {
        // Short ones stand next to their column.
        let of = |head: &Vec<String>| {
            let at = (line + head.len()).checked_sub(lines);
            at.and_then(|at| head.get(at)).cloned().unwrap_or_default()
        };
        push(heads.iter().map(of).collect());
    }
    for row in rows {
        push(row.clone());
    }
    out
}

/// A name of at most so many characters: what is too long is cut in its middle.
pub(crate) fn cut(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let Some(kept) = most.checked_sub(1) else { return String::new() };
    let end = kept / 2;
    let start: String = name.chars().take(kept - end).collect();
    let end: String = name.chars().skip(length - end).collect();
    format!("{start}\u{2026}{end}")
}

/// A text in lines of at most so many characters, cut between words; a longer word has a line of its own.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle_and_numbers_are_not() {
        let rows = [
            vec!["a".repeat(60), "1,234,567".to_owned(), "b".repeat(50), "99.9 %".to_owned()],
            vec!["short".to_owned(), "1".to_owned(), "c".to_owned(), "-".to_owned()],
        ];
        let headings = ["name", "tokens of all requests", "folder", "median of all"];
        let wide = fitted(&headings, &rows, &[1, 3], None);
        let narrow = fitted(&headings, &rows, &[1, 3], Some(60));
        assert!(wide.lines().next().unwrap().contains("tokens of all requests"));
        assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
        assert!(
            narrow.contains("1,234,567") && narrow.contains("99.9 %") && narrow.contains('\u{2026}'),
            "{narrow}"
        );
        assert_eq!(fitted(&headings, &rows, &[1, 3], Some(400)), wide);
    }

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one", 1), ["one"]);
        assert_eq!(
            (cut("abcdef", 4), cut("abc", 3), cut("abc", 0)),
            ("ab\u{2026}f".to_owned(), "abc".to_owned(), String::new())
        );
    }
}
