//! Blank lines between units.

use crate::{Builder, Kind, Role, lines::Line};

/// Blank lines of at most this many bytes are the separator of the unit behind them; more are a unit of their own.
const MAX_SEPARATOR_BYTES: usize = 16;

/// Follows the end of the last unit and the blank lines since, and says where the next unit's separator begins.
///
/// Blank lines that belong to a separator are shown exactly when there is something on both sides of them: a Markdown table
/// then never runs into the text before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// The end of the last unit, or the start of the region.
    end: usize,
    /// The first blank line since, and the last two.
    blank: Option<Blank>,
    is_start: bool,
}

#[derive(Clone, Copy, Debug)]
struct Blank {
    start: usize,
    end: usize,
    /// The end of the line before the last; `None` where there is but one.
    end_before: Option<usize>,
    next: usize,
}

impl Gap {
    pub(crate) fn new(start: usize) -> Self {
        Self { end: start, blank: None, is_start: true }
    }

    /// Passes a blank line.
    pub(crate) fn pass(&mut self, line: Line) {
        self.blank = Some(match self.blank {
            None => Blank { start: line.start, end: line.end, end_before: None, next: line.next },
            Some(before) => Blank { end: line.end, end_before: Some(before.end), next: line.next, ..before },
        });
    }

    /// Says whether a blank line was passed since the last unit.
    pub(crate) fn is_open(&self) -> bool {
        self.blank.is_some()
    }

    /// Where the separator of the unit that comes now begins. Adds the blank lines before it as a unit if they are many.
    pub(crate) fn lead(&mut self, builder: &mut Builder<'_>) -> usize {
        let Some(blank) = self.blank.take() else { return self.end };
        if self.is_start {
            builder.leaf(self.end, blank.start, blank.end, Role::Line, Kind::Blank);
            return blank.end;
        }
        if blank.next - self.end <= MAX_SEPARATOR_BYTES {
            return self.end;
        }
        let end = blank.end_before.unwrap_or(blank.end);
        builder.leaf(self.end, blank.start, end, Role::Line, Kind::Blank);
        end
    }

    /// Notes that a unit ended at `end`.
    pub(crate) fn close(&mut self, end: usize) {
        *self = Self { end, blank: None, is_start: false };
    }

    /// Ends the region: many blank lines at its end are a unit.
    pub(crate) fn finish(&mut self, builder: &mut Builder<'_>) {
        if let Some(blank) = self.blank.take()
            && (self.is_start || blank.next - self.end > MAX_SEPARATOR_BYTES)
        {
            builder.leaf(self.end, blank.start, blank.end, Role::Line, Kind::Blank);
        }
    }

    /// The end of the last unit.
    pub(crate) fn last_end(&self) -> usize {
        self.end
    }
}
