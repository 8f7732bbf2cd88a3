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
    // As the note of an object writes them.
    let said =
        note(call(&tools(OWNER), "recto_search", &json!({ "ref": name, "elision": "#2-4", "pattern": "a" })));
    assert!(said.contains("whole original"), "{said}");
    let said =
        note(call(&tools(OWNER), "recto_search", &json!({ "ref": name, "elision": "4-2", "pattern": "a" })));
    assert!(said.contains("elision"), "{said}");
}

/// The tools over an archive with one original, and its ref.
fn over(source: Vec<u8>) -> (RecallTools, String) {
    let archive = move || {
        let (archive, scope) = (MemoryArchive::new(), Scope::new(OWNER).unwrap());
        let original = block_on(archive.put(&scope, &source)).unwrap();
        let name = block_on(archive.issue(&scope, &Target::Original(original))).unwrap();
        (archive, name.to_string())
    };
    let name = archive().1;
    (RecallTools::new(Scope::new(OWNER).unwrap(), move || Ok(Box::new(archive().0))), name)
}

fn table() -> (RecallTools, String) {
    let rows: Vec<Value> =
        (0..2_000).map(|row| json!({ "name": format!("pod-{row}"), "restarts": row % 9 })).collect();
    over(json!(rows).to_string().into_bytes())
}

#[test]
fn bytes_that_cut_a_character_say_which_do_not() {
    let text = "a\u{e9}\u{1f600}z";
    let (tools, name) = over(text.as_bytes().to_vec());
    for start in 0..text.len() {
        for end in start + 1..=text.len() {
            let asked = json!({ "ref": name, "bytes": format!("{start}:{end}") });
            let answer = call(&tools, "recto_expand", &asked);
            match text.get(start..end) {
                Some(part) => assert_eq!(answer.text, part),
                None => {
                    let said = note(answer);
                    let Some((_, better)) = said.split_once("in two; take bytes ") else {
                        assert!(said.contains("no whole character") && end - start <= 6, "{said}");
                        continue;
                    };
                    let (from, to) = better.split_once(':').unwrap();
                    let part = text.get(from.parse().unwrap()..to.parse().unwrap());
                    assert!(part.is_some(), "{said}");
                }
            }
        }
    }
    let (tools, name) = over(b"text \xff\xfe and more".to_vec());
    assert!(note(call(&tools, "recto_expand", &json!({ "ref": name }))).starts_with("binary: byte 5 of r:"));
}

#[test]
fn records_are_asked() {
    let (tools, name) = table();
    let asked =
        json!({ "ref": name, "filter": "restarts > 7", "sort": "-name", "columns": "name", "limit": 2 });
    let answer = call(&tools, "recto_query", &asked);
    assert!(
        !answer.is_error && answer.text.starts_with("rows 1-2 of 222 that match (2000 records)"),
        "{answer:?}"
    );
    assert!(answer.text.contains("\npod-998\npod-989\n"), "{answer:?}");
    let groups =
        call(&tools, "recto_query", &json!({ "ref": name, "group": "restarts", "elision": null })).text;
    assert!(groups.contains("\n0\t223\n"), "{groups}");
}

#[test]
fn a_query_is_answered_within_a_page() {
    let (tools, name) = table();
    let mut tools = tools;
    for page_tokens in [200, 1_000, 2_000] {
        tools = tools.with_page_tokens(page_tokens, Tokenizer::O200k);
        let answer = call(&tools, "recto_query", &json!({ "ref": name, "limit": 1_000 }));
        let tokens = Tokenizer::O200k.counter().count(&answer.text);
        assert!(tokens <= page_tokens && tokens > page_tokens / 3, "{tokens} of {page_tokens}");
        assert!(answer.text.contains("offset"), "{answer:?}");
    }
}

#[test]
fn questions_that_are_wrong_name_what_there_is() {
    let (tools, name) = table();
    let said = |arguments: Value| note(call(&tools, "recto_query", &arguments));
    let other = said(json!({ "ref": name, "where": "a" }));
    assert!(other.contains("Did you mean \"filter\"?") && other.contains("group"), "{other}");
    assert!(said(json!({ "ref": name, "x".repeat(100_000): 1 })).len() < 4_000);
    let unknown = said(json!({ "ref": name, "filter": "restart > 5" }));
    assert!(unknown.contains("restarts") && unknown.contains("restart"), "{unknown}");
    let unfinished = said(json!({ "ref": name, "filter": "restarts >" }));
    assert!(unfinished.starts_with("filter: ") && unfinished.contains('^'), "{unfinished}");
    assert!(said(json!({ "ref": name, "limit": [] })).starts_with("limit: "));
}

/// What a model reads of all the definitions, at each request.
#[test]
fn definitions_cost_few_tokens() {
    let definitions = RecallTools::definitions();
    let read: Vec<Value> = definitions
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema }))
        .collect();
    let tokens = Tokenizer::O200k.counter().count(&json!(read).to_string());
    eprintln!("three tool definitions: {tokens} tokens (o200k)");
    assert!(tokens <= 450, "{tokens}");
}
