//! Real agents against the scripted upstream. Where one is not installed, its tests say so and pass.

use recto_testkit::{
    agents::{Agent, Finished, Installed, Task},
    upstream::{Network, Script, Turn, Upstream, first_mention, unchanged_prefix},
};
use serde_json::json;

/// Runs a task to its good end: no complaints, and a history that only grew.
fn run(task: Task, network: &Network, script: Script) -> (Finished, Upstream) {
    let upstream = Upstream::start_in(network, script).unwrap();
    let finished = task.network(network).run(&upstream.url()).unwrap();
    assert_eq!(upstream.complaints(), Vec::<String>::new(), "{finished:?}");
    assert_eq!(finished.exit, Some(0), "{finished:?}");
    for pair in upstream.model_requests().windows(2) {
        assert_eq!(unchanged_prefix(&pair[0], &pair[1]), pair[0].cache_order().len());
    }
    (finished, upstream)
}

fn counts(agent: Agent) {
    let Some(installed) = agent.find() else { return };
    let (tool, input) = agent.shell_call("seq 1 20000");
    let script = Script::new().call(tool, input).say("All counted.");
    let (finished, upstream) = run(installed.task("Count."), &Network::closed_if_possible(), script);
    assert!(finished.stdout.contains("All counted."), "{finished:?}");
    let requests = upstream.model_requests();
    assert_eq!(requests.len(), 2);
    let results = requests[1].tool_results();
    assert_eq!((results.len(), results[0].tool.as_str()), (1, tool));
    // Every agent cuts so much in its own way; numbers that were cut on either side differ.
    assert!(results[0].text.contains("\n100\n") || results[0].text.contains("\n19999\n"), "{results:?}");
}

#[test]
fn claude_runs_a_command() {
    counts(Agent::Claude);
}

#[test]
fn codex_runs_a_command() {
    counts(Agent::Codex);
}

#[test]
fn pi_runs_a_command() {
    counts(Agent::Pi);
}

#[test]
fn opencode_runs_a_command() {
    counts(Agent::OpenCode);
}

/// A model that is shown a note, asks for what it left out, and reads on.
fn expands(agent: Agent) {
    let Some(installed) = agent.find() else { return };
    let (tool, input) = agent.shell_call("echo '[…19 lines #4 (recto expand r:271828182845904#4)]'");
    let script = Script::new()
        .call(tool, input)
        .then(|request| {
            let mention = first_mention(&request.last_tool_result().unwrap()).unwrap();
            let expand = request.tool_ending_with("recto_expand").unwrap();
            Turn::call(expand, json!({ "ref": mention.reference, "elision": mention.elision }))
        })
        .then(|request| Turn::say(request.last_tool_result().unwrap().lines().last().unwrap()));
    let (finished, upstream) = run(with_server(&installed), &Network::closed_if_possible(), script);
    assert!(finished.stdout.contains("expanded r:271828182845904 and 4"), "{finished:?}");
    let results = upstream.model_requests().pop().unwrap().tool_results();
    assert!(results[1].tool.ends_with("recto_expand"), "{results:?}");
}

/// A task with an MCP server that has one tool.
fn with_server(installed: &Installed) -> Task {
    let start = r#"exec node "$HOME/server.mjs""#;
    installed.task("Look.").home_file("server.mjs", SERVER).mcp_server("recto", "sh", ["-c", start])
}

const SERVER: &str = r#"
import { createInterface } from "node:readline";
const tool = {
  name: "recto_expand",
  description: "Gives back what a note left out.",
  inputSchema: { type: "object", properties: { ref: { type: "string" }, elision: { type: "integer" } } },
};
const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "recto", version: "0" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: { ref, elision } }) => ({
    content: [{ type: "text", text: `one line\nexpanded ${ref} and ${elision}` }],
  }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}
"#;

#[test]
fn claude_calls_a_server() {
    expands(Agent::Claude);
}

#[test]
fn codex_calls_a_server() {
    expands(Agent::Codex);
}

#[test]
fn opencode_calls_a_server() {
    expands(Agent::OpenCode);
}

/// Codex with a model it knows offers no `tools`, tries a WebSocket first, and has the model write code.
#[test]
fn codex_runs_code() {
    let Some(installed) = Agent::Codex.find() else { return };
    let network = Network::closed_if_possible();
    let code = "const done = await tools.exec_command({ cmd: 'seq 1 20000' }); text(done.output);";
    let script = Script::new().call("exec", json!(code)).say("All counted.");
    let upstream = Upstream::start_in(&network, script).unwrap();
    let config = format!("openai_base_url = \"{}/v1\"\n", upstream.url());
    let task = installed.task("Count.").network(&network);
    let task = task.home_file(".codex/config.toml", config).variable("CODEX_API_KEY", "sk-test-dummy");
    let finished = task.run(&upstream.url()).unwrap();
    assert_eq!(finished.exit, Some(0), "{finished:?}");
    assert!(finished.stdout.contains("All counted."), "{finished:?}");
    assert_eq!(upstream.complaints(), Vec::<String>::new());

    let statuses: Vec<_> = upstream.requests().iter().map(|one| (one.method.clone(), one.status)).collect();
    assert_eq!(statuses, [("GET".to_owned(), 426), ("POST".to_owned(), 200), ("POST".to_owned(), 200)]);
    let requests = upstream.model_requests();
    assert!(requests.iter().all(|request| request.value.get("tools").is_none()));
    assert_eq!(unchanged_prefix(&requests[0], &requests[1]), requests[0].cache_order().len());
    let results = requests[1].tool_results();
    assert_eq!((results.len(), results[0].tool.as_str()), (1, "exec"));
    assert!(results[0].text.contains("\n19999\n"), "{results:?}");
}

/// A refused history must reach the test, whatever the agent makes of it.
#[test]
fn an_agent_that_cannot_go_on_fails() {
    let Some(installed) = Agent::Pi.find() else { return };
    let network = Network::closed_if_possible();
    let script = Script::new().turn(Turn::fail(400, "invalid_request_error", "No more of this."));
    let upstream = Upstream::start_in(&network, script).unwrap();
    let finished = installed.task("Go.").network(&network).run(&upstream.url()).unwrap();
    assert_ne!(finished.exit, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("No more of this."), "{finished:?}");
    assert_eq!(upstream.requests().pop().unwrap().status, 400);
}
