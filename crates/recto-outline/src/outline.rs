use crate::{Columns, ContentType, Level, Span, Table, Unit, UnitId};

/// How lines end in a source; notes on lines of their own end alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineEnd {
    /// The bytes of the line end.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// The line end that `head` uses first.
    #[must_use]
    pub fn of(head: &[u8]) -> Self {
        match memchr::memchr2(b'\n', b'\r', head) {
            Some(at) if head[at] == b'\r' => {
                if head.get(at + 1) == Some(&b'\n') {
                    Self::CrLf
                } else {
                    Self::Cr
                }
            }
            _ => Self::Lf,
        }
    }
}

/// A source cut into units: one shape for every format, so that ranking, rendering and notes are written once.
#[derive(Clone, Debug)]
pub struct Outline<'s> {
    /// The bytes that the spans are of.
    pub source: &'s [u8],
    /// The units in document order, parents first. The first is the root and spans the whole source. At most
    /// `max(65_536, bytes / 32)` of them: beyond that small siblings are one unit.
    pub units: Vec<Unit>,
    /// What the source is.
    pub content_type: ContentType,
    /// How its lines end.
    pub line_end: LineEnd,
    /// Runs that are never shown and get no note of their own: invalid UTF-8, terminal colours. Sorted, disjoint.
    pub silent: Vec<Span>,
    /// The grids found in it.
    pub tables: Vec<Table>,
    /// What was counted of JSON records and rows while they were parsed.
    pub columns: Columns,
    /// What stands before the messages of a log's lines, by unit; shorter than the units.
    pub(crate) heads: Vec<LineHead>,
    /// The number of each unit's column and one more, by unit; 0 for none. Shorter than the units.
    pub(crate) columns_of: Vec<u32>,
}

/// What stands before a line's message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineHead {
    /// Times, levels, names of threads, blanks; 0 where there are none, or more than can be said.
    pub(crate) prefix_bytes: u8,
    pub(crate) level: Option<Level>,
}

impl<'s> Outline<'s> {
    /// The unit with this id; ids come from this outline.
    #[must_use]
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.index()]
    }

    /// Every unit but the root, with its id, in document order.
    pub fn each(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        (0..).map(UnitId).zip(&self.units).skip(1)
    }

    /// The bytes of a unit's body.
    #[must_use]
    pub fn text(&self, id: UnitId) -> &'s [u8] {
        self.unit(id).body.of(self.source)
    }

    /// The message of a log's line: its text without times, levels and names of threads before it. The whole text of other units.
    #[must_use]
    pub fn message(&self, id: UnitId) -> &'s [u8] {
        let text = self.text(id);
        let prefix_bytes = self.heads.get(id.index()).map_or(0, |head| head.prefix_bytes.into());
        text.get(prefix_bytes..).unwrap_or(text)
    }

    /// The number of the column that a unit is a value of, if it is a member's or an element's value.
    #[must_use]
    pub fn column(&self, id: UnitId) -> Option<usize> {
        (*self.columns_of.get(id.index())? as usize).checked_sub(1)
    }

    /// How grave a log's line says it is.
    #[must_use]
    pub fn level(&self, id: UnitId) -> Option<Level> {
        self.heads.get(id.index()).and_then(|head| head.level)
    }

    /// Says whether a unit has no children: what rankers choose among.
    #[must_use]
    pub fn is_leaf(&self, id: UnitId) -> bool {
        self.unit(id).end as usize == id.index() + 1
    }

    /// The children of a unit, in order.
    pub fn children(&self, id: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        let end = self.unit(id).end;
        let mut next = id.0 + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = UnitId(next);
            next = self.unit(child).end;
            Some(child)
        })
    }

    /// The parents of a unit, nearest first, ending with the root (which has none).
    pub fn ancestors(&self, id: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        let mut at = id;
        std::iter::from_fn(move || {
            if at == UnitId::ROOT {
                return None;
            }
            at = self.unit(at).parent;
            Some(at)
        })
    }

    /// The sibling after a unit.
    #[must_use]
    pub fn next_sibling(&self, id: UnitId) -> Option<UnitId> {
        let unit = self.unit(id);
        (id != UnitId::ROOT && unit.end < self.unit(unit.parent).end).then_some(UnitId(unit.end))
    }

    /// The sibling before a unit. Costs a climb from the unit just before it.
    #[must_use]
    pub fn previous_sibling(&self, id: UnitId) -> Option<UnitId> {
        let parent = self.unit(id).parent;
        if id == UnitId::ROOT || id.0 == parent.0 + 1 {
            return None;
        }
        let mut at = UnitId(id.0 - 1);
        while self.unit(at).parent != parent {
            at = self.unit(at).parent;
        }
        Some(at)
    }

    /// Checks the laws of [`Unit`]; for tests and fuzzing.
    ///
    /// # Errors
    /// Says which unit breaks which law.
    pub fn check(&self) -> Result<(), String> {
        let Some(root) = self.units.first() else { return Err("no root".to_owned()) };
        if root.body != Span::new(0, self.source.len()) || root.end as usize != self.units.len() {
            return Err(format!("the root does not span everything: {root:?}"));
        }
        let limit = unit_limit(self.source.len());
        if self.units.len() > limit + 1 {
            return Err(format!("{} units, more than {limit}", self.units.len()));
        }
        let text = std::str::from_utf8(self.source).ok();
        let boundary = |at: u32| text.is_none_or(|text| text.is_char_boundary(at as usize));
        for (index, unit) in self.units.iter().enumerate() {
            let parent = self.unit(unit.parent);
            if unit.body.e < unit.body.s || !parent.body.contains(unit.body) {
                return Err(format!("unit {index} leaves its parent: {unit:?} in {parent:?}"));
            }
            if unit.end as usize <= index || unit.end > parent.end {
                return Err(format!("unit {index} ends wrongly: {unit:?} in {parent:?}"));
            }
            if !boundary(unit.lead) || !boundary(unit.body.s) || !boundary(unit.body.e) {
                return Err(format!("unit {index} cuts a character: {unit:?}"));
            }
            let mut before = None;
            for child in self.children(UnitId(u32::try_from(index).unwrap_or(u32::MAX))) {
                let child_unit = self.unit(child);
                if child_unit.parent.index() != index && index != child.index() {
                    return Err(format!("unit {} has another parent than {index}", child.0));
                }
                let least = before.unwrap_or(child_unit.body.s);
                if child_unit.lead < least || child_unit.lead > child_unit.body.s {
                    return Err(format!("unit {} has a wrong lead: {child_unit:?}", child.0));
                }
                before = Some(child_unit.body.e);
            }
        }
        let mut end = 0;
        for span in &self.silent {
            if span.s < end || span.e < span.s || span.e as usize > self.source.len() {
                return Err(format!("silent span out of order: {span:?}"));
            }
            end = span.e;
        }
        Ok(())
    }
}

/// The most units that an outline of `source_bytes` bytes may have: a memory law (24 bytes a unit).
#[must_use]
pub fn unit_limit(source_bytes: usize) -> usize {
    (source_bytes / 32).max(65_536)
}
