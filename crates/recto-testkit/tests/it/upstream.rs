//! The scripted upstream over a real connection, in every dialect, plain and streamed.

use recto_testkit::upstream::{
    Dialect, Network, Reply, Script, Turn, Upstream, Usage, first_mention, send, unchanged_prefix,
};
use serde_json::{Value, json};

const DIALECTS: [Dialect; 3] = [Dialect::Messages, Dialect::Responses, Dialect::Chat];

/// A client that keeps a history, as an agent does.
struct Client {
    dialect: Dialect,
    url: String,
    stream: bool,
    history: Vec<Value>,
}

impl Client {
    fn new(dialect: Dialect, url: String, stream: bool) -> Self {
        let history = vec![json!({ "role": "user", "content": "go" })];
        Self { dialect, url, stream, history }
    }

    fn body(&self) -> Value {
        let schema = json!({ "type": "object" });
        let (tools, history) = match self.dialect {
            Dialect::Messages => (json!([{ "name": "bash", "input_schema": schema }]), "messages"),
            Dialect::Responses => {
                (json!([{ "type": "function", "name": "bash", "parameters": schema }]), "input")
            }
            _ => (
                json!([{ "type": "function", "function": { "name": "bash", "parameters": schema } }]),
                "messages",
            ),
        };
        let mut body = json!({ "model": "m", "max_tokens": 9, "stream": self.stream, "tools": tools });
        body[history] = self.history.clone().into();
        body
    }

    fn post(&self) -> Reply {
        let path = match self.dialect {
            Dialect::Messages => "/v1/messages?beta=true",
            Dialect::Responses => "/v1/responses",
            _ => "/v1/chat/completions",
        };
        send("POST", &format!("{}{path}", self.url), &[("x-test", "1")], self.body().to_string().as_bytes())
            .unwrap()
    }

    /// Asks for a turn and takes it into the history; returns its text and its calls (identifier, name, input).
    fn turn(&mut self) -> (String, Vec<(String, String, Value)>) {
        let reply = self.post();
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        let said = match (self.dialect, self.stream) {
            (_, false) => reply.json(),
            (Dialect::Messages, true) => joined_message(&reply),
            (Dialect::Responses, true) => joined_response(&reply),
            (_, true) => joined_completion(&reply),
        };
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parsed = |value: &Value| serde_json::from_str(value.as_str().unwrap()).unwrap();
        let (mut text, mut calls) = (String::new(), Vec::new());
        match self.dialect {
            Dialect::Messages => {
                for block in said["content"].as_array().unwrap() {
                    text += &string(&block["text"]);
                    if block["type"] == "tool_use" {
                        calls.push((string(&block["id"]), string(&block["name"]), block["input"].clone()));
                    }
                }
                self.history.push(json!({ "role": "assistant", "content": said["content"] }));
            }
            Dialect::Responses => {
                for item in said["output"].as_array().unwrap() {
                    text += &string(&item["content"][0]["text"]);
                    if item["type"] == "function_call" {
                        calls.push((
                            string(&item["call_id"]),
                            string(&item["name"]),
                            parsed(&item["arguments"]),
                        ));
                    }
                    self.history.push(item.clone());
                }
            }
            _ => {
                let message = &said["choices"][0]["message"];
                text += &string(&message["content"]);
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let function = &call["function"];
                    calls.push((
                        string(&call["id"]),
                        string(&function["name"]),
                        parsed(&function["arguments"]),
                    ));
                }
                self.history.push(message.clone());
            }
        }
        (text, calls)
    }

    fn give(&mut self, results: &[(&str, &str)]) {
        match self.dialect {
            Dialect::Messages => {
                let blocks: Vec<Value> = results
                    .iter()
                    .map(|(id, text)| json!({ "type": "tool_result", "tool_use_id": id, "content": text }))
                    .collect();
                self.history.push(json!({ "role": "user", "content": blocks }));
            }
            Dialect::Responses => {
                self.history.extend(results.iter().map(
                    |(id, text)| json!({ "type": "function_call_output", "call_id": id, "output": text }),
                ))
            }
            _ => self.history.extend(
                results
                    .iter()
                    .map(|(id, text)| json!({ "role": "tool", "tool_call_id": id, "content": text })),
            ),
        }
    }
}

