//! Sessions in words: beginnings of texts, ages, what is wrong and what to do about it.

use recto::session::history::{ProblemKind, Speaker};

use crate::usage::text;

/// The beginning of a text on one line, plain, of at most so many columns.
pub(crate) fn beginning(said: &str, max_columns: usize) -> String {
    let mut line = String::new();
    let mut columns = 0;
    let mut is_gap = false;
    // The end of what fits beside a mark that says there is more.
    let mut end = 0;
    for c in text::plain(said.trim()).chars() {
        // Line ends are control characters, which are replaced by then.
        if c.is_whitespace() || c == '\u{fffd}' {
            is_gap = !line.is_empty();
            continue;
        }
        let width = usize::from(is_gap) + width(c);
        if columns + width > max_columns {
            line.truncate(end);
            if max_columns > 0 {
                line.push('\u{2026}');
            }
            return line;
        }
        if is_gap {
            line.push(' ');
            is_gap = false;
        }
        line.push(c);
        columns += width;
        if columns < max_columns {
            end = line.len();
        }
    }
    line
}

/// Columns that a character takes in a terminal.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// How long ago something was.
pub(crate) fn age(seconds: u64) -> String {
    let units = [(86_400 * 365, "y"), (86_400, "d"), (3_600, "h"), (60, "min")];
    let unit = units.into_iter().find(|(length, _)| seconds >= *length);
    unit.map_or_else(|| "now".to_owned(), |(length, name)| format!("{} {name} ago", seconds / length))
}

/// Who says a text.
pub(crate) const fn speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::System => "system",
        Speaker::Person => "person",
        Speaker::Agent => "agent",
        Speaker::Thinking => "thinking",
        Speaker::Call => "call arguments",
        Speaker::Tool => "tool results",
        Speaker::Summary => "summaries",
        Speaker::Client => "client",
    }
}

/// What is wrong.
pub(crate) const fn problem(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Malformed => "a line that is not JSON",
        ProblemKind::Truncated => "the last line is cut off: it is being written, or its writer died",
        ProblemKind::UnknownType => "a type that this version does not know",
        ProblemKind::DoubledId => "its id was given before",
        ProblemKind::MissingParent => "it follows a record that is not there",
        ProblemKind::Cycle => "it follows itself, by way of others",
        ProblemKind::Unanswered => "a call without a result",
        ProblemKind::Pending => "a call without a result, at the end: it may be running",
        ProblemKind::OrphanResult => "a result without a call",
        ProblemKind::ResultBeforeCall => "a result before its call",
        ProblemKind::DoubledResult => "a second result of a call",
        ProblemKind::DoubledCall => "a second call of the same id",
        _ => "something is wrong",
    }
}

/// Whether an API would refuse the session, or a client lose a part of it.
pub(crate) const fn is_serious(kind: ProblemKind) -> bool {
    !matches!(kind, ProblemKind::UnknownType | ProblemKind::Pending | ProblemKind::Truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_one_line_and_plain() {
        assert_eq!(beginning("  one\n\n two\u{1b}[2J three ", 40), "one two [2J three");
        assert_eq!(beginning("one two", 7), "one two");
        assert_eq!(beginning("one two", 6), "one t\u{2026}");
        assert_eq!(beginning("one two", 4), "one\u{2026}");
        assert_eq!(beginning("\u{6f22}\u{5b57}\u{6f22}", 4), "\u{6f22}\u{2026}");
        assert_eq!((beginning("", 4), beginning("abc", 0)), (String::new(), String::new()));
    }

    #[test]
    fn ages_are_whole_units() {
        let seconds = [0, 59, 60, 7_300, 86_400 * 40, 86_400 * 800];
        assert_eq!(seconds.map(age), ["now", "now", "1 min ago", "2 h ago", "40 d ago", "2 y ago"]);
    }
}
