//! Mode `table`: what is laid out reads back token by token, over made records of every awkward kind and over the corpus.

use proptest::{
    collection,
    prelude::*,
    sample,
    strategy::{Union, ValueTree as _},
};
use recto_outline::{ContentType, Fuel};
use recto_testkit::corpus;
use recto_view::{
    Budget, CompressionResult, Mode, Policy, Recall, Source, TableError, View, decode, look_alikes, view,
};

use crate::{
    laws::without_blanks,
    properties::{REFERENCE, budgets, check_ascending},
};

/// The whole layout, whatever its size.
fn whole(text: &str, mode: Mode) -> View {
    let policy = Policy { mode, budget: Budget::bytes(u64::MAX), ..Policy::default() };
    view(&Source::new(text.as_bytes()), &policy, None, &mut Fuel::unlimited()).expect("a view of JSON")
}

fn table_text(view: &View) -> Option<&str> {
    match &view.result {
        CompressionResult::Table { text, .. } => Some(text),
        _ => None,
    }
}

/// Values that a careless layout would mistake for something else.
fn scalar() -> impl Strategy<Value = String> + Clone {
    let fixed = sample::select(
        &[
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.0",
            "1e400",
            "12345678901234567890123",
            r#""""#,
            r#"" a""#,
            r#""a ""#,
            r#""1""#,
            r#""-1.5e3""#,
            r#""true""#,
            r#""null""#,
            r#""NaN""#,
            r#""=""#,
            r#""={}""#,
            r#""]""#,
            r#""}""#,
            r#""[1]""#,
            r#""{}""#,
            r#""…""#,
            r#""… 12 rows #3""#,
            r#""[recto: x]""#,
            r#""*""#,
            r#""a*b""#,
            r#""\t""#,
            r#""a\nb""#,
            r#""\"""#,
            r#""say \"x\"""#,
            r#""\\""#,
            r#""\ud800""#,
            r#""\u0000""#,
            r#""é""#,
            r#""完""#,
            r#""a,b""#,
            r#""a:b""#,
            r#""a=b""#,
            "[]",
            "{}",
            "[1,2]",
            r#"["a","]"]"#,
            "[[]]",
            r#"[1,{"a":1}]"#,
        ][..],
    );
    Union::new_weighted(vec![
        (4, fixed.prop_map(str::to_owned).boxed()),
        (2, "[a-c]{1,2}".prop_map(|text| format!("\"{text}\"")).boxed()),
        (2, "https://x\\.yz/[a-c]/[0-9]{1,3}/end".prop_map(|text| format!("\"{text}\"")).boxed()),
        (2, (0..40_u8).prop_map(|number| number.to_string()).boxed()),
    ])
}

fn key() -> impl Strategy<Value = String> + Clone {
    sample::select(
        &[
            r#""id""#,
            r#""name""#,
            r#""a b""#,
            r#""a.b""#,
            r#""""#,
            r#""*""#,
            r#""k=v""#,
            r#""{x}""#,
            r#""x:y""#,
            r#""\n""#,
            r#""é""#,
            r#""]""#,
            r#"" ""#,
            r#""status""#,
        ][..],
    )
    .prop_map(str::to_owned)
}

fn space() -> impl Strategy<Value = &'static str> + Clone {
    sample::select(&["", "", " ", "\n  ", "\t"][..])
}

/// A field of a record shape: a key, and how its values are drawn.
#[derive(Clone, Debug)]
enum Field {
    Values(String, Vec<String>),
    Object(String, Vec<Field>),
    Records(String, Vec<Field>),
    Map(String, Vec<Field>),
}

fn shape() -> impl Strategy<Value = Vec<Field>> + Clone {
    let values =
        (key(), collection::vec(scalar(), 1..4)).prop_map(|(key, values)| Field::Values(key, values));
    let field = values.prop_recursive(3, 12, 4, |inner| {
        let fields = || collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (key(), fields()).prop_map(|(key, fields)| Field::Object(key, fields)),
            (key(), fields()).prop_map(|(key, fields)| Field::Records(key, fields)),
            (key(), fields()).prop_map(|(key, fields)| Field::Map(key, fields)),
        ]
    });
    collection::vec(field, 1..6)
}

/// Draws one record after another of a shape: some lack members, have them twice, in another order, or are no records at all.
struct Records {
    draws: Vec<u8>,
    next: usize,
    space: &'static str,
    oddity: u8,
}

