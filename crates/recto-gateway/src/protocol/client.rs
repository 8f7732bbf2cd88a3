//! Asking an MCP server for its tools. The other side of the protocol, with the same library.

use std::{
    collections::HashSet,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use rmcp::{
    Peer, RoleClient, ServiceError, ServiceExt as _,
    model::{ClientRequest, ListToolsRequest, PaginatedRequestParams},
    service::{ClientInitializeError, PeerRequestOptions},
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, ReadBuf},
    process::{Child, ChildStderr, Command},
    runtime,
    time::timeout,
};

/// How much of what a server writes is read.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// How much of a server's stderr is kept, for the error.
const MAX_STDERR_BYTES: usize = 4_000;

/// How long a server may take to end by itself once it was asked everything.
const FAREWELL: Duration = Duration::from_secs(2);

/// Says why a server's tools could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The command could not be started.
    #[error("cannot start {command:?}: {source}")]
    Start {
        /// The command.
        command: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The server did not answer as MCP demands.
    #[error("{command:?} did not answer as an MCP server: {message}{stderr}")]
    Protocol {
        /// The command.
        command: String,
        /// What went wrong.
        message: String,
        /// What it wrote to stderr, with an introduction; or nothing.
        stderr: String,
    },
    /// The server took too long.
    #[error("{command:?} did not answer within {} s{stderr}", .limit.as_secs())]
    Slow {
        /// The command.
        command: String,
        /// How long it had.
        limit: Duration,
        /// What it wrote to stderr, with an introduction; or nothing.
        stderr: String,
    },
}

/// Starts an MCP server on stdin and stdout by a shell command, asks for its tools, all pages, and ends it.
///
/// The answer is `{"tools": [...]}` with each tool as the server wrote it, members that the protocol's library does not know
/// included. The command runs in the caller's folder and environment, in a process group of its own, which is ended with it.
///
/// # Errors
/// If it cannot be started, is no MCP server, or takes longer than `limit`.
pub fn list_tools(command: &str, limit: Duration) -> Result<Value, AskError> {
    let started = |source| AskError::Start { command: command.to_owned(), source };
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(started)?;
    runtime.block_on(async {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = shell.process_group(0).kill_on_drop(true).spawn().map_err(started)?;
        let group = server.id();
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let listener = server.stderr.take().map(|from| tokio::spawn(keep_last(from, Arc::clone(&stderr))));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let answer = timeout(limit, ask(&mut server, &seen)).await;
        // Its stdin is closed by now, which ends a server that behaves.
        let ended = timeout(FAREWELL, server.wait()).await;
        if let Some(group) = group.and_then(|group| i32::try_from(group).ok()).and_then(Pid::from_raw) {
            // It may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        if ended.is_err() {
            let _ = server.wait().await;
        }
        if let Some(listener) = listener {
            let _ = timeout(Duration::from_millis(200), listener).await;
        }
        let said = || {
            let stderr = stderr.lock().unwrap_or_else(PoisonError::into_inner);
            let text = String::from_utf8_lossy(&stderr).trim().to_owned();
            if text.is_empty() { text } else { format!("; it said:\n{text}") }
        };
        match answer {
            Ok(Ok(tools)) => Ok(json!({"tools": tools})),
            Ok(Err(message)) => {
                Err(AskError::Protocol { command: command.to_owned(), message, stderr: said() })
            }
            Err(_) => {
                let stderr = format!("{}{}", unread(&take(&seen)), said());
                Err(AskError::Slow { command: command.to_owned(), limit, stderr })
            }
        }
    })
}

/// Asks a server that was started. Its stdin and stdout are closed when this is done.
async fn ask(server: &mut Child, seen: &Arc<Mutex<Seen>>) -> Result<Vec<Value>, String> {
    let (Some(stdin), Some(stdout)) = (server.stdin.take(), server.stdout.take()) else {
        return Err("its stdin or stdout could not be had".to_owned());
    };
    let stdout = Watched { inner: stdout, seen: Arc::clone(seen) };
    let client = ().serve((stdout, stdin)).await.map_err(|error| why_not_begun(&error))?;
    let listed = all_pages(&client, seen).await;
    let _ = client.cancel().await;
    listed
}

