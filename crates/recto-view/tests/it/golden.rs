//! Views of real inputs, as snapshots for reviewers: what is kept and why, then the text that a model reads.
//!
//! `just snapshots` writes them again after a change of the ranking; read what changed before you commit it.
//! `tests/inputs/SOURCES.md` says where the inputs are from.

use std::{fmt::Write as _, fs, panic, path::Path};

use recto_outline::Fuel;
use recto_tokens::Tokenizer;
use recto_view::{Budget, Mode, Policy, Recall, Source, View, ViewError, view};

use crate::properties::REFERENCE;

/// What a case adds to an input.
struct Case {
    name: &'static str,
    mode: Mode,
    budget: Budget,
    query: Option<&'static str>,
}

/// Seen of every input: what an agent reads within a few hundred tokens, and the bare library's defaults.
const EVERY_INPUT: [Case; 2] = [
    Case { name: "marked-400-tokens", mode: Mode::Marked, budget: tokens(400), query: None },
    Case { name: "exact-ratio-25", mode: Mode::Exact, budget: ratio(250_000), query: None },
];

/// Seen of one input besides: queries, and budgets at the edge.
const SPECIAL: [(&str, Case); 16] = [
    (
        "csv/cities.csv",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("Waco TX") },
    ),
    (
        "csv/sales.csv",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("Baby Food Libya") },
    ),
    (
        "json/nodes.json",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("MemoryPressure") },
    ),
    (
        "json/ruff.json",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("E501 line too long") },
    ),
    (
        "json/lodash-time.json",
        Case { name: "query", mode: Mode::Marked, budget: tokens(120), query: Some("4.17.21") },
    ),
    ("json/ruff.json", Case { name: "too-small", mode: Mode::Marked, budget: tokens(20), query: None }),
    (
        "jsonl/go-test.jsonl",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("FAIL TestFailing") },
    ),
    (
        "log/pytest.log",
        Case {
            name: "query",
            mode: Mode::Marked,
            budget: tokens(300),
            query: Some("test_redirect ConnectionError"),
        },
    ),
    (
        "log/kafka.log",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("zookeeper session") },
    ),
    (
        "diff/commit.diff",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("silent") },
    ),
    ("code/mutate.rs", Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("Utf16") }),
    (
        "search/functions.txt",
        Case { name: "query", mode: Mode::Marked, budget: tokens(200), query: Some("nested_arrays") },
    ),
    (
        "prose/ownership.md",
        Case {
            name: "query",
            mode: Mode::Marked,
            budget: tokens(300),
            query: Some("what is stored on the heap"),
        },
    ),
    (
        "listing/systemctl.txt",
        Case { name: "query", mode: Mode::Marked, budget: tokens(300), query: Some("failed") },
    ),
    ("csv/cities.csv", Case { name: "too-small", mode: Mode::Exact, budget: tokens(10), query: None }),
    (
        "diff/feature.diff",
        Case {
            name: "1500-bytes",
            mode: Mode::Marked,
            budget: Budget { max_bytes: Some(1_500), ..NONE },
            query: None,
        },
    ),
];

/// Inputs with records, seen in mode `table` too.
const TABLES: [&str; 8] = [
    "json/imagepull-events.json",
    "json/issues.json",
    "json/nodes.json",
    "json/ruff.json",
    "json/sales.json",
    "json/tasks.json",
    "jsonl/dart-test.jsonl",
    "jsonl/go-test.jsonl",
];

const EVERY_TABLE: [Case; 3] = [
    Case { name: "table-400-tokens", mode: Mode::Table, budget: tokens(400), query: None },
    Case { name: "table-2000-tokens", mode: Mode::Table, budget: tokens(2_000), query: None },
    Case {
        name: "auto-4000-bytes",
        mode: Mode::Auto,
        budget: Budget { max_bytes: Some(4_000), ..NONE },
        query: None,
    },
];

const NONE: Budget = Budget { ratio_ppm: None, max_bytes: None, max_tokens: None };

const fn tokens(max_tokens: u64) -> Budget {
    Budget { max_tokens: Some(max_tokens), ..NONE }
}

const fn ratio(ratio_ppm: u32) -> Budget {
    Budget { ratio_ppm: Some(ratio_ppm), ..NONE }
}

