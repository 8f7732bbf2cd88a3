//! Calls without results, results without calls, and those that stand twice or in the wrong order.

use recto::{
    session::history::{Item, ItemKind, Node, NodeKind, Place, Problem, ProblemKind},
    wire::{Format, Layout, Span, quote, unquote},
};

use super::{
    forms::{self, Answer, Call},
    round::{Round, key},
};
use crate::failure::Outcome;

impl Round<'_> {
    /// Whether another node before it is the same record, byte for byte.
    pub(super) fn has_twin(&mut self, node: usize) -> Outcome<bool> {
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

    pub(super) fn doubled_call(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
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
    pub(super) fn drop_node(
        &mut self,
        problem: &Problem,
        node: usize,
        did: &str,
        keeps: bool,
    ) -> Outcome<()> {
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

    /// Whether a record holds nothing but this item and its parts.
    pub(super) fn is_alone(&self, node: &Node, item: u32) -> bool {
        let result = match self.item(item).map(|item| item.kind) {
            Some(ItemKind::Result(result)) => Some(result),
            _ => None,
        };
        let is_other = |(at, other): (u32, &Item)| at != item && (result.is_none() || other.result != result);
        !self.history.items_of(node).any(is_other)
    }

    pub(super) fn take_out(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
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

    pub(super) fn move_behind(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
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

    pub(super) fn answer(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
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
    pub(super) fn followers(&self, node: usize) -> Vec<usize> {
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
}
