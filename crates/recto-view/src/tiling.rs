//! The kept units to runs: spans, and elisions with the places of their notes.

use recto_outline::{Kind, NoteSyntax, Outline, Role, Span, Unit, UnitId};

use crate::kept::{KeptSet, RUN_UNITS, Run};

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
    /// The depth from which down to here all containers take notes as lines; none if this one does not.
    lines_from: Option<usize>,
    /// The number of the next gap in the same object: one note, in the place of the first one, stands for all.
    pub(crate) next: Option<usize>,
    /// Whether the note of an earlier gap stands for this one.
    pub(crate) is_told: bool,
}

impl Site {
    /// The place of one note for what two would stand for.
    fn joined(self, next: Self) -> Self {
        Self {
            precedes: next.precedes,
            count: self.count.zip(next.count).map(|(first, second)| first + second),
            alike: self.alike.filter(|alike| next.alike == Some(*alike)),
            // What follows it meets its end.
            lines_from: next.lines_from,
            next: next.next,
            ..self
        }
    }
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
    /// Counted for notes only.
    pub(crate) silent: Silent,
}

/// What gaps without a note leave out, each kind counted by gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Silent {
    /// Escape sequences of terminals, as such or as JSON strings spell them.
    pub(crate) codes: u32,
    pub(crate) blanks: u32,
    pub(crate) invalid: u32,
}

impl Silent {
    fn add(&mut self, bytes: &[u8]) {
        let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        let ends_blank = is_blank(bytes.first()) || is_blank(bytes.last());
        let is_code = |byte: &u8| byte.is_ascii() && !byte.is_ascii_whitespace();
        self.codes += u32::from(bytes.iter().any(is_code));
        self.blanks += u32::from(ends_blank);
        self.invalid += u32::from(!bytes.is_ascii());
    }
}

/// A container on the way down.
struct Level {
    id: UnitId,
    next: u32,
    end: u32,
    cursor: u32,
    follows: bool,
    gap: Option<OpenGap>,
    lines_from: Option<usize>,
    /// The gap that was closed last, if notes here are members of an object.
    last_gap: Option<usize>,
}

#[derive(Clone, Copy)]
struct OpenGap {
    start: u32,
    /// Units that are no blank lines.
    count: u32,
    blanks: u32,
    joined: bool,
    /// What the first of them is; a blank line where there is none.
    kind: Kind,
    role: Role,
    /// Whether all are.
    alike: bool,
}

impl OpenGap {
    fn add(&mut self, unit: &Unit) {
        // A blank line among rows is no row, and makes them no less alike.
        if unit.kind == Kind::Blank {
            self.blanks += 1;
            return;
        }
        if self.count == 0 {
            (self.kind, self.role) = (unit.kind, unit.role);
        }
        self.count += 1;
        self.joined |= unit.kind == Kind::Joined;
        self.alike &= unit.kind == self.kind && unit.role == self.role;
    }

    fn add_run(&mut self, run: &Run) {
        self.blanks += run.blanks;
        if run.kind == Kind::Blank {
            return;
        }
        if self.count == 0 {
            (self.kind, self.role) = (run.kind, run.role);
        }
        self.count += RUN_UNITS - run.blanks;
        self.joined |= run.joined;
        self.alike &= run.alike && run.kind == self.kind && run.role == self.role;
    }
}

/// Lays out what the first `prefix` picks keep. With `notes`, elisions get sites, and small gaps are shown.
pub(crate) fn tile(outline: &Outline<'_>, kept: &KeptSet, prefix: u32, notes: bool) -> Tiling {
    let mut out = Out { outline, tiling: Tiling::default(), silent: 0, depth: 1, least_depth: 1 };
    let root = outline.unit(UnitId::ROOT);
    if outline.units.len() == 1 {
        out.keep(root.body.s, root.body.e);
        return out.finish(notes);
    }
    let mut levels = vec![Level::enter(outline, UnitId::ROOT, 0, None)];
    while let Some(level) = levels.last_mut() {
        let parent = outline.unit(level.id);
        if level.next >= level.end {
            level.close_gap(&mut out, notes, None);
            out.keep(level.cursor, parent.body.e);
            levels.pop();
            out.depth = levels.len();
            out.least_depth = out.least_depth.min(out.depth);
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
            level.pass(outline, child, kept, prefix);
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
            let lines_from = level.lines_from;
            levels.push(Level::enter(outline, child, out.depth, lines_from));
            out.depth += 1;
        }
    }
    out.finish(notes)
}

