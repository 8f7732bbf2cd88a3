use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, log, reference},
    mcp_tools::client::Client,
};

#[test]
fn what_a_host_is_told() {
    let desk = Desk::new();
    let mut client = Client::started(&desk, &[]);
    let hello = client.initialize("2025-06-18")["result"].clone();
    let mut listed = client.ask("tools/list", &json!({}))["result"].clone();
    assert_eq!(hello["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    listed.as_object_mut().unwrap().retain(|key, _| key == "tools");
    insta::assert_snapshot!("instructions", hello["instructions"].as_str().unwrap());
    insta::assert_snapshot!("tools", serde_json::to_string_pretty(&listed).unwrap());
    assert_eq!(hello["capabilities"], json!({ "tools": {} }));
    assert_eq!(client.end(), (String::new(), String::new(), Some(0)));
}

/// What a model reads of the definitions at each request: host and wire add annotations and `_meta` for the host alone.
#[test]
fn definitions_cost_few_tokens() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    let listed = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let count = |text: &str| recto::tokens::Tokenizer::O200k.counter().count(text);
    let read: Vec<Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| json!([tool["name"], tool["description"], tool["inputSchema"]]))
        .collect();
    let (read, wire) = (count(&json!(read).to_string()), count(&listed.to_string()));
    eprintln!("tool definitions: {read} tokens (o200k) as a model reads them, {wire} as they are sent");
    assert!(read <= 450, "{read}");
    client.end();
}

#[test]
fn every_version_is_spoken() {
    let desk = Desk::new();
    let text = log(300);
    let name = reference(&desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok().out());
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::started(&desk, &[]);
        assert_eq!(client.initialize(version)["result"]["protocolVersion"], version);
        let line = client.text("recto_expand", &json!({ "ref": name, "lines": "7" }));
        assert_eq!(Some(line.as_str()), text.split_inclusive('\n').nth(6));
        client.end();
    }
    // A version that is not known, or has no handshake, is answered with one that has.
    for version in ["2026-07-28", "2099-01-01", "1999-01-01", "nonsense"] {
        let mut client = Client::started(&desk, &[]);
        assert_eq!(client.initialize(version)["result"]["protocolVersion"], "2025-11-25", "{version}");
        assert!(client.ask("tools/list", &json!({}))["result"]["tools"].is_array());
        client.end();
    }
}

#[test]
fn the_version_without_a_handshake_is_spoken() {
    let desk = Desk::new();
    let text = log(300);
    let name = reference(&desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok().out());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut client = Client::started(&desk, &[]);
    let found = client.ask("server/discover", &json!({ "_meta": meta }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let call = json!({ "_meta": meta, "name": "recto_expand", "arguments": { "ref": name, "lines": "1" } });
    let answer = client.ask("tools/call", &call);
    assert_eq!(answer["result"]["content"][0]["text"].as_str(), text.split_inclusive('\n').next());
    assert_eq!(answer["result"]["resultType"], "complete");
    client.end();
}

#[test]
fn lines_that_are_no_requests_do_no_harm() {
    let desk = Desk::new();
    let mut client = Client::new(&desk, &[]);
    for line in ["", "nonsense", "{\"jsonrpc\":\"2.0\",", "\u{0}\u{1}", "{\"jsonrpc\":\"2.0\",\"id\":1"] {
        client.line(line);
    }
    assert!(client.ask("tools/list", &json!({}))["result"]["tools"].is_array());
    assert_eq!(client.ask("no/such/method", &json!({}))["error"]["code"], -32601);
    // Well-formed and still no message: answered as such, with no id to name.
    client.line("[1,2]");
    assert_eq!(client.read()["error"]["code"], -32600);
    assert!(client.ask("ping", &json!({}))["result"].is_object());
    let (out, errors, code) = client.end();
    assert_eq!((out.as_str(), errors.as_str(), code), ("", "", Some(0)));
}

#[test]
fn a_very_long_line_is_read_or_passed_over() {
    let desk = Desk::new();
    desk.pipe(&["compress", "--max-bytes", "900"], log(300).as_bytes()).ok();
    let mut client = Client::new(&desk, &[]);
    let long = "x".repeat(10 << 20);
    let said = client.complaint("recto_search", &json!({ "ref": "r:123456789012345", "pattern": long }));
    assert!(said.contains("limit of 1000") && said.len() < 300, "{said}");
    let said = client.complaint("recto_expand", &json!({ "ref": long }));
    assert!(said.len() < 400, "{said}");
    // Beyond the limit of the protocol's library, 16 MiB, a line is dropped; the server goes on.
    client.line(&"y".repeat(17 << 20));
    assert!(client.ask("tools/list", &json!({}))["result"]["tools"].is_array());
    client.end();
}

#[test]
fn it_ends_when_stdin_does() {
    let desk = Desk::new();
    assert_eq!(Client::started(&desk, &[]).end(), (String::new(), String::new(), Some(0)));
    // What was asked before the end is answered.
    let text = log(300);
    let name = reference(&desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok().out());
    let mut client = Client::new(&desk, &[]);
    for id in 100..120 {
        let call = json!({ "name": "recto_search", "arguments": { "ref": name, "pattern": "payment" } });
        client
            .line(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }).to_string());
    }
    let (out, errors, code) = client.end();
    assert_eq!((out.lines().count(), errors.as_str(), code), (20, "", Some(0)));
}

#[test]
fn it_ends_on_signals() {
    let desk = Desk::new();
    for signal in [Signal::TERM, Signal::INT] {
        for is_shaken in [false, true] {
            let mut client = Client::started(&desk, &[]);
            if is_shaken {
                client.initialize("2025-06-18");
            }
            // Its handlers are in place once it answers.
            assert!(client.ask("ping", &json!({})).get("error").is_none());
            let begin = Instant::now();
            kill_process(Pid::from_child(&client.child), signal).unwrap();
            assert_eq!(client.rest(), (String::new(), String::new(), Some(0)));
            assert!(begin.elapsed() < Duration::from_secs(10));
        }
    }
}
