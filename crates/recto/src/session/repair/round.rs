//! One reading of a session, and the changes that it asks for. No record is changed twice in a round.

use std::collections::{BTreeMap, BTreeSet};

use recto::{
    archive::{Archive, Scope, Target, block_on},
    session::history::{History, Item, ItemKind, Node, NodeKind, Place, Problem, ProblemKind},
    transcript::{Places, Rewrite, Transcript},
    wire::{Format, Layout, Link, Record, Role, Span, quote, remove_blocks, unquote},
};

use super::{
    Fix, Limits,
    forms::{self, Answer, Call},
    words,
};
use crate::{failure::Outcome, output};

/// Keeps what is taken out.
pub(crate) struct Keeper<'a> {
    pub(crate) archive: &'a dyn Archive,
    pub(crate) scope: &'a Scope,
}

impl Keeper<'_> {
    fn keep(&self, bytes: &[u8]) -> Outcome<String> {
        let original = block_on(self.archive.put(self.scope, bytes))?;
        Ok(block_on(self.archive.issue(self.scope, &Target::Original(original)))?.to_string())
    }
}

/// A record is known by its file, its offset and its number.
type Key = (u32, u64, u32);

fn key(place: Place) -> Key {
    (place.file, place.at, place.line)
}

pub(super) struct Done {
    pub(super) rewrite: Rewrite,
    pub(super) done: Vec<Fix>,
    pub(super) left: Vec<Fix>,
}

