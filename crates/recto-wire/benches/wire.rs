//! What reading a transcript costs: all lines of a file to records, beside the JSON behind them and a plain copy of the same bytes.
//!
//! `cargo bench -p recto-wire`.

use divan::{Bencher, counter::BytesCount};
use recto_testkit::corpus::transcripts;
use recto_wire::{Document, Format};

/// Two large sessions of Claude Code, one each of Codex and Pi.
const FILES: [&str; 4] = [
    "claude-code/entire_0e_3fdc072c53_0.jsonl",
    "claude-code/episodic-memory_large.jsonl",
    "codex/codemie_rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl",
    "pi/pi-mono_before-compaction.jsonl",
];

fn main() {
    divan::main();
}

#[divan::bench(args = FILES, sample_count = 20)]
fn records(bencher: Bencher<'_, '_>, name: &str) {
    let Some((bytes, format)) = load(name) else { return };
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let lines = divan::black_box(&bytes).split(|byte| *byte == b'\n');
        lines.map(|line| format.line(line).pieces.len()).sum::<usize>()
    });
}

#[divan::bench(args = FILES, sample_count = 20)]
fn json(bencher: Bencher<'_, '_>, name: &str) {
    let Some((bytes, _)) = load(name) else { return };
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let lines = divan::black_box(&bytes).split(|byte| *byte == b'\n');
        lines.filter(|line| Document::parse(line).is_ok()).count()
    });
}

#[divan::bench(args = FILES, sample_count = 20)]
fn copy(bencher: Bencher<'_, '_>, name: &str) {
    let Some((bytes, _)) = load(name) else { return };
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| divan::black_box(&bytes).to_vec());
}

fn load(name: &str) -> Option<(Vec<u8>, Format)> {
    let files = transcripts()?;
    let file = files.iter().find(|file| file.relative == name)?;
    Some((file.read(), Format::by_name(&file.kind)?))
}