fn joined_message(reply: &Reply) -> Value {
    let mut blocks: Vec<Value> = Vec::new();
    let mut partial = String::new();
    let events = reply.events();
    assert_eq!(events[0].0, "message_start");
    assert_eq!(events.last().unwrap().0, "message_stop");
    for (name, data) in events {
        assert_eq!(data["type"], name.as_str());
        match name.as_str() {
            "content_block_start" => {
                assert_eq!(data["index"], blocks.len());
                blocks.push(data["content_block"].clone());
            }
            "content_block_delta" => {
                let block = blocks.last_mut().unwrap();
                for (kind, key) in
                    [("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")]
                {
                    if data["delta"]["type"] == kind {
                        let joined = format!(
                            "{}{}",
                            block[key].as_str().unwrap(),
                            data["delta"][key].as_str().unwrap()
                        );
                        block[key] = joined.into();
                    }
                }
                partial += data["delta"]["partial_json"].as_str().unwrap_or_default();
            }
            "content_block_stop" if blocks.last().unwrap()["type"] == "tool_use" => {
                blocks.last_mut().unwrap()["input"] =
                    serde_json::from_str(&std::mem::take(&mut partial)).unwrap();
            }
            _ => {}
        }
    }
    json!({ "content": blocks })
}

/// What the deltas add up to must be what the last event says.
fn joined_response(reply: &Reply) -> Value {
    let events = reply.events();
    let (mut text, mut arguments) = (String::new(), String::new());
    for (number, (name, data)) in events.iter().enumerate() {
        assert_eq!((&data["type"], &data["sequence_number"]), (&json!(name), &json!(number)));
        let delta = data["delta"].as_str().unwrap_or_default();
        match name.as_str() {
            "response.output_text.delta" => text += delta,
            "response.function_call_arguments.delta" => arguments += delta,
            "response.function_call_arguments.done" => {
                assert_eq!(data["arguments"], std::mem::take(&mut arguments));
            }
            _ => {}
        }
    }
    let (name, last) = events.last().unwrap();
    assert_eq!(name, "response.completed");
    let said = last["response"]["output"].as_array().unwrap().iter().find(|item| item["type"] == "message");
    assert_eq!(said.map_or("", |item| item["content"][0]["text"].as_str().unwrap()), text);
    last["response"].clone()
}

fn joined_completion(reply: &Reply) -> Value {
    let events = reply.events();
    assert_eq!(events.last().unwrap().1, "[DONE]");
    let mut content = String::new();
    let mut calls: Vec<Value> = Vec::new();
    for (_, chunk) in events {
        let delta = &chunk["choices"][0]["delta"];
        content += delta["content"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if !call["id"].is_null() {
                calls.push(call.clone());
                continue;
            }
            let known = &mut calls[call["index"].as_u64().unwrap() as usize]["function"];
            let more = call["function"]["arguments"].as_str().unwrap();
            known["arguments"] = format!("{}{more}", known["arguments"].as_str().unwrap()).into();
        }
    }
    let mut message = json!({ "role": "assistant", "content": content });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({ "choices": [{ "message": message }] })
}

fn script() -> Script {
    Script::new()
        .turn(
            Turn::call("bash", json!({ "command": "echo \"ä€😀\"" }))
                .and_call("bash", json!({ "command": "ls" }))
                .saying("I look twice: ä€😀, a text that is longer than one piece."),
        )
        .then(|request| {
            let last = request.last_tool_result().unwrap();
            let mention = first_mention(&last).unwrap();
            Turn::call(
                "bash",
                json!({ "command": format!("{} {}", mention.reference, mention.elision.unwrap()) }),
            )
        })
        .then(|request| Turn::say(format!("It says {}.", request.last_tool_result().unwrap())))
}

#[test]
fn a_conversation_in_every_dialect() {
    for dialect in DIALECTS {
        for (stream, script) in [(false, script()), (true, script()), (true, script().pieces(3))] {
            let upstream = Upstream::start(script).unwrap();
            let mut client = Client::new(dialect, upstream.url(), stream);
            let (text, calls) = client.turn();
            assert_eq!(text, "I look twice: ä€😀, a text that is longer than one piece.");
            assert_eq!(calls.len(), 2);
            assert_eq!(calls[0].2, json!({ "command": "echo \"ä€😀\"" }));
            assert_ne!(calls[0].0, calls[1].0);
            client.give(&[
                (&calls[0].0, "x"),
                (&calls[1].0, "[…9 lines #4 (recto expand r:271828182845904#4)]"),
            ]);
            let (_, calls) = client.turn();
            assert_eq!(calls[0].2, json!({ "command": "r:271828182845904 4" }));
            client.give(&[(&calls[0].0, "nine")]);
            let (text, calls) = client.turn();
            assert_eq!((text.as_str(), calls.len()), ("It says nine.", 0));

            let requests = upstream.requests();
            assert_eq!(upstream.complaints(), Vec::<String>::new());
            assert_eq!(requests.iter().map(|request| request.turn()).collect::<Vec<_>>(), [0, 1, 2]);
            let results = requests[2].tool_results();
            assert_eq!(results.iter().map(|one| one.text.as_str()).collect::<Vec<_>>()[2], "nine");
            assert!(results.iter().all(|one| one.tool == "bash" && !one.call_id.is_empty()));
            assert_eq!(requests[0].tool_names(), ["bash"]);
            assert_eq!(requests[0].header("X-Test"), Some("1"));
            assert_eq!(requests[0].dialect, Some(dialect));
            for pair in requests.windows(2) {
                assert_eq!(unchanged_prefix(&pair[0], &pair[1]), pair[0].cache_order().len());
            }
        }
    }
}

