//! What a view costs: hash, outline, ranking, budget and rendering, beside a plain copy of the same bytes.
//!
//! `cargo bench -p recto-view` prints small inputs (64 KiB) with divan, then a table of large ones: each case beside
//! `memcpy` in the same run, how time grows from 10 MB to 100 MB and the peak memory, both of a process that does nothing else.
//! A word after `--` picks the cases whose names hold it: `cargo bench -p recto-view -- json`.

mod growth;
mod large;
mod memory;

use divan::{Bencher, counter::BytesCount};
use recto_testkit::generate::Kind;
use recto_view::{Budget, Mode};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(case) = memory::asked_for(&arguments) {
        return memory::answer(case);
    }
    if let Some((kind, megabytes)) = growth::asked_for(&arguments) {
        return growth::answer(kind, megabytes);
    }
    divan::main();
    // `cargo test --benches` gives no `--bench`: it wants to know that this runs, not how fast.
    if arguments.iter().any(|argument| argument == "--bench")
        && !arguments.iter().any(|argument| argument == "--list")
    {
        let picked: Vec<&str> =
            arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-')).collect();
        large::print_table(&picked);
    }
}

const SMALL_BYTES: usize = 64 << 10;

#[divan::bench(args = large::KINDS.map(Kind::name), sample_count = 20)]
fn small_marked_2000_tokens(bencher: Bencher<'_, '_>, kind: &str) {
    small(bencher, kind, Mode::Marked, Budget::tokens(2_000));
}

#[divan::bench(args = large::KINDS.map(Kind::name), sample_count = 20)]
fn small_exact_ratio_45(bencher: Bencher<'_, '_>, kind: &str) {
    small(bencher, kind, Mode::Exact, large::RATIO_45);
}

#[divan::bench]
fn small_memcpy(bencher: Bencher<'_, '_>) {
    let bytes = vec![b'x'; SMALL_BYTES];
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| divan::black_box(&bytes).clone());
}

fn small(bencher: Bencher<'_, '_>, kind: &str, mode: Mode, budget: Budget) {
    let Some(kind) = Kind::ALL.into_iter().find(|known| known.name() == kind) else { return };
    let bytes = kind.generate(1, SMALL_BYTES).bytes;
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench(|| large::compress(divan::black_box(&bytes), mode, budget));
}
