//! The map of real servers: what it costs, and that nothing is lost.

use recto_tokens::Tokenizer;

use super::*;
use crate::{Directory, Entry, ToolList, first_sentence, flatten_schema, signature_line};

fn lines(entries: &[Entry]) -> Vec<Line<'_>> {
    entries.iter().map(|entry| Line { short: None, code: entry.code(), tool: entry.tool() }).collect()
}

fn write(entries: &[Entry], style: MapStyle) -> String {
    append("", &lines(entries), style)
}

fn servers() -> Vec<(String, ToolList)> {
    let files = recto_testkit::corpus::tools().unwrap_or_default();
    let lists = files.iter().filter(|file| file.relative.ends_with(".json")).map(|file| {
        let name = file.relative.trim_end_matches(".json").to_owned();
        (name, ToolList::from_json(&file.read()).unwrap())
    });
    lists.collect()
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200k.counter().count(text)
}

/// What the two tools and the sentence before the map cost at most.
const AROUND: u64 = 125;

#[test]
fn figures() {
    // Names with what is required, signatures, and the tools themselves at level 1.
    let limits = [
        ("github-toolsnaps", [1_300, 2_700, 14_957]),
        ("gitlab-zereight", [2_200, 4_500, 22_577]),
        ("postman", [1_750, 3_900, 35_291]),
        ("ms365", [3_700, 9_000, 125_851]),
        ("playwright", [300, 489, 1_862]),
    ];
    for (name, list) in servers() {
        let directory = Directory::new(&list.tools, &[]);
        let entries = directory.entries();
        let map = |style| tokens(&write(entries, style)) + AROUND;
        let tools: Vec<serde_json::Value> = list
            .tools
            .iter()
            .map(|tool| {
                let description =
                    format!("{} {}", signature_line(tool, None), first_sentence(tool.description()));
                let schema = flatten_schema(tool.input_schema(), false);
                serde_json::json!({"name": tool.name(), "description": description.trim_end(), "inputSchema": schema})
            })
            .collect();
        let native = tokens(&serde_json::to_string(&tools).unwrap());
        let figures = [map(MapStyle::NamesRequired), map(MapStyle::Signature), native];
        let plain: Vec<String> =
            entries.iter().map(|entry| signature_line(entry.tool(), Some(entry.code()))).collect();
        eprintln!("{name}: {figures:?}, signatures one by one {}", tokens(&plain.join("\n")) + AROUND);
        if let Some((_, limits)) = limits.iter().find(|(limited, _)| *limited == name) {
            assert!(figures.iter().zip(limits).all(|(figure, limit)| figure < limit), "{name}: {figures:?}");
        }
    }
}

#[test]
fn segments_read_back_together() {
    for (name, list) in servers() {
        let directory = Directory::new(&list.tools, &[]);
        let entries = directory.entries();
        let mut expected: Vec<String> = Vec::new();
        let mut text = format!("{REMARK} Tools\n");
        for piece in entries.chunks(entries.len().div_ceil(3).max(1)) {
            let segment = append(&text, &lines(piece), MapStyle::Signature);
            text.push_str(&segment);
            expected.extend(piece.iter().map(|entry| fixed(Signature::of(entry.tool(), Some(entry.code())))));
        }
        let read: Vec<String> = read(&text).expect(&name).into_iter().map(fixed).collect();
        assert_eq!(read, expected, "{name}");
        let whole = tokens(&write(entries, MapStyle::Signature));
        let together = tokens(&text);
        assert!(together <= whole * 2, "{name}: {together} in three segments, {whole} in one");
    }
}

/// A signature whose parameters stand in a fixed order: within a line their order means nothing.
fn fixed(mut signature: Signature) -> String {
    signature.parameters.sort();
    signature.to_string()
}

/// What the lines say: the order of parameters means nothing.
fn sorted(mut signatures: Vec<Signature>) -> Vec<Signature> {
    for signature in &mut signatures {
        signature.parameters.sort();
    }
    signatures
}

fn signatures(entries: &[Entry]) -> Vec<Signature> {
    entries.iter().map(|entry| Signature::of(entry.tool(), Some(entry.code()))).collect()
}

