//! Claude Code with the plug-in.

use recto_testkit::{
    agents::{Agent, Installed, Task},
    upstream::{Request, Script, Turn},
};
use serde_json::{Value, json};

use super::{
    session::{Session, compare, log, repository, task},
    sought::{Sought, reference},
};

/// A task for Claude Code with the plug-in.
pub(super) fn with_plugin(installed: &Installed) -> Task {
    task(installed).argument("--plugin-dir").argument(repository("plugins/claude-code"))
}

pub(super) fn bash(command: &str) -> Turn {
    let (tool, input) = Agent::Claude.shell_call(command);
    Turn::call(tool, input)
}

/// What the agent gives as its answer.
pub(super) fn answer(session: &Session) -> String {
    let told: Value = serde_json::from_str(&session.finished.stdout).unwrap();
    assert_eq!(told["is_error"], false, "{told}");
    told["result"].as_str().unwrap().to_owned()
}

/// What the hook makes of a shell's output.
pub(super) fn view_of(session: &Session, command: &str, stdout: &str, arguments: &[&str]) -> String {
    let event = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": { "command": command },
        "tool_response": { "stdout": stdout, "stderr": "", "interrupted": false },
    });
    let done = session.recto(&[&["hook", "claude"], arguments].concat(), event.to_string().as_bytes()).ok();
    let output = &done.json()["hookSpecificOutput"]["updatedToolOutput"];
    // The client takes blanks from the end of what it shows.
    output["stdout"].as_str().unwrap().trim_end().to_owned()
}

/// Reads what the client says that it has written to a file.
fn persisted(request: &Request) -> String {
    let shown = request.last_tool_result().unwrap();
    let (_, path) = shown.split_once("saved to: ").unwrap_or_else(|| panic!("nothing was saved: {shown}"));
    path.lines().next().unwrap().to_owned()
}

/// Two logs, one that the client would show whole and one that it puts into a file; the answer stands in the second one, where the view
/// leaves it out.
#[test]
fn the_answer_is_found_behind_a_note() {
    let Some(installed) = Agent::Claude.find() else { return };
    let (Some((first_path, first)), Some((path, source))) =
        (log("jenkins-issue4707.log"), log("kafka-server.log"))
    else {
        return;
    };
    let (first_command, command) = (format!("cat {first_path}"), format!("cat {path}"));
    let sought = Sought::in_source(&source);
    let begun = Script::new().turn(bash(&first_command)).turn(bash(&command));

    let (search, say) = (sought.clone(), sought.clone());
    let script =
        begun.clone().then(move |request| search.search(request)).then(move |request| say.say(request));
    let with = Session::of(with_plugin(&installed), script);
    let results = with.results();
    let expected = sought.line(&results[1]).whole;
    assert_eq!(answer(&with), expected);
    let stats = with.recto(&["stats", "--json"], b"").ok().json();
    assert_eq!(stats["total"]["views"], 2, "{stats}");
    // What the model reads is the view, byte for byte, and all of it can be had.
    let tool = ["--recall", "tool"];
    // Its original is what the client gave.
    let first = first.trim_end();
    assert_eq!(with.original(&reference(&results[0])), first);
    assert_eq!(with.original(&reference(&results[1])), source);
    assert_eq!(results[0], view_of(&with, &first_command, first, &tool));
    assert_eq!(results[1], view_of(&with, &command, &source, &tool));

    // Without recto the model reads the file, as the client tells it to, or knows how to search in it.
    let say = sought.clone();
    let read = |request: &Request| {
        let (tool, input) = Agent::Claude.read_call(persisted(request).as_ref()).unwrap();
        Turn::call(tool, input)
    };
    let view = results[1].clone();
    let line = sought.line(&view);
    let says = move |request: &Request| {
        let shown = request.last_tool_result().unwrap();
        assert!(shown.contains(&line.whole), "{shown}");
        Turn::say(&line.whole)
    };
    let without = Session::of(task(&installed), begun.clone().then(read).then(says.clone()));
    assert_eq!(answer(&without), expected);
    compare("Claude Code, two logs, against reading the file", &with, &without, 55);
    let begin = say.line(&view).begin;
    let grep = move |request: &Request| bash(&format!("grep -F '{begin}' {}", persisted(request)));
    let without = Session::of(task(&installed), begun.then(grep).then(says));
    assert_eq!(answer(&without), expected);
    compare("Claude Code, two logs, against a grep in the file", &with, &without, 100);
}

