//! The one door to selection: the units of an outline in the order in which they are worth showing.
//!
//! The order knows no budget: a budget keeps a prefix of it, which is why views nest. The tiers, first to last: frames; each
//! class of error once; query hits; rare values; first and last; one of each shape; more errors; the rest, spread evenly. With
//! a query, the best hits go before the errors.

mod columns;
mod errors;
mod query;
mod spread;
mod templates;

use self::spread::Spread;
use recto_outline::{ContentType, Kind, Outline, Role, UnitId};

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
    pub(crate) skeleton: usize,
    /// What is spread now, and what later, last list first.
    spread: Spread,
    later: Vec<Vec<UnitId>>,
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
        let units = self.order.taken.len();
        // No unit comes twice: there are not so many picks.
        let _ = self.pick(units);
        self.order.picks.len()
    }
}

/// Classes of error that are shown before the query's hits; a source of more classes than that shows the rest after them.
const CLASSES_FIRST: usize = 48;
/// Units shown at each end of the source.
const EDGE_UNITS: usize = 4;

/// Ranks the units of an outline.
pub(crate) fn rank<'o, 's>(outline: &'o Outline<'s>, query: Option<&str>) -> Ranking<'o, 's> {
    let mut order = Order::new(outline);
    frames(outline, &mut order);
    let skeleton = order.picks.len();
    let leaves = Leaves::of(outline);

    let found = errors::find(outline, &leaves);
    let hits = query.map(|query| query::find(outline, &leaves, query)).unwrap_or_default();
    let (first, later) = found.first.split_at(found.first.len().min(CLASSES_FIRST));
    if hits.is_empty() {
        order.all(first, Reason::ErrorClass);
    } else {
        // With a query, the hits share the head of the order with the errors: a few of these, then what was asked for.
        let (some, rest) = first.split_at(first.len().min(4));
        order.all(&hits[..hits.len().min(4)], Reason::QueryHit);
        order.all(some, Reason::ErrorClass);
        order.all(&hits, Reason::QueryHit);
        order.all(rest, Reason::ErrorClass);
    }
    order.all(later, Reason::ErrorClass);

    let columns = columns::find(outline, &leaves);
    let templates = templates::find(outline, &leaves);
    order.all(&columns.rare, Reason::Rare);
    order.all(&templates.rare, Reason::Rare);
    let ends = leaves.shown.len().min(EDGE_UNITS);
    let last = leaves.shown.get(leaves.shown.len() - ends..).unwrap_or_default();
    order.all(leaves.shown.get(..ends).unwrap_or_default(), Reason::Edge);
    order.all(last, Reason::Edge);
    order.all(&columns.shapes, Reason::Shape);
    if matches!(outline.content_type, ContentType::Code | ContentType::Numbered | ContentType::Prose) {
        Spread::new(outline, heads(outline)).for_each(|unit| order.add(unit, Reason::Shape));
    }
    order.all(&templates.first, Reason::Shape);
    order.all(&found.more, Reason::Error);
    Ranking { order, skeleton, spread: Spread::default(), later: vec![leaves.last, leaves.shown] }
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
    fn of(outline: &Outline<'_>) -> Self {
        let mut leaves = Self::default();
        let code_like = matches!(outline.content_type, ContentType::Diff);
        for (id, unit) in outline.each() {
            if !outline.is_leaf(id) || unit.role == Role::Frame {
                continue;
            }
            let is_last = matches!(unit.kind, Kind::Blank | Kind::Boilerplate)
                || (code_like && unit.kind == Kind::Context);
            if is_last { leaves.last.push(id) } else { leaves.shown.push(id) }
        }
        leaves
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

/// Collects picks, each unit once.
struct Order<'o, 's> {
    outline: &'o Outline<'s>,
    picks: Vec<Pick>,
    taken: Vec<bool>,
}

impl<'o, 's> Order<'o, 's> {
    fn new(outline: &'o Outline<'s>) -> Self {
        Self { outline, picks: Vec::new(), taken: vec![false; outline.units.len()] }
    }

    fn all(&mut self, units: &[UnitId], reason: Reason) {
        for unit in units {
            self.add(*unit, reason);
        }
    }

    fn add(&mut self, unit: UnitId, reason: Reason) {
        let Some(taken) = self.taken.get_mut(unit.index()) else { return };
        if *taken {
            return;
        }
        *taken = true;
        if !matches!(reason, Reason::Frame | Reason::Spread) {
            self.name_record(unit, reason);
        }
        self.picks.push(Pick { unit, reason });
    }

    /// A field picked for itself brings its record's first field along, so that it is bound to what it is of.
    fn name_record(&mut self, unit: UnitId, reason: Reason) {
        let found = self.outline.unit(unit);
        if found.role != Role::Field {
            return;
        }
        let record = std::iter::once(found.parent)
            .chain(self.outline.ancestors(found.parent))
            .take(4)
            .find(|id| self.outline.unit(*id).role == Role::Record);
        let Some(record) = record else { return };
        let first = self
            .outline
            .children(record)
            .take(3)
            .find(|id| self.outline.is_leaf(*id) && self.outline.unit(*id).body.len() <= 160);
        if let Some(first) = first
            && let Some(taken) = self.taken.get_mut(first.index())
            && !std::mem::replace(taken, true)
        {
            self.picks.push(Pick { unit: first, reason });
        }
    }
}
