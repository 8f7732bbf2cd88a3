//! The one door to selection: the units of an outline in the order in which they are worth showing.
//!
//! The order knows no budget: a budget keeps a prefix of it, which is why views nest. The tiers, first to last: frames; each
//! class of error once; query hits; rare values; first and last; one of each shape; more errors; the rest, spread evenly. With
//! a query, the best hits go before the errors.

mod columns;
mod document;
mod errors;
mod labels;
mod listed;
mod named;
mod near;
mod numbers;
mod query;
mod records;
mod shares;
mod spread;
mod states;
mod tallies;
mod templates;
pub(crate) mod times;

pub(crate) use self::errors::Words;
use self::{shares::Share, spread::Spread, templates::Templates};
use recto_outline::{Columns, ContentType, Kind, NoteSyntax, Outline, Role, UnitId, beside};

/// Why a unit is where it is in the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Needed to read the rest.
    Frame,
    /// The first of its class of errors.
    ErrorClass,
    /// Holds what the query asks for.
    QueryHit,
    /// One more error of a class shown already.
    Error,
    /// A rare value in a column of few values, or a line like no other.
    Rare,
    /// A number far from the others of its column, the largest or smallest of it, or one behind a gap.
    Outlier,
    /// A field of the document as a whole rather than of one of its records.
    Document,
    /// The first or the last.
    Edge,
    /// The first of its shape or template.
    Shape,
    /// One of the rest, evenly spread.
    Spread,
}

impl Reason {
    /// The name, as `--explain` prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::ErrorClass => "error-class",
            Self::QueryHit => "query-hit",
            Self::Error => "error",
            Self::Rare => "rare",
            Self::Outlier => "outlier",
            Self::Document => "document",
            Self::Edge => "edge",
            Self::Shape => "shape",
            Self::Spread => "spread",
        }
    }
}

/// One step of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) unit: UnitId,
    pub(crate) reason: Reason,
}

/// The order, with the frames that mode `exact` never drops at its head. Its tail, where nothing stands out any more, is worked
/// out as far as somebody asks for it.
pub(crate) struct Ranking<'o, 's> {
    order: Order<'o, 's>,
    /// What stands in the columns of rows, if not counted by the parser.
    pub(crate) rows: Columns,
    pub(crate) skeleton: usize,
    /// What is spread now, and what later, last list first.
    spread: Spread,
    later: Vec<Vec<UnitId>>,
}

impl<'o, 's> Ranking<'o, 's> {
    /// What is ranked.
    pub(crate) fn outline(&self) -> &'o Outline<'s> {
        self.order.outline
    }

    /// A ranking in a given order; of a unit that comes twice the first counts.
    pub(crate) fn of(outline: &'o Outline<'s>, units: &[(UnitId, Reason)]) -> Self {
        let mut order = Order::new(outline);
        for (unit, reason) in units {
            order.add(*unit, *reason);
        }
        let rows = Columns::default();
        Self { order, rows, skeleton: 0, spread: Spread::default(), later: Vec::new() }
    }
}

impl Ranking<'_, '_> {
    /// The picks that are worked out.
    pub(crate) fn picks(&self) -> &[Pick] {
        &self.order.picks
    }

    /// Pick number `index`; none behind the last.
    pub(crate) fn pick(&mut self, index: usize) -> Option<Pick> {
        while self.order.picks.len() <= index {
            match self.spread.next() {
                Some(unit) => self.order.add(unit, Reason::Spread),
                None => self.spread = Spread::new(self.order.outline, self.later.pop()?),
            }
        }
        self.order.picks.get(index).copied()
    }

    /// Works out the whole order; gives its length.
    pub(crate) fn all(&mut self) -> usize {
        let units = self.order.states.len();
        // No unit comes twice: there are not so many picks.
        let _ = self.pick(units);
        self.order.picks.len()
    }
}

/// Units shown at each end of the source.
const EDGE_UNITS: usize = 4;

