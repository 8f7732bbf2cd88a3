use crate::{
    Columns, Comment, ContentType, Kind, Layout, LineEnd, NoteSyntax, Outline, Role, Span, Table, Unit,
    UnitId,
    outline::{LineHead, unit_limit},
    span::offset,
};

/// Containers nested deeper than this stay closed: they are one unit, whatever they hold.
const MAX_DEPTH: usize = 128;

/// Builds an outline in one pass over its source, keeping the unit laws and the limit on units.
///
/// Parsers call [`open`](Self::open), [`leaf`](Self::leaf) and [`close`](Self::close) in document order. Beyond the limit
/// on units the builder joins small siblings and leaves containers closed by itself, so a parser need not care.
///
/// ```
/// use recto_outline::{Builder, Comment, ContentType, Kind, NoteSyntax, Role};
/// let source = b"one\ntwo\n";
/// let mut builder = Builder::new(source, ContentType::Unknown, NoteSyntax::Line(Comment::Brackets));
/// builder.leaf(0, 0, 3, Role::Line, Kind::Plain);
/// builder.leaf(3, 4, 7, Role::Line, Kind::Plain);
/// let outline = builder.finish();
/// assert_eq!(outline.units.len(), 3);
/// outline.check().unwrap();
/// ```
#[derive(Debug)]
pub struct Builder<'s> {
    source: &'s [u8],
    units: Vec<Unit>,
    /// The open containers, outermost first; the root is not among them.
    open: Vec<Open>,
    /// Containers opened inside a closed one: their content makes no units.
    skipped: usize,
    content_type: ContentType,
    silent: Vec<Span>,
    tables: Vec<Table>,
    line_end: LineEnd,
    columns: Columns,
    /// By unit, as far as there are any.
    heads: Vec<LineHead>,
    /// The column of each unit and one more, by unit, as far as there are any; 0 for none.
    columns_of: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    id: UnitId,
    /// A container that was joined to the sibling before it: nothing inside it makes units.
    joined: bool,
}

impl<'s> Builder<'s> {
    /// Starts an outline of `source`, whose root's notes are written as `notes`.
    #[must_use]
    pub fn new(source: &'s [u8], content_type: ContentType, notes: NoteSyntax) -> Self {
        let root = Unit {
            lead: 0,
            body: Span::new(0, source.len()),
            parent: UnitId::ROOT,
            end: 1,
            role: Role::Block,
            kind: Kind::Document,
            notes,
            quote: 0,
        };
        let head = source.get(..4096).unwrap_or(source);
        // Room is taken once: growing copies what is there, and what stays empty costs nothing.
        let mut units = Vec::with_capacity(source.len() / USUAL_UNIT_BYTES + 64);
        units.push(root);
        Self {
            source,
            units,
            open: Vec::new(),
            skipped: 0,
            content_type,
            silent: Vec::new(),
            tables: Vec::new(),
            line_end: LineEnd::of(head),
            columns: Columns::default(),
            heads: Vec::new(),
            columns_of: Vec::new(),
        }
    }