#[test]
fn views_of_real_inputs() {
    let inputs = inputs();
    let mut changed = Vec::new();
    let mut seen = 0;
    for input in &inputs {
        let bytes = fs::read(folder().join(input)).expect("the input can be read");
        let tables = EVERY_TABLE.iter().filter(|_| TABLES.contains(&input.as_str()));
        for case in EVERY_INPUT.iter().chain(special(input)).chain(tables) {
            seen += 1;
            let text = seen_by_reviewers(input, &bytes, case);
            let name = format!("{}@{}", input.replace('/', "-"), case.name);
            // A snapshot that changed must not hide the next.
            let outcome = panic::catch_unwind(|| {
                insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
                    insta::assert_snapshot!(name.clone(), text);
                });
            });
            if outcome.is_err() {
                changed.push(name);
            }
        }
    }
    assert!(seen >= 88 && SPECIAL.iter().all(|(input, _)| inputs.iter().any(|other| other == input)));
    assert!(changed.is_empty(), "`just snapshots` writes these again: {changed:#?}");
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inputs"))
}

fn special(input: &str) -> impl Iterator<Item = &'static Case> {
    SPECIAL.iter().filter(move |(of, _)| *of == input).map(|(_, case)| case)
}

/// `kind/case` of every input, sorted.
fn inputs() -> Vec<String> {
    let mut inputs = Vec::new();
    for kind in
        fs::read_dir(folder()).expect("the inputs are there").flatten().filter(|entry| entry.path().is_dir())
    {
        for input in fs::read_dir(kind.path()).expect("the folder can be read").flatten() {
            inputs.push(format!("{}/{}", kind.file_name().display(), input.file_name().display()));
        }
    }
    inputs.sort();
    inputs
}

fn seen_by_reviewers(input: &str, bytes: &[u8], case: &Case) -> String {
    let source = Source::new(bytes);
    let policy = Policy {
        mode: case.mode,
        budget: case.budget,
        query: case.query.map(str::to_owned),
        recall: Recall::Shell,
        ..Policy::default()
    };
    let mut out = String::new();
    let budget = case.budget;
    let limits = [
        budget.ratio_ppm.map(|ppm| format!("ratio {}", f64::from(ppm) / 1e6)),
        budget.max_bytes.map(|bytes| format!("{bytes} bytes")),
        budget.max_tokens.map(|tokens| format!("{tokens} tokens")),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    let _ = writeln!(out, "input    {input}");
    let _ = writeln!(
        out,
        "policy   {}, {}{}",
        case.mode,
        limits.join(", "),
        match case.query {
            Some(query) => format!(", query {query:?}"),
            None => String::new(),
        }
    );
    let _ =
        writeln!(out, "source   {} bytes, {} tokens", bytes.len(), count(&String::from_utf8_lossy(bytes)));
    match view(&source, &policy, Some(REFERENCE), &mut Fuel::unlimited()) {
        Ok(view) => shown(&mut out, &source, &view),
        Err(error @ ViewError::BudgetTooSmall { .. }) => {
            let _ = writeln!(out, "error    {error}");
        }
        Err(error) => panic!("{input}: {error}"),
    }
    out
}

fn shown(out: &mut String, source: &Source<'_>, view: &View) {
    let map = view.map().expect("views have a span map");
    let text = view.render(source).expect("the source is the view's");
    let _ = writeln!(out, "type     {} ({})", map.content_type, view.result.method());
    let _ = writeln!(
        out,
        "kept     {} bytes in {} spans, {} elisions",
        map.stats.kept_bytes,
        map.spans.len(),
        map.elisions.len()
    );
    let _ = writeln!(out, "shown    {} bytes, {} tokens", text.len(), count(&text));
    let _ = writeln!(out, "-- kept, in the order of the ranking");
    for kept in &view.kept {
        let _ = writeln!(out, "{:>12}  {}", format!("{}..{}", kept.span.s, kept.span.e), kept.reason.name());
    }
    let _ = writeln!(out, "-- spans and elisions");
    let mut elisions = map.elisions.iter().enumerate().peekable();
    for after in -1..map.spans.len() as i64 {
        if let Ok(index) = usize::try_from(after) {
            let _ = writeln!(out, "{:>12}", format!("{}..{}", map.spans[index].s, map.spans[index].e));
        }
        while let Some((index, elision)) = elisions.next_if(|(_, elision)| elision.after == after) {
            let span = map.elision_span(index as u64 + 1).expect("it is the map's");
            let silent = if elision.note.is_none() && view.mode == Mode::Marked { " silent" } else { "" };
            let _ =
                writeln!(out, "{:>12}  left out, #{}{silent}", format!("{}..{}", span.s, span.e), index + 1);
        }
    }
    let _ = writeln!(out, "-- rendered");
    out.push_str(&text);
}

fn count(text: &str) -> u64 {
    Tokenizer::default().counter().count(text)
}
