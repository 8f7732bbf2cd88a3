//! Old results of a transcript made smaller, as policies say, with every original in the archive.
//!
//! [`Pruner::prune`] takes what [`changes`](recto_session::policy::changes) says of a session, makes the texts that shall stand, and gives a
//! [`Rewrite`] of the session's files together with a report of what was done and why. Nothing is written but to the archive: a text is only ever
//! replaced by one that says how to have it back, and only if it is smaller.

mod arguments;
mod blocks;
mod exchange;
mod numbers;

use recto_archive::{Archive, ArchiveError, Digest, Ref, Scope, Target, block_on};
use recto_outline::ContentType;
use recto_session::{
    Act, Aim, Block, Lines, PruneConfig, Strategy, Unit,
    history::{History, ItemKind, Place, has_note},
    policy::{Change, PolicyName, References, Shape, Smaller},
    prune_content,
};
use recto_tokens::Tokenizer;
use recto_view::{Budget, Mode, Policy, Recall, Source, size_text};
use recto_wire::{Span, quote, remove_blocks, unquote};

pub use self::exchange::Exchange;
pub use self::numbers::Numbers;
use crate::{
    CompressError, compress,
    shown::Shown,
    transcript::{Places, Rewrite, Transcript, TranscriptError},
};

/// Why a session cannot be pruned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PruneError {
    /// The transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// What would be left out cannot be stored: nothing may be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A view could not be made or stored.
    #[error(transparent)]
    Compress(#[from] CompressError),
}

/// Makes what shall stand in the place of results and arguments.
pub struct Pruner<'a> {
    /// Where originals are stored.
    pub archive: &'a dyn Archive,
    /// Where views are known that stand in the session already, if that is another archive.
    pub known: Option<&'a dyn Archive>,
    /// Whose they are.
    pub scope: &'a Scope,
    /// How the reader gets at what is left out.
    pub recall: Recall,
    /// The pruner's own settings.
    pub config: PruneConfig,
    /// By what tokens are counted.
    pub tokenizer: Tokenizer,
}

/// Something that was made smaller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Made {
    /// What was asked for.
    pub change: Change,
    /// Where its record stands.
    pub place: Place,
    /// The tool.
    pub tool: String,
    /// The id of its call, as the client writes it.
    pub call_id: String,
    /// Its step.
    pub step: u32,
    /// Originals, in the order of the texts they are of.
    pub originals: Vec<Digest>,
    /// Refs by which they can be had back.
    pub refs: Vec<Ref>,
    /// Tokens before.
    pub tokens: u64,
    /// Tokens after.
    pub left_tokens: u64,
    /// Code points before.
    pub chars: u64,
    /// Code points after.
    pub left_chars: u64,
    /// The bytes that stood there and those that stand there now.
    pub exchange: Exchange,
    /// The texts that stand in the place of those that [`exchange`](Self::exchange) names, in its order; `None` for one that goes.
    pub texts: Vec<Option<String>>,
}

/// What came of it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Pruning {
    /// The changes to the session's files.
    pub rewrite: Rewrite,
    /// What was made smaller, in the order of the results.
    pub made: Vec<Made>,
    /// What could not be made smaller.
    pub left: Vec<Change>,
}

/// Texts that stand in the place of others, one for each; `None` for a text that goes.
struct Instead {
    texts: Vec<Option<String>>,
    originals: Vec<Digest>,
    refs: Vec<Ref>,
}

