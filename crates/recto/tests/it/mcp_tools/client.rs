//! A client that writes lines and reads lines.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::desk::Desk;

/// A running server and both of its streams.
pub(super) struct Client {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Client {
    /// Starts the server and nothing more.
    pub(super) fn started(desk: &Desk, arguments: &[&str]) -> Self {
        let mut child = desk
            .command(&[&["mcp-tools"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout, last_id: 0 }
    }

    /// Starts the server and shakes hands.
    pub(super) fn new(desk: &Desk, arguments: &[&str]) -> Self {
        let mut client = Self::started(desk, arguments);
        client.initialize("2025-06-18");
        client
    }

    pub(super) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let parameters = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = self.ask("initialize", &parameters);
        self.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer
    }

    /// Writes a line as it is.
    pub(super) fn line(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    /// Writes a request and gives what answers it, result or error.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters });
        self.line(&request.to_string());
        let answer = self.read();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    /// Reads a line, which has to be JSON.
    pub(super) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message = serde_json::from_str(&line);
        assert!(message.is_ok(), "{line:?}");
        message.unwrap()
    }

    /// Calls a tool; gives the result's texts and whether it is an error.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> (Vec<String>, bool) {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result["content"].is_array() && result.get("structuredContent").is_none(), "{answer}");
        let texts = result["content"].as_array().unwrap();
        let texts = texts.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect();
        (texts, result["isError"].as_bool().unwrap())
    }

    /// The one text of an answer that is no error.
    #[track_caller]
    pub(super) fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let (mut texts, is_error) = self.call(tool, arguments);
        assert!(!is_error && texts.len() == 1, "{texts:?}");
        texts.remove(0)
    }

    /// What an answer that is an error says.
    #[track_caller]
    pub(super) fn complaint(&mut self, tool: &str, arguments: &Value) -> String {
        let (mut texts, is_error) = self.call(tool, arguments);
        assert!(is_error && texts.len() == 1, "{texts:?}");
        texts.remove(0)
    }

    /// Closes stdin, and gives what is left on stdout, what was said on stderr, and the exit code.
    pub(super) fn end(mut self) -> (String, String, Option<i32>) {
        drop(self.stdin.take());
        self.rest()
    }

    /// Waits for the end of the server.
    pub(super) fn rest(mut self) -> (String, String, Option<i32>) {
        let mut out = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut out).unwrap();
        let done = self.child.wait_with_output().unwrap();
        (out, String::from_utf8_lossy(&done.stderr).into_owned(), done.status.code())
    }
}
