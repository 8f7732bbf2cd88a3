//! What every fuzz target does with its bytes; the laws are those of `recto-view`'s own tests.

#[path = "../../crates/recto-wire/tests/it/body_laws.rs"]
mod body_laws;
#[path = "../../crates/recto-catalog/tests/it/laws.rs"]
mod catalog_laws;
#[path = "../../crates/recto-catalog/tests/it/compile_laws.rs"]
mod compile_laws;
#[path = "../../crates/recto-view/tests/it/laws.rs"]
mod laws;
#[path = "../../crates/recto-query/tests/it/laws.rs"]
mod query_laws;
#[path = "../../crates/recto-session/tests/it/laws.rs"]
mod session_laws;
#[path = "../../crates/recto-wire/tests/it/laws.rs"]
mod wire_laws;

use recto_catalog::{Directory, MapTools, Surface, ToolList};
use recto_outline::ContentType;
use recto_query::{Caps, Query};
use recto_view::{
    Budget, CompressionResult, Mode, Policy, Recall, Source, SpanMap, TableError, chunks, decode, expand,
    look_alikes, render, verify,
};
use serde_json::de::IoRead;

/// Defines the fuzz target of one format: `source` is the whole input, so that any file is a seed.
#[macro_export]
macro_rules! format_target {
    ($format:ident) => {
        libfuzzer_sys::fuzz_target!(|source: &[u8]| {
            $crate::views(source, recto_outline::ContentType::$format);
        });
    };
}

/// Makes views of the bytes as a given type, at budgets from tight to wide, in both modes, and holds them to the laws.
pub fn views(bytes: &[u8], content_type: ContentType) {
    let source = Source::new(bytes);
    let length = bytes.len() as u64;
    let is_json = content_type == ContentType::Json && parses(bytes);
    let kinds = [[length / 6, length * 2 / 3].map(Budget::bytes).to_vec(), vec![Budget::tokens(length / 10)]];
    for mode in [Mode::Exact, Mode::Marked] {
        for budgets in &kinds {
            let mut before = None;
            for budget in budgets {
                let policy = Policy {
                    mode,
                    budget: *budget,
                    query: budget.max_tokens.map(|_| "error id".to_owned()),
                    content_type: Some(content_type),
                    recall: Recall::Tool,
                    ..Policy::default()
                };
                let shown = laws::check(&content_type, &source, &policy, Some("r:314159265358979"));
                if let (Some(before), Some(shown)) = (&before, &shown) {
                    let before: &laws::Shown = before;
                    laws::check_nested(&content_type, &before.map, &shown.map);
                }
                if let Some(shown) = &shown
                    && is_json
                    && !shown.is_table
                    && !shown.is_frameless
                {
                    assert!(
                        parses(shown.text.as_bytes()),
                        "{mode}, {budget:?}: JSON does not parse any more: {}",
                        shown.text
                    );
                }
                before = shown.or(before);
            }
        }
    }
}

