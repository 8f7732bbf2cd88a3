use std::sync::Mutex;

use recto_archive::{Archive, MemoryArchive, Scope, Target, block_on};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

use super::*;
use crate::tools::StoreError;

fn tools() -> (RecallTools, String) {
    let archive = || {
        let (archive, scope) = (MemoryArchive::new(), Scope::local());
        let original = block_on(archive.put(&scope, b"one\ntwo\n"))?;
        let name = block_on(archive.issue(&scope, &Target::Original(original)))?;
        Ok::<_, StoreError>((archive, name.to_string()))
    };
    let name = archive().unwrap().1;
    (RecallTools::new(Scope::local(), move || Ok(Box::new(archive()?.0))), name)
}

/// Sends lines and gives the lines that answer them.
fn answers(server: Server, requests: &[String]) -> Vec<Value> {
    let runtime = runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (near, far) = duplex(1 << 20);
        let (read, write) = split(far);
        let running = tokio::spawn(run(server, read, write, CancellationToken::new()));
        let (near, mut to_server) = split(near);
        let mut from_server = BufReader::new(near).lines();
        let mut answers = Vec::new();
        for request in requests {
            to_server.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            if request.contains("\"id\"") {
                let line = from_server.next_line().await.unwrap().unwrap();
                answers.push(serde_json::from_str(&line).unwrap());
            }
        }
        to_server.shutdown().await.unwrap();
        running.await.unwrap().unwrap();
        answers
    })
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let parameters = serde_json::json!({ "name": tool, "arguments": arguments });
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters })
        .to_string()
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[test]
fn each_call_is_observed() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (tools, name) = tools();
    let log = Arc::clone(&seen);
    let observe = Arc::new(move |observed: &Observed| log.lock().unwrap().push(observed.clone()));
    let server = Server { tools: Arc::new(tools), observe };
    let told = answers(
        server,
        &[
            HELLO.to_owned(),
            call(2, "recto_expand", &serde_json::json!({ "ref": name, "lines": "2" })),
            call(3, "recto_search", &serde_json::json!({ "pattern": "o" })),
        ],
    );
    assert_eq!(told[1]["result"]["content"][0]["text"], "two\n");
    let refused = told[2]["result"]["content"][0]["text"].as_str().unwrap().len() as u64;
    let observed = |tool: &str, reference: Option<String>, answer_bytes, is_error| Observed {
        tool: tool.to_owned(),
        reference,
        answer_bytes,
        is_error,
    };
    assert_eq!(
        *seen.lock().unwrap(),
        [observed("recto_expand", Some(name), 4, false), observed("recto_search", None, refused, true)]
    );
}

#[test]
fn a_panic_ends_a_call_and_not_the_server() {
    let tools = RecallTools::new(Scope::local(), || panic!("a defect"));
    let server = Server { tools: Arc::new(tools), observe: Arc::new(|_| {}) };
    let asked = serde_json::json!({ "ref": "r:123456789012345" });
    let told =
        answers(server, &[HELLO.to_owned(), call(2, "recto_expand", &asked), call(3, "recto_fetch", &asked)]);
    assert_eq!(told[1]["result"]["isError"], true);
    assert!(told[1]["result"]["content"][0]["text"].as_str().unwrap().contains("a defect"));
    assert_eq!(told[2]["id"], 3);
}