/// Asks for page after page, until there is no further one.
async fn all_pages(client: &Peer<RoleClient>, seen: &Mutex<Seen>) -> Result<Vec<Value>, String> {
    let mut tools = Vec::new();
    let mut cursors: HashSet<String> = HashSet::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::from(ListToolsRequest::with_param(params));
        // What a server wrote before it was asked answers nothing.
        take(seen);
        let asked = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let asked = asked.map_err(|error| why_not_answered(&error, seen))?;
        let id = serde_json::to_value(&asked.id).map_err(|error| error.to_string())?;
        asked.await_response().await.map_err(|error| why_not_answered(&error, seen))?;
        // The library has read the answer as far as it knows the protocol; all of it is in what was written.
        let page = answer(&take(seen), &id).ok_or("its answer to `tools/list` could not be read")?;
        let Some(Value::Array(found)) = page.get("tools") else {
            return Err("its answer to `tools/list` has no array `tools`".to_owned());
        };
        tools.extend(found.iter().cloned());
        cursor = match page.get("nextCursor") {
            None | Some(Value::Null) => return Ok(tools),
            // Many servers mean by it that there is none.
            Some(Value::String(next)) if next.is_empty() => return Ok(tools),
            Some(Value::String(next)) if cursors.insert(next.clone()) => Some(next.clone()),
            Some(Value::String(next)) => {
                return Err(format!(
                    "its pages of tools go round in a circle: it gave the cursor {next:?} twice"
                ));
            }
            Some(other) => return Err(format!("the cursor of its next page is no string: {other}")),
        };
    }
    Err(format!("it has more than {MAX_PAGES} pages of tools"))
}

/// How many pages of tools are asked for.
const MAX_PAGES: usize = 1_000;

/// The answer to the request of this id, as it was written. As the library does, a number is taken as text too, and a byte order mark passed
/// over.
fn answer(lines: &[u8], id: &Value) -> Option<Value> {
    let plain = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    lines.split(|byte| *byte == b'\n').find_map(|line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let mut message = serde_json::from_slice::<Value>(line).ok()?;
        let is_asked = message.get("id").is_some_and(|own| plain(own) == plain(id));
        is_asked.then(|| message.get_mut("result").map(Value::take)).flatten()
    })
}

/// Says which line that was written last is no message, if one is.
fn unread(lines: &[u8]) -> String {
    let is_message = |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(|line| line.is_object());
    let last =
        lines.rsplit(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty() && !is_message(line));
    last.map_or_else(String::new, |line| {
        let text = String::from_utf8_lossy(line.get(..line.len().min(MAX_TOLD_BYTES)).unwrap_or_default());
        format!("; on stdout it wrote what is no JSON message of one line: {:?}", text.trim())
    })
}

/// How much of such a line is told.
const MAX_TOLD_BYTES: usize = 120;

/// Says why a server could not be spoken with, in words of the protocol.
fn why_not_begun(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
            "it ended, or closed its stdout, before it answered `initialize`".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => format!("it refused `initialize`: {}", error.message),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "what it wrote is no answer to `initialize`".to_owned()
        }
        other => other.to_string(),
    }
}

fn why_not_answered(error: &ServiceError, seen: &Mutex<Seen>) -> String {
    if seen.lock().unwrap_or_else(PoisonError::into_inner).bytes > MAX_ANSWER_BYTES {
        return format!("it wrote more than {MAX_ANSWER_BYTES} bytes");
    }
    match error {
        ServiceError::McpError(error) => format!("it refused `tools/list`: {}", error.message),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
            "it ended, or closed its stdout, before it answered `tools/list`".to_owned()
        }
        other => other.to_string(),
    }
}

/// What a server wrote.
#[derive(Default)]
struct Seen {
    /// What was not taken yet.
    new: Vec<u8>,
    /// How much it was in all.
    bytes: usize,
}

fn take(seen: &Mutex<Seen>) -> Vec<u8> {
    std::mem::take(&mut seen.lock().unwrap_or_else(PoisonError::into_inner).new)
}

/// A reader that keeps what went through it.
struct Watched<R> {
    inner: R,
    seen: Arc<Mutex<Seen>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let read = buffer.filled().get(before..).unwrap_or_default();
        seen.new.extend_from_slice(read);
        seen.bytes = seen.bytes.saturating_add(read.len());
        if seen.bytes > MAX_ANSWER_BYTES {
            return Poll::Ready(Err(std::io::Error::other("too much")));
        }
        Poll::Ready(Ok(()))
    }
}

/// Keeps the end of what a server writes to stderr.
async fn keep_last(mut from: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1_024];
    while let Ok(length) = from.read(&mut piece).await {
        if length == 0 {
            break;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(piece.get(..length).unwrap_or_default());
        let excess = kept.len().saturating_sub(MAX_STDERR_BYTES);
        kept.drain(..excess);
    }
}