impl Pruner<'_> {
    /// Makes what the changes ask for; `standing` has one for each result and call, as [`standing`](recto_session::policy::standing) gives them.
    ///
    /// # Errors
    /// [`PruneError`]: then nothing may be written of it.
    pub fn prune(
        &self,
        transcript: &Transcript,
        history: &History,
        standing: &[&Change],
        progress: &mut dyn FnMut(u64),
    ) -> Result<Pruning, PruneError> {
        let mut pruning = Pruning::default();
        let numbers = Numbers::of(history);
        let mut places = transcript.places();
        for change in standing {
            progress(1);
            let made = match change.policy {
                PolicyName::Arguments => {
                    self.prune_call(history, change, &mut places, &mut pruning.rewrite)?
                }
                _ => self.prune_result(history, change, &mut places, &mut pruning.rewrite)?,
            };
            match made {
                Some(mut made) => {
                    made.exchange.nth = match change.policy {
                        PolicyName::Arguments => numbers.of_call(change.of),
                        _ => numbers.of_result(change.of),
                    };
                    pruning.made.push(made);
                }
                None => pruning.left.push((*change).clone()),
            }
        }
        Ok(pruning)
    }

    /// What would stand after a change: its tokens and names. Nothing is stored if the archive is one in memory.
    ///
    /// # Errors
    /// As [`prune`](Self::prune).
    pub fn smaller(
        &self,
        history: &History,
        change: &Change,
        places: &mut Places<'_>,
    ) -> Result<Option<Smaller>, PruneError> {
        if change.policy == PolicyName::Arguments {
            let Some(call) = history.calls.get(change.of as usize) else { return Ok(None) };
            let Some(node) = history.node_of(call.item) else { return Ok(None) };
            let raw = call.arguments.of(places.bytes(node.place)?);
            let Some((shorter, _)) = self.shorter_arguments(raw, &change.shape)? else { return Ok(None) };
            return Ok(Some(self.smaller_of(&arguments::text_of(&shorter))));
        }
        let Some((_, texts)) = self.texts_of(history, change.of, places)? else { return Ok(None) };
        let instead = self.instead(history, change, &texts)?;
        let joined: Option<String> = instead.map(|instead| instead.texts.into_iter().flatten().collect());
        Ok(joined.map(|text| self.smaller_of(&text)))
    }

    fn count(&self, text: &str) -> u64 {
        self.tokenizer.counter().count(text)
    }

    fn smaller_of(&self, text: &str) -> Smaller {
        Smaller { tokens: self.count(text), names: References::of(text) }
    }

    /// The texts of a result, and where its record stands. `None` if a text is none, or if recto seems to have cut it and its original
    /// is not known: what is made of it would lead back to that alone.
    fn texts_of(
        &self,
        history: &History,
        result: u32,
        places: &mut Places<'_>,
    ) -> Result<Option<(Place, Vec<Old>)>, PruneError> {
        let Some(node) = history.node_of_result(result) else { return Ok(None) };
        let record = places.bytes(node.place)?;
        let mut texts = Vec::new();
        for (_, item) in history.parts_of(result) {
            if item.kind != ItemKind::Text {
                continue;
            }
            let Some(text) = unquote(item.raw.of(record)) else { return Ok(None) };
            let mut old = Old { text: text.into_owned(), raw: item.raw, block: item.block, source: None };
            if has_note(&old.text) {
                let archive = self.known.unwrap_or(self.archive);
                let Shown::Of { original, .. } = Shown::of(archive, self.scope, &old.text)? else {
                    return Ok(None);
                };
                let Ok(source) = String::from_utf8(original) else { return Ok(None) };
                old.source = Some(source);
            }
            texts.push(old);
        }
        Ok((!texts.is_empty()).then_some((node.place, texts)))
    }

    fn prune_result(
        &self,
        history: &History,
        change: &Change,
        places: &mut Places<'_>,
        rewrite: &mut Rewrite,
    ) -> Result<Option<Made>, PruneError> {
        let Some((place, texts)) = self.texts_of(history, change.of, places)? else { return Ok(None) };
        let Some(instead) = self.instead(history, change, &texts)? else { return Ok(None) };
        let left: String = instead.texts.iter().flatten().map(String::as_str).collect();
        let Some(entry) = history.results.get(change.of as usize) else { return Ok(None) };
        let tokens: u64 = texts.iter().map(|text| self.count(&text.text)).sum();
        let left_tokens = instead.texts.iter().flatten().map(|text| self.count(text)).sum();
        if left_tokens >= tokens {
            return Ok(None);
        }
        let record = places.bytes(place)?;
        let call_id = id_of(record, history, change.of);
        let mut edits: Vec<(Span, Vec<u8>)> = Vec::new();
        let mut gone: Vec<Span> = Vec::new();
        let mut originals = instead.originals.iter();
        let mut parts: Vec<(u32, Digest)> = Vec::new();
        let mut stand: Vec<Option<String>> = Vec::new();
        let mut is_plain = true;
        for ((old, new), number) in texts.iter().zip(&instead.texts).zip(0..) {
            if new.as_deref() == Some(&*old.text) {
                continue;
            }
            let Some(original) = originals.next() else { return Ok(None) };
            parts.push((number, *original));
            stand.push(new.clone());
            is_plain &= old.source.is_none() && quote(&old.text) == old.raw.of(record);
            match new {
                Some(new) => edits.push((old.raw, quote(new))),
                None if old.block == old.raw => edits.push((old.raw, quote(""))),
                None => {
                    is_plain = false;
                    gone.push(old.block);
                }
            }
        }
        edits.extend(remove_blocks(record, &gone).into_iter().map(|span| (span, Vec::new())));
        let whole = history.items.get(entry.item as usize).map(|item| item.raw).unwrap_or_default();
        let Some(exchange) = Exchange::of(record, whole, &edits, parts, is_plain) else { return Ok(None) };
        if !exchange.is_plain {
            block_on(self.archive.put(self.scope, whole.of(record)))?;
        }
        for (span, with) in edits {
            rewrite.replace(place, span, with);
        }
        Ok(Some(Made {
            change: change.clone(),
            place,
            tool: history.tool_of(change.of).to_owned(),
            call_id,
            step: history.node_of_result(change.of).map_or(0, |node| node.step),
            originals: instead.originals,
            refs: instead.refs,
            tokens,
            left_tokens,
            chars: texts.iter().map(|text| text.text.chars().count() as u64).sum(),
            left_chars: left.chars().count() as u64,
            exchange,
            texts: stand,
        }))
    }

    /// The texts that shall stand in the place of a result's.
    fn instead(
        &self,
        history: &History,
        change: &Change,
        texts: &[Old],
    ) -> Result<Option<Instead>, PruneError> {
        match &change.shape {
            Shape::Pruned => self.pruned(texts),
            Shape::View { tokens } => self.views(texts, Room::Tokens(u64::from(*tokens))),
            Shape::Note => self.notes(history, texts, change).map(Some),
            Shape::Lines(lines) => self.lines(history, change, texts, lines),
        }
    }

    /// As the pruner does it: a view where the format is known, beginning and end where it is not, or where that is asked for.
    fn pruned(&self, texts: &[Old]) -> Result<Option<Instead>, PruneError> {
        let aim = match self.config.unit() {
            Unit::Tokens => Aim::Tokens(self.config.head() + self.config.tail() + 12),
            _ => {
                Aim::Chars(self.config.head() + self.config.tail() + recto_session::PRUNE_MARKER.len() as u64)
            }
        };
        if self.config.strategy() == Strategy::View {
            let room = match aim {
                Aim::Tokens(tokens) => Room::Tokens(tokens),
                Aim::Chars(chars) => Room::Bytes(chars),
                _ => Room::Bytes(self.config.threshold()),
            };
            let is_known =
                texts.iter().any(|text| recto_outline::detect(text.text.as_bytes()) != ContentType::Unknown);
            if is_known && let Some(views) = self.views(texts, room)? {
                return Ok(Some(views));
            }
        }
        // The ends of a view are not those of its original.
        if texts.iter().any(|text| text.source.is_some()) {
            return Ok(None);
        }
        let marked = blocks::marked(texts.iter().map(|text| &*text.text));
        let read: Vec<Block<'_>> = marked.iter().filter_map(|block| Block::from_json(block).ok()).collect();
        let Some(kept) = prune_content(&read, &self.config) else { return Ok(None) };
        let kept = blocks::by_mark(&kept, texts.len());
        let mut instead = Instead { texts: Vec::new(), originals: Vec::new(), refs: Vec::new() };
        for (old, new) in texts.iter().zip(kept) {
            if new.as_deref() != Some(&*old.text) {
                self.store(&old.text, &mut instead)?;
            }
            instead.texts.push(new);
        }
        Ok(Some(instead))
    }

    /// Views that together take so much, the larger texts more than the small ones.
    fn views(&self, texts: &[Old], room: Room) -> Result<Option<Instead>, PruneError> {
        let lengths: Vec<u64> = match room {
            Room::Bytes(_) => texts.iter().map(|text| text.text.len() as u64).collect(),
            Room::Tokens(_) => texts.iter().map(|text| self.count(&text.text)).collect(),
        };
        let most = blocks::share(&lengths, room.amount());
        let mut instead = Instead { texts: Vec::new(), originals: Vec::new(), refs: Vec::new() };
        let mut is_smaller = false;
        for (text, length) in texts.iter().zip(lengths) {
            if length <= most {
                instead.texts.push(Some(text.text.clone()));
                continue;
            }
            let budget = match room {
                Room::Bytes(_) => Budget::bytes(most),
                Room::Tokens(_) => Budget::tokens(most),
            };
            let made = self.view(text.whole(), budget)?;
            let Some((view, name)) = made.filter(|(view, _)| view.len() < text.text.len()) else {
                instead.texts.push(Some(text.text.clone()));
                continue;
            };
            is_smaller = true;
            instead.originals.push(Digest::of(text.whole().as_bytes()));
            instead.refs.push(name);
            instead.texts.push(Some(view));
        }
        Ok(is_smaller.then_some(instead))
    }

    /// The view of a text; `None` if it is not smaller, or does not say how to have the rest back.
    fn view(&self, text: &str, budget: Budget) -> Result<Option<(String, Ref)>, PruneError> {
        let policy = Policy {
            mode: Mode::Marked,
            budget,
            tokenizer: self.tokenizer,
            recall: self.recall,
            ..Policy::default()
        };
        let source = Source::new(text.as_bytes());
        let issued = compress(&source, &policy, self.scope, || Ok(Some(self.archive)))?;
        let Some(name) = issued.name else { return Ok(None) };
        let view = issued.view.render(&source).map_err(CompressError::from)?;
        let says = self.recall == Recall::None || view.contains(&name.to_string());
        Ok((says && !view.is_empty() && view.len() < text.len()).then_some((view, name)))
    }

    /// One line in the place of all.
    fn notes(&self, history: &History, texts: &[Old], change: &Change) -> Result<Instead, PruneError> {
        let mut instead = Instead { texts: Vec::new(), originals: Vec::new(), refs: Vec::new() };
        for text in texts {
            let name = self.store(text.whole(), &mut instead)?;
            let lines = memchr::memchr_iter(b'\n', text.whole().trim_end().as_bytes()).count() + 1;
            let amount = format!("{lines} line{}", if lines == 1 { "" } else { "s" });
            let why = why(history, change);
            instead.texts.push(Some(
                self.line(&format!("{amount}, {}: {why}", size_text(text.whole().len() as u64)), &name),
            ));
        }
        Ok(instead)
    }

    /// The lines of a read that no later one shows, and a line in the place of each run that one does.
    fn lines(
        &self,
        history: &History,
        change: &Change,
        texts: &[Old],
        kept: &[Lines],
    ) -> Result<Option<Instead>, PruneError> {
        let [text] = texts else { return Ok(None) };
        let call =
            history.results.get(change.of as usize).and_then(|entry| history.calls.get(entry.call? as usize));
        let Some(first) = call.and_then(|call| Some(call.target?.lines.first)) else { return Ok(None) };
        let mut instead = Instead { texts: Vec::new(), originals: Vec::new(), refs: Vec::new() };
        let name = self.store(&text.text, &mut instead)?;
        let is_kept = |line: u64| kept.iter().any(|lines| lines.first <= line && line <= lines.last);
        let mut shown = String::new();
        let mut gap: Option<(u64, u64)> = None;
        let close = |gap: Option<(u64, u64)>, shown: &mut String| {
            if let Some((from, to)) = gap {
                let what = format!("lines {from}-{to} of this text: read again later");
                shown.push_str(&self.line(&what, &name));
                shown.push('\n');
            }
        };
        for (line, number) in text.text.split_inclusive('\n').zip(1..) {
            if is_kept(first + number - 1) {
                close(gap.take(), &mut shown);
                shown.push_str(line);
            } else {
                gap = Some(gap.map_or((number, number), |(from, _)| (from, number)));
            }
        }
        close(gap, &mut shown);
        instead.texts.push(Some(shown.trim_end_matches('\n').to_owned()));
        Ok(Some(instead))
    }

    /// A line of recto's own.
    fn line(&self, what: &str, name: &Ref) -> String {
        match self.recall {
            Recall::Tool => format!("[recto: {what}, recto_expand {name}]"),
            Recall::Shell => format!("[recto: {what}, recto expand {name}]"),
            _ => format!("[recto: {what}]"),
        }
    }

    /// Stores an original as a whole, under a name.
    fn store(&self, text: &str, instead: &mut Instead) -> Result<Ref, PruneError> {
        let original = block_on(self.archive.put(self.scope, text.as_bytes()))?;
        let name = block_on(self.archive.issue(self.scope, &Target::Original(original)))?;
        instead.originals.push(original);
        instead.refs.push(name.clone());
        Ok(name)
    }
}

