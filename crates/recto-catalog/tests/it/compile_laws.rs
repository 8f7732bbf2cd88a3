//! What holds of every catalogue, whatever servers define.

use recto_catalog::{
    Catalog, CodeStyle, Ledger, Level, MapStyle, Options, Outcome, SearchIndex, Tool, answer_words, compile,
    decode_tools, encode_tools, flatten_schema, gemini_schema, signature_line,
};
use serde_json::{Value, json};

/// Compiles tools in every way, and checks what must hold of each of them and of all. `words` are what is looked for.
///
/// Short schemas are flat and stay as they are when they are read again, a tool's line is one line, and what is encoded comes back.
/// The same set of tools gives the same catalogue; one that is made on another keeps what that sent.
pub(crate) fn check(tools: &[Tool], words: &str) {
    tools.iter().for_each(check_tool);
    let written = |tools: &[Tool]| -> Vec<(String, Option<String>)> {
        tools.iter().map(|tool| (tool.written().to_string(), tool.server().map(str::to_owned))).collect()
    };
    let decoded = decode_tools(&encode_tools(tools)).unwrap_or_else(|error| panic!("not decoded: {error}"));
    assert_eq!(written(&decoded), written(tools));
    for options in all_options() {
        check_compiled(tools, &options, words);
    }
}

fn check_tool(tool: &Tool) {
    let flat = flatten_schema(tool.input_schema(), false);
    assert!(flat["type"] == "object" && flat["properties"].is_object(), "{flat}");
    assert!(flat.as_object().is_some_and(|keys| {
        keys.keys().all(|key| ["type", "properties", "required", "$defs"].contains(&key.as_str()))
    }));
    assert_eq!(flatten_schema(&flat, false), flat, "of {}", tool.input_schema());
    let strict = flatten_schema(tool.input_schema(), true);
    assert_eq!(flatten_schema(&strict, true), strict, "strictly, of {}", tool.input_schema());
    drop(gemini_schema(tool.input_schema()));
    let line = signature_line(tool, None);
    assert!(!line.chars().any(char::is_control), "{line:?}");
}

fn all_options() -> impl Iterator<Item = Options> {
    let plain = [Level::Passthrough, Level::Native, Level::Namespaces].map(Options::at);
    let styles = [MapStyle::NamesRequired, MapStyle::Explicit, MapStyle::Signature];
    let maps = styles.into_iter().flat_map(|style| {
        [CodeStyle::Name, CodeStyle::Short].map(|codes| Options {
            map_style: Some(style),
            code_style: Some(codes),
            ..Options::at(Level::Map)
        })
    });
    plain.into_iter().chain(maps)
}

fn compiled(tools: &[Tool], options: &Options) -> Catalog {
    compile(tools, options).unwrap_or_else(|error| panic!("not compiled: {error}"))
}

fn check_compiled(tools: &[Tool], options: &Options, words: &str) {
    let whole = compiled(tools, options);
    let ledger = whole.ledger();
    let reversed: Vec<Tool> = tools.iter().rev().cloned().collect();
    assert_eq!(compiled(&reversed, options).ledger(), ledger, "another order");
    let on = |base: &Ledger| Options { base: Some(base.clone()), ..options.clone() };
    let again = compiled(tools, &on(&ledger));
    assert_eq!(again.ledger(), ledger, "the same again");
    assert!(again.notes().is_empty(), "{:?}", again.notes());
    let half: Vec<Tool> = tools.iter().step_by(2).cloned().collect();
    let before = compiled(&half, options).ledger();
    check_kept(&before, &compiled(tools, &on(&before)).ledger());
    check_kept(&ledger, &compiled(&half, &on(&ledger)).ledger());
    check_answers(&whole, words);
}

/// What a ledger has sent stands where it stood in one that is made on it.
fn check_kept(before: &Ledger, after: &Ledger) {
    let text = serde_json::to_string(after).unwrap_or_default();
    assert_eq!(serde_json::from_str::<Ledger>(&text).ok().as_ref(), Some(after));
    assert!(after.preamble.starts_with(&before.preamble), "{:?} {:?}", before.preamble, after.preamble);
    assert!(after.tools.len() >= before.tools.len());
    for (old, new) in before.tools.iter().zip(&after.tools) {
        assert_eq!((&old.name, &old.operations), (&new.name, &new.operations));
    }
    for (old, new) in before.entries.iter().zip(&after.entries) {
        assert_eq!((&old.code, &old.short, &old.name), (&new.code, &new.short, &new.name));
        assert_eq!(old.server, new.server);
    }
}

fn check_answers(catalog: &Catalog, words: &str) {
    let directory = catalog.directory();
    for entry in directory.entries() {
        let call = catalog.encode_call(entry.code(), json!({})).unwrap_or_else(|error| panic!("{error}"));
        let name = call["name"].as_str().unwrap_or_default();
        match catalog.resolve(name, call["args"].clone()) {
            Outcome::Call { code, .. } => assert_eq!(code, entry.code(), "{call}"),
            Outcome::Error { .. } => {}
            other => panic!("{call}: {other:?}"),
        }
    }
    if catalog.level() == Level::Map {
        let asked = catalog.resolve("q", json!({"s": words}));
        assert!(matches!(asked, Outcome::Meta { .. } | Outcome::Error { .. }), "{asked:?}");
        let index = SearchIndex::new(directory.entries());
        let hits = index.find(words, 8);
        assert!(hits.len() <= 8 && hits.iter().all(|hit| hit.place < directory.entries().len()));
        let answer = answer_words(directory, &index, words, 8);
        assert!(!answer.chars().any(|c| c.is_control() && c != '\n'), "{answer:?}");
    }
}

/// Reads a list of tools and the words behind it, and checks what must hold of them.
pub(crate) fn check_text(text: &str) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let Some(Ok(tools)) = values.next() else { return };
    let words = text.get(values.byte_offset()..).unwrap_or_default();
    if let Ok(list) = recto_catalog::ToolList::from_value(tools) {
        check(&list.tools, words);
    }
}