/// Ranks the units of an outline. What is known of errors already is not looked for again.
pub(crate) fn rank<'o, 's>(
    outline: &'o Outline<'s>,
    query: Option<&str>,
    errors: Option<&Words>,
) -> Ranking<'o, 's> {
    let mut order = Order::new(outline);
    frames(outline, &mut order);
    let skeleton = order.picks.len();
    let leaves = Leaves::of(outline, &order);

    let rows = columns::rows(outline);
    let hits = query.map(|query| query::find(outline, &rows, &leaves, query)).unwrap_or_default();
    // Lines of running text and of programs repeat by chance.
    let is_running = matches!(
        outline.content_type,
        ContentType::Prose | ContentType::Chat | ContentType::Rag | ContentType::Code | ContentType::Numbered
    );
    let templates = || if is_running { Templates::default() } else { templates::find(outline, &leaves) };
    let ((found, columns, numbers), (templates, (document, tallies))) = beside(
        outline.source.len(),
        || {
            let found = errors::find(outline, &rows, &leaves, errors);
            (found, columns::find(outline, &rows, &leaves), numbers::find(outline, &rows, &leaves))
        },
        || (templates(), (document::find(outline, &leaves), tallies::find(outline, &leaves))),
    );
    let ends = leaves.shown.len().min(EDGE_UNITS);
    let last = leaves.shown.get(leaves.shown.len() - ends..).unwrap_or_default();
    let edges = leaves.shown.iter().take(ends).chain(last.iter().rev()).copied().collect();
    // A closing bracket or fence ends a text, but says nothing; nor does an empty field.
    let says = |id: &&UnitId| {
        let text = outline.text(**id);
        let is_empty = outline.unit(**id).role == Role::Field && document::is_empty(text);
        text.iter().any(u8::is_ascii_alphanumeric) && !is_empty
    };
    let very_last = last.iter().rev().find(says).or(last.last());
    let outermost = very_last.into_iter().chain(leaves.shown.first()).copied().collect();
    let mut heads_spread = Vec::new();
    if matches!(outline.content_type, ContentType::Code | ContentType::Numbered | ContentType::Prose) {
        heads_spread.extend(Spread::new(outline, heads(outline)));
    }
    let share = |reason, weight, units| Share { reason, weight, units };
    let shares = [
        share(Reason::QueryHit, if hits.best.is_empty() { 6 } else { 24 }, hits.more),
        share(Reason::QueryHit, 10, hits.exceptions),
        share(Reason::ErrorClass, 30, found.first),
        share(Reason::Rare, 10, columns.rare),
        share(Reason::Rare, 6, templates.rare),
        share(Reason::Rare, 6, columns.texts),
        share(Reason::Outlier, 10, numbers.outliers),
        share(Reason::Outlier, 3, numbers.extremes),
        share(Reason::Error, 3, found.maybe),
        share(Reason::Document, 20, tallies.counts),
        share(Reason::Document, 5, tallies.ends),
        share(Reason::Document, 5, document),
        share(Reason::Edge, 4, outermost),
        share(Reason::Edge, 2, edges),
        share(Reason::Shape, 3, columns.shapes),
        share(Reason::Shape, 3, heads_spread),
        share(Reason::Shape, 8, templates.all),
    ];
    let best = [share(Reason::QueryHit, 1, hits.best)];
    shares::merge(outline, &best, &mut order);
    shares::merge(outline, &shares, &mut order);
    order.all(&found.more, Reason::Error);
    Ranking { order, rows, skeleton, spread: Spread::default(), later: vec![leaves.last, leaves.shown] }
}

/// The frames, outermost first.
fn frames(outline: &Outline<'_>, order: &mut Order<'_, '_>) {
    if !outline.each().any(|(_, unit)| unit.role == Role::Frame) {
        return;
    }
    let mut is_skeleton = vec![false; outline.units.len()];
    let mut others = Vec::new();
    for (id, unit) in outline.each() {
        if unit.role != Role::Frame {
            continue;
        }
        if unit.parent == UnitId::ROOT || is_skeleton.get(unit.parent.index()).copied().unwrap_or_default() {
            if let Some(mark) = is_skeleton.get_mut(id.index()) {
                *mark = true;
            }
            others.push(id);
        }
    }
    // Outer frames of the whole source before inner ones: every file of a diff is named before any hunk.
    let depth = |id: &UnitId| outline.ancestors(*id).take(16).count();
    others.sort_by_cached_key(depth);
    order.all(&others, Reason::Frame);
}

/// The containers with a head of their own: definitions with their signatures, sections with their headings. Kept for
/// themselves, they show just that.
fn heads(outline: &Outline<'_>) -> Vec<UnitId> {
    let has_head =
        |id| outline.children(id).next().is_some_and(|first| outline.unit(first).role == Role::Frame);
    let named = outline.each().filter(|(_, unit)| matches!(unit.kind, Kind::Definition | Kind::Section));
    named.map(|(id, _)| id).filter(|id| has_head(*id)).collect()
}

/// The units that are chosen among: those without children, in document order.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    /// What is worth showing.
    pub(crate) shown: Vec<UnitId>,
    /// What is shown last: blank lines, boilerplate.
    pub(crate) last: Vec<UnitId>,
}

impl Leaves {
    fn of(outline: &Outline<'_>, order: &Order<'_, '_>) -> Self {
        let mut leaves = Self::default();
        let code_like = matches!(outline.content_type, ContentType::Diff);
        for (id, unit) in outline.each() {
            if !outline.is_leaf(id) || (unit.role == Role::Frame && order.has(id)) {
                continue;
            }
            let is_last = matches!(unit.kind, Kind::Blank | Kind::Boilerplate)
                || (code_like && unit.kind == Kind::Context);
            if is_last { leaves.last.push(id) } else { leaves.shown.push(id) }
        }
        leaves
    }