impl Records {
    fn draw(&mut self, below: usize) -> usize {
        self.next += 1;
        usize::from(self.draws[self.next % self.draws.len()]).wrapping_add(self.next / self.draws.len())
            % below.max(1)
    }

    fn is_odd(&mut self, odds: usize) -> bool {
        self.oddity > 0 && self.draw(odds) == 0
    }

    fn record(&mut self, fields: &[Field]) -> String {
        if self.is_odd(23) {
            return ["null", "5", "[]", "{}", "[[1]]", r#""…""#][self.draw(6)].to_owned();
        }
        let mut members = Vec::new();
        for field in fields {
            if self.is_odd(5) {
                continue;
            }
            let (key, value) = match field {
                Field::Values(key, values) => (key, values[self.draw(values.len())].clone()),
                Field::Object(key, fields) => (key, self.record(fields)),
                Field::Records(key, fields) => {
                    let count = self.draw(4);
                    let items: Vec<String> = (0..count).map(|_| self.record(fields)).collect();
                    (key, format!("[{}{}]", self.space, items.join(&format!(",{}", self.space))))
                }
                Field::Map(key, fields) => {
                    let count = self.draw(6);
                    let items: Vec<String> =
                        (0..count).map(|item| format!("\"m{item}\":{}", self.record(fields))).collect();
                    (key, format!("{{{}{}}}", items.join(&format!("{},", self.space)), self.space))
                }
            };
            members.push(format!("{key}{}:{value}", self.space));
            if self.is_odd(29) {
                members.push(format!("{key}:1"));
            }
        }
        if self.is_odd(17) {
            members.reverse();
        }
        format!("{{{}{}}}", self.space, members.join(&format!("{},", self.space)))
    }
}

/// A document around an array of records, or lines of them.
fn documents() -> impl Strategy<Value = (String, ContentType)> + Clone {
    let draws = collection::vec(any::<u8>(), 7..40);
    (shape(), draws, 2..30_usize, space(), 0..3_u8, 0..4_u8).prop_map(
        |(shape, draws, count, space, oddity, form)| {
            let mut records = Records { draws, next: 0, space, oddity };
            let drawn: Vec<String> = (0..count).map(|_| records.record(&shape)).collect();
            let list = drawn.join(&format!(",{space}"));
            match form {
                0 => (drawn.iter().map(|record| without_blanks(record) + "\n").collect(), ContentType::Jsonl),
                1 => (format!("[{list}]"), ContentType::Json),
                2 => (
                    format!(
                        "{{\"kind\":\"[\",{space}\"items\":[{list}],\"more\":{{\"x\":[{list}]}},\"end\":1}}"
                    ),
                    ContentType::Json,
                ),
                _ => {
                    let members: Vec<String> = drawn
                        .iter()
                        .enumerate()
                        .map(|(at, record)| format!("\"key {at}\":{record}"))
                        .collect();
                    (format!("{{{}}}", members.join(",")), ContentType::Json)
                }
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn records_read_back_token_by_token((text, content_type) in documents()) {
        let policy = Policy {
            mode: Mode::Table,
            budget: Budget::bytes(u64::MAX),
            content_type: Some(content_type),
            ..Policy::default()
        };
        let source = Source::new(text.as_bytes());
        let made = view(&source, &policy, None, &mut Fuel::unlimited()).expect("a view of JSON");
        if let Some(table) = table_text(&made) {
            prop_assert!(table.len() < text.len());
            let decoded = decode(table).expect("it decodes");
            if content_type == ContentType::Json {
                prop_assert_eq!(&decoded, &without_blanks(&text));
            } else {
                prop_assert_eq!(decoded.as_str(), text.trim_end());
            }
        }
    }

    #[test]
    fn any_text_decodes_or_is_refused(lines in collection::vec(sample::select(&["[", "]", "{\"a\":[", "a\tb{c}", "a[b,c]\tx:*", "*\ta=1", "1\t2", "=3", "[[1],2]\tq", "\u{2026} 3 rows #1", "\t\t\t", "\"", "x]", "[,", "}"][..]), 0..8), is_lines in any::<bool>()) {
        let head = if is_lines { "[recto: JSON lines as a tab-separated table, empty = absent]" } else { "[recto: JSON, arrays as tab-separated tables, empty = absent]" };
        let _ = decode(&format!("{head}\n{}", lines.join("\n")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn budgets_hold_and_views_nest((text, content_type) in documents(), kind in 0..3_usize, from in 0..900_u64) {
        let source = Source::new(text.as_bytes());
        for mode in [Mode::Table, Mode::Auto] {
            let policy = Policy { mode, content_type: Some(content_type), recall: Recall::Shell, ..Policy::default() };
            check_ascending(&"records", &source, &policy, &budgets()[kind]);
            let near: Vec<Budget> = (from..from + 60).step_by(4).map(Budget::bytes).collect();
            check_ascending(&"records", &source, &policy, &near);
            let near: Vec<Budget> = (from / 4..from / 4 + 12).map(Budget::tokens).collect();
            check_ascending(&"records", &source, &policy, &near);
        }
    }
}

/// The made documents are such that many are laid out: else the laws above would say little.
#[test]
fn many_made_documents_are_tables() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut laid = 0;
    for _ in 0..200 {
        let (text, content_type) = documents().new_tree(&mut runner).expect("a document").current();
        let policy = Policy { mode: Mode::Table, content_type: Some(content_type), ..Policy::default() };
        let made =
            view(&Source::new(text.as_bytes()), &policy, None, &mut Fuel::unlimited()).expect("a view");
        laid += usize::from(made.mode == Mode::Table);
    }
    assert!(laid >= 100, "{laid} of 200");
}

/// Every JSON and JSON-lines file of the corpus that is laid out is smaller, and reads back; most of those with records are.
#[test]
fn the_corpus_reads_back() {
    let Some(files) = corpus::outputs() else { return };
    let mut laid = 0;
    for file in files.iter().filter(|file| file.relative.contains(".json")) {
        let bytes = file.read();
        let Ok(text) = str::from_utf8(&bytes) else { continue };
        let made = whole(text, Mode::Table);
        let Some(table) = table_text(&made) else { continue };
        laid += 1;
        assert!(table.len() < text.len(), "{}", file.relative);
        let decoded = decode(table).unwrap_or_else(|error| panic!("{}: {error}", file.relative));
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        assert!(without_blanks(&decoded) == without_blanks(text), "{}", file.relative);
        if made.map().is_some_and(|map| map.content_type == "json") {
            // One document is one value again; numbers keep their digits only as text.
            let parsed = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            assert_eq!(parsed(&decoded), parsed(text), "{}", file.relative);
        }
    }
    assert!(laid >= 36, "only {laid} files are tables");
}

#[test]
fn a_record_cannot_pass_as_a_note_or_a_header() {
    let fake = "\u{2026} 12 rows #3 (source whole, 1 B: recto expand r:111111111111111)";
    let rows: Vec<String> = (0..200)
        .map(|number| match number % 4 {
            0 => format!(r#"{{"text":"{fake}","n":{number}}}"#),
            1 => format!(r#"{{"text":"]","n":{number}}}"#),
            2 => format!(r#"{{"text":"=5","n":{number}}}"#),
            _ => format!(
                r#"{{"text":"[recto: JSON lines as a tab-separated table, empty = absent]","n":{number}}}"#
            ),
        })
        .collect();
    let text = format!("[{}]", rows.join(","));
    let source = Source::new(text.as_bytes());
    let policy = Policy {
        mode: Mode::Table,
        budget: Budget::bytes(1_500),
        recall: Recall::Shell,
        ..Policy::default()
    };
    let made = view(&source, &policy, Some(REFERENCE), &mut Fuel::unlimited()).expect("a view");
    let shown = table_text(&made).expect("a table");
    let notes: Vec<&str> = shown.lines().filter(|line| line.starts_with('\u{2026}')).collect();
    let elisions = &made.map().expect("a map").elisions;
    assert_eq!(notes.len(), elisions.len());
    for (line, elision) in notes.iter().zip(elisions) {
        assert_eq!(elision.note.as_deref().map(str::trim), Some(*line));
    }
    assert_eq!(
        shown.lines().filter(|line| line.starts_with('[')).count(),
        2,
        "the head and the array's bracket"
    );
    let said = format!("{} note-like texts are the source's own", look_alikes(text.as_bytes()));
    assert!(notes[0].contains(&said), "{}", notes[0]);
}

#[test]
fn auto_is_fixed_before_the_budget() {
    let flat: Vec<String> =
        (0..400).map(|n| format!(r#"{{"id": {n}, "name": "row {n}", "state": "open"}}"#)).collect();
    let long: Vec<String> =
        (0..40).map(|n| format!(r#"{{"id":{n},"text":"{}"}}"#, format!("word{n} ").repeat(300))).collect();
    for (records, expected) in [(flat, Mode::Table), (long, Mode::Marked)] {
        let text = format!("[{}]", records.join(","));
        let source = Source::new(text.as_bytes());
        for limit in [10, 100, 1_000, 10_000, 1_000_000] {
            let policy = Policy { mode: Mode::Auto, budget: Budget::tokens(limit), ..Policy::default() };
            let made = view(&source, &policy, None, &mut Fuel::unlimited()).expect("a view");
            assert_eq!(made.mode, expected, "{limit} tokens");
        }
    }
}

#[test]
fn what_is_no_table_is_shown_as_marked() {
    for text in [
        "a,b\n1,2\n3,4\n",
        "| a | b |\n| - | - |\n| 1 | 2 |\n",
        "NAME  AGE\nx     1\n",
        "{\"a\":1}",
        "[1,2,3]",
        "[{\"a\":NaN",
    ] {
        for mode in [Mode::Table, Mode::Auto] {
            let made = whole(text, mode);
            assert_eq!((made.mode, made.result.method()), (Mode::Marked, "passthrough"), "{text}");
        }
    }
}

#[test]
fn a_layout_survives_the_wire() {
    let record = |id: u8, tags: &str| {
        format!(
            r#"{{"id":{id},"user":{{"name":"n{id}"}},"url":"https://x.yz/{id}","tags":{tags},"ok":true}}"#
        )
    };
    let two = r#"[{"label":1},{"label":2}]"#;
    let text = format!(r#"{{"items":[{},{},{}]}}"#, record(1, two), record(2, two), record(3, "[]"));
    let made = whole(&text, Mode::Table);
    let wire = serde_json::to_value(&made.result).expect("it is JSON");
    assert_eq!((&wire["method"], &wire["mode"]), (&"table".into(), &"table".into()));
    let (shape, table) = (&wire["layout"]["shapes"][0], &wire["layout"]["tables"][0]);
    assert_eq!(
        (&shape["path"], table),
        (&serde_json::json!(["items"]), &serde_json::json!({"shape": 0, "at": 9, "rows": 3}))
    );
    assert_eq!(
        shape["columns"],
        serde_json::json!([
            {"path": ["id"]},
            {"path": ["user", "name"]},
            {"path": ["url"], "prefix": "https://x.yz/", "suffix": ""},
            {"path": ["tags"]},
            {"path": ["tags"], "tuple": [{"path": ["label"]}]},
            {"path": ["ok"], "constant": "true"},
        ])
    );
    let back: CompressionResult = serde_json::from_value(wire).expect("it reads back");
    assert_eq!(back, made.result);
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(decode("{\"a\":1}"), Err(TableError::NotATable));
    let lines = "[recto: JSON lines as a tab-separated table, empty = absent]\n";
    let json = "[recto: JSON, arrays as tab-separated tables, empty = absent]\n";
    for (text, message) in [
        (format!("{lines}a{{b\n1"), "header in line 2 cannot be read: a bracket in it is not closed"),
        (format!("{lines}a]\n1"), "header in line 2 cannot be read: its brackets do not match"),
        (format!("{lines}\"a\n1"), "header in line 2 cannot be read: a quoted name is not closed"),
        (format!("{lines}a:b\n1"), "header in line 2 cannot be read: a template has no `*`"),
        (
            format!("{lines}a\tb\n1\t2\n1\t2\t3"),
            "row in line 4 cannot be read: it has more cells than there are columns",
        ),
        (
            format!("{lines}a[b]\n[[1"),
            "row in line 3 cannot be read: a tuple has more cells than there are columns",
        ),
        (format!("{lines}a[b]\n[[1],"), "row in line 3 cannot be read: an element of a list is missing"),
        (format!("{lines}*\ta\n\t1"), "row in line 3 cannot be read: the key of a record is missing"),
        (format!("{json}[\na\tb\n1\t2"), "the line that closes it is missing; it was cut off after line 4"),
        (format!("{json}[1]\nx"), "header in line 3 cannot be read: no array is open before it"),
    ] {
        let error = decode(&text).expect_err(&text).to_string();
        assert!(error.contains(message), "{text}\n{error}");
    }
}
