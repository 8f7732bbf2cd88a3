//! Records that follow what they should not, and ids that two records have.

use std::collections::BTreeSet;

use recto::{
    session::history::{Place, Problem},
    wire::{Format, Layout, Link, Span, unquote},
};

use super::{
    index::Of,
    round::{Round, Touch, key},
};
use crate::failure::Outcome;

/// The JSON string of a record's id, and where and how its link to its parent is written.
pub(super) type Links = (Vec<u8>, Option<(Span, Vec<u8>)>);

impl Round<'_> {
    /// The JSON string of a record's id, and the span and JSON of its link to its parent.
    pub(super) fn links(&mut self, place: Place) -> Outcome<Links> {
        if self.transcript.layout() != Layout::Lines {
            return Ok((Vec::new(), None));
        }
        let read = self.record(place)?;
        let (record, bytes) = &*read;
        let parent = match record.parent {
            Link::Id(span) => Some((span, span.of(bytes).to_vec())),
            Link::Root => {
                let document = recto::wire::Document::parse(bytes).ok();
                let link = document.as_ref().and_then(|document| {
                    let root = document.root();
                    root.get("parentUuid").or_else(|| root.get("parentId")).map(recto::wire::Value::span)
                });
                link.map(|span| (span, span.of(bytes).to_vec()))
            }
            Link::Previous => None,
        };
        Ok((record.id.of(bytes).to_vec(), parent))
    }

    /// The id of the record before, in the same conversation; `null` where there is none.
    pub(super) fn before(&mut self, node: usize) -> Outcome<Vec<u8>> {
        match self.index.before(node).and_then(|before| self.node(before)).map(|node| node.place) {
            Some(place) => Ok(self.links(place)?.0),
            None => Ok(b"null".to_vec()),
        }
    }

    pub(super) fn doubled_id(&mut self, problem: &Problem, node: usize) -> Outcome<()> {
        let Some((own, id)) = self.node(node).and_then(|node| Some((node.place, node.id?))) else {
            return Ok(());
        };
        let Some(first) = self.index.first_of_id(id) else { return Ok(()) };
        let Some(first_place) = self.node(first).map(|node| node.place) else { return Ok(()) };
        if self.has_twin(node)? {
            if self.take([(own, Touch::Whole)]) {
                let read = self.record(own)?;
                self.remove_record(own, &read.0);
                self.done(problem, "the same record stands before it: taken out", None);
            }
            return Ok(());
        }
        let (old, link) = self.links(own)?;
        let Some((link, parent)) = link else {
            self.left(problem, "it says nothing of what it follows, so nothing is to be told by its id");
            return Ok(());
        };
        let followers: Vec<usize> =
            self.index.children(node).iter().copied().filter(|follower| *follower > node).collect();
        let places = followers.iter().filter_map(|at| Some(self.node(*at)?.place));
        let places: Vec<_> = [own].into_iter().chain(places).map(|place| (place, Touch::Whole)).collect();
        if !self.take(places) {
            return Ok(());
        }
        let Some(fresh) = self.index.fresh_id(&old, '-', Of::Records) else { return Ok(()) };
        let span = self.record(own)?.0.id;
        self.out.rewrite.replace(own, span, fresh.clone());
        if self.first_links(first_place)?.1.is_some_and(|(_, first)| first == parent) || parent == old {
            self.out.rewrite.replace(own, link, old);
        }
        for follower in followers {
            self.relink(follower, &fresh)?;
        }
        let said = unquote(&fresh).unwrap_or_default().into_owned();
        self.done(problem, format!("it says something else: its id is {said} now"), None);
        Ok(())
    }

    /// The links of a record that many have the id of.
    fn first_links(&mut self, place: Place) -> Outcome<Links> {
        if let Some((last, links)) = &self.first_links
            && *last == key(place)
        {
            return Ok(links.clone());
        }
        let links = self.links(place)?;
        self.first_links = Some((key(place), links.clone()));
        Ok(links)
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
            self.left(problem, "what it follows is kept elsewhere, by the API or in another file");
            return Ok(());
        }
        if self.take([(problem.place, Touch::Whole)]) {
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
                if self.take([(place, Touch::Whole)]) {
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
