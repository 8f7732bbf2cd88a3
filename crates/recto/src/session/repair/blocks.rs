//! What cannot be read at all, images that are too large, texts without a character.

use std::collections::BTreeMap;

use recto::{
    session::history::{ItemKind, NodeKind, Place, Problem},
    wire::{Format, Layout, Role, unquote},
};

use super::{
    Fix, forms,
    round::{Round, Touch},
};
use crate::{failure::Outcome, output};

impl Round<'_> {
    pub(super) fn malformed(&mut self, problem: &Problem) -> Outcome<()> {
        let place = problem.place;
        match self.transcript.layout() {
            Layout::Files => {
                self.left(problem, "a file by itself: move it away, or restore it from a copy");
                Ok(())
            }
            Layout::Document => {
                if self.take([(place, Touch::Whole)]) {
                    let read = self.record(place)?;
                    let name = self.keeper.keep(&read.1)?;
                    self.remove_span(place, read.0.span);
                    self.done(problem, "taken out", Some(name));
                }
                Ok(())
            }
            Layout::Lines => {
                if self.is_longer(place) {
                    self.left(problem, "longer than what is read of a line (128 MiB)");
                    return Ok(());
                }
                if self.take([(place, Touch::Whole)]) {
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
    pub(super) fn is_longer(&mut self, place: Place) -> bool {
        let end = place.at + u64::from(place.bytes);
        let next = Place { at: end, bytes: 1, ..place };
        self.places.bytes(next).is_ok_and(|bytes| !matches!(bytes.last(), Some(b'\n' | b'\r')))
    }

    pub(super) fn images(&mut self) -> Outcome<()> {
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
            let size = image.size.map_or(String::new(), |(wide, high)| format!(", {wide} x {high}"));
            let about = format!("{}{size}, {}", image.media_type, output::size(image.bytes));
            let with = |name: &str| {
                let said = format!("[recto: {problem}, taken out: {about}; recto expand {name}]");
                forms::text_block(self.transcript.format(), &said)
            };
            if item.frozen || item.raw == item.block || with("").is_none() {
                let did = "left as it is: in this format it is no block that a text can stand for".to_owned();
                self.out.left.push(Fix::of(node.place, problem, did));
                continue;
            }
            if !self.take([(node.place, Touch::Images)]) {
                continue;
            }
            let block = item.block.of(self.places.bytes(node.place)?).to_vec();
            let name = self.keeper.keep(&block)?;
            let said = format!("[recto: {problem}, taken out: {about}; recto expand {name}]");
            if let Some(with) = forms::text_block(self.transcript.format(), &said) {
                self.out.rewrite.replace(node.place, item.block, with);
                let did = format!("a text stands for it: {about}");
                let fix = Fix::of(node.place, problem, did);
                self.out.done.push(Fix { reference: Some(name), ..fix });
            }
        }
        Ok(())
    }

    /// Blocks of a text without one, which Anthropic's API refuses.
    pub(super) fn empty_texts(&mut self) -> Outcome<()> {
        if !matches!(self.transcript.format(), Format::ClaudeCode | Format::AnthropicMessages) {
            return Ok(());
        }
        let last_step = self.history.last_step();
        let mut empty: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (item, at) in self.history.items.iter().zip(0..) {
            if item.kind != ItemKind::Text || item.chars > 0 || item.frozen || item.raw == item.block {
                continue;
            }
            let Some(node) = self.node(item.node as usize) else { continue };
            let is_newest = node.kind == NodeKind::Message(Role::Assistant) && node.step == last_step;
            if !is_newest && matches!(node.kind, NodeKind::Message(_)) {
                empty.entry(item.node).or_default().push(at);
            }
        }
        for (at, items) in empty {
            let Some(node) = self.node(at as usize) else { continue };
            let is_gone = if self.is_all(node, &items) {
                self.drop_record(at as usize, false)?.is_some()
            } else {
                self.take([(node.place, Touch::Blocks)])
            };
            if !is_gone {
                continue;
            }
            for item in items {
                let Some(entry) = self.item(item) else { continue };
                if !self.is_all(node, &[item]) {
                    self.remove_span(node.place, entry.block);
                }
                self.out.done.push(Fix::of(node.place, "empty text", "taken out"));
            }
        }
        Ok(())
    }
}
