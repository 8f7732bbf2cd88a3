//! Calls without results, results without calls, and those that stand twice or in the wrong order.

use std::{collections::HashMap, slice};

use recto::{
    session::{
        Key as Id,
        history::{Item, ItemKind, Node, NodeKind, Problem, ProblemKind},
    },
    wire::{Format, Layout, Span, quote, unquote},
};

use super::{
    forms::{self, Answer, Call},
    index::Of,
    round::{Round, Touch},
};
use crate::failure::Outcome;

/// Whether one block stands in another of the same record.
fn entry_holds(outer: Option<&Item>, inner: &Item) -> bool {
    outer.is_some_and(|outer| {
        outer.node == inner.node && outer.block.s <= inner.block.s && inner.block.e <= outer.block.e
    })
}

impl Round<'_> {
    /// Whether another node before it is the same record, byte for byte.
    pub(super) fn has_twin(&mut self, node: usize) -> Outcome<bool> {
        Ok(self.first_alike(node)? != Some(node))
    }

    /// The first node whose record is the same.
    fn first_alike(&mut self, node: usize) -> Outcome<Option<usize>> {
        if self.index.first_alike.is_none() {
            let mut first: HashMap<Id, usize> = HashMap::new();
            let mut alike = Vec::with_capacity(self.history.nodes.len());
            for (at, node) in self.history.nodes.iter().enumerate() {
                let id = Id::of(&self.record(node.place)?.1);
                alike.push(*first.entry(id).or_insert(at));
            }
            self.index.first_alike = Some(alike);
        }
        Ok(self.index.first_alike.as_ref().and_then(|alike| alike.get(node)).copied())
    }

    pub(super) fn doubled_call(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let Some(own) = self.node(node).map(|node| node.place) else { return Ok(()) };
        if self.transcript.layout() != Layout::Files && self.has_twin(node)? {
            return self.drop_twin(problem, node);
        }
        let Some(ItemKind::Call(call)) = self.item(item).map(|item| item.kind) else { return Ok(()) };
        let Some(entry) = self.history.calls.get(call as usize) else { return Ok(()) };
        let tool = self.history.tools.get(entry.tool as usize).map_or("", |name| &**name);
        let old = unquote(entry.id_span.of(self.places.bytes(own)?)).unwrap_or_default().into_owned();
        if old == tool || old.is_empty() {
            return Ok(());
        }
        let is_inside =
            entry.result.and_then(|result| self.history.results.get(result as usize)).is_some_and(|result| {
                self.item(result.item).is_some_and(|item| entry_holds(self.item(entry.item), item))
            });
        if self.transcript.format() == Format::GeminiCli && is_inside {
            self.left(
                problem,
                "its result stands in it and says the id again, in a form of the client's own",
            );
            return Ok(());
        }
        let result = entry.result.and_then(|result| {
            let entry = self.history.results.get(result as usize)?;
            Some((self.history.node_of(entry.item)?.place, entry.call_span))
        });
        let places = [own].into_iter().chain(result.map(|(place, _)| place));
        if !self.take(places.map(|place| (place, Touch::Ids))) {
            return Ok(());
        }
        let Some(fresh) = self.index.fresh_id(&quote(&old), '_', Of::Calls) else { return Ok(()) };
        self.out.rewrite.replace(own, entry.id_span, fresh.clone());
        if let Some((place, span)) = result.filter(|(_, span)| *span != entry.id_span) {
            self.out.rewrite.replace(place, span, fresh.clone());
        }
        let said = unquote(&fresh).unwrap_or_default().into_owned();
        self.done(problem, format!("the id of this call, and of its result, is {said} now"), None);
        Ok(())
    }

    /// Takes a whole record out, and lets what followed it follow what it followed. Gives the ref of what was kept of it; `None` if
    /// something else becomes of it in this round.
    pub(super) fn drop_record(&mut self, node: usize, keeps: bool) -> Outcome<Option<Option<String>>> {
        let Some(own) = self.node(node).map(|node| node.place) else { return Ok(None) };
        let followers: Vec<usize> = self.index.children(node).to_vec();
        let mut places = vec![own];
        let is_linked = self.transcript.layout() == Layout::Lines;
        if is_linked {
            let others = followers.iter().filter(|at| **at != node);
            places.extend(others.filter_map(|at| Some(self.node(*at)?.place)));
        }
        if !self.take(places.into_iter().map(|place| (place, Touch::Whole))) {
            return Ok(None);
        }
        let (_, link) = self.links(own)?;
        if let (true, Some((_, parent))) = (is_linked, link) {
            for follower in followers.into_iter().filter(|follower| *follower != node) {
                self.relink(follower, &parent)?;
            }
        }
        let read = self.record(own)?;
        let reference = if keeps { Some(self.keeper.keep(&read.1)?) } else { None };
        self.remove_record(own, &read.0);
        Ok(Some(reference))
    }

    fn drop_twin(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
        if self.drop_record(node, false)?.is_some() {
            self.done(problem, "the same record stands before it: taken out", None);
        }
        Ok(())
    }

    /// Whether a record holds nothing but these items and their parts.
    pub(super) fn is_all(&self, node: &Node, items: &[u32]) -> bool {
        let is_named = |at: u32, item: &Item| {
            let result = item.result.and_then(|result| self.history.results.get(result as usize));
            items.binary_search(&at).is_ok()
                || result.is_some_and(|result| items.binary_search(&result.item).is_ok())
        };
        self.history.items_of(node).all(|(at, item)| is_named(at, item))
    }

    pub(super) fn take_out(&mut self, problems: &[Problem], node: usize) -> Outcome<()> {
        let Some(own) = self.node(node) else { return Ok(()) };
        let Some(first) = problems.first() else { return Ok(()) };
        if self.transcript.layout() == Layout::Files {
            for problem in problems {
                self.left(problem, "in this format a result stands beside its call");
            }
            return Ok(());
        }
        if self.transcript.format() == Format::OpenAiResponses
            && first.kind == ProblemKind::OrphanResult
            && self.index.goes_on
        {
            for problem in problems {
                self.left(
                    problem,
                    "its call may be in the answer that the body goes on from, which the API keeps",
                );
            }
            return Ok(());
        }
        if first.kind == ProblemKind::DoubledResult && self.has_twin(node)? {
            return self.drop_twin(first, node);
        }
        // By their numbers, as the items are.
        let items: Vec<u32> = problems.iter().filter_map(|problem| problem.item).collect();
        if self.is_all(own, &items) && !matches!(own.kind, NodeKind::Boundary { .. }) {
            if let Some(reference) = self.drop_record(node, true)? {
                for problem in problems {
                    self.done(problem, "taken out", reference.clone());
                }
            }
            return Ok(());
        }
        for problem in problems {
            let Some(entry) = problem.item.and_then(|item| self.item(item)) else { continue };
            if entry.frozen || entry.block == entry.raw {
                self.left(problem, "it is no block that can go by itself");
            } else if self.take([(own.place, Touch::Blocks)]) {
                let block = entry.block.of(self.places.bytes(own.place)?).to_vec();
                let name = self.keeper.keep(&block)?;
                self.remove_span(own.place, entry.block);
                self.done(problem, "taken out", Some(name));
            }
        }
        Ok(())
    }

    pub(super) fn move_behind(&mut self, problem: &Problem, node: usize, item: u32) -> Outcome<()> {
        let Some(own) = self.node(node) else { return Ok(()) };
        let result = match self.item(item).map(|item| item.kind) {
            Some(ItemKind::Result(result)) => self.history.results.get(result as usize),
            _ => None,
        };
        let call = result.and_then(|result| self.index.first_call(result.call_id?));
        let call = call.and_then(|call| self.history.calls.get(call as usize));
        let target = call.and_then(|call| Some(self.item(call.item)?.node as usize));
        let Some((target, call_node)) = target.and_then(|at| Some((at, self.node(at)?))) else {
            return self.take_out(slice::from_ref(problem), node);
        };
        // Where the call follows its result in the tree, only the links would have to change places.
        let follows = call_node.parent.is_some_and(|parent| parent as usize == node)
            && self.links(call_node.place)?.1.is_some();
        if !self.is_all(own, &[item]) || follows || target == node {
            return self.take_out(slice::from_ref(problem), node);
        }
        let read = self.record(own.place)?;
        if !self.take([(own.place, Touch::Whole), (call_node.place, Touch::Behind)]) {
            return Ok(());
        }
        self.insert_behind(call_node.place, read.1.clone())?;
        self.remove_record(own.place, &read.0);
        self.done(problem, format!("moved behind its call, line {}", call_node.place.line), None);
        Ok(())
    }

    /// Gives results to calls of one record.
    pub(super) fn answer(&mut self, problems: &[Problem], node: usize) -> Outcome<()> {
        let Some(own) = self.node(node) else { return Ok(()) };
        if matches!(own.kind, NodeKind::Boundary { .. }) {
            for problem in problems {
                self.left(problem, "it stands in what the client itself compacted");
            }
            return Ok(());
        }
        let read = self.record(own.place)?;
        let Some(form) = forms::Form::of(self.transcript.format(), &read.1) else {
            for problem in problems {
                self.left(problem, "its record is no JSON");
            }
            return Ok(());
        };
        let followers = self.followers(node);
        let touches = followers.iter().filter_map(|at| Some((self.node(*at)?.place, Touch::Whole)));
        let touches: Vec<_> = [(own.place, Touch::Results)].into_iter().chain(touches).collect();
        let mut is_taken = None;
        // What the next result follows, where results are records with ids.
        let mut last: Option<Vec<u8>> = None;
        for problem in problems {
            let Some((item, entry)) = problem.item.and_then(|at| Some((at, self.item(at)?))) else {
                continue;
            };
            let ItemKind::Call(call) = entry.kind else { continue };
            let Some(call) = self.history.calls.get(call as usize).filter(|call| call.item == item) else {
                continue;
            };
            let bytes = self.places.bytes(own.place)?;
            let block = entry.block.of(bytes);
            let made = form.answer(&Call {
                block,
                id: call.id_span.of(bytes),
                tool: self.history.name_of(call),
                follows: last.as_deref(),
            });
            if let Answer::None(why) = made {
                self.left(problem, why);
                continue;
            }
            if !*is_taken.get_or_insert_with(|| self.take(touches.clone())) {
                continue;
            }
            match made {
                Answer::Inside(span, with) => {
                    let span = Span { s: span.s + entry.block.s, e: span.e + entry.block.s };
                    self.out.rewrite.replace(own.place, span, with);
                }
                Answer::Record { bytes, id } => {
                    self.insert_behind(own.place, bytes)?;
                    last = id.or(last);
                }
                Answer::None(_) => {}
            }
            self.done(problem, "a result says that none was recorded", None);
        }
        if let Some(id) = last {
            for follower in followers {
                self.relink(follower, &id)?;
            }
        }
        Ok(())
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
        self.index.children(node).iter().copied().filter(follows).collect()
    }
}