/// Why nothing of a result stands, in words that stay true whatever becomes of the later one.
fn why(history: &History, change: &Change) -> &'static str {
    let by = change.by.and_then(|by| history.results.get(by as usize));
    let call = by.and_then(|by| history.calls.get(by.call? as usize));
    match call.and_then(|call| call.target) {
        Some(target) if target.act == Act::Write => "the file was written anew later",
        _ if change.policy == PolicyName::Overlap => "read again later",
        _ => "the same call was made again later",
    }
}

/// What texts may take together.
#[derive(Clone, Copy)]
enum Room {
    Bytes(u64),
    Tokens(u64),
}

impl Room {
    const fn amount(self) -> u64 {
        match self {
            Self::Bytes(amount) | Self::Tokens(amount) => amount,
        }
    }
}

/// A text of a result as it stands.
struct Old {
    text: String,
    raw: Span,
    block: Span,
    /// What it is a view of, if it is one.
    source: Option<String>,
}

impl Old {
    /// What smaller texts are made of: so that what they leave out leads back to all of it.
    fn whole(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.text)
    }
}

/// The id by which a result names its call.
fn id_of(record: &[u8], history: &History, result: u32) -> String {
    let span = history.results.get(result as usize).map(|entry| entry.call_span).unwrap_or_default();
    unquote(span.of(record)).unwrap_or_default().into_owned()
}
