use serde_json::{Value, json};

use crate::{
    desk::{Desk, log, reference},
    mcp_tools::client::Client,
};

fn stored() -> (Desk, String, String) {
    let desk = Desk::new();
    let text = log(1_000);
    let view = desk.pipe(&["compress", "--max-bytes", "1000"], text.as_bytes()).ok().out();
    let name = reference(&view);
    (desk, text, name)
}

/// The call that a page's note names.
fn next_call(note: &str) -> Option<(String, Value)> {
    let (_, call) = note.split_once("next page: ")?;
    let (tool, arguments) = call.strip_suffix(']').unwrap().split_once(' ').unwrap();
    Some((tool.to_owned(), serde_json::from_str(arguments).unwrap()))
}

/// All pages, joined, by the calls that the pages name.
fn joined(client: &mut Client, tool: &str, arguments: &Value, page_tokens: u64) -> (String, usize) {
    let (mut whole, mut count) = (String::new(), 0);
    let mut call = (tool.to_owned(), arguments.clone());
    loop {
        let (texts, is_error) = client.call(&call.0, &call.1);
        assert!(!is_error, "{texts:?}");
        let tokens = recto::tokens::Tokenizer::O200k.counter().count(&texts.concat());
        assert!(tokens <= page_tokens, "{tokens} tokens");
        whole.push_str(&texts[0]);
        count += 1;
        match texts.get(1).and_then(|note| next_call(note)) {
            Some(next) => call = next,
            None => return (whole, count),
        }
    }
}

#[test]
fn pages_joined_are_the_original() {
    let (desk, text, name) = stored();
    let mut client = Client::new(&desk, &[]);
    let (whole, pages) = joined(&mut client, "recto_expand", &json!({ "ref": name }), 2_000);
    assert!(whole == text && (10..40).contains(&pages), "{pages} pages");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let asked = json!({ "ref": name, "lines": "200:700", "bytes": null });
    assert!(joined(&mut client, "recto_expand", &asked, 2_000).0 == lines[199..700].concat());
    let found = desk.run(&["expand", &name, "--grep", "took 7", "-C", "2"]).ok().out();
    let asked = json!({ "ref": name, "pattern": "TOOK 7", "context": 2, "ignore_case": true });
    let (searched, pages) = joined(&mut client, "recto_search", &asked, 2_000);
    assert!(searched == found && pages > 1, "{pages} pages");
    client.end();
    let mut client = Client::new(&desk, &["--page-tokens", "500"]);
    assert!(joined(&mut client, "recto_expand", &json!({ "ref": name }), 500).0 == text);
    client.end();
}

#[test]
fn elisions_by_either_way_of_writing() {
    let (desk, text, name) = stored();
    let first = desk.run(&["expand", &format!("{name}#1")]).ok().out();
    assert!(first.len() > 1_000 && text.contains(&first));
    let mut client = Client::new(&desk, &["--page-tokens", "100000"]);
    for arguments in [
        json!({ "ref": format!("{name}#1") }),
        json!({ "ref": name, "elision": 1 }),
        json!({ "ref": name, "elision": "#1" }),
        json!({ "ref": format!("{name}#1"), "elision": 1, "cursor": "0" }),
        json!({ "ref": name[2..12], "elision": 1 }),
    ] {
        assert!(client.text("recto_expand", &arguments) == first, "{arguments}");
    }
    let part = client.text("recto_expand", &json!({ "ref": format!("{name}#1"), "bytes": "5:25" }));
    assert_eq!(part, first[5..25]);
    client.end();
}

#[test]
fn lines_that_match() {
    let (desk, text, name) = stored();
    let mut client = Client::new(&desk, &[]);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let found = client.text("recto_search", &json!({ "ref": name, "pattern": "payment \\d+" }));
    assert_eq!(found, format!("501:{}", lines[500]));
    let around = client.text("recto_search", &json!({ "ref": name, "pattern": "payment", "context": "1" }));
    assert_eq!(around, format!("500-{}501:{}502-{}", lines[499], lines[500], lines[501]));
    let none = client.text("recto_search", &json!({ "ref": name, "pattern": "no such text" }));
    assert_eq!(none, "[recto: no line matches]");
    client.end();
}

#[test]
fn records_are_asked() {
    let desk = Desk::new();
    let rows: Vec<Value> =
        (0..500).map(|row| json!({ "name": format!("pod-{row}"), "restarts": row % 9 })).collect();
    let view = desk.pipe(&["compress", "--max-bytes", "900"], json!(rows).to_string().as_bytes()).ok().out();
    let mut client = Client::new(&desk, &[]);
    let asked = json!({ "ref": reference(&view), "filter": "restarts == 8", "sort": "-name", "columns": "name", "limit": 2 });
    let answer = client.text("recto_query", &asked);
    assert!(answer.starts_with("rows 1-2 of 55 that match (500 records)\n"), "{answer}");
    assert!(answer.contains("\npod-98\npod-89\n"), "{answer}");
    client.end();
}

/// Hooks of the same agent write while the server runs.
#[test]
fn what_is_stored_later_is_found() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let asked = json!({ "ref": "r:123456789012345" });
    assert!(client.complaint("recto_expand", &asked).starts_with("nothing is stored yet"));
    assert!(!desk.store().exists(), "a server that reads makes no store");
    for lines in [300, 400] {
        let view = desk.pipe(&["compress", "--max-bytes", "900"], log(lines).as_bytes()).ok().out();
        let line = client.text("recto_expand", &json!({ "ref": reference(&view), "lines": "3:3" }));
        assert_eq!(Some(line.as_str()), log(lines).split_inclusive('\n').nth(2));
    }
    client.end();
}
