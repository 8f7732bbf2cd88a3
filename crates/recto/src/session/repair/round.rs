//! One reading of a session, and the changes that it asks for. No part of a record is changed twice in a round.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use recto::{
    archive::{Archive, Digest, Scope, Target, block_on},
    session::history::{History, Item, Node, Place, Problem, ProblemKind},
    transcript::{Places, Rewrite, Transcript},
    wire::{Layout, Record, Span, remove_blocks},
};

use super::{Fix, Limits, index::Index, links::Links, words};
use crate::failure::Outcome;

/// Keeps what is taken out.
pub(crate) struct Keeper<'a> {
    pub(crate) archive: &'a dyn Archive,
    pub(crate) scope: &'a Scope,
    /// What was kept already: thousands of lines may be the same.
    pub(crate) kept: RefCell<HashMap<Digest, String>>,
}

impl Keeper<'_> {
    pub(super) fn keep(&self, bytes: &[u8]) -> Outcome<String> {
        let digest = Digest::of(bytes);
        if let Some(name) = self.kept.borrow().get(&digest) {
            return Ok(name.clone());
        }
        let original = block_on(self.archive.put(self.scope, bytes))?;
        let name = block_on(self.archive.issue(self.scope, &Target::Original(original)))?.to_string();
        self.kept.borrow_mut().insert(digest, name.clone());
        Ok(name)
    }
}

/// A record is known by its file, its offset and its number.
pub(super) type Key = (u32, u64, u32);

pub(super) fn key(place: Place) -> Key {
    (place.file, place.at, place.line)
}

/// What becomes of a record. Several changes of one kind are of parts that do not touch, so they are made in one round; all others wait for the
/// next one, which sees what came of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It goes, moves, or follows another: no other change beside that.
    Whole,
    /// Ids of calls in it.
    Ids,
    /// Blocks that go.
    Blocks,
    /// Images in it.
    Images,
    /// Results of its calls, in it or behind it.
    Results,
    /// Records that are moved behind it.
    Behind,
}

/// A record, and the bytes that its spans are in.
pub(super) type Read = Rc<(Record, Vec<u8>)>;

pub(super) struct Done {
    pub(super) rewrite: Rewrite,
    pub(super) done: Vec<Fix>,
    pub(super) left: Vec<Fix>,
    /// How many records were looked at again: what a round costs beside one reading.
    pub(super) read_records: u64,
}

pub(super) struct Round<'r> {
    pub(super) transcript: &'r Transcript,
    pub(super) history: &'r History,
    pub(super) keeper: &'r Keeper<'r>,
    pub(super) limits: Limits,
    pub(super) places: Places<'r>,
    /// The records of a document.
    records: Vec<Record>,
    /// The record that was looked at last.
    last: Option<(Key, Read)>,
    pub(super) index: Index,
    /// The links of a record that others have the id of.
    pub(super) first_links: Option<(Key, Links)>,
    touched: BTreeMap<Key, Touch>,
    removals: BTreeMap<Key, (Place, Vec<Span>)>,
    pub(super) out: Done,
}

impl<'r> Round<'r> {
    pub(super) fn new(
        transcript: &'r Transcript,
        history: &'r History,
        keeper: &'r Keeper<'r>,
        limits: Limits,
    ) -> Outcome<Self> {
        let mut places = transcript.places();
        let mut records = Vec::new();
        if transcript.layout() == Layout::Document
            && let Some(place) = history.nodes.first().map(|node| node.place)
        {
            records = transcript.format().document(places.bytes(place)?).unwrap_or_default();
        }
        let out = Done { rewrite: Rewrite::default(), done: Vec::new(), left: Vec::new(), read_records: 0 };
        Ok(Self {
            transcript,
            history,
            keeper,
            limits,
            places,
            records,
            last: None,
            index: Index::of(history),
            first_links: None,
            touched: BTreeMap::new(),
            removals: BTreeMap::new(),
            out,
        })
    }

    pub(super) fn run(mut self) -> Outcome<Done> {
        let mut problems = self.history.problems.clone();
        problems.sort_by_key(|problem| (order(problem.kind), key(problem.place), problem.item));
        let is_of_one =
            |one: &Problem, other: &Problem| one.kind == other.kind && key(one.place) == key(other.place);
        for group in problems.chunk_by(is_of_one) {
            self.fix(group)?;
        }
        self.images()?;
        self.empty_texts()?;
        if self.out.rewrite.is_identity() && self.removals.is_empty() {
            self.say_what_is_left(&problems);
        }
        for (place, spans) in std::mem::take(&mut self.removals).into_values() {
            for span in remove_blocks(self.places.bytes(place)?, &spans) {
                self.out.rewrite.replace(place, span, Vec::new());
            }
        }
        Ok(self.out)
    }

