//! What a session costs: folding 10,000 events, going on with one, and pruning 1,000 results; beside reading their bytes alone.
//!
//! `cargo bench -p recto-session`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use recto_session::{Atoms, Boundary, Event, Log, Projection, PruneConfig, prune_session};

fn main() {
    divan::main();
}

/// Exchanges of a user's message, an assistant's, a call and its result of so many characters.
fn lines(events: usize, result_chars: usize) -> Vec<String> {
    let content = "0123456789 é".chars().cycle().take(result_chars).collect::<String>();
    let line = |seq: usize| match seq % 4 {
        0 => format!(
            r#"{{"seq":{seq},"turn":{},"kind":"message/user","data":{{"content":"go on"}}}}"#,
            seq / 4
        ),
        1 => format!(r#"{{"seq":{seq},"kind":"message/assistant","data":{{"content":"I look."}}}}"#),
        2 => format!(
            r#"{{"seq":{seq},"kind":"tool/call","data":{{"callId":"c{seq}","name":"read","arguments":{{"path":"a"}}}}}}"#
        ),
        _ => format!(
            r#"{{"seq":{seq},"kind":"tool/result","data":{{"callId":"c{}","content":[{{"type":"text","text":"{content}"}}]}}}}"#,
            seq - 1
        ),
    };
    (0..events).map(line).collect()
}

fn events(count: usize) -> Vec<Event> {
    let lines = lines(count, 100);
    lines.iter().filter_map(|line| Event::from_json(line).ok()).collect()
}

fn log(events: usize, result_chars: usize) -> Log {
    Log::from_jsonl(&lines(events, result_chars).join("\n")).unwrap_or_default()
}

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// The fold alone: the cost of an event must not grow with the log.
#[divan::bench(args = SIZES, sample_count = 10)]
fn fold(bencher: Bencher<'_, '_>, count: usize) {
    let events = events(count);
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut projection = Projection::default();
        for event in &events {
            let _ = black_box(projection.apply(event));
        }
        projection
    });
}

/// Events that replace, one behind the other: each puts a result in place of another.
#[divan::bench(args = SIZES, sample_count = 10)]
fn fold_replacements(bencher: Bencher<'_, '_>, count: usize) {
    let log = log(count, 10);
    let rewrites: Vec<_> = (0..count / 4)
        .filter_map(|number| {
            let (old, seq) = (number * 4 + 3, count + number);
            Event::from_json(&format!(
                r#"{{"seq":{seq},"kind":"tool/result","data":{{"callId":"c{}"}},"surfaceOp":{{"op":"replace","start":{old},"end":{old}}}}}"#,
                old - 1
            ))
            .ok()
        })
        .collect();
    bencher.counter(ItemsCount::new(rewrites.len())).with_inputs(|| log.projection().clone()).bench_values(
        |mut projection| {
            for event in &rewrites {
                let _ = black_box(projection.apply(event));
            }
            projection
        },
    );
}

/// Reading a log from its lines, the fold included.
#[divan::bench(args = SIZES, sample_count = 10)]
fn read(bencher: Bencher<'_, '_>, count: usize) {
    let text = lines(count, 100).join("\n");
    bencher.counter(BytesCount::of_str(&text)).bench(|| Log::from_jsonl(black_box(&text)));
}

const RESULTS: usize = 1_000;
const RESULT_CHARS: usize = 20_000;

/// 1,000 results of 20,000 characters, all rewritten; the tokens that each rewrite states are most of it.
#[divan::bench(args = ["codePoint", "grapheme"], sample_count = 5)]
fn prune(bencher: Bencher<'_, '_>, boundary: &str) {
    let boundary = if boundary == "grapheme" { Boundary::Grapheme } else { Boundary::CodePoint };
    let log = log(RESULTS * 4, RESULT_CHARS);
    let config = PruneConfig::default().with_boundary(boundary);
    bencher
        .counter(BytesCount::new(log.to_jsonl().len()))
        .with_inputs(|| log.clone())
        .bench_values(|mut log| prune_session(&mut log, &config));
}

/// A scan of the same results that finds nothing to do.
#[divan::bench(sample_count = 10)]
fn prune_nothing(bencher: Bencher<'_, '_>) {
    let log = log(RESULTS * 4, RESULT_CHARS);
    let config = PruneConfig::chars(30_000, 100, 100).unwrap_or_default();
    bencher
        .counter(BytesCount::new(log.to_jsonl().len()))
        .with_inputs(|| log.clone())
        .bench_values(|mut log| prune_session(&mut log, &config));
}

/// Counting the tokens of the same results, and nothing else.
#[divan::bench(sample_count = 5)]
fn count_tokens(bencher: Bencher<'_, '_>) {
    let text = "0123456789 é".chars().cycle().take(RESULT_CHARS).collect::<String>();
    let counter = PruneConfig::default().tokenizer().counter();
    bencher
        .counter(BytesCount::new(text.len() * RESULTS))
        .bench(|| (0..RESULTS).map(|_| counter.count(black_box(&text))).sum::<u64>());
}

#[divan::bench(sample_count = 10)]
fn atoms(bencher: Bencher<'_, '_>) {
    let log = log(RESULTS * 4, RESULT_CHARS);
    bencher
        .counter(BytesCount::new(log.to_jsonl().len()))
        .bench(|| Atoms::of(black_box(&log), log.projection()));
}
