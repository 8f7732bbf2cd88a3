//! A server with answers that are ready: for what the scripted model does not speak.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread::{self, JoinHandle},
};

use serde_json::Value;

/// A status, lines of the head, and a body.
type Answer = (u16, &'static str, Value);

pub(super) struct Canned {
    pub(super) url: String,
    thread: JoinHandle<Vec<(String, Value)>>,
}

impl Canned {
    /// Serves one request for each answer.
    pub(super) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread =
            thread::spawn(move || answers.into_iter().map(|answer| serve(&listener, &answer)).collect());
        Self { url, thread }
    }

    /// The heads and bodies of all requests, when each answer has been given.
    pub(super) fn requests(self) -> Vec<(String, Value)> {
        self.thread.join().unwrap()
    }
}

fn serve(listener: &TcpListener, (status, head, body): &Answer) -> (String, Value) {
    let (connection, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(&connection);
    let (mut asked, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap();
        }
        asked.push_str(&line);
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status} x\r\n{head}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    (&connection).write_all(answer.as_bytes()).unwrap();
    (asked, serde_json::from_slice(&bytes).unwrap())
}