    /// Nothing that is wrong goes without a word.
    fn say_what_is_left(&mut self, problems: &[Problem]) {
        let said: BTreeSet<(u32, u32, &'static str)> =
            self.out.left.iter().map(|fix| (fix.file, fix.line, fix.problem)).collect();
        for group in problems.chunk_by(|one, other| one.kind == other.kind) {
            let is_said = |problem: &&Problem| {
                said.contains(&(problem.place.file, problem.place.line, words(problem.kind)))
            };
            let Some(first) = group.iter().find(|problem| !is_said(problem)) else { continue };
            let others = group.iter().filter(|problem| !is_said(problem)).count() - 1;
            let why = match first.kind {
                ProblemKind::Pending => "it may be running",
                ProblemKind::UnknownType => {
                    "this version does not know what it is, and changes nothing of it"
                }
                _ => "in this format there is nothing to put in its place",
            };
            let more = if others > 0 { format!("; {others} more like it") } else { String::new() };
            self.left(first, &format!("{why}{more}"));
        }
    }

    /// Sees to problems of one kind and one record.
    fn fix(&mut self, group: &[Problem]) -> Outcome<()> {
        let Some(first) = group.first() else { return Ok(()) };
        let node = self.index.node(first.place);
        match (first.kind, node) {
            (ProblemKind::OrphanResult | ProblemKind::DoubledResult, Some(node)) => {
                return self.take_out(group, node);
            }
            (ProblemKind::Unanswered, Some(node)) => return self.answer(group, node),
            _ => {}
        }
        for problem in group {
            match (problem.kind, node, problem.item) {
                (ProblemKind::Malformed | ProblemKind::Truncated, ..) => self.malformed(problem)?,
                (ProblemKind::DoubledId, Some(node), _) => self.doubled_id(problem, node)?,
                (ProblemKind::MissingParent, Some(node), _) => self.missing_parent(problem, node)?,
                (ProblemKind::Cycle, Some(node), _) => self.cycle(problem, node)?,
                (ProblemKind::DoubledCall, Some(node), Some(item)) => {
                    self.doubled_call(problem, node, item)?;
                }
                (ProblemKind::ResultBeforeCall, Some(node), Some(item)) => {
                    self.move_behind(problem, node, item)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn node(&self, at: usize) -> Option<&'r Node> {
        self.history.nodes.get(at)
    }

    pub(super) fn done(&mut self, problem: &Problem, did: impl Into<String>, reference: Option<String>) {
        let fix = Fix::of(problem.place, words(problem.kind), did);
        self.out.done.push(Fix { reference, ..fix });
    }

    pub(super) fn left(&mut self, problem: &Problem, why: &str) {
        let did = format!("left as it is: {why}");
        self.out.left.push(Fix::of(problem.place, words(problem.kind), did));
    }

    /// Takes records for this round; `false` if something else becomes of one already, so that the next round sees to it.
    pub(super) fn take(&mut self, touches: impl IntoIterator<Item = (Place, Touch)>) -> bool {
        let touches: Vec<(Key, Touch)> =
            touches.into_iter().map(|(place, touch)| (key(place), touch)).collect();
        let is_free = |(place, touch): &(Key, Touch)| match self.touched.get(place) {
            None => true,
            Some(before) => before == touch && *touch != Touch::Whole,
        };
        if !touches.iter().all(is_free) {
            return false;
        }
        self.touched.extend(touches);
        true
    }

    /// A record, and the bytes that its spans are in.
    pub(super) fn record(&mut self, place: Place) -> Outcome<Read> {
        if let Some((last, read)) = &self.last
            && *last == key(place)
        {
            return Ok(Rc::clone(read));
        }
        self.out.read_records += 1;
        let bytes = self.places.bytes(place)?;
        let read = if self.transcript.layout() == Layout::Document {
            let record = self.records.get((place.line as usize).saturating_sub(1)).cloned();
            let record =
                record.unwrap_or_else(|| Record::new(recto::wire::RecordKind::Blank, Span::default()));
            let bytes = record.span.of(bytes).to_vec();
            (record, bytes)
        } else {
            (self.transcript.format().line(bytes), bytes.to_vec())
        };
        let read = Rc::new(read);
        self.last = Some((key(place), Rc::clone(&read)));
        Ok(read)
    }

    pub(super) fn remove_span(&mut self, place: Place, span: Span) {
        let own = self.removals.entry((place.file, place.at, 0)).or_insert((place, Vec::new()));
        own.1.push(span);
    }

    pub(super) fn item(&self, item: u32) -> Option<&'r Item> {
        self.history.items.get(item as usize)
    }

    pub(super) fn remove_record(&mut self, place: Place, record: &Record) {
        match self.transcript.layout() {
            Layout::Lines => self.out.rewrite.remove_line(place),
            _ => self.remove_span(place, record.span),
        }
    }

    /// Puts a record behind another.
    pub(super) fn insert_behind(&mut self, place: Place, bytes: Vec<u8>) -> Outcome<()> {
        if self.transcript.layout() == Layout::Lines {
            self.out.rewrite.add_line(place, bytes);
            return Ok(());
        }
        let end = self.record(place)?.0.span.e;
        self.out.rewrite.replace(place, Span { s: end, e: end }, [b",".as_slice(), &bytes].concat());
        Ok(())
    }
}

/// What is seen to first: what others may follow from.
fn order(kind: ProblemKind) -> (u32, ProblemKind) {
    let first = match kind {
        ProblemKind::Malformed | ProblemKind::Truncated => 0,
        ProblemKind::DoubledId => 1,
        ProblemKind::MissingParent | ProblemKind::Cycle => 2,
        ProblemKind::DoubledCall => 3,
        ProblemKind::DoubledResult => 4,
        ProblemKind::ResultBeforeCall => 5,
        ProblemKind::OrphanResult => 6,
        _ => 7,
    };
    (first, kind)
}
