//! A small blocking client: one request a connection.

use std::{
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::TcpStream,
};

use serde_json::Value;

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names (lower case) and values of the headers.
    pub headers: Vec<(String, String)>,
    /// The body, its chunks joined.
    pub body: Vec<u8>,
    /// The chunks of the body, as they were sent; one where it was not sent in chunks.
    pub chunks: Vec<Vec<u8>>,
}

impl Reply {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as server-sent events: names (empty without one) and data. Data that is not JSON is a JSON string.
    pub fn events(&self) -> Vec<(String, Value)> {
        let text = String::from_utf8_lossy(&self.body);
        let field = |block: &str, name: &str| {
            let values: Vec<&str> =
                block.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim_start).collect();
            values.join("\n")
        };
        let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
        blocks
            .map(|block| {
                let data = field(block, "data:");
                (field(block, "event:"), serde_json::from_str(&data).unwrap_or(Value::String(data)))
            })
            .collect()
    }
}

/// Sends a request to an `http://HOST:PORT/path` and waits for the whole answer.
///
/// # Errors
/// If there is no such server, or it does not speak HTTP/1.1.
pub fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Reply> {
    let rest = url.strip_prefix("http://").ok_or_else(|| wrong("the URL does not begin with http://"))?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut connection = TcpStream::connect(host)?;
    let path = if path.is_empty() { "/" } else { path };
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    head += &format!("content-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    connection.write_all(format!("{head}\r\n").as_bytes())?;
    connection.write_all(body)?;
    receive(BufReader::new(connection), method == "HEAD")
}

fn receive(mut input: impl BufRead, is_headless: bool) -> io::Result<Reply> {
    let status_line = line(&mut input)?;
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| wrong("no status"))?;
    let mut headers = Vec::new();
    loop {
        let line = line(&mut input)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let header =
        |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let chunks = if is_headless {
        Vec::new()
    } else if header("transfer-encoding").is_some_and(|encoding| encoding.eq_ignore_ascii_case("chunked")) {
        chunks(&mut input)?
    } else {
        let mut whole = Vec::new();
        match header("content-length").and_then(|length| length.parse().ok()) {
            Some(length) => input.take(length).read_to_end(&mut whole)?,
            None => input.read_to_end(&mut whole)?,
        };
        vec![whole]
    };
    Ok(Reply { status, headers, body: chunks.concat(), chunks })
}

fn chunks(input: &mut impl BufRead) -> io::Result<Vec<Vec<u8>>> {
    let mut chunks = Vec::new();
    loop {
        let size_line = line(input)?;
        let size = size_line.split(';').next().unwrap_or_default().trim();
        let bytes = u64::from_str_radix(size, 16).map_err(|_| wrong("a chunk without its size"))?;
        let mut chunk = Vec::new();
        input.take(bytes).read_to_end(&mut chunk)?;
        line(input)?;
        if bytes == 0 {
            return Ok(chunks);
        }
        chunks.push(chunk);
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn wrong(words: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, words)
}