/// The model knows the number of the line, and calls `recto_expand`.
#[test]
fn the_answer_is_read_behind_a_note() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let sought = Sought::in_source(&source);
    let (read, say) = (sought.clone(), sought.clone());
    let script = Script::new()
        .turn(bash(&format!("cat {path}")))
        .then(move |request| read.expand(request))
        .then(move |request| say.say(request));
    let session = Session::of(with_plugin(&installed), script);
    assert_eq!(answer(&session), sought.line(&session.results()[0]).whole);
}

/// A model that writes what it was shown of a file back into one.
#[test]
fn a_note_is_not_written_to_a_file() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, _)) = log("kafka-server.log") else { return };
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("plan.md");
    let target_path = target.to_string_lossy().into_owned();
    let write = move |request: &Request| {
        let view = request.last_tool_result().unwrap();
        Turn::call("Write", json!({ "file_path": target_path, "content": view }))
    };
    let script = Script::new().turn(bash(&format!("cat {path}"))).then(write).say("I was told.");
    let session = Session::of(with_plugin(&installed).folder(folder.path()), script);
    let results = session.results();
    let way = format!("recto_expand {}", reference(&results[0]));
    let told = &results[1];
    assert!(!target.exists(), "{told}");
    for word in ["Write", &target.to_string_lossy(), "`content`", &way] {
        assert!(told.contains(word), "{word} is not in: {told}");
    }
    let stats = session.recto(&["stats", "--json"], b"").ok().json();
    assert_eq!(stats["total"]["denied"], 1, "{stats}");
}

/// The client numbers the lines that it is given: behind its numbers stand those that the lines have in the file.
#[test]
fn a_file_that_is_read_keeps_its_numbers() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let (tool, input) = Agent::Claude.read_call(path.as_ref()).unwrap();
    let session = Session::of(with_plugin(&installed), Script::new().call(tool, input).say("Read."));
    let result = session.results().remove(0);
    let lines: Vec<&str> = source.lines().collect();
    let mut shown = 0;
    for (index, line) in result.lines().enumerate().skip(1) {
        let (own, rest) = line.split_once('\t').unwrap_or_else(|| panic!("no number: {line}"));
        assert_eq!(own, (index + 1).to_string());
        let Some((number, text)) =
            rest.split_once('\t').filter(|(number, _)| number.parse::<usize>().is_ok())
        else {
            // Notes have none.
            assert!(rest.contains('\u{2026}') || rest.is_empty(), "{line}");
            continue;
        };
        let number: usize = number.parse().unwrap();
        if !text.contains('\u{2026}') {
            assert_eq!(text, lines[number - 1]);
            shown += 1;
        }
    }
    assert!(shown > 50, "{result}");
    assert!(
        result.starts_with("1\t[recto: the second number of each line below is the file's own]\n"),
        "{result}"
    );
}

/// What another server answers: more than the client shows, and more than it takes at all.
#[test]
fn servers_results_become_views() {
    let Some(installed) = Agent::Claude.find() else { return };
    let (Some((path, source)), Some((long_path, long_source))) =
        (log("requests.pytest-v.log"), log("gha-test-timeout.log"))
    else {
        return;
    };
    let read = |path: &str| {
        let input = json!({ "path": path });
        move |request: &Request| Turn::call(request.tool_ending_with("read_log").unwrap(), input.clone())
    };
    let script = Script::new().then(read(&path)).then(read(&long_path)).say("Read.");
    let start = "exec node \"$HOME/server.mjs\"";
    let task = with_plugin(&installed).home_file("server.mjs", SERVER).mcp_server("lab", "sh", ["-c", start]);
    let session = Session::of(task, script);
    for (view, source) in session.results().iter().zip([source, long_source]) {
        assert!(view.len() <= 12 << 10, "{view}");
        assert_eq!(session.original(&reference(view)), source);
    }
}