/// Lays the bytes out as tables, whole and within budgets from tight to wide, and holds the views to the laws: whatever is laid out
/// reads back. The bytes are also read as a table's text, with a right first line and without.
pub fn tables(bytes: &[u8]) {
    let source = Source::new(bytes);
    let length = bytes.len() as u64;
    let budgets = [length / 8, length / 3, length * 2 / 3, u64::MAX].map(Budget::bytes);
    for content_type in [ContentType::Json, ContentType::Jsonl] {
        for mode in [Mode::Table, Mode::Auto] {
            let mut before: Option<laws::Shown> = None;
            for budget in budgets.into_iter().chain([Budget::tokens(length / 10)]) {
                let policy = Policy {
                    mode,
                    budget,
                    content_type: Some(content_type),
                    recall: Recall::Tool,
                    ..Policy::default()
                };
                let shown = laws::check(&content_type, &source, &policy, Some("r:314159265358979"));
                if let (Some(before), Some(shown), None) = (&before, &shown, budget.max_tokens) {
                    laws::check_nested(&content_type, &before.map, &shown.map);
                }
                before = shown;
            }
        }
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    let _ = decode(text);
    for head in [
        "JSON, arrays as tab-separated tables, empty = absent",
        "JSON lines as a tab-separated table, empty = absent",
    ] {
        let read = decode(&format!("[recto: {head}]\n{text}"));
        assert!(!matches!(read, Err(TableError::NotATable)), "a right first line is taken for a wrong one");
    }
}

/// Says whether the bytes are one JSON value; depth is no limit.
fn parses(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::new(IoRead::new(bytes));
    let value: Result<serde::de::IgnoredAny, _> = serde::Deserialize::deserialize(&mut reader);
    value.is_ok() && reader.end().is_ok() && str::from_utf8(bytes).is_ok()
}

/// Takes a span map from anywhere, and after a NUL a source: whatever the map says, it is refused or it is true.
pub fn span_map(input: &[u8]) {
    let at = input.iter().position(|byte| *byte == 0).unwrap_or(input.len());
    let bytes = input.get(at + 1..).unwrap_or_default();
    let Ok(mut map) = serde_json::from_slice::<SpanMap>(&input[..at]) else { return };
    let source = Source::new(bytes);
    let _ = verify(&source, &map);
    // A foreign source is refused at once; what matters is what a right digest lets through.
    map.src_sha256 = source.hex();
    let shown: Vec<u8> = chunks(&map, bytes).collect::<Vec<_>>().concat();
    let is_lawful = verify(&source, &map).is_ok();
    for ordinal in [0, 1, 2, map.elisions.len() as u64, u64::MAX] {
        let _ = map.elision_span(ordinal);
        let expanded = expand(&source, &map, Some(ordinal));
        let elision = ordinal.checked_sub(1).and_then(|index| map.elisions.get(usize::try_from(index).ok()?));
        match (is_lawful, elision) {
            (true, Some(elision)) => {
                assert_eq!(expanded.expect("it is the map's").len() as u64, elision.bytes);
            }
            _ => assert!(expanded.is_err()),
        }
    }
    let result = CompressionResult::Structural { span_map: map, mode: None };
    match render(&result, &source) {
        Ok(text) => {
            assert!(is_lawful);
            assert_eq!(text, String::from_utf8_lossy(&shown));
        }
        Err(_) => assert!(!is_lawful),
    }
    let _ = look_alikes(bytes);
}

/// Reads a text as an event, a question, a shell line, arguments and settings of an agent.
///
/// # Panics
/// When a law does not hold.
pub fn hook(text: &str) {
    use recto_hooks::{classes, claude, notes, plain, settings};

    if let Ok(event) = claude::Event::parse(text) {
        if let Ok(table) = classes::Table::builtin() {
            let _ = table.class(&event.call(), text);
        }
        if let Ok(mut result) = event.result() {
            let before: Vec<String> = result.texts().iter().map(|text| text.original().to_owned()).collect();
            for text in result.texts_mut() {
                text.replace("[view]".to_owned());
            }
            let answer = result.answer().expect("what was read can be written");
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
            assert!(before.is_empty() || answer.to_string().contains("[view]"));
        }
        if let Some(arguments) = event.arguments() {
            let _ = notes::find(arguments);
        }
    }
    if let Ok(question) = plain::Question::parse(text) {
        let _ = question.call();
        let _ = question.into_texts().map(|texts| plain::answer(&texts));
    }
    let line = classes::Call { command: Some(text.into()), ..classes::Call::default() };
    if let Ok(table) = classes::Table::builtin() {
        let _ = table.class(&line, "");
    }
    let _ = classes::wrapped(text, &["make".to_owned()], "recto run");
    let entry = |event| settings::Entry {
        event,
        matcher: Some("*"),
        command: "recto hook claude".to_owned(),
        timeout: 5,
    };
    if let Ok(added) = settings::add(text, &[entry("PostToolUse"), entry("PreToolUse")]) {
        let owns = |command: &str| command == "recto hook claude";
        let holds_own =
            settings::commands(text).is_ok_and(|found| found.iter().any(|(_, command)| owns(command)));
        let taken = settings::take_out(&added, owns).expect("what was written can be read");
        assert!(holds_own || taken == text, "{text:?} became {taken:?}");
    }
}

/// Asks what stands behind the first NUL as found out and as some types, and holds the answers to the laws. The text before it is a
/// query's arguments; where they are none it is a filter, so that the filter's grammar is met often.
pub fn query(input: &[u8]) {
    let at = input.iter().position(|byte| *byte == 0).unwrap_or(0);
    let bytes = input.get(at + 1..).unwrap_or_default();
    let arguments = &input[..at];
    let asked = Query::from_json(arguments).unwrap_or_else(|_| {
        let filter = str::from_utf8(arguments).ok().map(str::to_owned);
        Query { filter, ..Query::default() }
    });
    let types = [
        None,
        Some(ContentType::Json),
        Some(ContentType::Jsonl),
        Some(ContentType::Csv),
        Some(ContentType::Listing),
    ];
    for content_type in types {
        query_laws::check(bytes, content_type, &asked, &Caps::bytes(bytes.len()));
    }
}

/// Reads the bytes as a body of each API, and holds what is read to the laws; the last byte chooses the text that is replaced.
pub fn bodies(input: &[u8]) {
    let chosen = input.last().copied().unwrap_or_default();
    let _ = recto_wire::Format::detect(input);
    for format in body_laws::APIS {
        body_laws::check(format, input, usize::from(chosen));
    }
}

/// Reads the bytes as a line and as a document of every transcript format, replaces texts, and takes blocks out.
pub fn wire(bytes: &[u8]) {
    wire_laws::check_all(bytes);
    let Ok(document) = recto_wire::Document::parse(bytes) else { return };
    let items: Vec<recto_wire::Span> = document.root().one_or_many().map(recto_wire::Value::span).collect();
    if document.root().kind() != recto_wire::JsonKind::Array || !parses(bytes) {
        return;
    }
    // Every third item, by places that the input itself gives.
    let gone: Vec<recto_wire::Span> = items.iter().skip(bytes.len() % 3).step_by(3).copied().collect();
    let edits =
        recto_wire::remove_blocks(bytes, &gone).into_iter().map(|range| (range, Vec::new())).collect();
    if let Ok(splice) = recto_wire::Splice::new(edits) {
        let left = splice.apply(bytes);
        assert!(parses(&left), "not JSON any more: {}", String::from_utf8_lossy(&left));
    }
}

/// Takes text for a log, line by line: what is refused changes nothing, what is taken folds and prunes as the laws say. A whole log is read, too.
pub fn session(text: &str) {
    session_laws::check_lines(text);
    if let Ok(log) = recto_session::Log::from_jsonl(text) {
        session_laws::check(&log);
    }
}

/// Compiles tools in every way: `text` is JSON, a list of tools as servers and requests write them, and words to look for behind it.
pub fn catalog(text: &str) {
    compile_laws::check_text(text);
}

/// Resolves a call at levels 1 and 3: `text` is JSON, `[tools, name, arguments]`.
pub fn resolve(text: &str) {
    let Ok(serde_json::Value::Array(parts)) = serde_json::from_str(text) else { return };
    let Ok([tools, serde_json::Value::String(name), arguments]) = <[_; 3]>::try_from(parts) else { return };
    let Ok(list) = ToolList::from_value(tools) else { return };
    let directory = Directory::new(&list.tools, &[]);
    for surface in [Surface::Direct, Surface::Map(MapTools::default())] {
        catalog_laws::check(&directory, &surface, &name, &arguments);
    }
}
