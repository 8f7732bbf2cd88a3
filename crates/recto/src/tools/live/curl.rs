//! One request with `curl`. Address, headers and key go to its stdin and the body into a file of the user's alone: neither is on a command
//! line, which others can read.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use tempfile::NamedTempFile;

use crate::environment;

/// What is asked.
pub(super) struct Request<'a> {
    pub(super) url: &'a str,
    pub(super) is_loopback: bool,
    pub(super) headers: &'a [String],
    pub(super) body: &'a [u8],
}

/// What was answered.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    /// The seconds of `Retry-After`.
    pub(super) retry_after_seconds: Option<u64>,
    pub(super) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum CurlError {
    /// It cannot be run at all.
    Unusable(String),
    /// It did not get through; another time it may.
    Unreachable(String),
}

/// The longest answer that is read.
const MAX_ANSWER_BYTES: u64 = 64 << 20;
/// How long one answer may take.
const MAX_SECONDS: u32 = 180;
const MAX_CONNECT_SECONDS: u32 = 20;

pub(super) fn ask(request: &Request<'_>) -> Result<Response, CurlError> {
    let unusable = |error: std::io::Error| CurlError::Unusable(format!("cannot keep the request: {error}"));
    let folder = environment::temporary_folder();
    // Temporary files are their owner's alone from the start.
    let mut body = NamedTempFile::new_in(&folder).map_err(unusable)?;
    body.write_all(request.body).map_err(unusable)?;
    let heads = NamedTempFile::new_in(&folder).map_err(unusable)?;
    let mut command = Command::new("curl");
    // `-q` comes first: settings of the user's own, such as a trace, could write the key down.
    command.args(["-q", "-sS", "--max-time"]).arg(MAX_SECONDS.to_string()).args(["--config", "-"]);
    for key in environment::API_KEYS {
        command.env_remove(key);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(
            |error| match error.kind() {
                ErrorKind::NotFound => CurlError::Unusable(
                    "curl is not there: install it, recto asks providers with it".to_owned(),
                ),
                _ => CurlError::Unusable(format!("curl cannot be started: {error}")),
            },
        )?;
    if let Some(mut stdin) = child.stdin.take() {
        // Where curl ends early, its exit code says why.
        let _ = stdin.write_all(&settings(request, body.path(), heads.path()));
    }
    let done = child.wait_with_output().map_err(unusable)?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(CurlError::Unreachable(if said.is_empty() {
            format!("curl: {}", done.status)
        } else {
            said
        }));
    }
    let heads = fs::read(heads.path()).map_err(unusable)?;
    let (status, retry_after_seconds) = read_head(&String::from_utf8_lossy(&heads));
    match status {
        Some(status) => Ok(Response { status, retry_after_seconds, body: done.stdout }),
        None => Err(CurlError::Unreachable("the answer has no status".to_owned())),
    }
}

fn settings(request: &Request<'_>, body: &Path, heads: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;

    let mut lines = Vec::new();
    let mut set = |name: &str, value: &[u8]| {
        lines.extend_from_slice(name.as_bytes());
        lines.extend_from_slice(b" = \"");
        for byte in value {
            match byte {
                b'"' | b'\\' => lines.extend_from_slice(&[b'\\', *byte]),
                b'\n' => lines.extend_from_slice(b"\\n"),
                b'\r' => lines.extend_from_slice(b"\\r"),
                byte => lines.push(*byte),
            }
        }
        lines.extend_from_slice(b"\"\n");
    };
    set("url", request.url.as_bytes());
    set("request", b"POST");
    set("data-binary", &[b"@", body.as_os_str().as_bytes()].concat());
    set("dump-header", heads.as_os_str().as_bytes());
    set("connect-timeout", MAX_CONNECT_SECONDS.to_string().as_bytes());
    set("max-filesize", MAX_ANSWER_BYTES.to_string().as_bytes());
    if request.is_loopback {
        // A proxy would be told the key.
        set("noproxy", b"*");
        set("proto", b"=http,https");
    } else {
        set("proto", b"=https");
    }
    // No wait for `100 Continue`.
    for header in ["content-type: application/json", "expect:"] {
        set("header", header.as_bytes());
    }
    for header in request.headers {
        set("header", header.as_bytes());
    }
    lines.extend_from_slice(b"globoff\n");
    lines
}

/// The status and `Retry-After` of the last head: proxies put theirs in front.
fn read_head(heads: &str) -> (Option<u16>, Option<u64>) {
    let (mut status, mut retry_after) = (None, None);
    for line in heads.lines() {
        if line.starts_with("HTTP/") {
            status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
            retry_after = None;
        } else if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("retry-after")
        {
            retry_after = value.trim().parse().ok();
        }
    }
    (status, retry_after)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Request, read_head, settings};

    #[test]
    fn the_last_head_counts() {
        let heads = "HTTP/1.1 200 Connection established\r\nretry-after: 9\r\n\r\nHTTP/2 429 \r\nRetry-After: 3\r\n\r\n";
        assert_eq!(read_head(heads), (Some(429), Some(3)));
        assert_eq!(
            read_head("HTTP/1.1 200 OK\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"),
            (Some(200), None)
        );
        assert_eq!(read_head(""), (None, None));
    }

    #[test]
    fn nothing_gets_out_of_its_quotes() {
        let headers = ["x: a\"\nurl = \"http://example.com\\".to_owned()];
        let request = Request { url: "http://127.0.0.1/", is_loopback: true, headers: &headers, body: b"" };
        let written = settings(&request, Path::new("/t/a b"), Path::new("/t/h"));
        let written = String::from_utf8(written).unwrap();
        assert!(
            written.contains("\nheader = \"x: a\\\"\\nurl = \\\"http://example.com\\\\\"\n"),
            "{written}"
        );
        assert!(written.contains("\ndata-binary = \"@/t/a b\"\n"), "{written}");
        assert_eq!(written.lines().filter(|line| line.starts_with("url")).count(), 1);
        assert!(written.contains("noproxy"), "{written}");
    }
}
