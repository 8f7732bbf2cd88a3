//! MCP on stdin and stdout. No other module knows the protocol's library.

mod client;

use std::{
    io::{self, Read as _},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, MetaObject, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::{RequestContext, ServerInitializeError, serve_server_with_ct},
};
use serde_json::{Map, Value};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    low_level::pipe,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime,
    task::spawn_blocking,
};
use tokio_util::sync::CancellationToken;

pub use client::{AskError, list_tools};

use crate::tools::{Definition, RecallTools, ToolAnswer};

/// How notes are read; a host shows it to the model once.
const INSTRUCTIONS: &str = "A note such as […40 lines #2] stands for text that recto left out of a tool's output and keeps; the output's \
                            first note states its ref, r:…. Read it with recto_expand r:…#2, or search the whole with recto_search, \
                            instead of running a command again.";

/// Threads that may block: one reads stdin, one writes to stdout, the others answer calls.
const BLOCKING_THREADS: usize = 6;

/// A call that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The tool's name, as it was called.
    pub tool: String,
    /// The ref, as it was written, if one was given.
    pub reference: Option<String>,
    /// Bytes of the text that was answered.
    pub answer_bytes: u64,
    /// Whether the answer was an error.
    pub is_error: bool,
}

/// Says why the server did not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system gave no threads, timers or signals.
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
    /// The client began with something else than a request.
    #[error("the client does not begin as MCP does: {what}; start this server from an MCP host, not by hand")]
    Handshake {
        /// What came instead.
        what: String,
    },
    /// The server's loop failed.
    #[error("the server stopped: {what}")]
    Stopped {
        /// What the loop said.
        what: String,
    },
}

/// Serves the tools on stdin and stdout until stdin ends, or SIGTERM, SIGINT or SIGHUP comes. Calls that are being answered when
/// stdin ends are answered.
///
/// `observe` is told of each call when it is answered, on a thread that may block.
///
/// # Errors
/// [`ServeError`]. A client that leaves, at whatever moment, is no error.
pub fn serve(
    tools: RecallTools,
    observe: impl Fn(&Observed) + Send + Sync + 'static,
) -> Result<(), ServeError> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(ServeError::Start)?;
    let stop = CancellationToken::new();
    stop_on_signals(stop.clone()).map_err(ServeError::Start)?;
    let server = Server { tools: Arc::new(tools), observe: Arc::new(observe) };
    let outcome =
        runtime.block_on(async { run(server, tokio::io::stdin(), tokio::io::stdout(), stop).await });
    // A thread may still wait for a byte from stdin that never comes.
    runtime.shutdown_background();
    outcome
}

async fn run(
    server: Server,
    requests: impl AsyncRead + Send + Unpin + 'static,
    answers: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let running = match serve_server_with_ct(server, (requests, answers), stop).await {
        Ok(running) => running,
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::Cancelled
            | ServerInitializeError::TransportError { .. },
        ) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let what = "its first message is no request".to_owned();
            return Err(ServeError::Handshake { what });
        }
        Err(error) => return Err(ServeError::Handshake { what: error.to_string() }),
    };
    running.waiting().await.map(|_| ()).map_err(|error| ServeError::Stopped { what: error.to_string() })
}

fn stop_on_signals(stop: CancellationToken) -> io::Result<()> {
    // A pipe, not the library's socket: sandboxes forbid to send, and nobody would be woken.
    let (mut woken, waker) = io::pipe()?;
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        pipe::register(signal, waker.try_clone()?)?;
    }
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if woken.read_exact(&mut [0]).is_ok() {
            stop.cancel();
        }
    })?;
    Ok(())
}

type Observer = dyn Fn(&Observed) + Send + Sync;

#[derive(Clone)]
struct Server {
    tools: Arc<RecallTools>,
    observe: Arc<Observer>,
}

impl Server {
    /// Answers a call and tells the observer. A panic is a defect of recto's: the model is told so, and the server goes on.
    fn answer(&self, call: &CallToolRequestParams) -> ToolAnswer {
        let none = Map::new();
        let arguments = call.arguments.as_ref().unwrap_or(&none);
        let answered = catch_unwind(AssertUnwindSafe(|| self.tools.call(&call.name, arguments)));
        let answer = answered.unwrap_or_else(|_| {
            ToolAnswer::error("recto failed on this call (a defect); ask for another part, or use `recto expand` in a shell")
        });
        (self.observe)(&Observed {
            tool: call.name.to_string(),
            reference: arguments.get("ref").and_then(Value::as_str).map(str::to_owned),
            answer_bytes: answer.bytes(),
            is_error: answer.is_error,
        });
        answer
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("recto", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(RecallTools::definitions().into_iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let server = self.clone();
        let answered = spawn_blocking(move || server.answer(&call));
        let answer = answered.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResponse::Complete(result(answer)))
    }
}

fn result(answer: ToolAnswer) -> CallToolResult {
    let texts = (!answer.text.is_empty()).then_some(answer.text).into_iter().chain(answer.note);
    let content = texts.map(ContentBlock::text).collect();
    if answer.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

fn tool(definition: Definition) -> Tool {
    let mut meta = MetaObject::new();
    // Claude Code defers the tools of a server unless they say this; three small ones are worth having at hand.
    meta.0.insert("anthropic/alwaysLoad".to_owned(), true.into());
    Tool::new(definition.name, definition.description, definition.input_schema)
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
        .with_meta(meta)
}

#[cfg(test)]
mod tests;
