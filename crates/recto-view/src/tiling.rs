//! The kept units to runs: spans, and elisions with the places of their notes.

use recto_outline::{Kind, NoteSyntax, Outline, Role, Span, UnitId};

use crate::kept::KeptSet;

/// In mode `marked`, a gap of at most this many bytes is shown: a note would be no shorter. A constant, because views must nest:
/// a part of a gap that was filled is filled too.
const FILL_BYTES: u32 = 20;

/// Where and how an elision is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// How the note is written.
    pub(crate) syntax: NoteSyntax,
    /// How many JSON strings it stands in.
    pub(crate) quote: u8,
    /// Whether something stands before it among its siblings.
    pub(crate) follows: bool,
    /// Whether something follows it among its siblings.
    pub(crate) precedes: bool,
    /// How many units are left out; none where that number is not known.
    pub(crate) count: Option<u32>,
    /// Their kind and role, if all are alike.
    pub(crate) alike: Option<(Kind, Role)>,
}

/// A run left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The bytes left out.
    pub(crate) span: Span,
    /// The span it follows; -1 before the first.
    pub(crate) after: i64,
    /// Its note's place; none where nothing announces it.
    pub(crate) site: Option<Site>,
}

/// Spans and gaps in order; together they tile the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiling {
    pub(crate) spans: Vec<Span>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) kept_bytes: u64,
    /// Gaps without a note.
    pub(crate) silent: u32,
}

/// A container on the way down.
struct Level {
    id: UnitId,
    next: u32,
    end: u32,
    cursor: u32,
    follows: bool,
    gap: Option<OpenGap>,
}

#[derive(Clone, Copy)]
struct OpenGap {
    start: u32,
    count: u32,
    joined: bool,
    /// What the first unit is.
    kind: Kind,
    role: Role,
    /// Whether all are.
    alike: bool,
}

/// Lays out what the first `prefix` picks keep. With `notes`, elisions get sites, and small gaps are shown.
pub(crate) fn tile(outline: &Outline<'_>, kept: &KeptSet, prefix: u32, notes: bool) -> Tiling {
    let mut out = Out { outline, tiling: Tiling::default(), silent: 0 };
    let root = outline.unit(UnitId::ROOT);
    if outline.units.len() == 1 {
        out.keep(root.body.s, root.body.e);
        return out.finish();
    }
    let mut levels = vec![Level::enter(outline, UnitId::ROOT)];
    while let Some(level) = levels.last_mut() {
        let parent = outline.unit(level.id);
        if level.next >= level.end {
            level.close_gap(&mut out, notes, None);
            out.keep(level.cursor, parent.body.e);
            levels.pop();
            continue;
        }
        let child = UnitId(level.next);
        let unit = outline.unit(child);
        level.next = unit.end;
        if unit.lead > level.cursor {
            // Frame bytes between children.
            level.close_gap(&mut out, notes, None);
            out.keep(level.cursor, unit.lead);
            level.cursor = unit.lead;
        }
        if !kept.has(child, prefix) {
            level.pass(outline, child, |sibling| !kept.has(sibling, prefix));
            continue;
        }
        level.close_gap(&mut out, notes, Some(child));
        if unit.lead < unit.body.s && level.cursor <= unit.lead {
            if level.follows {
                out.keep(unit.lead, unit.body.s);
            } else {
                out.leave(unit.lead, unit.body.s, None);
            }
        }
        level.follows = true;
        level.cursor = unit.body.e;
        if outline.is_leaf(child) {
            out.keep(unit.body.s, unit.body.e);
        } else {
            levels.push(Level::enter(outline, child));
        }
    }
    out.finish()
}

impl Level {
    fn enter(outline: &Outline<'_>, id: UnitId) -> Self {
        let unit = outline.unit(id);
        Self { id, next: id.0 + 1, end: unit.end, cursor: unit.body.s, follows: false, gap: None }
    }