#[test]
fn every_map_of_the_corpus_is_read_back() {
    let mut all = Vec::new();
    for (name, list) in servers() {
        let directory = Directory::new(&list.tools, &[]);
        let entries = directory.entries();
        let text = write(entries, MapStyle::Signature);
        assert_eq!(sorted(read(&text).unwrap()), sorted(signatures(entries)), "{name}");
        let (first, second) = entries.split_at(entries.len() / 2);
        let before = write(first, MapStyle::Signature);
        let after = append(&before, &lines(second), MapStyle::Signature);
        let whole = format!("{before}{after}");
        assert_eq!(sorted(read(&whole).unwrap()), sorted(signatures(entries)), "{name}, in two");
        for style in [MapStyle::NamesRequired, MapStyle::Explicit] {
            let lines = read(&write(entries, style)).unwrap();
            for (line, whole) in lines.iter().zip(signatures(entries)) {
                let names: Vec<_> = line.parameters.iter().map(|parameter| &parameter.name).collect();
                let required = whole.parameters.iter().filter(|parameter| parameter.required);
                assert_eq!(names, required.map(|parameter| &parameter.name).collect::<Vec<_>>(), "{name}");
            }
        }
        all.extend(list.tools);
    }
    let mut reversed = all.clone();
    reversed.reverse();
    let map = |tools: &[crate::Tool]| write(Directory::new(tools, &[]).entries(), MapStyle::Signature);
    assert_eq!(map(&all), map(&reversed));
}

#[test]
fn what_lines_share_is_written_once() {
    let tool = |name: &str, more: &str| {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"owner": {"type": "string"}, "repository": {"type": "string"}, "page": {"type": "integer"},
                "perPage": {"type": "integer"}, more: {"type": "boolean"}},
            "required": ["owner", "repository"]
        });
        crate::Tool::new(name, "", schema).unwrap()
    };
    let tools = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu"].map(|name| tool(name, name));
    let directory = Directory::new(&tools, &[]);
    let text = write(directory.entries(), MapStyle::Signature);
    let mut written = text.lines();
    assert_eq!(written.next(), Some("int: page,perPage"));
    assert_eq!(written.next(), Some("$a=owner,repository,page?,perPage?"));
    assert_eq!(written.next(), Some("ant($a,ant?:bool)"));
    let later = [tool("hen", "page"), tool("ibis", "x")];
    let later = Directory::new(&later, &[]);
    assert_eq!(
        append(&text, &lines(later.entries()), MapStyle::Signature),
        "hen(owner,repository,page?:bool,perPage?)\nibis($a,x?:bool)\n"
    );
}

#[test]
fn styles_have_the_names_of_options() {
    for (style, name) in [
        (MapStyle::NamesRequired, "name+required"),
        (MapStyle::Explicit, "explicit"),
        (MapStyle::Signature, "signature"),
    ] {
        assert_eq!(serde_json::to_value(style).unwrap(), name);
    }
}

mod any_names {
    use proptest::prelude::*;

    use super::*;

    fn parameter() -> impl Strategy<Value = crate::signature::Parameter> {
        let name = prop_oneof!["[a-c]", "[$][a-c]", ".{0,6}"];
        let kind = prop_oneof![Just(""), Just("int"), Just("a|b"), Just("\"x: ,)\"|…"), Just("(str|int)[]")];
        (name, any::<bool>(), kind).prop_map(|(name, required, kind)| crate::signature::Parameter {
            name,
            required,
            kind: kind.to_owned(),
        })
    }

    proptest! {
        #[test]
        fn any_map_is_read_back(
            tools in prop::collection::vec((".{1,8}", prop::collection::vec(parameter(), 0..7)), 0..20),
            later in prop::collection::vec((".{1,8}", prop::collection::vec(parameter(), 0..7)), 0..5),
        ) {
            let signature = |(name, mut parameters): (String, Vec<crate::signature::Parameter>)| {
                parameters.sort();
                parameters.dedup_by(|one, other| one.name == other.name);
                Signature { name, parameters }
            };
            let tools: Vec<Signature> = tools.into_iter().map(signature).collect();
            let later: Vec<Signature> = later.into_iter().map(signature).collect();
            let write = |before: &str, signatures: &[Signature]| {
                let lines: Vec<_> = signatures.iter().map(|signature| (None, signature.clone())).collect();
                let mut text = String::new();
                write_signatures(before, &lines, &mut text);
                text
            };
            let text = write("", &tools);
            prop_assert_eq!(sorted(read(&text).unwrap()), sorted(tools.clone()));
            let whole = format!("{text}{}", write(&text, &later));
            prop_assert_eq!(sorted(read(&whole).unwrap()), sorted([tools, later].concat()));
        }
    }
}