    /// The bytes the outline is of.
    #[must_use]
    pub fn source(&self) -> &'s [u8] {
        self.source
    }

    /// Sets how notes among the root's children are written.
    pub fn set_root_notes(&mut self, notes: NoteSyntax) {
        self.units[0].notes = notes;
    }

    /// Changes what the source is said to be.
    pub fn set_content_type(&mut self, content_type: ContentType) {
        self.content_type = content_type;
    }

    /// The unit that is open now: what the next unit will stand in.
    #[must_use]
    pub fn current(&self) -> UnitId {
        self.open.last().map_or(UnitId::ROOT, |open| open.id)
    }

    /// The counts of columns, for the parsers of records.
    pub(crate) fn columns(&mut self) -> &mut Columns {
        &mut self.columns
    }

    /// How many units there are so far.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// Where the last child of the open container ends; where the container begins if it has none.
    #[must_use]
    pub fn last_end(&self) -> usize {
        let current = self.current();
        let mut at = UnitId(offset(self.units.len().saturating_sub(1)));
        while at > current && self.units.get(at.index()).is_some_and(|unit| unit.parent != current) {
            at = self.units.get(at.index()).map_or(current, |unit| unit.parent);
        }
        let end = self.units.get(at.index()).map(|unit| if at > current { unit.body.e } else { unit.body.s });
        end.unwrap_or(0) as usize
    }

    /// Says whether the innermost open container is a frame: the document itself, say.
    #[must_use]
    pub fn is_open_frame(&self) -> bool {
        self.skipped == 0
            && self.units.get(self.current().index()).is_some_and(|unit| unit.role == Role::Frame)
    }

    /// Says how many JSON strings the children of the open container are quoted in.
    pub fn set_quote(&mut self, quote: u8) {
        if self.skipped == 0 {
            let current = self.current();
            if let Some(unit) = self.units.get_mut(current.index()) {
                unit.quote = quote;
            }
        }
    }

    /// Opens a container whose body begins at `start`, after a separator that begins at `lead`. Its notes are written as
    /// `notes`. Each call is matched by one of [`close`](Self::close).
    pub fn open(&mut self, lead: usize, start: usize, role: Role, kind: Kind, notes: NoteSyntax) {
        if self.skipped > 0
            || self.open.last().is_some_and(|open| open.joined)
            || self.open.len() >= MAX_DEPTH
        {
            self.skipped += 1;
            return;
        }
        let joined = self.is_full(start);
        let id = self.add(lead, start, start, role, kind, notes, joined);
        self.open.push(Open { id, joined });
    }

    /// Closes the innermost container at `end`.
    pub fn close(&mut self, end: usize) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(open) = self.open.pop() else { return };
        let count = offset(self.units.len());
        if let Some(unit) = self.units.get_mut(open.id.index()) {
            unit.body.e = offset(end).max(unit.body.e);
            unit.end = count;
        }
    }

    /// Closes the innermost container at `end`, and if its body has at most `atom_bytes` bytes makes it one unit without
    /// children: small records are kept or left whole.
    pub fn close_atom(&mut self, end: usize, atom_bytes: usize) {
        if self.skipped == 0
            && let Some(open) = self.open.last()
            && !open.joined
            && let Some(unit) = self.units.get(open.id.index())
            && end.saturating_sub(unit.body.s as usize) <= atom_bytes
        {
            let keep = open.id.index() + 1;
            while self.tables.last().is_some_and(|table| table.container.index() + 1 >= keep) {
                self.tables.pop();
            }
            self.units.truncate(keep);
            self.heads.truncate(keep);
            self.columns_of.truncate(keep);
        }
        self.close(end);
    }

    /// Makes the objects in the innermost open container records: it is a map from names to them.
    pub(crate) fn objects_are_records(&mut self) {
        let Some(open) = self.open.last().filter(|open| self.skipped == 0 && !open.joined) else { return };
        let mut at = open.id.index() + 1;
        while let Some(unit) = self.units.get_mut(at) {
            if unit.kind == Kind::Object && unit.role == Role::Field {
                unit.role = Role::Record;
            }
            at = (unit.end as usize).max(at + 1);
        }
    }

    /// Adds a unit without children: body `[start, end)`, separator `[lead, start)`.
    #[inline]
    pub fn leaf(&mut self, lead: usize, start: usize, end: usize, role: Role, kind: Kind) {
        if self.skipped > 0 || self.open.last().is_some_and(|open| open.joined) {
            return;
        }
        let joined = self.is_full(end);
        let notes = NoteSyntax::Inline;
        self.add(lead, start, end, role, kind, notes, joined);
    }

    /// Says what stands before the message of unit number `index`, if there is such a unit.
    pub(crate) fn set_head(&mut self, index: usize, head: LineHead) {
        if head != LineHead::default() && index < self.units.len() {
            if self.heads.is_empty() {
                self.heads.reserve(self.units.capacity());
            }
            self.heads.resize(index, LineHead::default());
            self.heads.push(head);
        }
    }

    /// Says which column unit number `index` is a value of, if there is such a unit.
    #[inline]
    pub(crate) fn set_column(&mut self, index: usize, place: u32) {
        if index < self.units.len() {
            if self.columns_of.is_empty() {
                self.columns_of.reserve(self.units.capacity());
            }
            self.columns_of.resize(index, 0);
            self.columns_of.push(place + 1);
        }
    }

    /// Marks bytes that are never shown and get no note: invalid UTF-8, terminal colours. In order.
    pub fn silent(&mut self, start: usize, end: usize) {
        if self.silent.last().is_none_or(|last| last.e as usize <= start) {
            self.silent.push(Span::new(start, end));
        }
    }

    /// Says that the open unit's rows form a grid.
    pub fn table(&mut self, header: Option<Span>, layout: Layout) {
        if self.skipped == 0 && !self.open.last().is_some_and(|open| open.joined) {
            self.tables.push(Table { container: self.current(), header, layout });
        }
    }

    /// Puts the outline of a decoded text in the open unit: `map` translates its offsets (never decreasing) into this
    /// source's, and notes in it are escaped once more. Units beyond the limit are left out.
    pub fn graft(&mut self, inner: &Outline<'_>, mut map: impl FnMut(u32) -> u32) {
        if self.skipped > 0 || self.open.last().is_some_and(|open| open.joined) {
            return;
        }
        let parent = self.current();
        let Some(base) = self.units.get(parent.index()).map(|unit| unit.body.s) else { return };
        let room = (unit_limit(self.source.len())).saturating_sub(self.units.len() + 1);
        if inner.units.len() > room {
            return;
        }
        let shift = parent.0;
        if let (Some(unit), Some(root)) = (self.units.get_mut(parent.index()), inner.units.first()) {
            unit.notes = root.notes;
            unit.quote = root.quote + 1;
        }
        // The parent may already hold nothing else: a grafted text is a string's only content.
        let first = offset(self.units.len());
        let shift_id = |id: UnitId| if id == UnitId::ROOT { UnitId(shift) } else { UnitId(first + id.0 - 1) };
        for unit in inner.units.iter().skip(1) {
            let lead = map(unit.lead).max(base);
            let body = Span { s: map(unit.body.s), e: map(unit.body.e) };
            self.units.push(Unit {
                lead,
                body,
                parent: shift_id(unit.parent),
                end: first + unit.end - 1,
                quote: unit.quote + 1,
                ..*unit
            });
        }
        for (index, (head, unit)) in inner.heads.iter().zip(&inner.units).enumerate().skip(1) {
            let prefix_bytes =
                map(unit.body.s + u32::from(head.prefix_bytes)).saturating_sub(map(unit.body.s));
            let prefix_bytes = u8::try_from(prefix_bytes).unwrap_or(0);
            self.set_head(first as usize + index - 1, LineHead { prefix_bytes, ..*head });
        }
        let (before, shift) = (self.columns.len(), first as usize - 1);
        for (index, column) in inner.columns_of.iter().enumerate().filter(|(_, column)| **column > 0) {
            self.columns_of.resize(shift + index, 0);
            self.columns_of.push(column + offset(before));
        }
        self.columns.adopt(&inner.columns, &mut map);
        for span in &inner.silent {
            self.silent(map(span.s) as usize, map(span.e) as usize);
        }
    }

    /// Ends the outline; containers still open end with the source.
    #[must_use]
    pub fn finish(mut self) -> Outline<'s> {
        self.skipped = 0;
        while !self.open.is_empty() {
            self.close(self.source.len());
        }
        self.columns.settle();
        let count = offset(self.units.len());
        self.units[0].end = count;
        Outline {
            source: self.source,
            units: self.units,
            content_type: self.content_type,
            line_end: self.line_end,
            silent: self.silent,
            tables: self.tables,
            columns: self.columns,
            heads: self.heads,
            columns_of: self.columns_of,
        }
    }

    /// Says whether the limit on units, taken so far as the source was read, is reached.
    fn is_full(&self, at: usize) -> bool {
        // One unit for 32 bytes read, as `unit_limit` allows for the whole; deep chains of parents count too.
        self.units.len() > (at / 32).max(65_536) - 2 * MAX_DEPTH
    }

    /// Adds a unit, or, where `joined` and a small sibling stands just before, lengthens that one.
    #[expect(clippy::too_many_arguments, reason = "the fields of one unit, built in one place")]
    fn add(
        &mut self,
        lead: usize,
        start: usize,
        end: usize,
        role: Role,
        kind: Kind,
        notes: NoteSyntax,
        joined: bool,
    ) -> UnitId {
        let parent = self.current();
        let next = UnitId(offset(self.units.len()));
        if joined
            && let Some(last) = self.units.last_mut()
            && last.parent == parent
            && next.0 > parent.0 + 1
            && last.role != Role::Frame
        {
            last.body.e = offset(end).max(last.body.e);
            last.kind = Kind::Joined;
            return UnitId(next.0 - 1);
        }
        let start = offset(start);
        let first = next.0 == parent.0 + 1;
        let quote = 0;
        let lead = if first { start } else { offset(lead).min(start) };
        self.units.push(Unit {
            lead,
            body: Span { s: start, e: offset(end).max(start) },
            parent,
            end: next.0 + 1,
            role,
            kind,
            notes,
            quote,
        });
        next
    }
}

/// Lines and small records seldom have fewer bytes on average.
const USUAL_UNIT_BYTES: usize = 48;

/// The plain notes of line formats.
pub const LINE_NOTES: NoteSyntax = NoteSyntax::Line(Comment::Brackets);