    /// The unit that byte `at` of the source tells of: the leaf that holds it, or the container that begins there.
    fn holding(&self, outline: &Outline<'_>, at: u32) -> Option<UnitId> {
        if let Ok(position) = self.at(outline, at as usize, 0) {
            return self.shown.get(position).copied();
        }
        let after = outline.units.partition_point(|unit| unit.body.s <= at);
        let last = after
            .checked_sub(1)
            .filter(|last| outline.units.get(*last).is_some_and(|unit| unit.body.s == at))?;
        u32::try_from(last).ok().filter(|last| *last > 0).map(UnitId)
    }

    /// The leaf that holds byte `at` of the source, searching forward from position `from` of `shown`.
    pub(crate) fn at(&self, outline: &Outline<'_>, at: usize, from: usize) -> Result<usize, usize> {
        let rest = self.shown.get(from..).unwrap_or_default();
        // Hits come in order and are mostly near: gallop, then search.
        let mut bound = 1;
        while bound < rest.len()
            && rest.get(bound).is_some_and(|id| (outline.unit(*id).body.s as usize) <= at)
        {
            bound *= 2;
        }
        let window = rest.get(..bound.min(rest.len())).unwrap_or_default();
        let after = window.partition_point(|id| outline.unit(*id).body.s as usize <= at);
        let Some(position) = after.checked_sub(1) else { return Err(from) };
        let inside = window.get(position).is_some_and(|id| (outline.unit(*id).body.e as usize) > at);
        if inside { Ok(from + position) } else { Err(from + position) }
    }
}

/// Blanks of a row beyond the first of each run: most tokenizers take a run for one token.
fn padding(row: &[u8]) -> usize {
    /// Longer rows are mostly not padded.
    const LOOKED_AT_BYTES: usize = 1_024;
    row.get(..LOOKED_AT_BYTES).unwrap_or(row).windows(2).filter(|pair| pair == b"  ").count()
}

/// Collects picks, each unit once.
struct Order<'o, 's> {
    outline: &'o Outline<'s>,
    picks: Vec<Pick>,
    states: Vec<State>,
}

/// What the picks so far make of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Out,
    /// A unit in it is picked: its frame is shown.
    Open,
    Picked,
}

impl<'o, 's> Order<'o, 's> {
    fn new(outline: &'o Outline<'s>) -> Self {
        let mut states = vec![State::Out; outline.units.len()];
        if let Some(root) = states.first_mut() {
            *root = State::Open;
        }
        Self { outline, picks: Vec::new(), states }
    }

    fn state(&self, unit: UnitId) -> State {
        self.states.get(unit.index()).copied().unwrap_or(State::Picked)
    }

    fn all(&mut self, units: &[UnitId], reason: Reason) {
        for unit in units {
            self.add(*unit, reason);
        }
    }

    fn add(&mut self, unit: UnitId, reason: Reason) {
        if self.has(unit) {
            return;
        }
        let parent = self.outline.unit(unit).parent;
        if self.state(parent) == State::Out {
            for parent in self.outline.ancestors(unit) {
                if let Some(state @ State::Out) = self.states.get_mut(parent.index()) {
                    *state = State::Open;
                } else {
                    break;
                }
            }
        }
        if let Some(state) = self.states.get_mut(unit.index()) {
            *state = State::Picked;
        }
        self.picks.push(Pick { unit, reason });
    }

    /// Says whether a unit has its place in the order.
    fn has(&self, unit: UnitId) -> bool {
        self.state(unit) == State::Picked
    }

    /// Bytes that picking `unit` would add, about: its own, the frames of the containers that it opens, and notes.
    fn cost(&self, unit: UnitId) -> u64 {
        /// What is left out around a unit is announced.
        const NOTE_BYTES: usize = 24;
        if self.has(unit) {
            return 0;
        }
        let outline = self.outline;
        let found = outline.unit(unit);
        let shares_note = outline.unit(found.parent).notes == NoteSyntax::JsonMember;
        let before_children = |unit: UnitId| {
            let first = outline.children(unit).next();
            let end = first.map_or(outline.unit(unit).body.e, |first| outline.unit(first).lead);
            end.saturating_sub(outline.unit(unit).lead) as usize
        };
        let shown = match found.kind {
            // Braces say nothing, and are as dear as what they hold; another block says something by its head.
            Kind::Object | Kind::Array | Kind::StringText => found.body.e.saturating_sub(found.lead) as usize,
            Kind::Row => before_children(unit) - padding(outline.text(unit)),
            _ => before_children(unit),
        };
        let mut bytes = shown + if shares_note { 0 } else { NOTE_BYTES };
        let closed = outline.ancestors(unit).take_while(|parent| self.state(*parent) == State::Out);
        for parent in closed {
            bytes += before_children(parent) + NOTE_BYTES;
        }
        bytes as u64
    }
}
