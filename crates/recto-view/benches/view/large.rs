//! The table of large inputs.

use std::{
    hint::black_box,
    io::Write as _,
    time::{Duration, Instant},
};

use recto_outline::Fuel;
use recto_testkit::generate::Kind;
use recto_view::{Budget, Mode, Policy, view, while_hashing};

use crate::{growth, memory};

pub(crate) const KINDS: [Kind; 10] = [
    Kind::JsonFlat,
    Kind::JsonNested,
    Kind::JsonPretty,
    Kind::JsonLines,
    Kind::Csv,
    Kind::Log,
    Kind::Diff,
    Kind::Markdown,
    Kind::Search,
    Kind::Prose,
];

pub(crate) const RATIO_45: Budget = Budget { ratio_ppm: Some(450_000), max_bytes: None, max_tokens: None };

/// Modes that make a difference for a kind: only JSON is laid out as tables.
fn modes(kind: Kind) -> &'static [Mode] {
    match kind {
        Kind::JsonFlat | Kind::JsonNested | Kind::JsonPretty | Kind::JsonLines => {
            &[Mode::Exact, Mode::Marked, Mode::Table]
        }
        _ => &[Mode::Exact, Mode::Marked],
    }
}

const LARGE_BYTES: usize = 20_000_000;
/// Each case is measured so many times; the fastest counts, as the least disturbed.
const RUNS: usize = 3;
/// Slower than this, and a model waits for the view rather than for the tool.
const LEAST_MB_PER_SECOND: u64 = 100;
/// Time of ten times the input: ten, and some more for caches that no longer hold it.
const MOST_TIMES_AS_LONG: f64 = 12.0;

/// All that is done to a tool's output before a model reads it, as the command line does it.
pub(crate) fn compress(bytes: &[u8], mode: Mode, budget: Budget) -> usize {
    let policy = Policy { mode, budget, ..Policy::default() };
    while_hashing(bytes, |source| {
        view(source, &policy, None, &mut Fuel::unlimited())
            .and_then(|view| view.render(source))
            .map_or(0, |text| text.len())
    })
}

/// Prints a row for each case whose name holds one of `picked`, or for all.
pub(crate) fn print_table(picked: &[&str]) {
    let is_picked = |name: &str| picked.is_empty() || picked.iter().any(|word| name.contains(word));
    let copied = copied();
    row("case", "MB/s", "of memcpy", "target");
    row("memcpy", &mb_per_second(LARGE_BYTES, copied).to_string(), "100.0 %", "");
    let budgets =
        [("ratio 0.45", RATIO_45), ("20 kB", Budget::bytes(20_000)), ("10k tokens", Budget::tokens(10_000))];
    for kind in KINDS {
        let mut made = None;
        for (budget_name, budget) in budgets {
            for &mode in modes(kind) {
                let name = format!("20 MB {}, {mode}, {budget_name}", kind.name());
                if is_picked(&name) {
                    let bytes = made.get_or_insert_with(|| kind.generate(1, LARGE_BYTES).bytes);
                    speed(&name, bytes, mode, budget, copied);
                }
            }
        }
    }
    for kind in KINDS.into_iter().filter(|kind| modes(*kind).contains(&Mode::Table)) {
        let name = format!("20 MB {}, table, whole", kind.name());
        if is_picked(&name) {
            let bytes = kind.generate(1, LARGE_BYTES).bytes;
            speed(&name, &bytes, Mode::Table, Budget::bytes(u64::MAX), copied);
        }
    }
    for kind in [Kind::JsonFlat, Kind::Csv, Kind::Log] {
        let name = format!("100 MB {}, marked, 20 kB, time of 10 MB", kind.name());
        if is_picked(&name) {
            growth(&name, kind);
        }
    }
    for case in &memory::CASES {
        let name = format!("100 MB {}, {}, {}, peak of input", case.kind.name(), case.mode, case.budget_name);
        if is_picked(&name) {
            peak(&name, case);
        }
    }
}

fn speed(name: &str, bytes: &[u8], mode: Mode, budget: Budget, copied: Duration) {
    let took = fastest(|| compress(black_box(bytes), mode, budget));
    let speed = mb_per_second(bytes.len(), took);
    let share = 100.0 * copied.as_secs_f64() / took.as_secs_f64();
    let target = format!("{LEAST_MB_PER_SECOND} {}", verdict(speed >= LEAST_MB_PER_SECOND));
    row(name, &speed.to_string(), &format!("{share:.1} %"), &target);
}

fn growth(name: &str, kind: Kind) {
    let Some((long, short)) = growth::seconds(kind, 100).zip(growth::seconds(kind, 10)) else { return };
    let times = long / short;
    let target = format!("x {MOST_TIMES_AS_LONG} {}", verdict(times <= MOST_TIMES_AS_LONG));
    row(name, &format!("x {times:.1}"), "", &target);
}

fn peak(name: &str, case: &memory::Case) {
    match memory::measured(case) {
        Some(times) => {
            let target =
                format!("x {} {}", memory::MOST_TIMES_INPUT, verdict(times <= memory::MOST_TIMES_INPUT));
            row(name, &format!("x {times:.2}"), "", &target);
        }
        None => row(name, "?", "", "not measured on this system"),
    }
}

fn copied() -> Duration {
    let bytes = vec![b'x'; LARGE_BYTES];
    let mut copy = vec![0; LARGE_BYTES];
    (0..5).map(|_| fastest(|| copy.copy_from_slice(black_box(&bytes)))).min().unwrap_or_default()
}

fn fastest<T>(mut run: impl FnMut() -> T) -> Duration {
    let timed = (0..RUNS).map(|_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}

fn mb_per_second(bytes: usize, took: Duration) -> u64 {
    (bytes as f64 / took.as_secs_f64() / 1e6) as u64
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

fn row(case: &str, speed: &str, share: &str, target: &str) {
    let _ = writeln!(std::io::stdout(), "{case:<58} | {speed:>6} | {share:>9} | {target}");
}
