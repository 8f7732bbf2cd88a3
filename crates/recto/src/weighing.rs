use std::{
    mem,
    sync::mpsc::{self, TrySendError},
    thread,
};

use recto_session::{
    history::{Asked, Cut, History, ItemKind, Observer, Said},
    stats::is_mostly_base64,
};
use recto_tokens::{Counter, Tokenizer};

use crate::transcript::{Reading, Transcript, TranscriptError};

/// Bytes of texts that are counted at once.
const BATCH_BYTES: usize = 256 << 10;
/// Batches that wait for the other thread.
const MOST_WAITING: usize = 4;

/// A transcript that was read, with the tokens of its texts.
#[derive(Debug)]
pub struct Weighed {
    /// What was read.
    pub reading: Reading,
    /// The items that are mostly Base64, in their order.
    pub base64: Vec<u32>,
}

/// Reads a transcript and counts the tokens of its texts, on this thread and another one: the same figures as with
/// [`Weigher`](recto_session::stats::Weigher), in less time. `observer` sees every text too; what it says of tokens is not used.
///
/// Less than two MiB of texts wait to be counted, besides a text that is longer than that.
///
/// # Errors
/// As [`Transcript::read`].
pub fn weighed(
    transcript: &Transcript,
    leaf: Option<&str>,
    tokenizer: Tokenizer,
    observer: &mut dyn Observer,
    progress: &mut dyn FnMut(u64),
) -> Result<Weighed, TranscriptError> {
    let counter = tokenizer.counter();
    let (to, from) = mpsc::sync_channel::<Batch>(MOST_WAITING);
    let (reading, mut counted) = thread::scope(|scope| {
        let other = scope.spawn(move || {
            let mut counted = Counted::default();
            from.iter().for_each(|batch| counted.add(&batch, counter));
            counted
        });
        let mut sharing = Sharing { observer, batch: Batch::default(), to, own: Counted::default(), counter };
        let reading = transcript.read(leaf, &mut sharing, progress);
        sharing.pass_on();
        // Its end of the channel goes with it, so the other thread comes to an end.
        let mut counted = sharing.finish();
        // A counter that panics has no figures: neither have we.
        let others = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counted.join(others);
        (reading, counted)
    });
    let mut reading = reading?;
    counted.write(&mut reading.history);
    counted.base64.sort_unstable();
    Ok(Weighed { reading, base64: counted.base64 })
}

/// Texts to be counted.
#[derive(Default)]
struct Batch {
    text: String,
    /// Items, and where their texts end.
    ends: Vec<(u32, usize)>,
}

#[derive(Default)]
struct Counted {
    tokens: Vec<(u32, u32)>,
    base64: Vec<u32>,
}

impl Counted {
    fn add(&mut self, batch: &Batch, counter: &dyn Counter) {
        let mut start = 0;
        for (item, end) in &batch.ends {
            let text = batch.text.get(start..*end).unwrap_or_default();
            start = *end;
            self.tokens.push((*item, u32::try_from(counter.count(text)).unwrap_or(u32::MAX)));
            if is_mostly_base64(text) {
                self.base64.push(*item);
            }
        }
    }

    fn join(&mut self, other: Self) {
        self.tokens.extend(other.tokens);
        self.base64.extend(other.base64);
    }

    /// Writes the tokens where an observer's would stand.
    fn write(&self, history: &mut History) {
        for (number, tokens) in &self.tokens {
            let Some(item) = history.items.get_mut(*number as usize) else { continue };
            item.tokens = *tokens;
            let (ItemKind::Text, Some(result)) = (item.kind, item.result) else { continue };
            if let Some(result) = history.results.get_mut(result as usize) {
                result.tokens = result.tokens.saturating_add(*tokens);
            }
        }
    }
}

/// Hands texts on to the other thread, and counts what that has no time for.
struct Sharing<'o> {
    observer: &'o mut dyn Observer,
    batch: Batch,
    to: mpsc::SyncSender<Batch>,
    own: Counted,
    counter: &'static dyn Counter,
}

impl Sharing<'_> {
    fn pass_on(&mut self) {
        let batch = mem::take(&mut self.batch);
        if let Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) = self.to.try_send(batch) {
            self.own.add(&batch, self.counter);
        }
    }

    fn finish(self) -> Counted {
        self.own
    }
}

impl Observer for Sharing<'_> {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        let _ = self.observer.text(said);
        self.batch.text.push_str(said.text);
        self.batch.ends.push((said.item, self.batch.text.len()));
        if self.batch.text.len() >= BATCH_BYTES {
            self.pass_on();
        }
        0
    }

    fn cut(&mut self, asked: &Asked<'_>, head: &str) -> Cut {
        self.observer.cut(asked, head)
    }
}
