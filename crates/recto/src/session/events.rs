//! A session as recto's own log of events.

use std::collections::HashMap;

use recto::{
    archive::{Archive, Scope, block_on},
    session::{
        Draft, EventKind, Log, Parent, SurfaceOp,
        history::{History, ItemKind, KeptFrom, Node, NodeKind},
    },
    wire::{Role, quote, unquote},
};

use super::{
    contents::{Content, Contents},
    originals::{Origin, Originals},
};
use crate::failure::{Failure, Outcome};

/// Writes the events of a session.
pub(crate) struct Events<'a, 't> {
    pub(crate) history: &'a History,
    pub(crate) contents: Contents<'t>,
    pub(crate) originals: &'a Originals<'a>,
    /// Where originals go that events only name by their hash.
    pub(crate) by_hash: Option<(&'a dyn Archive, &'a Scope)>,
}

impl Events<'_, '_> {
    /// The log: the conversation that the client goes on with is its newest branch; what was rewritten stands there as it was, with the
    /// replacement behind it.
    pub(crate) fn log(mut self) -> Outcome<Log> {
        let mut log = Log::new();
        // The last event of each node.
        let mut last_of: HashMap<u32, u64> = HashMap::new();
        let mut last_on_path: Option<u64> = None;
        let mut last_event: Option<u64> = None;
        for (at, node) in self.history.nodes.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let before = if node.is_on_path {
                last_on_path
            } else {
                node.parent.and_then(|parent| last_of.get(&parent).copied())
            };
            let begins_anew =
                matches!(node.kind, NodeKind::Boundary { kept: KeptFrom::Nothing, .. }) && node.is_on_path;
            let before = before.filter(|_| !begins_anew);
            let drafts = self.drafts(node)?;
            let mut parent = before;
            for draft in drafts {
                let link = match parent {
                    Some(parent) if Some(parent) == last_event => Parent::Previous,
                    Some(parent) => Parent::Seq(parent),
                    None if last_event.is_none() => Parent::Previous,
                    None => Parent::Root,
                };
                let seq =
                    append(&mut log, draft.draft.turn(node.turn.into()).step(node.step.into()).parent(link))?;
                (parent, last_event) = (Some(seq), Some(seq));
                if let Some((tokens, now)) = draft.replaced {
                    let prune = format!(
                        r#"{{"shadowedRange":[{seq},{seq}],"shadowedSeqs":[{seq}],"shadowedTokenCount":{tokens}}}"#
                    );
                    append(&mut log, with_data(Draft::new(EventKind::Prune), &prune)?)?;
                    let now = with_data(Draft::new(EventKind::ToolResult), &now)?
                        .turn(node.turn.into())
                        .step(node.step.into())
                        .surface_op(SurfaceOp::replace(seq, seq))
                        .source_event_seqs(&[seq]);
                    let seq = append(&mut log, now)?;
                    (parent, last_event) = (Some(seq), Some(seq));
                }
            }
            if let Some(parent) = parent {
                last_of.insert(at, parent);
                if node.is_on_path {
                    last_on_path = Some(parent);
                }
            }
        }
        if let Some(leaf) = last_on_path
            && last_on_path != last_event
        {
            let note = with_data(Draft::new(EventKind::Note), r#"{"note":"the conversation goes on here"}"#)?;
            append(&mut log, note.parent(Parent::Seq(leaf)))?;
        }
        Ok(log)
    }

