//! Throughput of counting, beside that of copying the same bytes (`memcpy`): the ratio is what to compare.

use std::fmt;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use recto_tokens::{RunningCount, Tokenizer};

fn main() {
    divan::main();
}

const TEXT_BYTES: usize = 1 << 20;

#[derive(Clone, Copy)]
enum Text {
    Json,
    Log,
    Prose,
    Base64,
    OneLetter,
    LetterPairs,
    Spaces,
    Newlines,
    Digits,
    Cjk,
    Emoji,
}

use Text::{Base64, Cjk, Digits, Emoji, Json, LetterPairs, Log, Newlines, OneLetter, Prose, Spaces};

const ORDINARY: [Text; 3] = [Json, Log, Prose];
const ALL: [Text; 11] =
    [Json, Log, Prose, Base64, OneLetter, LetterPairs, Spaces, Newlines, Digits, Cjk, Emoji];

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Json => "json",
            Log => "log",
            Prose => "prose",
            Base64 => "base64",
            OneLetter => "a",
            LetterPairs => "ab",
            Spaces => "spaces",
            Newlines => "newlines",
            Digits => "digits",
            Cjk => "cjk",
            Emoji => "emoji",
        })
    }
}

impl Text {
    /// Makes a text of about [`TEXT_BYTES`]; words and numbers differ from record to record.
    fn make(self) -> String {
        let mut random = Random(7);
        let mut text = String::with_capacity(TEXT_BYTES + 400);
        while text.len() < TEXT_BYTES {
            self.append_unit(&mut text, &mut random);
        }
        text
    }

    fn append_unit(self, text: &mut String, random: &mut Random) {
        match self {
            Json => text.push_str(&format!(
                "{{\"id\":\"{:08x}\",\"name\":\"{}-{}\",\"status\":\"{}\",\"restarts\":{},\"createdAt\":\"2024-05-{:02}T10:{:02}:00Z\"}},",
                random.below(1 << 32), random.word(), random.word(), random.word(), random.below(40), random.below(28) + 1, random.below(60),
            )),
            Log => text.push_str(&format!(
                "2024-05-{:02} 10:{:02}:17.{:03} INFO [worker-{}] {} {} took {} ms for {}\n",
                random.below(28) + 1, random.below(60), random.below(1000), random.below(16), random.word(), random.word(), random.below(5000), random.word(),
            )),
            Prose => {
                text.push_str(random.word());
                text.push_str(match random.below(12) { 0 => ". ", 1 => ", ", _ => " " });
            }
            Base64 => text.push(char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random.below(64)])),
            OneLetter => text.push('a'),
            LetterPairs => text.push_str("ab"),
            Spaces => text.push(' '),
            Newlines => text.push('\n'),
            Digits => text.push(char::from(b'0' + random.below(10) as u8)),
            Cjk => text.extend(char::from_u32(0x4E00 + random.below(3000) as u32)),
            Emoji => text.extend(char::from_u32(0x1F600 + random.below(60) as u32)),
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 24] = [
            "the",
            "and",
            "request",
            "server",
            "connection",
            "refused",
            "because",
            "timeout",
            "pending",
            "deployment",
            "controller",
            "reconcile",
            "running",
            "of",
            "evicted",
            "node",
            "it",
            "schedule",
            "unavailable",
            "to",
            "cluster",
            "replica",
            "gateway",
            "in",
        ];
        WORDS[self.below(WORDS.len())]
    }
}

#[divan::bench(args = ORDINARY, sample_count = 50)]
fn memcpy(bencher: Bencher<'_, '_>, text: Text) {
    let text = text.make();
    let mut copy = vec![0; text.len()];
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        copy.copy_from_slice(black_box(text.as_bytes()));
        black_box(&mut copy);
    });
}

#[divan::bench(args = ALL, sample_count = 10)]
fn whole_o200k(bencher: Bencher<'_, '_>, text: Text) {
    let (text, counter) = (text.make(), Tokenizer::O200k.counter());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| counter.count(black_box(&text)));
}

#[divan::bench(args = ALL, sample_count = 10)]
fn whole_cl100k(bencher: Bencher<'_, '_>, text: Text) {
    let (text, counter) = (text.make(), Tokenizer::Cl100k.counter());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| counter.count(black_box(&text)));
}

/// A limit that the whole text is just within: the price of looking at the budget on the way.
#[divan::bench(args = ORDINARY, sample_count = 10)]
fn up_to_all(bencher: Bencher<'_, '_>, text: Text) {
    let (text, counter) = (text.make(), Tokenizer::O200k.counter());
    let limit = counter.count(&text);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| counter.count_up_to(black_box(&text), limit));
}

/// A small limit on as long a text as cannot be refused by its length alone: the time must be that of the limit.
#[divan::bench(args = ALL, sample_count = 20)]
fn up_to_2000_tokens(bencher: Bencher<'_, '_>, text: Text) {
    let (text, counter) = (text.make(), Tokenizer::O200k.counter());
    let text = &text[..text.floor_char_boundary(250_000)];
    bencher.bench_local(|| counter.count_up_to(black_box(text), 2000));
}

/// The text in pieces of so many bytes, each counted by itself.
#[divan::bench(args = [8, 32, 128], sample_count = 10)]
fn short_pieces(bencher: Bencher<'_, '_>, piece_bytes: usize) {
    let (text, counter) = (Json.make(), Tokenizer::O200k.counter());
    let pieces = pieces(&text, piece_bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .counter(ItemsCount::new(pieces.len()))
        .bench_local(|| pieces.iter().map(|piece| counter.count(black_box(piece))).sum::<u64>());
}

#[divan::bench(args = [8, 32, 128], sample_count = 10)]
fn running_pieces(bencher: Bencher<'_, '_>, piece_bytes: usize) {
    let text = Json.make();
    let pieces = pieces(&text, piece_bytes);
    bencher.counter(BytesCount::of_str(&text)).counter(ItemsCount::new(pieces.len())).bench_local(|| {
        let mut running = RunningCount::new(Tokenizer::O200k);
        for piece in &pieces {
            running.push(black_box(piece));
        }
        running.total()
    });
}

/// What a process pays at its first count.
#[divan::bench(sample_count = 5)]
fn load_o200k() {
    black_box(tiktoken::encoding::o200k_base());
}

#[divan::bench(sample_count = 5)]
fn load_cl100k() {
    black_box(tiktoken::encoding::cl100k_base());
}

fn pieces(text: &str, piece_bytes: usize) -> Vec<&str> {
    text.as_bytes().chunks(piece_bytes).filter_map(|piece| str::from_utf8(piece).ok()).collect()
}
