//! What a query costs: over JSON, JSON lines and CSV, beside a plain scan of the same JSON for its byte ranges.
//!
//! `cargo bench -p recto-query`.

use divan::{Bencher, counter::BytesCount};
use recto_outline::{JsonEvents, JsonItem, scan_json};
use recto_query::{Caps, Query, query};
use recto_testkit::generate::Kind;

const SMALL_BYTES: usize = 64 << 10;
const LARGE_BYTES: usize = 20 << 20;

fn main() {
    divan::main();
}

/// A query of each kind, and what it is called.
const ASKED: [(&str, &str); 5] = [
    ("page", r#"{"limit": 20}"#),
    ("filter", r#"{"filter": "id > 100 and $ contains \"7\"", "columns": "id", "limit": 20}"#),
    ("pattern", r#"{"filter": "$ ~ \"9{3}\"", "columns": "id", "limit": 20}"#),
    ("sort", r#"{"sort": "-id", "columns": "id", "limit": 20}"#),
    ("group", r#"{"group": "id", "columns": "sum(id)", "limit": 20}"#),
];

#[divan::bench(args = ASKED.map(|asked| asked.0), sample_count = 50)]
fn small_json(bencher: Bencher<'_, '_>, asked: &str) {
    measure(bencher, Kind::JsonFlat, SMALL_BYTES, asked);
}

#[divan::bench(args = ASKED.map(|asked| asked.0), sample_count = 8)]
fn large_json(bencher: Bencher<'_, '_>, asked: &str) {
    measure(bencher, Kind::JsonFlat, LARGE_BYTES, asked);
}

#[divan::bench(args = ASKED.map(|asked| asked.0), sample_count = 8)]
fn large_jsonl(bencher: Bencher<'_, '_>, asked: &str) {
    measure(bencher, Kind::JsonLines, LARGE_BYTES, asked);
}

#[divan::bench(args = ASKED.map(|asked| asked.0), sample_count = 8)]
fn large_csv(bencher: Bencher<'_, '_>, asked: &str) {
    measure(bencher, Kind::Csv, LARGE_BYTES, asked);
}

/// The least that any answer costs: one scan.
#[divan::bench(sample_count = 8)]
fn large_json_scan(bencher: Bencher<'_, '_>) {
    struct Nothing;
    impl JsonEvents for Nothing {
        fn open(&mut self, _item: JsonItem, _brace_at: usize, _is_object: bool) {}
        fn close(&mut self, _end: usize) {}
        fn scalar(&mut self, _item: JsonItem, _start: usize, _end: usize, _is_string: bool) {}
    }
    let bytes = Kind::JsonFlat.generate(1, LARGE_BYTES).bytes;
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench(|| scan_json(divan::black_box(&bytes), 0, bytes.len(), &mut Nothing));
}

fn measure(bencher: Bencher<'_, '_>, kind: Kind, size: usize, name: &str) {
    let bytes = kind.generate(1, size).bytes;
    let arguments = ASKED.iter().find(|(known, _)| *known == name).map_or("{}", |(_, arguments)| arguments);
    let mut caps = Caps::default();
    // Every record is a group of its own: the worst that grouping may meet.
    caps.max_groups = usize::MAX;
    let Ok(asked) = Query::from_json(arguments.as_bytes()) else { return };
    let answer = query(&bytes, None, &asked, &caps);
    assert!(answer.is_ok(), "{}, {name}: {answer:?}", kind.name());
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench(|| query(divan::black_box(&bytes), None, &asked, &caps));
}