#[test]
fn a_changed_history_breaks_the_prefix() {
    let upstream = Upstream::start(Script::new()).unwrap();
    let mut client = Client::new(Dialect::Messages, upstream.url(), false);
    client.turn();
    client.history[0]["content"] = "gone".into();
    client.turn();
    let requests = upstream.requests();
    let prefix = unchanged_prefix(&requests[0], &requests[1]);
    assert!(requests[0].cache_order()[..prefix].ends_with(b"\"text\":\"go"), "{prefix}");
}

#[test]
fn streams_come_in_pieces() {
    let script = || Script::new().call("bash", json!({ "command": "seq 1 20000 | tail -n 1" }));
    let upstream = Upstream::start(script()).unwrap();
    let reply = Client::new(Dialect::Messages, upstream.url(), true).post();
    let deltas =
        reply.events().iter().filter(|(_, data)| data["delta"]["type"] == "input_json_delta").count();
    assert!(deltas >= 5, "{deltas}");
    assert_eq!(reply.chunks.len(), reply.events().len());

    let cut = Upstream::start(script().pieces(5)).unwrap();
    let cut_reply = Client::new(Dialect::Messages, cut.url(), true).post();
    assert!(cut_reply.chunks.iter().all(|chunk| chunk.len() <= 5));
    assert_eq!(cut_reply.body, reply.body);
}

#[test]
fn the_same_request_gets_the_same_answer() {
    for dialect in DIALECTS {
        let upstream = Upstream::start(script()).unwrap();
        let client = Client::new(dialect, upstream.url(), true);
        let other = Client {
            history: vec![json!({ "role": "user", "content": "stop" })],
            ..Client::new(dialect, upstream.url(), true)
        };
        assert_eq!(client.post().body, client.post().body);
        assert_ne!(client.post().body, other.post().body);
    }
}

#[test]
fn invalid_bodies_are_refused_in_the_shape_of_the_provider() {
    for dialect in DIALECTS {
        let upstream = Upstream::start(script()).unwrap();
        let mut client = Client::new(dialect, upstream.url(), true);
        let (_, calls) = client.turn();
        client.give(&[(&calls[1].0, "only one")]);
        let reply = client.post();
        assert_eq!(reply.status, 400);
        let error = &reply.json()["error"];
        assert_eq!(error["type"], "invalid_request_error");
        assert!(error["message"].as_str().unwrap().contains(&calls[0].0), "{error}");
        assert_eq!(reply.json()["type"] == "error", dialect == Dialect::Messages);
        let last = upstream.requests().pop().unwrap();
        assert_eq!((last.status, last.complaints.len()), (400, 1));
        assert_eq!(last.body, client.body().to_string().as_bytes());
    }
    let upstream = Upstream::start(script()).unwrap();
    let reply = send("POST", &format!("{}/v1/messages", upstream.url()), &[], b"{").unwrap();
    assert_eq!(reply.status, 400);
    let encoded = [("content-encoding", "zstd")];
    assert_eq!(
        send("POST", &format!("{}/v1/responses", upstream.url()), &encoded, b"{}").unwrap().status,
        400
    );
}

#[test]
fn side_requests_get_a_plain_answer() {
    for dialect in DIALECTS {
        let upstream = Upstream::start(script().aside("A title")).unwrap();
        let client = Client::new(dialect, upstream.url(), false);
        let mut body = client.body();
        body.as_object_mut().unwrap().remove("tools");
        let path = client.post();
        assert_eq!(path.status, 200);
        let url = format!("{}{}", upstream.url(), upstream.requests()[0].path);
        let reply = send("POST", &url, &[], body.to_string().as_bytes()).unwrap();
        assert!(String::from_utf8_lossy(&reply.body).contains("A title"));
        assert_eq!((upstream.requests().len(), upstream.model_requests().len()), (2, 1));
    }
}

