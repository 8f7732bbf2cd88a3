//! The server: a thread of its own, a listener on the loopback device, a log.

use std::{
    io,
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::State,
    http::{Request as HttpRequest, Response, StatusCode, header},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    Dialect, Network, Request, Script, Turn,
    answer::{Answer, BYTES_PER_TOKEN},
    dialect::{COUNT_TOKENS, bare},
    pieces::Pieces,
};

/// A running scripted model; it stops when it is dropped.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    log: Arc<Log>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// No listener, runtime or thread.
    #[error("cannot start the scripted upstream on the loopback device: {0}")]
    Start(#[source] io::Error),
}

impl Upstream {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// If there is no port or thread to be had.
    pub fn start(script: Script) -> Result<Self, UpstreamError> {
        Self::start_in(&Network::open(), script)
    }

    /// Starts a server on a free port of 127.0.0.1 as it is in a network.
    ///
    /// # Errors
    /// As [`Self::start`]; and if the network cannot be entered.
    pub fn start_in(network: &Network, script: Script) -> Result<Self, UpstreamError> {
        let log = Arc::new(Log { script, requests: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let (started, is_started) = mpsc::channel();
        let (network, served) = (network.clone(), Arc::clone(&log));
        let thread = thread::Builder::new()
            .name("upstream".to_owned())
            .spawn(move || {
                let entered = network.enter().and_then(|()| {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
                    let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))?;
                    Ok((runtime, listener.local_addr()?, listener))
                });
                match entered {
                    Ok((runtime, address, listener)) => {
                        let _ = started.send(Ok(address));
                        runtime.block_on(serve(listener, served, stopped));
                    }
                    Err(error) => {
                        let _ = started.send(Err(error));
                    }
                }
            })
            .map_err(UpstreamError::Start)?;
        let gone = || io::Error::other("its thread ended");
        let address = is_started.recv().map_err(|_| gone()).and_then(|started| started);
        let address = address.map_err(UpstreamError::Start)?;
        Ok(Self { address, log, stop: Some(stop), thread: Some(thread) })
    }

    /// The address, `http://127.0.0.1:PORT`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in the order in which they were answered.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.log.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Those of [`Self::requests`] that asked the model for a turn and offered it tools: no side requests, no lists
    /// of models.
    pub fn model_requests(&self) -> Vec<Arc<Request>> {
        let asks = |request: &Arc<Request>| {
            request.dialect.is_some()
                && bare(&request.path) != COUNT_TOKENS
                && !request.offered_tools().is_empty()
        };
        self.requests().into_iter().filter(asks).collect()
    }

    /// The complaints about all requests, each with the number of its request, from 0.
    pub fn complaints(&self) -> Vec<String> {
        let requests = self.requests();
        let numbered = requests.iter().enumerate();
        numbered
            .flat_map(|(number, request)| {
                request.complaints.iter().map(move |one| format!("request {number}: {one}"))
            })
            .collect()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct Log {
    script: Script,
    requests: Mutex<Vec<Arc<Request>>>,
}

async fn serve(listener: tokio::net::TcpListener, log: Arc<Log>, stopped: oneshot::Receiver<()>) {
    let server = axum::serve(listener, Router::new().fallback(receive).with_state(log));
    tokio::select! {
        _ = server.into_future() => {}
        _ = stopped => {}
    }
}

async fn receive(State(log): State<Arc<Log>>, request: HttpRequest<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    // A body that breaks off is logged as empty: its client is gone.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let text_of = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let mut received = Request {
        method: head.method.as_str().to_owned(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), text_of(value)))
            .collect(),
        dialect: Dialect::of_path(&path).filter(|_| head.method == "POST"),
        path,
        value: serde_json::from_slice(&body).unwrap_or_default(),
        body: body.to_vec(),
        complaints: Vec::new(),
        status: 200,
    };
    let reply = log.reply(&mut received);
    received.status = reply.status;
    log.requests.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(received));
    reply.into_response()
}

struct Reply {
    status: u16,
    kind: &'static str,
    body: Body,
}

impl Reply {
    fn json(status: u16, value: &Value) -> Self {
        Self { status, kind: "application/json", body: Body::from(value.to_string()) }
    }

    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(self.kind));
        response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache"));
        response
    }
}

impl Log {
    fn reply(&self, request: &mut Request) -> Reply {
        match (request.method.as_str(), request.dialect) {
            ("HEAD", _) => Reply { status: 200, kind: "application/json", body: Body::empty() },
            ("GET", _) if request.header("upgrade").is_some() => {
                let message = "WebSockets are not spoken here; use POST";
                Reply::json(426, &Dialect::Responses.error("invalid_request_error", message))
            }
            ("GET", _) if bare(&request.path) == "/v1/models" => Reply::json(200, &models()),
            ("POST", Some(dialect)) => self.answer(dialect, request),
            _ => {
                let message = format!("no such path: {} {}", request.method, request.path);
                Reply::json(404, &Dialect::Messages.error("not_found_error", &message))
            }
        }
    }

    fn answer(&self, dialect: Dialect, request: &mut Request) -> Reply {
        let counts = bare(&request.path) == COUNT_TOKENS;
        request.complaints = complaints(dialect, counts, request);
        if !request.complaints.is_empty() {
            return Reply::json(400, &dialect.error("invalid_request_error", &request.complaints.join("; ")));
        }
        if counts {
            return Reply::json(200, &json!({ "input_tokens": request.body.len() as u64 / BYTES_PER_TOKEN }));
        }
        let turn = match catch_unwind(AssertUnwindSafe(|| self.script.play(request))) {
            Ok(turn) => turn,
            Err(panic) => {
                let message = format!("the script panicked: {}", panic_message(&*panic));
                let reply = Reply::json(400, &dialect.error("invalid_request_error", &message));
                request.complaints.push(message);
                return reply;
            }
        };
        self.write(dialect, turn, request)
    }

    fn write(&self, dialect: Dialect, turn: Turn, request: &Request) -> Reply {
        if let Some(failure) = &turn.failure {
            return Reply::json(failure.status, &dialect.error(&failure.kind, &failure.message));
        }
        let answer = Answer::new(turn, request);
        if !request.value.get("stream").and_then(Value::as_bool).unwrap_or_default() {
            return Reply::json(200, &dialect.whole(&answer));
        }
        let events = dialect.events(&answer, &request.value);
        let pieces = events.iter().map(super::answer::Event::to_bytes).collect();
        let pieces = Pieces::new(pieces, self.script.max_piece_bytes());
        Reply { status: 200, kind: "text/event-stream; charset=utf-8", body: Body::from_stream(pieces) }
    }
}

fn complaints(dialect: Dialect, counts: bool, request: &Request) -> Vec<String> {
    if let Some(encoding) = request.header("content-encoding").filter(|encoding| *encoding != "identity") {
        return vec![format!("content-encoding {encoding} is not read here")];
    }
    if !request.value.is_object() {
        return vec!["The request body is not valid JSON: expected an object".to_owned()];
    }
    let mut found = dialect.complaints(&request.value);
    if counts {
        found.retain(|one| one != "max_tokens: Field required");
    }
    found
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn models() -> Value {
    let model = json!({
        "id": "fake-1",
        "object": "model",
        "type": "model",
        "display_name": "fake-1",
        "created": 1_700_000_000,
        "created_at": "2023-11-14T22:13:20Z",
        "owned_by": "scripted",
    });
    json!({ "object": "list", "data": [model], "has_more": false, "first_id": "fake-1", "last_id": "fake-1" })
}