    fn drafts(&mut self, node: &Node) -> Outcome<Vec<Made>> {
        let history = self.history;
        let mut blocks: Vec<String> = Vec::new();
        let mut calls: Vec<Made> = Vec::new();
        for (_, item) in history.items_of(node) {
            if item.result.is_some() {
                continue;
            }
            match item.kind {
                ItemKind::Call(call) => {
                    let Some(entry) = history.calls.get(call as usize) else { continue };
                    let content = self.contents.arguments(history, call, self.originals)?;
                    let Some(content) = content else { continue };
                    let name = history.tools.get(entry.tool as usize).map_or("", |name| &**name);
                    let arguments = value(&content.before.bytes);
                    let data = format!(
                        r#"{{"callId":{},"name":{},"arguments":{arguments}}}"#,
                        json(&content.id),
                        json(name)
                    );
                    calls.push(Made {
                        draft: with_data(Draft::new(EventKind::ToolCall), &data)?,
                        replaced: None,
                    });
                }
                ItemKind::Result(result) => {
                    let Some(content) = self.contents.result(history, result, self.originals)? else {
                        continue;
                    };
                    calls.push(self.result(result, &content)?);
                }
                ItemKind::Definition => {}
                kind => {
                    let record = self.contents.bytes(node.place)?;
                    let raw = item.raw.of(record);
                    blocks.push(match kind {
                        ItemKind::Text => {
                            let text = unquote(raw).unwrap_or_else(|| String::from_utf8_lossy(raw));
                            format!(r#"{{"type":"text","text":{}}}"#, json(&text))
                        }
                        _ => block(item.block.of(record), kind),
                    });
                }
            }
        }
        let mut drafts = Vec::new();
        if !blocks.is_empty() {
            let kind = match node.kind {
                NodeKind::Message(Role::User) => EventKind::User,
                NodeKind::Message(Role::Assistant) => EventKind::Assistant,
                NodeKind::Message(Role::System) => EventKind::System,
                NodeKind::Message(Role::Bash) => EventKind::Bash,
                _ => EventKind::Custom,
            };
            let data = format!(r#"{{"content":[{}]}}"#, blocks.join(","));
            drafts.push(Made { draft: with_data(Draft::new(kind), &data)?, replaced: None });
        }
        drafts.extend(calls);
        Ok(drafts)
    }

    fn result(&self, result: u32, content: &Content) -> Outcome<Made> {
        let entry = self.history.results.get(result as usize);
        let error = if entry.is_some_and(|entry| entry.is_error) { r#","isError":true"# } else { "" };
        let id = json(&content.id);
        let data = |texts: &[String], raw: &[u8]| -> String {
            let blocks: Vec<String> = match texts.is_empty() {
                true => vec![format!(r#"{{"type":"other","content":{}}}"#, value(raw))],
                false => {
                    texts.iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, json(text))).collect()
                }
            };
            format!(r#"{{"callId":{id}{error},"content":[{}]}}"#, blocks.join(","))
        };
        let was = match self.by_hash {
            Some((archive, scope)) => {
                let whole = content.texts.concat();
                let digest = block_on(archive.put(scope, whole.as_bytes()))?;
                format!(r#"{{"callId":{id}{error},"original":"{digest}","bytes":{}}}"#, whole.len())
            }
            None => data(&content.texts, &content.before.bytes),
        };
        let draft = with_data(Draft::new(EventKind::ToolResult), &was)?;
        let replaced = (content.before.origin != Origin::File).then(|| {
            let texts = content.standing_texts.iter().map(|span| unquote(span.of(&content.standing)));
            let texts: Vec<String> = texts.flatten().map(|text| text.into_owned()).collect();
            (entry.map_or(0, |entry| entry.tokens), data(&texts, &content.standing))
        });
        Ok(Made { draft, replaced })
    }
}

/// An event, and what stands in its place, with the tokens that it takes.
struct Made {
    draft: Draft,
    replaced: Option<(u32, String)>,
}

fn with_data(draft: Draft, data: &str) -> Outcome<Draft> {
    draft.data(data).map_err(|error| Failure::job(error.to_string()))
}

fn append(log: &mut Log, draft: Draft) -> Outcome<u64> {
    let event = log.append(&draft).map_err(|error| Failure::job(error.to_string()))?;
    Ok(event.seq())
}

/// A text as JSON.
fn json(text: &str) -> String {
    String::from_utf8_lossy(&quote(text)).into_owned()
}

/// JSON as it stands; what is no JSON or no text, as a text.
fn value(raw: &[u8]) -> String {
    match std::str::from_utf8(raw) {
        Ok(text) if !text.is_empty() && recto::wire::Document::parse(raw).is_ok() => text.to_owned(),
        _ => json(&String::from_utf8_lossy(raw)),
    }
}

/// A block of the client's own form.
fn block(raw: &[u8], kind: ItemKind) -> String {
    if raw.first() == Some(&b'{') {
        return value(raw);
    }
    let kind = match kind {
        ItemKind::Thinking => "thinking",
        ItemKind::Image(_) => "image",
        _ => "other",
    };
    format!(r#"{{"type":"{kind}","content":{}}}"#, value(raw))
}