#[test]
fn other_paths() {
    let upstream = Upstream::start(script()).unwrap();
    let at = |path: &str| format!("{}{path}", upstream.url());
    assert_eq!(send("HEAD", &at("/"), &[], b"").unwrap().status, 200);
    assert_eq!(send("GET", &at("/v1/models"), &[], b"").unwrap().json()["data"][0]["id"], "fake-1");
    let upgrade = [("upgrade", "websocket")];
    assert_eq!(send("GET", &at("/v1/responses"), &upgrade, b"").unwrap().status, 426);
    assert_eq!(send("POST", &at("/v1/nothing"), &[], b"{}").unwrap().status, 404);
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "go" }] }).to_string();
    let counted = send("POST", &at("/v1/messages/count_tokens?beta=true"), &[], body.as_bytes()).unwrap();
    assert_eq!(counted.json()["input_tokens"], body.len() / 4);
    assert_eq!(upstream.requests().len(), 5);
}

#[test]
fn usage_thinking_and_failures_are_scripted() {
    let usage = Usage { input: 2, cache_read: 490_866, cache_creation: 2_496, output: 60 };
    let script = || {
        Script::new()
            .turn(Turn::call("bash", json!({ "command": "x" })).thinking("Let me see.").with_usage(usage))
            .turn(Turn::fail(529, "overloaded_error", "Overloaded"))
    };
    let upstream = Upstream::start(script()).unwrap();
    let mut client = Client::new(Dialect::Messages, upstream.url(), true);
    let start = &client.post().events()[0].1["message"]["usage"];
    assert_eq!(start["cache_read_input_tokens"], 490_866);
    let (_, calls) = client.turn();
    assert_eq!(client.history[1]["content"][0]["thinking"], "Let me see.");
    client.give(&[(&calls[0].0, "x")]);
    let reply = client.post();
    assert_eq!((reply.status, &reply.json()["error"]["type"]), (529, &json!("overloaded_error")));
    client.history[1]["content"][0]["thinking"] = "Let me see!".into();
    assert_eq!(client.post().status, 400);

    let upstream = Upstream::start(script()).unwrap();
    let reply = Client::new(Dialect::Responses, upstream.url(), false).post().json();
    assert_eq!(reply["usage"]["input_tokens"], 493_364);
    assert_eq!(reply["output"][0]["type"], "reasoning");
    let reply = Client::new(Dialect::Chat, upstream.url(), false).post().json();
    assert_eq!(reply["usage"]["prompt_tokens_details"]["cached_tokens"], 490_866);
}

#[test]
fn custom_tools_and_namespaces() {
    let script = Script::new().turn(Turn::call("exec", json!("ls -l")).and_call("spawn", json!({ "a": 1 })));
    let upstream = Upstream::start(script).unwrap();
    let custom = json!({ "type": "custom", "name": "exec", "format": { "type": "text" } });
    let spawn = json!({ "type": "function", "name": "spawn", "parameters": { "type": "object" } });
    let tools = json!([
        { "type": "namespace", "name": "functions", "tools": [custom] },
        { "type": "namespace", "name": "n", "tools": [spawn] },
    ]);
    let body = json!({ "model": "m", "stream": true, "input": [
        { "type": "additional_tools", "role": "developer", "tools": tools },
        { "role": "user", "content": "go" },
    ] });
    let url = format!("{}/v1/responses", upstream.url());
    let reply = send("POST", &url, &[], body.to_string().as_bytes()).unwrap();
    let items = joined_response(&reply)["output"].clone();
    assert_eq!((&items[0]["type"], &items[0]["input"]), (&json!("custom_tool_call"), &json!("ls -l")));
    assert_eq!(items[0].get("namespace"), None);
    assert_eq!((&items[1]["type"], &items[1]["namespace"]), (&json!("function_call"), &json!("n")));
    assert_eq!(upstream.requests()[0].tool_ending_with("awn").as_deref(), Some("spawn"));
}

#[test]
fn a_script_that_panics_is_a_complaint() {
    let upstream = Upstream::start(Script::new().then(|_| panic!("no result"))).unwrap();
    let reply = Client::new(Dialect::Chat, upstream.url(), true).post();
    assert_eq!(reply.status, 400);
    assert_eq!(upstream.complaints(), ["request 0: the script panicked: no result"]);
}

#[test]
fn a_server_lives_in_its_network_and_ends_with_its_value() {
    let network = Network::closed_if_possible();
    let upstream = Upstream::start_in(&network, Script::new()).unwrap();
    let url = format!("{}/v1/models", upstream.url());
    let get = || send("GET", &url, &[], b"").map(|reply| reply.status);
    assert_eq!(network.within(get).unwrap().unwrap(), 200);
    if network.is_closed() {
        assert!(get().is_err());
    }
    drop(upstream);
    assert!(network.within(get).unwrap().is_err());
}
