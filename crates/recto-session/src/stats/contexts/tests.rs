use super::*;
use crate::history::{Builder, Observer, Place, Said};

struct Length;

impl Observer for Length {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        said.text.len() as u64
    }
}

/// Sessions of Pi and Claude Code with compactions that keep from anywhere to anywhere; the numbers are those of a plain generator.
fn history(mut seed: u64, format: recto_wire::Format) -> History {
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut builder = Builder::new();
    for at in 0..40_u32 {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"m{}\"", at - 1) };
        let (from, until) = (random(u64::from(at) + 2), random(u64::from(at) + 2));
        let is_compaction = random(4) == 0 && at > 0;
        let text = "x".repeat(usize::try_from(random(50)).unwrap_or(1));
        let role = if random(2) == 0 { "user" } else { "assistant" };
        let line = match (format, is_compaction) {
            (recto_wire::Format::Pi, true) => format!(
                r#"{{"type":"compaction","id":"m{at}","parentId":{parent},"summary":"{text}","firstKeptEntryId":"m{from}"}}"#
            ),
            (recto_wire::Format::Pi, false) => format!(
                r#"{{"type":"message","id":"m{at}","parentId":{parent},"message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
            ),
            (_, true) => format!(
                r#"{{"type":"system","subtype":"compact_boundary","uuid":"m{at}","parentUuid":null,"logicalParentUuid":{parent},"sessionId":"s","compactMetadata":{{"preservedSegment":{{"headUuid":"m{from}","anchorUuid":"m{at}","tailUuid":"m{until}"}}}}}}"#
            ),
            (_, false) => format!(
                r#"{{"type":"{role}","uuid":"m{at}","parentUuid":{parent},"sessionId":"s","message":{{"role":"{role}","content":"{text}"}}}}"#
            ),
        };
        let place = Place { file: 0, line: at + 1, at: u64::from(at) * 1000, bytes: 0 };
        builder.push(&format.line(line.as_bytes()), line.as_bytes(), place, &mut Length);
    }
    builder.finish(None)
}

/// The same, by looking at all that stands there at each compaction.
fn plainly(history: &History) -> Vec<Context> {
    let mut contexts = Vec::new();
    let mut live: Vec<(&Node, u64)> = Vec::new();
    let mut tokens = 0;
    let mut step = 0;
    let mut is_after_compaction = false;
    for node in history.nodes.iter().filter(|node| node.is_on_path) {
        if node.step != step {
            step = node.step;
            contexts.push(Context { step, tokens, is_after_compaction });
            is_after_compaction = false;
        }
        if let NodeKind::Boundary { kept, kept_until, .. } = node.kind {
            keep(&mut live, kept, kept_until);
            tokens = live.iter().map(|(_, tokens)| tokens).sum();
            is_after_compaction = true;
        }
        // A record that nobody reads may be the one from which on others are kept.
        let is_silent = node.kind == NodeKind::Silent;
        let own = history.items_of(node).filter(|_| !is_silent).map(|(_, item)| u64::from(item.tokens)).sum();
        live.push((node, own));
        tokens += own;
    }
    contexts.push(Context { step: step + 1, tokens, is_after_compaction });
    contexts
}

/// Takes away what a compaction does not keep. Instructions and tools are no part of what is compacted.
fn keep(live: &mut Vec<(&Node, u64)>, kept: KeptFrom, until: Option<Key>) {
    let position = |id: Key| live.iter().position(|(node, _)| node.id == Some(id));
    let range = match kept {
        KeptFrom::Id(id) => {
            let first = position(id).unwrap_or(live.len());
            first..until.and_then(position).map_or(live.len(), |end| end + 1)
        }
        _ => 0..live.len(),
    };
    let mut at = 0..;
    live.retain(|(node, _)| {
        let is_kept = at.next().is_some_and(|at| range.contains(&at));
        let is_summary = matches!(node.kind, NodeKind::Boundary { .. });
        node.kind == NodeKind::Message(Role::System)
            || !is_summary
                && match kept {
                    KeptFrom::Nothing => false,
                    KeptFrom::Index(first) => u64::from(node.place.line) > first,
                    KeptFrom::Id(_) => is_kept,
                }
    });
}

#[test]
fn each_record_comes_and_goes_once_and_the_sums_are_the_same() {
    let mut compactions = 0;
    for seed in 0..400 {
        for format in [recto_wire::Format::Pi, recto_wire::Format::ClaudeCode] {
            let history = history(seed, format);
            compactions += history.compactions;
            assert_eq!(contexts(&history), plainly(&history), "{seed} {format:?}");
        }
    }
    assert!(compactions > 2_000, "{compactions}");
}