    /// Leaves out `child`, and the siblings right behind it that are left out too.
    fn pass(&mut self, outline: &Outline<'_>, child: UnitId, is_left_out: impl Fn(UnitId) -> bool) {
        let mut unit = outline.unit(child);
        let gap = self.gap.get_or_insert(OpenGap {
            start: unit.lead,
            count: 0,
            joined: false,
            kind: unit.kind,
            role: unit.role,
            alike: true,
        });
        loop {
            gap.count += 1;
            gap.joined |= unit.kind == Kind::Joined;
            gap.alike &= unit.kind == gap.kind && unit.role == gap.role;
            self.cursor = unit.body.e;
            self.next = unit.end;
            let sibling = UnitId(unit.end);
            if unit.end >= self.end || !is_left_out(sibling) {
                return;
            }
            unit = outline.unit(sibling);
            if unit.lead > self.cursor {
                return;
            }
        }
    }

    /// Ends the gap that is open, before `next` (a kept sibling) or at frame bytes.
    fn close_gap(&mut self, out: &mut Out<'_, '_>, notes: bool, next: Option<UnitId>) {
        let Some(gap) = self.gap.take() else { return };
        let (start, end) = (gap.start, self.cursor);
        if !notes {
            // Without notes the separator before `next` goes with the gap, unless a sibling stands before.
            let end = match next {
                Some(next) if !self.follows => out.outline.unit(next).body.s,
                _ => end,
            };
            out.leave(start, end, None);
            self.cursor = end;
            return;
        }
        if end - start <= FILL_BYTES {
            out.keep(start, end);
            self.follows = true;
            return;
        }
        let parent = out.outline.unit(self.id);
        let site = Site {
            syntax: parent.notes,
            quote: parent.quote,
            follows: self.follows,
            precedes: next.is_some(),
            count: (!gap.joined).then_some(gap.count),
            alike: gap.alike.then_some((gap.kind, gap.role)),
        };
        out.leave(start, end, Some(site));
        self.follows = true;
    }
}

struct Out<'o, 's> {
    outline: &'o Outline<'s>,
    tiling: Tiling,
    /// The first silent run that may still lie ahead.
    silent: usize,
}

impl Out<'_, '_> {
    /// Shows `[start, end)`, but for the silent runs in it.
    fn keep(&mut self, start: u32, end: u32) {
        let mut at = start;
        while let Some(run) = self.outline.silent.get(self.silent) {
            if run.s >= end {
                break;
            }
            if run.e <= at {
                self.silent += 1;
                continue;
            }
            let from = run.s.max(at);
            let to = run.e.min(end);
            self.push(at, from);
            self.leave(from, to, None);
            at = to;
            if run.e > end {
                break;
            }
            self.silent += 1;
        }
        self.push(at, end);
    }

    fn push(&mut self, start: u32, end: u32) {
        if start >= end {
            return;
        }
        self.tiling.kept_bytes += u64::from(end - start);
        let after = i64::try_from(self.tiling.spans.len()).unwrap_or(i64::MAX) - 1;
        let gap_between = self.tiling.gaps.last().is_some_and(|gap| gap.after == after);
        match self.tiling.spans.last_mut() {
            Some(last) if !gap_between && last.e == start => last.e = end,
            _ => self.tiling.spans.push(Span { s: start, e: end }),
        }
    }

    /// Leaves out `[start, end)`; runs that touch become one.
    fn leave(&mut self, start: u32, end: u32, site: Option<Site>) {
        if start >= end {
            return;
        }
        let after = i64::try_from(self.tiling.spans.len()).unwrap_or(i64::MAX) - 1;
        match self.tiling.gaps.last_mut() {
            Some(last) if last.after == after => {
                last.span.e = end;
                last.site = match (last.site, site) {
                    (Some(before), Some(here)) => Some(Site {
                        precedes: here.precedes,
                        count: before.count.zip(here.count).map(|(first, second)| first + second),
                        alike: before.alike.filter(|alike| here.alike == Some(*alike)),
                        ..before
                    }),
                    (before, here) => before.or(here),
                };
            }
            _ => self.tiling.gaps.push(Gap { span: Span { s: start, e: end }, after, site }),
        }
    }

    fn finish(mut self) -> Tiling {
        self.tiling.silent = u32::try_from(self.tiling.gaps.iter().filter(|gap| gap.site.is_none()).count())
            .unwrap_or(u32::MAX);
        self.tiling
    }
}