pub(super) struct Round<'r> {
    transcript: &'r Transcript,
    history: &'r History,
    keeper: &'r Keeper<'r>,
    limits: Limits,
    places: Places<'r>,
    /// The records of a document.
    records: Vec<Record>,
    /// Which node a record is.
    nodes: BTreeMap<Key, usize>,
    /// The nodes that follow each.
    children: BTreeMap<usize, Vec<usize>>,
    touched: BTreeSet<Key>,
    removals: BTreeMap<Key, (Place, Vec<Span>)>,
    /// Ids that were made in this round.
    made_ids: BTreeSet<recto::session::Key>,
    out: Done,
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

    fn fix(&mut self, problem: &Problem) -> Outcome<()> {
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

    fn node(&self, at: usize) -> Option<&'r Node> {
        self.history.nodes.get(at)
    }

    fn done(&mut self, problem: &Problem, did: impl Into<String>, reference: Option<String>) {
        let (line, problem) = (problem.place.line, words(problem.kind));
        self.out.done.push(Fix { line, problem, did: did.into(), reference });
    }

    fn left(&mut self, problem: &Problem, why: &str) -> Outcome<()> {
        let (line, problem) = (problem.place.line, words(problem.kind));
        self.out.left.push(Fix { line, problem, did: format!("left as it is: {why}"), reference: None });
        Ok(())
    }

    /// Takes records for this round; `false` if one is taken already, so that the next round sees to it.
    fn take(&mut self, places: &[Place]) -> bool {
        if places.iter().any(|place| self.touched.contains(&key(*place))) {
            return false;
        }
        self.touched.extend(places.iter().map(|place| key(*place)));
        true
    }

    /// A record, and the bytes that its spans are in.
    fn record(&mut self, place: Place) -> Outcome<(Record, Vec<u8>)> {
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

    /// The JSON string of a record's id, and the span and JSON of its link to its parent.
    fn links(&mut self, place: Place) -> Outcome<(Vec<u8>, Option<(Span, Vec<u8>)>)> {
        if self.transcript.layout() != Layout::Lines {
            return Ok((Vec::new(), None));
        }
        let (record, bytes) = self.record(place)?;
        let parent = match record.parent {
            Link::Id(span) => Some((span, span.of(&bytes).to_vec())),
            Link::Root => {
                let document = recto::wire::Document::parse(&bytes).ok();
                let link = document.as_ref().and_then(|document| {
                    let root = document.root();
                    root.get("parentUuid").or_else(|| root.get("parentId")).map(recto::wire::Value::span)
                });
                link.map(|span| (span, span.of(&bytes).to_vec()))
            }
            Link::Previous => None,
        };
        Ok((record.id.of(&bytes).to_vec(), parent))
    }

    /// The id of the record before, in the same conversation; `null` where there is none.
    fn before(&mut self, node: usize) -> Outcome<Vec<u8>> {
        let is_side = self.node(node).is_some_and(|node| node.is_side);
        let nodes = self.history.nodes.get(..node).unwrap_or_default();
        let before = nodes.iter().rev().find(|node| node.is_side == is_side && node.id.is_some());
        match before.map(|node| node.place) {
            Some(place) => Ok(self.links(place)?.0),
            None => Ok(b"null".to_vec()),
        }
    }

    fn malformed(&mut self, problem: &Problem) -> Outcome<()> {
        let place = problem.place;
        match self.transcript.layout() {
            Layout::Files => self.left(problem, "a file by itself: move it away, or restore it from a copy"),
            Layout::Document => {
                if self.take(&[place]) {
                    let (record, bytes) = self.record(place)?;
                    let name = self.keeper.keep(&bytes)?;
                    self.remove_span(place, record.span);
                    self.done(problem, "taken out", Some(name));
                }
                Ok(())
            }
            Layout::Lines => {
                if self.is_longer(place) {
                    return self.left(problem, "longer than what is read of a line (128 MiB)");
                }
                if self.take(&[place]) {
                    let bytes = self.places.bytes(place)?.to_vec();
                    let name = self.keeper.keep(&bytes)?;
                    self.out.rewrite.remove_line(place);
                    self.done(problem, "taken out", Some(name));
                }
                Ok(())
            }
        }
    }

    /// Whether a line has more than was read of it.
    fn is_longer(&mut self, place: Place) -> bool {
        let more = Place { bytes: place.bytes.saturating_add(1), ..place };
        let mut places = self.transcript.places();
        places.bytes(more).is_ok_and(|bytes| !matches!(bytes.last(), Some(b'\n' | b'\r')))
    }

    fn remove_span(&mut self, place: Place, span: Span) {
        let own = self.removals.entry((place.file, place.at, 0)).or_insert((place, Vec::new()));
        own.1.push(span);
    }

    fn doubled_id(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
        let format = self.transcript.format();
        let Some(own) = self.node(node).map(|node| node.place) else { return Ok(()) };
        let id = self.node(node).and_then(|node| node.id);
        let nodes = self.history.nodes.get(..node).unwrap_or_default();
        let Some(first) = nodes.iter().position(|other| other.id == id) else { return Ok(()) };
        let Some(first_node) = self.node(first) else { return Ok(()) };
        let (record, bytes) = self.record(own)?;
        if self.record(first_node.place)?.1 == bytes {
            if self.take(&[own]) {
                self.remove_record(own, &record);
                self.done(problem, "the same record stands before it: taken out", None);
            }
            return Ok(());
        }
        let (old, link) = self.links(own)?;
        // Where nothing links records by ids, and where a record that comes again stands for the one before, nothing is wrong.
        let Some((link, parent)) = link.filter(|_| format != Format::GeminiCli) else { return Ok(()) };
        let followers: Vec<usize> = self.children.get(&node).cloned().unwrap_or_default();
        let followers: Vec<usize> = followers.into_iter().filter(|follower| *follower > node).collect();
        let mut places = vec![own];
        places.extend(followers.iter().filter_map(|at| Some(self.node(*at)?.place)));
        if !self.take(&places) {
            return Ok(());
        }
        let taken = self.history.nodes.iter().filter_map(|node| node.id).collect();
        let Some(fresh) = self.fresh_id(&old, '-', &taken) else { return Ok(()) };
        self.out.rewrite.replace(own, record.id, fresh.clone());
        if self.links(first_node.place)?.1.is_some_and(|(_, first)| first == parent) || parent == old {
            self.out.rewrite.replace(own, link, old);
        }
        for follower in followers {
            self.relink(follower, &fresh)?;
        }
        let said = unquote(&fresh).unwrap_or_default().into_owned();
        self.done(problem, format!("it says something else: its id is {said} now"), None);
        Ok(())
    }

    /// An id that none has: the old one with a number behind it.
    fn fresh_id(
        &mut self,
        old: &[u8],
        before_number: char,
        taken: &BTreeSet<recto::session::Key>,
    ) -> Option<Vec<u8>> {
        let old = unquote(old)?.into_owned();
        // Of an id that was made so before, the number goes up.
        let number = |text: &str| text.len() < 4 && text.parse::<u32>().is_ok();
        let base = old
            .rsplit_once(before_number)
            .filter(|(base, end)| number(end) && taken.contains(&recto::session::Key::of(&quote(base))));
        let base = base.map_or(&*old, |(base, _)| base);
        let fresh =
            (2_u32..).map(|number| quote(&format!("{base}{before_number}{number}"))).find(|fresh| {
                let key = recto::session::Key::of(fresh);
                !taken.contains(&key) && !self.made_ids.contains(&key)
            })?;
        self.made_ids.insert(recto::session::Key::of(&fresh));
        Some(fresh)
    }

    /// Lets a record follow another; its place must have been taken.
    fn relink(&mut self, node: usize, parent: &[u8]) -> Outcome<()> {
        let Some(place) = self.node(node).map(|node| node.place) else { return Ok(()) };
        if let (_, Some((span, _))) = self.links(place)? {
            self.out.rewrite.replace(place, span, parent.to_vec());
        }
        Ok(())
    }

    fn missing_parent(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
        if self.transcript.layout() != Layout::Lines || self.transcript.format() == Format::OpenAiResponses {
            return Ok(());
        }
        if self.take(&[problem.place]) {
            let before = self.before(node)?;
            self.relink(node, &before)?;
            self.done(problem, "it follows the record before it now", None);
        }
        Ok(())
    }

    fn cycle(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
        let mut at = node;
        let mut seen = BTreeSet::new();
        while seen.insert(at) {
            let Some(parent) = self.node(at).and_then(|node| node.parent) else { return Ok(()) };
            if parent as usize >= at {
                let Some(place) = self.node(at).map(|node| node.place) else { return Ok(()) };
                if self.take(&[place]) {
                    let before = self.before(at)?;
                    self.relink(at, &before)?;
                    self.done(
                        problem,
                        format!("the record of line {} follows the one before it now", place.line),
                        None,
                    );
                }
                return Ok(());
            }
            at = parent as usize;
        }
        Ok(())
    }

    fn item(&self, item: u32) -> Option<&'r Item> {
        self.history.items.get(item as usize)
    }

    /// Whether another node before it is the same record, byte for byte.
    fn has_twin(&mut self, node: usize) -> Outcome<bool> {
        let Some(own) = self.node(node) else { return Ok(false) };
        let bytes = self.record(own.place)?.1;
        let nodes = self.history.nodes.get(..node).unwrap_or_default();
        let alike: Vec<Place> = nodes
            .iter()
            .filter(|other| {
                other.kind == own.kind && other.items.1 - other.items.0 == own.items.1 - own.items.0
            })
            .filter(|other| {
                self.transcript.layout() == Layout::Document || other.place.bytes == own.place.bytes
            })
            .map(|other| other.place)
            .collect();
        for place in alike {
            if self.record(place)?.1 == bytes {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn doubled_call(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let Some(own) = self.node(node).map(|node| node.place) else { return Ok(()) };
        if self.transcript.layout() != Layout::Files && self.has_twin(node)? {
            return self.drop_node(problem, node, "the same record stands before it: taken out", false);
        }
        let Some(ItemKind::Call(call)) = self.item(item).map(|item| item.kind) else { return Ok(()) };
        let Some(entry) = self.history.calls.get(call as usize) else { return Ok(()) };
        let tool = self.history.tools.get(entry.tool as usize).map_or("", |name| &**name);
        let old = unquote(entry.id_span.of(self.places.bytes(own)?)).unwrap_or_default().into_owned();
        if old == tool || old.is_empty() || self.transcript.format() == Format::GeminiCli {
            return Ok(());
        }
        let result = entry.result.and_then(|result| {
            let entry = self.history.results.get(result as usize)?;
            Some((self.history.node_of(entry.item)?.place, entry.call_span))
        });
        let mut places = vec![own];
        places.extend(result.map(|(place, _)| place).filter(|place| key(*place) != key(own)));
        if !self.take(&places) {
            return Ok(());
        }
        let taken = self.history.calls.iter().filter_map(|call| call.id).collect();
        let Some(fresh) = self.fresh_id(&quote(&old), '_', &taken) else { return Ok(()) };
        self.out.rewrite.replace(own, entry.id_span, fresh.clone());
        if let Some((place, span)) = result.filter(|(_, span)| *span != entry.id_span) {
            self.out.rewrite.replace(place, span, fresh.clone());
        }
        let said = unquote(&fresh).unwrap_or_default().into_owned();
        self.done(problem, format!("the id of this call, and of its result, is {said} now"), None);
        Ok(())
    }

    /// Takes a whole record out, and lets what followed it follow what it followed.
    fn drop_node(&mut self, problem: &Problem, node: usize, did: &str, keeps: bool) -> Outcome<()> {
        let Some(own) = self.node(node).map(|node| node.place) else { return Ok(()) };
        let followers: Vec<usize> = self.children.get(&node).cloned().unwrap_or_default();
        let mut places = vec![own];
        let is_linked = self.transcript.layout() == Layout::Lines;
        if is_linked {
            places.extend(followers.iter().filter_map(|at| Some(self.node(*at)?.place)));
        }
        places.dedup_by_key(|place| key(*place));
        if !self.take(&places) {
            return Ok(());
        }
        let (record, bytes) = self.record(own)?;
        let (_, link) = self.links(own)?;
        if let (true, Some((_, parent))) = (is_linked, link) {
            for follower in followers.into_iter().filter(|follower| *follower != node) {
                self.relink(follower, &parent)?;
            }
        }
        let reference = if keeps { Some(self.keeper.keep(&bytes)?) } else { None };
        self.remove_record(own, &record);
        self.done(problem, did, reference);
        Ok(())
    }

    fn remove_record(&mut self, place: Place, record: &Record) {
        match self.transcript.layout() {
            Layout::Lines => self.out.rewrite.remove_line(place),
            _ => self.remove_span(place, record.span),
        }
    }

    /// Whether a record holds nothing but this item and its parts.
    fn is_alone(&self, node: &Node, item: u32) -> bool {
        let result = match self.item(item).map(|item| item.kind) {
            Some(ItemKind::Result(result)) => Some(result),
            _ => None,
        };
        let is_other = |(at, other): (u32, &Item)| at != item && (result.is_none() || other.result != result);
        !self.history.items_of(node).any(is_other)
    }

    fn take_out(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let (Some(own), Some(entry)) = (self.node(node), self.item(item)) else { return Ok(()) };
        if self.transcript.layout() == Layout::Files {
            return self.left(problem, "in this format a result stands beside its call");
        }
        if problem.kind == ProblemKind::DoubledResult && self.has_twin(node)? {
            return self.drop_node(problem, node, "the same record stands before it: taken out", false);
        }
        if self.is_alone(own, item) && !matches!(own.kind, NodeKind::Boundary { .. }) {
            return self.drop_node(problem, node, "taken out", true);
        }
        if entry.frozen || entry.block == entry.raw {
            return self.left(problem, "it is no block that can go by itself");
        }
        if self.take(&[own.place]) {
            let bytes = entry.block.of(self.places.bytes(own.place)?).to_vec();
            let name = self.keeper.keep(&bytes)?;
            self.remove_span(own.place, entry.block);
            self.done(problem, "taken out", Some(name));
        }
        Ok(())
    }

    fn move_behind(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let Some(own) = self.node(node) else { return Ok(()) };
        let result = match self.item(item).map(|item| item.kind) {
            Some(ItemKind::Result(result)) => self.history.results.get(result as usize),
            _ => None,
        };
        let id = result.and_then(|result| result.call_id);
        let call = self.history.calls.iter().find(|call| {
            call.id == id && self.history.node_of(call.item).is_some_and(|node| node.is_on_path)
        });
        let call =
            call.and_then(|call| Some((self.history.items.get(call.item as usize)?.node as usize, call)));
        let Some((target, call_node)) = call.and_then(|(at, _)| Some((at, self.node(at)?))) else {
            return self.take_out(problem, node, item);
        };
        // Where the call follows its result in the tree, only the links would have to change places.
        let follows = call_node.parent.is_some_and(|parent| parent as usize == node)
            && self.links(call_node.place)?.1.is_some();
        if !self.is_alone(own, item) || follows || target == node {
            return self.take_out(problem, node, item);
        }
        let (record, bytes) = self.record(own.place)?;
        if !self.take(&[own.place, call_node.place]) {
            return Ok(());
        }
        self.insert_behind(call_node.place, bytes)?;
        self.remove_record(own.place, &record);
        self.done(problem, format!("moved behind its call, line {}", call_node.place.line), None);
        Ok(())
    }

    /// Puts a record behind another.
    fn insert_behind(&mut self, place: Place, bytes: Vec<u8>) -> Outcome<()> {
        if self.transcript.layout() == Layout::Lines {
            self.out.rewrite.add_line(place, bytes);
            return Ok(());
        }
        let (record, _) = self.record(place)?;
        let end = Span { s: record.span.e, e: record.span.e };
        self.out.rewrite.replace(place, end, [b",".as_slice(), &bytes].concat());
        Ok(())
    }

    fn answer(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let (Some(own), Some(entry)) = (self.node(node), self.item(item)) else { return Ok(()) };
        let ItemKind::Call(call) = entry.kind else { return Ok(()) };
        let Some(call) = self.history.calls.get(call as usize) else { return Ok(()) };
        if matches!(own.kind, NodeKind::Boundary { .. }) {
            return self.left(problem, "it stands in what the client itself compacted");
        }
        let tool = self.history.tools.get(call.tool as usize).map_or("", |name| &**name);
        let (_, bytes) = self.record(own.place)?;
        let whole = self.places.bytes(own.place)?.to_vec();
        let made = forms::answer(&Call {
            format: self.transcript.format(),
            record: &bytes,
            block: entry.block.of(&whole),
            id: call.id_span.of(&whole),
            tool,
        });
        match made {
            Answer::None(why) => self.left(problem, why),
            Answer::Inside(span, with) => {
                if self.take(&[own.place]) {
                    let span = Span { s: span.s + entry.block.s, e: span.e + entry.block.s };
                    self.out.rewrite.replace(own.place, span, with);
                    self.done(problem, "a result says that none was recorded", None);
                }
                Ok(())
            }
            Answer::Record { bytes, id } => {
                let followers = self.followers(node);
                let mut places = vec![own.place];
                places.extend(followers.iter().filter_map(|at| Some(self.node(*at)?.place)));
                if !self.take(&places) {
                    return Ok(());
                }
                self.insert_behind(own.place, bytes)?;
                if let Some(id) = id {
                    for follower in followers {
                        self.relink(follower, &id)?;
                    }
                }
                self.done(problem, "a result says that none was recorded", None);
                Ok(())
            }
        }
    }

    /// What shall follow the answer of a call instead of the call: not other parts of the same message, and where results are
    /// branches beside the way, not those.
    fn followers(&self, node: usize) -> Vec<usize> {
        if self.transcript.layout() != Layout::Lines {
            return Vec::new();
        }
        let message = self.node(node).and_then(|node| node.message);
        let has_results = |node: &Node| {
            self.history.items_of(node).any(|(_, item)| matches!(item.kind, ItemKind::Result(_)))
        };
        let follows = |at: &usize| {
            let Some(child) = self.node(*at) else { return false };
            let is_same = child.message.is_some() && child.message == message;
            *at != node && !is_same && (self.transcript.format() == Format::Pi || !has_results(child))
        };
        self.children.get(&node).into_iter().flatten().copied().filter(follows).collect()
    }

    fn images(&mut self) -> Outcome<()> {
        let (most_bytes, most_pixels) = (self.limits.image_bytes, self.limits.image_pixels);
        for image in &self.history.images {
            let Some(item) = self.item(image.item) else { continue };
            let Some(node) = self.history.node_of(image.item) else { continue };
            if !image.media_type.starts_with("image/") && image.size.is_none() {
                continue;
            }
            let raw = item.raw.of(self.places.bytes(node.place)?).to_vec();
            let text = unquote(&raw).unwrap_or_default().into_owned();
            let is_url = text.contains("://") || text.starts_with('/') && text.len() < 256;
            let is_inside = !text.is_empty() && !is_url && item.raw != item.block;
            let (wide, high) = image.size.unwrap_or_default();
            let problem = match () {
                () if image.bytes > most_bytes => "image too large",
                () if wide > most_pixels || high > most_pixels => "image too wide or high",
                () if is_inside && image.bytes == 0 => "image that cannot be decoded",
                () => continue,
            };
            let line = node.place.line;
            let size = image.size.map_or(String::new(), |(wide, high)| format!(", {wide} x {high}"));
            let about = format!("{}{size}, {}", image.media_type, output::size(image.bytes));
            let with = |name: &str| {
                let said = format!("[recto: {problem}, taken out: {about}; recto expand {name}]");
                forms::text_block(self.transcript.format(), &said)
            };
            if item.frozen || item.raw == item.block || with("").is_none() {
                let did = "left as it is: in this format it is no block that a text can stand for".to_owned();
                self.out.left.push(Fix { line, problem, did, reference: None });
                continue;
            }
            if !self.take(&[node.place]) {
                continue;
            }
            let block = item.block.of(self.places.bytes(node.place)?).to_vec();
            let name = self.keeper.keep(&block)?;
            let said = format!("[recto: {problem}, taken out: {about}; recto expand {name}]");
            if let Some(with) = forms::text_block(self.transcript.format(), &said) {
                self.out.rewrite.replace(node.place, item.block, with);
                let did = format!("a text stands for it: {about}");
                self.out.done.push(Fix { line, problem, did, reference: Some(name) });
            }
        }
        Ok(())
    }

    /// Blocks of a text without one, which Anthropic's API refuses.
    fn empty_texts(&mut self) -> Outcome<()> {
        if !matches!(self.transcript.format(), Format::ClaudeCode | Format::AnthropicMessages) {
            return Ok(());
        }
        let last_step = self.history.last_step();
        for (at, item) in self.history.items.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            if item.kind != ItemKind::Text || item.chars > 0 || item.frozen || item.raw == item.block {
                continue;
            }
            let Some(node) = self.history.nodes.get(item.node as usize) else { continue };
            let is_newest = node.kind == NodeKind::Message(Role::Assistant) && node.step == last_step;
            if is_newest || !matches!(node.kind, NodeKind::Message(_)) {
                continue;
            }
            let did = "taken out";
            if item.result.is_none() && self.is_alone(node, at) {
                let problem = Problem { kind: ProblemKind::UnknownType, place: node.place, item: Some(at) };
                let count = self.out.done.len();
                self.drop_node(&problem, item.node as usize, did, false)?;
                if let Some(fix) = self.out.done.get_mut(count) {
                    fix.problem = "empty text";
                }
            } else if self.take(&[node.place]) {
                self.remove_span(node.place, item.block);
                let fix = Fix {
                    line: node.place.line,
                    problem: "empty text",
                    did: did.to_owned(),
                    reference: None,
                };
                self.out.done.push(fix);
            }
        }
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
