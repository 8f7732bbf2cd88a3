use crate::{Answer, Found, RangeUnit, RecallError, Search, lines::Lines, lines::line_range};

/// The two ends of a range; what is absent reaches to the end.
pub(crate) type Ends = (Option<u64>, Option<u64>);

/// What to pick from a run.
#[derive(Clone, Debug, Default)]
pub struct Part(Picked);

#[derive(Clone, Debug, Default)]
enum Picked {
    #[default]
    All,
    Lines(Ends),
    Bytes(Ends),
    Matches(Search),
}

impl Part {
    /// Picks all of it.
    #[must_use]
    pub const fn all() -> Self {
        Self(Picked::All)
    }

    /// Picks lines by `A:B`, `A:`, `:B` or `A`, counted from 1, both ends included.
    ///
    /// # Errors
    /// When the text is no such range.
    pub fn lines(text: &str) -> Result<Self, RecallError> {
        ends(text, RangeUnit::Lines).map(|ends| Self(Picked::Lines(ends)))
    }

    /// Picks bytes by `A:B`, `A:` or `:B`, counted from 0, the end not included.
    ///
    /// # Errors
    /// When the text is no such range.
    pub fn bytes(text: &str) -> Result<Self, RecallError> {
        ends(text, RangeUnit::Bytes).map(|ends| Self(Picked::Bytes(ends)))
    }

    /// Picks the lines that match.
    #[must_use]
    pub const fn matches(search: Search) -> Self {
        Self(Picked::Matches(search))
    }

    /// Picks from a run. For lines, the run is read up to the last of them.
    ///
    /// # Errors
    /// When nothing of the range is in the run, or it cannot be read.
    pub fn over(self, found: &Found<'_>) -> Result<Answer, RecallError> {
        let have = found.bytes();
        Ok(match self.0 {
            Picked::All => Answer::Part(0..have),
            Picked::Lines(ends) => Answer::Part(line_range(Lines::of(found), ends)?),
            Picked::Bytes((from, to)) => {
                let (from, to) = (from.unwrap_or(0), to.unwrap_or(have).min(have));
                if from > to {
                    let text = format!("{from}:{to}");
                    return Err(RecallError::RangeOutside { unit: RangeUnit::Bytes, text, have });
                }
                Answer::Part(from..to)
            }
            Picked::Matches(search) => Answer::Matches(search),
        })
    }
}

/// Reads `A:B`, `A:`, `:B`, and for lines `A`, which is `A:A`.
fn ends(text: &str, unit: RangeUnit) -> Result<Ends, RecallError> {
    let is_lines = unit == RangeUnit::Lines;
    let owned = || text.to_owned();
    let wrong = || RecallError::RangeSyntax { unit, text: owned() };
    let read =
        |part: &str| if part.is_empty() { Ok(None) } else { part.parse().map(Some).map_err(|_| wrong()) };
    let (from, to) = match text.split_once(':') {
        Some((from, to)) => (read(from)?, read(to)?),
        None if is_lines && !text.is_empty() => (read(text)?, read(text)?),
        None => return Err(wrong()),
    };
    if is_lines && (from == Some(0) || to == Some(0)) {
        return Err(RecallError::LineZero { text: owned() });
    }
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        return Err(RecallError::RangeReversed { unit, text: owned() });
    }
    Ok((from, to))
}
