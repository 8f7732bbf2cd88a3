//! One reading of a session, and the changes that it asks for. No record is changed twice in a round.

use std::collections::{BTreeMap, BTreeSet};

use recto::{
    archive::{Archive, Scope, Target, block_on},
    session::history::{History, Item, Node, Place, Problem, ProblemKind},
    transcript::{Places, Rewrite, Transcript},
    wire::{Layout, Record, Span, remove_blocks},
};

use super::{Fix, Limits, words};
use crate::failure::Outcome;

/// Keeps what is taken out.
pub(crate) struct Keeper<'a> {
    pub(crate) archive: &'a dyn Archive,
    pub(crate) scope: &'a Scope,
}

impl Keeper<'_> {
    pub(super) fn keep(&self, bytes: &[u8]) -> Outcome<String> {
        let original = block_on(self.archive.put(self.scope, bytes))?;
        Ok(block_on(self.archive.issue(self.scope, &Target::Original(original)))?.to_string())
    }
}

/// A record is known by its file, its offset and its number.
pub(super) type Key = (u32, u64, u32);

pub(super) fn key(place: Place) -> Key {
    (place.file, place.at, place.line)
}

pub(super) struct Done {
    pub(super) rewrite: Rewrite,
    pub(super) done: Vec<Fix>,
    pub(super) left: Vec<Fix>,
}

pub(super) struct Round<'r> {
    pub(super) transcript: &'r Transcript,
    pub(super) history: &'r History,
    pub(super) keeper: &'r Keeper<'r>,
    pub(super) limits: Limits,
    pub(super) places: Places<'r>,
    /// The records of a document.
    pub(super) records: Vec<Record>,
    /// Which node a record is.
    pub(super) nodes: BTreeMap<Key, usize>,
    /// The nodes that follow each.
    pub(super) children: BTreeMap<usize, Vec<usize>>,
    pub(super) touched: BTreeSet<Key>,
    pub(super) removals: BTreeMap<Key, (Place, Vec<Span>)>,
    /// Ids that were made in this round.
    pub(super) made_ids: BTreeSet<recto::session::Key>,
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
        let nodes = history.nodes.iter().enumerate().map(|(at, node)| (key(node.place), at)).collect();
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, node) in history.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children.entry(parent as usize).or_default().push(at);
            }
        }
        let out = Done { rewrite: Rewrite::default(), done: Vec::new(), left: Vec::new() };
        Ok(Self {
            transcript,
            history,
            keeper,
            limits,
            places,
            records,
            nodes,
            children,
            touched: BTreeSet::new(),
            removals: BTreeMap::new(),
            made_ids: BTreeSet::new(),
            out,
        })
    }

    pub(super) fn run(mut self) -> Outcome<Done> {
        let mut problems = self.history.problems.clone();
        problems.sort_by_key(|problem| (order(problem.kind), key(problem.place), problem.item));
        for problem in &problems {
            self.fix(problem)?;
        }
        self.images()?;
        self.empty_texts()?;
        for (place, spans) in std::mem::take(&mut self.removals).into_values() {
            for span in remove_blocks(self.places.bytes(place)?, &spans) {
                self.out.rewrite.replace(place, span, Vec::new());
            }
        }
        Ok(self.out)
    }

    pub(super) fn fix(&mut self, problem: &Problem) -> Outcome<()> {
        let node = self.nodes.get(&key(problem.place)).copied();
        match (problem.kind, node, problem.item) {
            (ProblemKind::Malformed | ProblemKind::Truncated, ..) => self.malformed(problem),
            (ProblemKind::DoubledId, Some(node), _) => self.doubled_id(problem, node),
            (ProblemKind::MissingParent, Some(node), _) => self.missing_parent(problem, node),
            (ProblemKind::Cycle, Some(node), _) => self.cycle(problem, node),
            (ProblemKind::DoubledCall, Some(node), Some(item)) => self.doubled_call(problem, node, item),
            (ProblemKind::OrphanResult | ProblemKind::DoubledResult, Some(node), Some(item)) => {
                self.take_out(problem, node, item)
            }
            (ProblemKind::ResultBeforeCall, Some(node), Some(item)) => self.move_behind(problem, node, item),
            (ProblemKind::Unanswered, Some(node), Some(item)) => self.answer(problem, node, item),
            _ => Ok(()),
        }
    }

    pub(super) fn node(&self, at: usize) -> Option<&'r Node> {
        self.history.nodes.get(at)
    }

    pub(super) fn done(&mut self, problem: &Problem, did: impl Into<String>, reference: Option<String>) {
        let (line, problem) = (problem.place.line, words(problem.kind));
        self.out.done.push(Fix { line, problem, did: did.into(), reference });
    }

    pub(super) fn left(&mut self, problem: &Problem, why: &str) -> Outcome<()> {
        let (line, problem) = (problem.place.line, words(problem.kind));
        self.out.left.push(Fix { line, problem, did: format!("left as it is: {why}"), reference: None });
        Ok(())
    }

    /// Takes records for this round; `false` if one is taken already, so that the next round sees to it.
    pub(super) fn take(&mut self, places: &[Place]) -> bool {
        if places.iter().any(|place| self.touched.contains(&key(*place))) {
            return false;
        }
        self.touched.extend(places.iter().map(|place| key(*place)));
        true
    }

    /// A record, and the bytes that its spans are in.
    pub(super) fn record(&mut self, place: Place) -> Outcome<(Record, Vec<u8>)> {
        let layout = self.transcript.layout();
        let bytes = self.places.bytes(place)?;
        if layout == Layout::Document {
            let record = self.records.get((place.line as usize).saturating_sub(1)).cloned();
            let record =
                record.unwrap_or_else(|| Record::new(recto::wire::RecordKind::Blank, Span::default()));
            let bytes = record.span.of(bytes).to_vec();
            return Ok((record, bytes));
        }
        Ok((self.transcript.format().line(bytes), bytes.to_vec()))
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
        let (record, _) = self.record(place)?;
        let end = Span { s: record.span.e, e: record.span.e };
        self.out.rewrite.replace(place, end, [b",".as_slice(), &bytes].concat());
        Ok(())
    }
}

/// What is seen to first: what others may follow from.
fn order(kind: ProblemKind) -> u32 {
    match kind {
        ProblemKind::Malformed | ProblemKind::Truncated => 0,
        ProblemKind::DoubledId => 1,
        ProblemKind::MissingParent | ProblemKind::Cycle => 2,
        ProblemKind::DoubledCall => 3,
        ProblemKind::DoubledResult => 4,
        ProblemKind::ResultBeforeCall => 5,
        ProblemKind::OrphanResult => 6,
        _ => 7,
    }
}
