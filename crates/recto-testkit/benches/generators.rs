//! Bytes a second of every generator: a slow one would make the benchmarks that use it wait.

use divan::{Bencher, counter::BytesCount};
use recto_testkit::generate::Kind;

fn main() {
    divan::main();
}

#[divan::bench(args = Kind::ALL.map(Kind::name), sample_count = 5)]
fn ten_megabytes(bencher: Bencher<'_, '_>, name: &str) {
    const BYTES: usize = 10_000_000;
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) else { return };
    bencher.counter(BytesCount::new(BYTES)).bench(|| kind.generate(1, BYTES));
}