impl Level {
    /// Enters a container that stands in `depth` others, the innermost of which has `lines_from`.
    fn enter(outline: &Outline<'_>, id: UnitId, depth: usize, lines_from: Option<usize>) -> Self {
        let unit = outline.unit(id);
        let is_line = matches!(unit.notes, NoteSyntax::Line(_));
        let lines_from = is_line.then(|| lines_from.unwrap_or(depth + 1));
        Self {
            id,
            next: id.0 + 1,
            end: unit.end,
            cursor: unit.body.s,
            follows: false,
            gap: None,
            lines_from,
            last_gap: None,
        }
    }

    /// Leaves out `child`, and the siblings right behind it that are left out too.
    fn pass(&mut self, outline: &Outline<'_>, child: UnitId, kept: &KeptSet, prefix: u32) {
        let mut unit = outline.unit(child);
        let mut id = child;
        let mut gap = self.gap.take().unwrap_or(OpenGap {
            start: unit.lead,
            count: 0,
            blanks: 0,
            joined: false,
            kind: unit.kind,
            role: unit.role,
            alike: true,
        });
        loop {
            if let Some(run) = kept.run_left_out(outline, id, prefix) {
                gap.add_run(run);
                self.cursor = run.end;
                self.next = id.0 + RUN_UNITS;
            } else {
                gap.add(unit);
                self.cursor = unit.body.e;
                self.next = unit.end;
            }
            id = UnitId(self.next);
            if self.next >= self.end || kept.has(id, prefix) {
                break;
            }
            unit = outline.unit(id);
            if unit.lead > self.cursor {
                break;
            }
        }
        self.gap = Some(gap);
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
            count: (!gap.joined).then_some(if gap.count == 0 { gap.blanks } else { gap.count }),
            alike: gap.alike.then_some((gap.kind, gap.role)),
            lines_from: self.lines_from,
            next: None,
            is_told: false,
        };
        out.leave(start, end, Some(site));
        if site.syntax == NoteSyntax::JsonMember {
            // The members of an object have no order that a place could tell.
            self.last_gap = out.tell_with(self.last_gap, start);
        }
        self.follows = true;
    }
}

struct Out<'o, 's> {
    outline: &'o Outline<'s>,
    tiling: Tiling,
    /// The first silent run that may still lie ahead.
    silent: usize,
    /// How many containers are open.
    depth: usize,
    /// How few containers were open at once since the last gap: its and the next one's innermost common container is the last of them.
    least_depth: usize,
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
        if let Some(here) = site {
            self.take_back_blanks(start, here);
        }
        let after = i64::try_from(self.tiling.spans.len()).unwrap_or(i64::MAX) - 1;
        match self.tiling.gaps.last_mut() {
            Some(last) if last.after == after => {
                last.span.e = end;
                last.site = match (last.site, site) {
                    (Some(before), Some(here)) => Some(before.joined(here)),
                    (before, here) => before.or(here),
                };
            }
            _ => self.tiling.gaps.push(Gap { span: Span { s: start, e: end }, after, site }),
        }
    }

    /// Lets the note of the gap `first` stand for the last gap as well, if that begins at `start`; gives the last gap's number.
    fn tell_with(&mut self, first: Option<usize>, start: u32) -> Option<usize> {
        let (last, others) = self.tiling.gaps.split_last_mut()?;
        let number = others.len();
        if let Some(site) = last.site.as_mut().filter(|_| last.span.s == start)
            && let Some(before) = first.and_then(|first| others.get_mut(first)?.site.as_mut())
        {
            site.is_told = true;
            before.next = Some(number);
        }
        Some(number)
    }

    /// Leaves out the blanks just shown, if a note as a line of its own stands before them and `next` is the place of another.
    ///
    /// Views nest nevertheless: at a smaller budget at which the blanks belong to what is kept, both notes stand in the same containers or
    /// outer ones, down from the common one. All these take notes as lines, so there they are left out as well.
    fn take_back_blanks(&mut self, start: u32, next: Site) {
        let common = std::mem::replace(&mut self.least_depth, self.depth);
        let Tiling { spans, gaps, kept_bytes, .. } = &mut self.tiling;
        let (Some(blank), Some(gap)) = (spans.last().copied(), gaps.last_mut()) else { return };
        let Some(before) = gap.site else { return };
        let is_line = |site: Site| site.lines_from.is_some_and(|from| from <= common);
        if gap.span.e == blank.s
            && blank.e == start
            && is_line(before)
            && is_line(next)
            && before.quote == next.quote
            && blank.of(self.outline.source).iter().all(u8::is_ascii_whitespace)
        {
            spans.pop();
            *kept_bytes -= u64::from(blank.e - blank.s);
            gap.span.e = blank.e;
        }
    }

    fn finish(mut self, notes: bool) -> Tiling {
        // Without notes no gap has a site, and nothing asks what they leave out.
        if notes {
            for gap in self.tiling.gaps.iter().filter(|gap| gap.site.is_none()) {
                self.tiling.silent.add(gap.span.of(self.outline.source));
            }
        }
        self.tiling
    }
}
