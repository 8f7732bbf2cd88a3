//! The pruner at work on a session: two events for each result that is rewritten.

use super::config::{PruneConfig, Strategy, Unit};
use super::shorten::{Aim, Shorten};
use super::{MARKER_CHARS, is_over, measure_content, prune_content, tokens};
use crate::block::Block;
use crate::content::Content;
use crate::draft::Draft;
use crate::error::SessionError;
use crate::event::Event;
use crate::json::{self, Found};
use crate::kind::EventKind;
use crate::log::Log;
use crate::surface_op::SurfaceOp;

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruned {
    /// How many tool results stand in the projection.
    pub scanned: usize,
    /// The seqs of the results that were rewritten, in the order in which the model reads them.
    pub rewritten: Vec<u64>,
    /// Code points of text in them before.
    pub chars_before: u64,
    /// Code points of text in what stands in for them.
    pub chars_after: u64,
}

/// Rewrites each tool result of the newest leaf's projection that is over the threshold, always to head and tail.
///
/// See [`prune_session_with`].
///
/// # Errors
/// The log refused a replacement: neither of its two events is appended. What was appended before stays.
pub fn prune_session(log: &mut Log, config: &PruneConfig) -> Result<Pruned, SessionError> {
    let nothing = |_: &Event, _: &Content<'_>, _| None;
    prune_session_with(log, config, &nothing)
}

/// Rewrites each tool result of the newest leaf's projection that is over the threshold; with the strategy `view` by the caller's means.
///
/// One projection is scanned, the one at the call. Each rewrite appends two events, one behind the other: `compaction/prune` with `shadowedRange`,
/// `shadowedSeqs`, `shadowedTokenCount` (the tokens of the result's text blocks) and the `tokenizer` that counted; and the shorter `tool/result`,
/// which replaces exactly that node, names it as its source, and has its turn, its step and all of its data but the content, byte for byte.
///
/// Laws: a second scan with the same settings appends nothing. A result in which `content` stands twice is left alone.
///
/// ```
/// use recto_session::{Draft, EventKind, Log, PruneConfig, prune_session};
///
/// let mut log = Log::new();
/// log.append(&Draft::new(EventKind::ToolCall).data(r#"{"callId":"c","name":"read"}"#)?)?;
/// let data = format!(r#"{{"callId":"c","isError":false,"content":"{}"}}"#, "x".repeat(9000));
/// log.append(&Draft::new(EventKind::ToolResult).data(&data)?)?;
///
/// let pruned = prune_session(&mut log, &PruneConfig::default())?;
/// assert_eq!((pruned.rewritten.as_slice(), pruned.chars_after), (&[1][..], 4096 + 39 + 1024));
/// assert_eq!(log.projection().to_json(), r#"{"replaceGeneration":1,"nodes":[{"seq":0},{"seq":3}]}"#);
/// assert!(prune_session(&mut log, &PruneConfig::default())?.rewritten.is_empty());
/// # Ok::<(), recto_session::SessionError>(())
/// ```
///
/// # Errors
/// The log refused a replacement: neither of its two events is appended. What was appended before stays.
pub fn prune_session_with(
    log: &mut Log,
    config: &PruneConfig,
    shorten: &dyn Shorten,
) -> Result<Pruned, SessionError> {
    let is_result = |seq: &u64| log.get(*seq).is_some_and(|event| *event.kind() == EventKind::ToolResult);
    let snapshot: Vec<u64> = log.projection().nodes().map(crate::Node::seq).filter(is_result).collect();
    let mut pruned = Pruned { scanned: snapshot.len(), ..Pruned::default() };
    for seq in snapshot {
        let Some(rewrite) = log.get(seq).and_then(|event| rewrite(event, config, shorten)) else { continue };
        log.append_with_note(&rewrite.note, &rewrite.result)?;
        pruned.rewritten.push(seq);
        pruned.chars_before += rewrite.chars_before;
        pruned.chars_after += rewrite.chars_after;
    }
    Ok(pruned)
}

/// The two events of one rewrite.
struct Rewrite {
    note: Draft,
    result: Draft,
    chars_before: u64,
    chars_after: u64,
}

fn rewrite(event: &Event, config: &PruneConfig, shorten: &dyn Shorten) -> Option<Rewrite> {
    let data = event.data();
    let Found::One(at) = json::find(data, "content") else { return None };
    let content = Content::read(data.get(at.clone())?)?;
    if !is_over(content.blocks(), config) {
        return None;
    }
    let view = match config.strategy() {
        Strategy::View => shorten
            .shorten(event, &content, aim(config))
            .filter(|view| is_lawful(&content, view.blocks(), config)),
        Strategy::HeadTail => None,
    };
    let shorter = match view {
        Some(view) if content.is_string() => content.with_blocks(view.blocks().to_vec()),
        Some(view) => view,
        None => content.with_blocks(prune_content(content.blocks(), config)?).into_owned(),
    };
    let seq = event.seq();
    let tokenizer = config.tokenizer();
    let note = format!(
        r#"{{"shadowedRange":{{"start":{seq},"end":{seq}}},"shadowedSeqs":[{seq}],"shadowedTokenCount":{},"tokenizer":"{}"}}"#,
        tokens::measure(content.blocks(), tokenizer),
        tokenizer.name(),
    );
    let spread = [data.get(..at.start)?, &shorter.json(), data.get(at.end..)?].concat();
    Some(Rewrite {
        note: Draft::new(EventKind::Prune).at(event).checked_data(note),
        result: Draft::new(EventKind::ToolResult)
            .at(event)
            .checked_data(spread)
            .surface_op(SurfaceOp::replace(seq, seq))
            .source_event_seqs(&[seq]),
        chars_before: measure_content(content.blocks()) as u64,
        chars_after: measure_content(shorter.blocks()) as u64,
    })
}

/// What head, marker and tail would come to.
fn aim(config: &PruneConfig) -> Aim {
    let ends = config.head().saturating_add(config.tail());
    match config.unit() {
        Unit::Chars => Aim::Chars(ends.saturating_add(MARKER_CHARS as u64)),
        Unit::Tokens => {
            let marker = config.tokenizer().counter().count(super::PRUNE_MARKER);
            Aim::Tokens(ends.saturating_add(marker))
        }
    }
}

/// Tells whether what a caller made of a result may stand in for it.
fn is_lawful(content: &Content<'_>, after: &[Block<'_>], config: &PruneConfig) -> bool {
    let before = content.blocks();
    let keeps_form =
        if content.is_string() { matches!(after, [only] if only.is_text()) } else { !after.is_empty() };
    let is_smaller = match config.unit() {
        Unit::Chars => measure_content(after) < measure_content(before),
        Unit::Tokens => {
            tokens::measure(after, config.tokenizer()) < tokens::measure(before, config.tokenizer())
        }
    };
    let has_empty = after.iter().any(|block| block.literal_text().is_some_and(str::is_empty));
    let opaque = |block: &&Block<'_>| !block.is_text();
    let keeps_others =
        before.iter().filter(opaque).map(Block::json).eq(after.iter().filter(opaque).map(Block::json));
    keeps_form && is_smaller && !has_empty && keeps_others && !is_over(after, config)
}
