//! Integration tests of the tools, without a protocol. The server is tested through the `recto` binary.
#![expect(clippy::unwrap_used, reason = "tests")]

use recto_archive::{Archive, MemoryArchive, Scope, Target, block_on};
use recto_gateway::{RecallTools, ToolAnswer};
use recto_tokens::Tokenizer;
use serde_json::{Value, json};

const OWNER: &str = "owner";

fn source() -> Vec<u8> {
    (1..=500).map(|line| format!("record {line} is {}\n", line % 7)).collect::<String>().into_bytes()
}

/// An archive with one original of the owner's, and its ref.
fn archive() -> (MemoryArchive, String) {
    let (archive, scope) = (MemoryArchive::new(), Scope::new(OWNER).unwrap());
    let original = block_on(archive.put(&scope, &source())).unwrap();
    let name = block_on(archive.issue(&scope, &Target::Original(original))).unwrap();
    (archive, name.to_string())
}

fn tools(principal: &str) -> RecallTools {
    RecallTools::new(Scope::new(principal).unwrap(), || Ok(Box::new(archive().0)))
}

fn call(tools: &RecallTools, tool: &str, arguments: &Value) -> ToolAnswer {
    tools.call(tool, arguments.as_object().unwrap())
}

fn note(answer: ToolAnswer) -> String {
    assert!(answer.is_error && answer.text.is_empty());
    answer.note.unwrap()
}

#[test]
fn what_belongs_to_somebody_else_is_as_if_it_were_not() {
    let (_, name) = archive();
    let asked = json!({ "ref": name, "lines": "2" });
    assert_eq!(call(&tools(OWNER), "recto_expand", &asked).text, "record 2 is 2\n");
    let of_stranger = note(call(&tools("stranger"), "recto_expand", &asked));
    let nobodys = "r:111111111111111";
    let unknown = note(call(&tools("stranger"), "recto_expand", &json!({ "ref": nobodys })));
    assert_eq!(of_stranger.replace(&name, nobodys), unknown);
    assert!(!unknown.contains("nearest"), "{unknown}");
}

#[test]
fn plain_meanings_are_taken() {
    let (_, name) = archive();
    let tools = tools(OWNER);
    let answered = |arguments: Value| call(&tools, "recto_expand", &arguments).text;
    let lines = answered(json!({ "ref": name, "lines": "40:42" }));
    assert_eq!(lines, "record 40 is 5\nrecord 41 is 6\nrecord 42 is 0\n");
    for arguments in [
        json!({ "ref": format!(" {name} "), "lines": " 40:42 ", "cursor": null }),
        json!({ "ref": name, "lines": "40-42", "cursor": "0" }),
        json!({ "ref": &name[2..], "lines": "40:42" }),
    ] {
        assert_eq!(answered(arguments), lines);
    }
    assert_eq!(answered(json!({ "ref": name, "lines": 40 })), "record 40 is 5\n");
}

#[test]
fn a_bad_pattern_is_offered_as_a_literal() {
    let (_, name) = archive();
    let tools = tools(OWNER);
    let said = note(call(&tools, "recto_search", &json!({ "ref": name, "pattern": "is 5\n(record" })));
    let (_, literal) = said.split_once("\"pattern\": ").unwrap();
    assert_eq!(serde_json::from_str::<String>(literal).unwrap(), "is 5\n\\(record");
}

#[test]
fn an_elision_of_a_whole_original() {
    let (_, name) = archive();
    let said =
        note(call(&tools(OWNER), "recto_search", &json!({ "ref": name, "elision": 2, "pattern": "a" })));
    assert!(said.contains("whole original"), "{said}");
}

/// The engine's part is played by one that repeats a line as often as the bytes allow.
fn with_engine(page_tokens: u64) -> RecallTools {
    tools(OWNER).with_page_tokens(page_tokens, Tokenizer::O200k).with_query(|source, question, max_bytes| {
        if let Some(unknown) = question.keys().find(|key| *key != "filter") {
            return Err(format!("no argument {unknown}"));
        }
        let line = format!("{} bytes, {}\n", source.len(), question["filter"]);
        Ok(line.repeat(max_bytes / line.len()))
    })
}

#[test]
fn a_query_is_answered_within_a_page() {
    let (_, name) = archive();
    let asked = json!({ "ref": name, "elision": null, "filter": "«…» != 5 and {{}}" });
    for page_tokens in [200, 1_000, 2_000] {
        let answer = call(&with_engine(page_tokens), "recto_query", &asked);
        assert!(!answer.is_error && answer.text.starts_with(&format!("{} bytes", source().len())));
        let tokens = Tokenizer::O200k.counter().count(&answer.text);
        assert!(tokens <= page_tokens.max(1_024) && tokens > page_tokens / 3, "{tokens} of {page_tokens}");
    }
    let said = note(call(&with_engine(200), "recto_query", &json!({ "ref": name, "where": "a" })));
    assert_eq!(
        said,
        "recto_query takes no \"where\"; it takes ref, filter, columns, sort, group, path, limit, offset"
    );
    assert_eq!(
        note(call(&with_engine(200), "recto_query", &json!({ "ref": name, "sort": "a" }))),
        "no argument sort"
    );
}

#[test]
fn a_query_without_an_engine_is_no_tool() {
    let (_, name) = archive();
    let names = |tools: &RecallTools| tools.definitions().iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(names(&tools(OWNER)), ["recto_expand", "recto_search"]);
    assert_eq!(names(&with_engine(200)), ["recto_expand", "recto_search", "recto_query"]);
    let said = note(call(&tools(OWNER), "recto_query", &json!({ "ref": name })));
    assert_eq!(said, "no tool \"recto_query\"; there are recto_expand, recto_search");
}

/// What a model reads of all the definitions, at each request.
#[test]
fn definitions_cost_few_tokens() {
    let definitions = with_engine(200).definitions();
    let read: Vec<Value> = definitions
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema }))
        .collect();
    let tokens = Tokenizer::O200k.counter().count(&json!(read).to_string());
    println!("three tool definitions: {tokens} tokens (o200k)");
    assert!(tokens <= 450, "{tokens}");
}