/// A server with one tool that gives a file.
const SERVER: &str = r#"
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: { path: { type: "string" } } };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "lab", version: "0" },
  }),
  "tools/list": () => ({ tools: [{ name: "read_log", description: "Gives a log.", inputSchema }] }),
  "tools/call": ({ arguments: { path } }) => ({ content: [{ type: "text", text: readFileSync(path, "utf8") }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}
"#;

/// A sub-agent's tools have their hooks too.
#[test]
fn a_sub_agent_reads_views() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let command = format!("cat {path}");
    let shell = bash(&command);
    // The sub-agent has a conversation of its own, whose turns are counted anew.
    let script = Script::new()
        .then(move |request| {
            let input = json!({ "description": "Looks", "prompt": "SUB-AGENT: look.", "subagent_type": "general-purpose", "run_in_background": false });
            let is_sub_agent = String::from_utf8_lossy(&request.body).contains("SUB-AGENT: look.");
            if is_sub_agent { shell.clone() } else { Turn::call("Agent", input) }
        })
        .say("Looked.");
    let network = recto_testkit::upstream::Network::closed_if_possible();
    let upstream = recto_testkit::upstream::Upstream::start_in(&network, script).unwrap();
    let finished = with_plugin(&installed).network(&network).run(&upstream.url()).unwrap();
    let session = Session { finished, upstream };
    assert_eq!(session.upstream.complaints(), Vec::<String>::new(), "{:?}", session.finished);
    assert_eq!(answer(&session), "Looked.");
    let requests = session.upstream.model_requests();
    let views: Vec<String> = requests
        .iter()
        .flat_map(|request| request.tool_results())
        .filter(|result| result.tool == "Bash")
        .map(|result| result.text)
        .collect();
    assert_eq!(
        views,
        [view_of(&session, &command, &source, &["--recall", "tool"])],
        "{} requests",
        requests.len()
    );
}

/// The client compacts, and the views are gone from what the model reads: it is told of them, and what was left out can still be had.
#[test]
fn after_a_compaction_the_views_are_still_known() {
    let Some(installed) = Agent::Claude.find() else { return };
    let Some((path, source)) = log("kafka-server.log") else { return };
    let shell = bash(&format!("cat {path}"));
    let body = |request: &Request| String::from_utf8_lossy(&request.body).into_owned();
    let is_compaction = move |request: &Request| body(request).contains("Respond with TEXT ONLY");
    let is_after = move |request: &Request| body(request).contains("SUMMARY-OF-THE-LOG");
    let reminded = |request: &Request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let (_, refs) = body.split_once("The latest: ").expect("the model is told of what it was shown");
        refs.split(' ').next().unwrap().to_owned()
    };
    let step = move |request: &Request| {
        if is_compaction(request) {
            return Turn::say("SUMMARY-OF-THE-LOG");
        }
        if !is_after(request) {
            return if request.tool_results().is_empty() { shell.clone() } else { Turn::say("Looked.") };
        }
        match request.last_tool_result() {
            None => {
                let expand = request.tool_ending_with("recto_expand").unwrap();
                Turn::call(expand, json!({ "ref": reminded(request), "lines": "1:3" }))
            }
            Some(shown) => Turn::say(shown),
        }
    };
    let script = (0..8).fold(Script::new(), |script, _| script.then(step.clone()));
    // The same session three times: the task, the client's own command, and a further question.
    let again = "claude -c -p --dangerously-skip-permissions --output-format json --plugin-dir \"$PLUGIN\"";
    let line = format!("claude \"$@\" >&2 && {again} /compact >&2 && {again} 'What were its first lines?'");
    let network = recto_testkit::upstream::Network::closed_if_possible();
    let upstream = recto_testkit::upstream::Upstream::start_in(&network, script).unwrap();
    let task = with_plugin(&installed)
        .launcher(["sh", "-c", &line, "sh"])
        .variable("PLUGIN", repository("plugins/claude-code"));
    let finished = task.network(&network).run(&upstream.url()).unwrap();
    let session = Session { finished, upstream };
    assert_eq!(session.upstream.complaints(), Vec::<String>::new(), "{:?}", session.finished);
    let requests = session.upstream.model_requests();
    assert!(requests.iter().any(|request| is_compaction(request)), "{:?}", session.finished);
    let last = requests.last().unwrap();
    assert!(!body(last).contains(&source[4_000..4_100]), "the log is still in the context");
    let first: String = source.split_inclusive('\n').take(3).collect();
    assert!(answer(&session).contains(first.trim_end()), "{}", answer(&session));
}
