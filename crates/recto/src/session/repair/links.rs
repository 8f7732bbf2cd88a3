//! Records that follow what they should not, and ids that two records have.

use std::collections::BTreeSet;

use recto::{
    session::history::{Place, Problem},
    wire::{Format, Layout, Link, Span, quote, unquote},
};

use super::round::Round;
use crate::failure::Outcome;

/// The JSON string of a record's id, and where and how its link to its parent is written.
pub(super) type Links = (Vec<u8>, Option<(Span, Vec<u8>)>);

impl Round<'_> {
    /// The JSON string of a record's id, and the span and JSON of its link to its parent.
    pub(super) fn links(&mut self, place: Place) -> Outcome<Links> {
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
    pub(super) fn before(&mut self, node: usize) -> Outcome<Vec<u8>> {
        let is_side = self.node(node).is_some_and(|node| node.is_side);
        let nodes = self.history.nodes.get(..node).unwrap_or_default();
        let before = nodes.iter().rev().find(|node| node.is_side == is_side && node.id.is_some());
        match before.map(|node| node.place) {
            Some(place) => Ok(self.links(place)?.0),
            None => Ok(b"null".to_vec()),
        }
    }

    pub(super) fn doubled_id(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
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
    pub(super) fn fresh_id(
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
    pub(super) fn relink(&mut self, node: usize, parent: &[u8]) -> Outcome<()> {
        let Some(place) = self.node(node).map(|node| node.place) else { return Ok(()) };
        if let (_, Some((span, _))) = self.links(place)? {
            self.out.rewrite.replace(place, span, parent.to_vec());
        }
        Ok(())
    }

    pub(super) fn missing_parent(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
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

    pub(super) fn cycle(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
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
}
