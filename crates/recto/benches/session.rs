//! What `recto session stats` does to one session, in the process: reading it, counting its tokens, adding them up. Beside it the parts by themselves,
//! so that their ratios say where the time goes on any machine. The counter remembers words by thread: `counting` has seen them all by its second round, while the other
//! thread of `stats` is new each time, as it is in a process that tells one session.
//!
//! `prune` is what `recto session prune` does beyond starting: it reads, decides, makes what stands with every original in an archive in memory, and writes.
//!
//! Asked for: 60 ms for `stats` of the 2.4 MB transcript of Pi, 150 ms for `prune` of it, with the vocabulary loaded.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run stops")]

use std::path::PathBuf;

use divan::{Bencher, black_box, counter::BytesCount};
use recto::{
    archive::{MemoryArchive, Scope},
    pruning::Pruner,
    session::{
        PruneConfig, Strategy,
        history::{Observer, Said},
        policy::{Decay, Policies, changes, standing},
        stats::Stats,
    },
    tokens::Tokenizer,
    transcript::Transcript,
    view::Recall,
};

fn main() {
    divan::main();
}

const TOKENIZER: Tokenizer = Tokenizer::O200k;

/// Takes all texts, and counts nothing.
#[derive(Default)]
struct Texts(Vec<String>);

impl Observer for Texts {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        self.0.push(said.text.to_owned());
        0
    }
}

struct Nothing;

impl Observer for Nothing {
    fn text(&mut self, _: &Said<'_>) -> u64 {
        0
    }
}

fn transcript() -> Option<Transcript> {
    let path: PathBuf =
        recto_testkit::corpus::folder()?.join("transcripts/pi/pi-mono_before-compaction.jsonl");
    Some(Transcript::open(&path, None).unwrap())
}

/// All of it.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn stats(bencher: Bencher<'_, '_>) {
    let Some(transcript) = transcript() else { return };
    TOKENIZER.load();
    bencher.counter(BytesCount::new(transcript.length())).bench_local(|| {
        let weighed = recto::weighed(&transcript, None, TOKENIZER, &mut Nothing, &mut |_| {}).unwrap();
        black_box(Stats::of(&weighed.reading.history, &weighed.base64, TOKENIZER))
    });
}

/// Counts tokens on one thread.
struct Counts;

impl Observer for Counts {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        TOKENIZER.counter().count(said.text)
    }
}

/// The default policies.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn prune(bencher: Bencher<'_, '_>) {
    let Some(transcript) = transcript() else { return };
    TOKENIZER.load();
    let config = PruneConfig::default().with_strategy(Strategy::View);
    let decay = Decay { older_than_steps: 30, above_tokens: 400, to_tokens: 300 };
    let mut policies = Policies::NONE;
    policies.prune = Some(config.clone());
    (policies.fresh_steps, policies.settle_steps) = (30, 4);
    (policies.decay, policies.edited) = (Some(decay), decay);
    (policies.supersession, policies.overlap) = (true, true);
    bencher.counter(BytesCount::new(transcript.length())).bench_local(|| {
        let reading = transcript.read(None, &mut Counts, &mut |_| {}).unwrap();
        let changes = changes(&reading.history, &policies);
        let standing = standing(&changes, reading.history.last_step() + 1);
        let pruner = Pruner {
            archive: &MemoryArchive::new(),
            known: None,
            scope: &Scope::local(),
            recall: Recall::Shell,
            config: config.clone(),
            tokenizer: TOKENIZER,
        };
        let pruning = pruner.prune(&transcript, &reading.history, &standing, &mut |_| {}).unwrap();
        let mut written = Vec::new();
        pruning.rewrite.write(&transcript, 0, &mut written).unwrap();
        black_box(written)
    });
}

/// Reading alone.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn reading(bencher: Bencher<'_, '_>) {
    let Some(transcript) = transcript() else { return };
    bencher
        .counter(BytesCount::new(transcript.length()))
        .bench_local(|| black_box(transcript.read(None, &mut Nothing, &mut |_| {}).unwrap()));
}

/// Counting the tokens of its texts alone, on one thread.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn counting(bencher: Bencher<'_, '_>) {
    let Some(transcript) = transcript() else { return };
    TOKENIZER.load();
    let mut texts = Texts::default();
    transcript.read(None, &mut texts, &mut |_| {}).unwrap();
    let bytes: usize = texts.0.iter().map(String::len).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| texts.0.iter().map(|text| TOKENIZER.counter().count(text)).sum::<u64>());
}

/// Copying the file's bytes.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn copying(bencher: Bencher<'_, '_>) {
    let Some(transcript) = transcript() else { return };
    let bytes = std::fs::read(transcript.path()).unwrap();
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| black_box(bytes.clone()));
}
