//! Providers' own counters, and Gemini's conversation.

use recto_testkit::upstream::Script;
use serde_json::{Value, json};

use super::{Bench, KEY, canned::Canned, one_line, upstream};
use crate::desk::Done;

fn counted(bench: &Bench, url: &str, provider: &str, more: &[&str]) -> Done {
    let arguments = ["--count-with", provider, "--model", "fake-1"];
    Done(bench.command(url, &[&arguments, more].concat()).output().unwrap())
}

#[test]
fn tools_are_what_a_request_costs_more_with_them() {
    let numbers = [8, 508, 308, 208, 108, 158];
    for (provider, path, key, header) in [
        ("anthropic", "post /v1/messages/count_tokens ", "input_tokens", "x-api-key"),
        ("openai-responses", "post /v1/responses/input_tokens ", "input_tokens", "authorization: bearer"),
        ("gemini", "post /v1beta/models/fake-1:counttokens ", "totalTokens", "x-goog-api-key"),
    ] {
        let canned = Canned::start(numbers.iter().map(|number| (200, "", json!({key: number}))).collect());
        let report = counted(&Bench::new(), &canned.url, provider, &["--json"]).ok().json();
        assert_eq!(
            report["counted"],
            json!({
                "provider": provider, "model": "fake-1", "original": 500, "level1": 300, "level2": 200, "level3": 100,
                "level3Signatures": 150,
            })
        );
        let requests = canned.requests();
        for (number, (head, body)) in requests.iter().enumerate() {
            assert!(head.starts_with(path), "{head}");
            assert!(head.contains(&format!("\n{header}")) && head.contains(KEY), "{head}");
            let body = body.get("generateContentRequest").unwrap_or(body);
            assert_eq!(body.get("tools").is_some(), number > 0, "{body}");
            assert!(body.to_string().contains("Hello"), "{body}");
        }
        let map = requests[4].1.to_string();
        assert!(map.contains("issues_list(owner,repo)"), "{map}");
    }
}

#[test]
fn the_counter_is_a_row_of_the_table() {
    let upstream = upstream(Script::new());
    let done = counted(&Bench::new(), &upstream.url(), "anthropic", &[]).ok();
    assert_eq!(upstream.complaints(), [""; 0]);
    let out = done.out();
    let row = out.lines().find(|line| line.starts_with("anthropic's own")).unwrap();
    let cells: Vec<u64> = row.split_whitespace().skip(2).map(|cell| cell.parse().unwrap()).collect();
    // The scripted counter takes four bytes for a token.
    let counts: Vec<u64> = upstream.requests().iter().map(|request| request.body.len() as u64 / 4).collect();
    let expected: Vec<u64> = counts.iter().skip(1).map(|count| count - counts[0]).collect();
    assert_eq!((cells.len(), cells), (5, expected), "{out}");
}

#[test]
fn what_is_not_counted_is_said() {
    let refused = json!({"error": {"message": format!("too deep {KEY}")}});
    let mut answers: Vec<(u16, &'static str, Value)> =
        [8, 508, 308, 208, 108].iter().map(|number| (200, "", json!({"input_tokens": number}))).collect();
    answers.insert(1, (400, "", refused));
    answers.remove(2);
    answers.push((200, "", json!({"input_tokens": 9})));
    let canned = Canned::start(answers);
    let done = counted(&Bench::new(), &canned.url, "anthropic", &[]).ok();
    assert!(done.errors().contains("not counted at level 0: 400: too deep [key]"), "{}", done.errors());
    let row = done.out().lines().find(|line| line.starts_with("anthropic's own")).unwrap().to_owned();
    assert_eq!(row.split_whitespace().nth(2), Some("-"), "{row}");
    let canned = Canned::start(vec![(401, "", json!({"error": {"message": KEY}}))]);
    let done = counted(&Bench::new(), &canned.url, "anthropic", &[]).fails(1, &["ANTHROPIC_API_KEY"]);
    assert!(!done.errors().contains(KEY));
}

#[test]
fn gemini_is_told_what_it_asked() {
    let look_up = json!({"role": "model", "parts": [
        {"functionCall": {"name": "q", "args": {"c": "issues_list"}}, "thoughtSignature": "c2ln"},
    ]});
    let arguments = json!({"owner": "rust-lang", "repo": "cargo", "page": 2});
    let call = json!({"role": "model", "parts": [
        {"functionCall": {"name": "t", "args": {"f": "issues_list", "a": arguments}}},
    ]});
    let usage = json!({"promptTokenCount": 50, "candidatesTokenCount": 4, "thoughtsTokenCount": 2});
    let answer =
        |content: &Value| (200, "", json!({"candidates": [{"content": content}], "usageMetadata": usage}));
    let canned = Canned::start(vec![answer(&look_up), answer(&call)]);
    let done = Bench::new().live(&canned.url, "gemini", &["--levels", "3"]).ok();
    let line = one_line(&done);
    assert_eq!(
        (&line["outcome"], &line["lookUps"], &line["repairs"]),
        (&json!("right"), &json!(1), &json!(0))
    );
    assert_eq!((&line["inputTokens"], &line["outputTokens"]), (&json!(100), &json!(12)));
    let requests = canned.requests();
    assert!(requests[0].0.starts_with("post /v1beta/models/fake-1:generatecontent "), "{}", requests[0].0);
    let contents = &requests[1].1["contents"];
    assert_eq!(contents[1], look_up);
    let response = &contents[2]["parts"][0]["functionResponse"];
    assert_eq!(response["name"], "q");
    assert!(response["response"]["result"].as_str().unwrap().contains("page"), "{response}");
}

#[test]
fn a_model_without_reasoning_is_not_asked_for_it() {
    let refused = json!({"error": {"message": "Encrypted content is not supported with this model."}});
    let call = json!({"type": "function_call", "call_id": "c", "name": "ping", "arguments": "{}"});
    let canned = Canned::start(vec![(400, "", refused), (200, "", json!({"output": [call]}))]);
    let done = Bench::new().live(&canned.url, "openai-responses", &["--levels", "1"]).ok();
    assert_eq!(one_line(&done)["tool"], "ping");
    let requests = canned.requests();
    assert!(requests[0].1.get("include").is_some() && requests[1].1.get("include").is_none());
    assert_eq!(requests[1].1["store"], false);
}
