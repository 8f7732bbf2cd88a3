//! `recto session stats`: figures that another count agrees with, tables, the page.

use std::{collections::BTreeMap, path::Path};

use recto::{
    session::{
        Atoms,
        history::{NodeKind, Observer, Said},
        stats::{Stats, Weigher},
    },
    tokens::Tokenizer,
    transcript::Transcript,
    weighed,
    wire::Format,
};
use recto_testkit::corpus;
use serde_json::Value;

use crate::desk::Desk;

/// What stands in a file, counted with nothing but a JSON parser.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    calls: u64,
    results: u64,
    result_chars: u64,
    images: u64,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Count {
    /// A string, or a list of texts and images.
    fn content(&mut self, content: &Value, in_result: bool) {
        let add = |count: &mut Self, text: &Value| {
            if in_result {
                count.result_chars += text.as_str().unwrap_or_default().chars().count() as u64;
            }
        };
        if content.is_string() {
            return add(self, content);
        }
        for block in content.as_array().into_iter().flatten() {
            match text(&block["type"]) {
                "text" | "input_text" | "output_text" => add(self, &block["text"]),
                "image" | "document" | "input_image" => self.images += 1,
                _ if block.is_string() => add(self, block),
                _ => {}
            }
        }
    }

    fn result(&mut self, content: &Value) {
        self.results += 1;
        self.content(content, true);
    }

    fn claude(&mut self, line: &Value) {
        let kind = text(&line["type"]);
        // A line of its own for a call or a result.
        if line.get("message").is_none() && kind == "tool_use" {
            self.calls += 1;
        } else if line.get("message").is_none() && kind == "tool_result" {
            self.result(line.get("output").unwrap_or(&line["content"]));
        }
        // What was asked while the model was at work.
        if kind == "attachment" {
            self.content(&line["attachment"]["prompt"], false);
        }
        if !matches!(kind, "user" | "assistant")
            || line["isVirtual"] == true
            || line["isApiErrorMessage"] == true
        {
            return;
        }
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            match text(&block["type"]) {
                "tool_use" => self.calls += 1,
                "tool_result" => self.result(&block["content"]),
                "image" | "document" => self.images += 1,
                _ => {}
            }
        }
    }

    fn pi(&mut self, line: &Value) {
        let message = &line["message"];
        match text(&message["role"]) {
            "assistant" if matches!(text(&message["stopReason"]), "error" | "aborted") => {}
            "assistant" | "user" => {
                for block in message["content"].as_array().into_iter().flatten() {
                    self.calls += u64::from(block["type"] == "toolCall");
                    self.images += u64::from(block["type"] == "image");
                }
            }
            "toolResult" => self.result(&message["content"]),
            _ => {}
        }
    }

    fn codex(&mut self, line: &Value) {
        match text(&line["type"]) {
            "response_item" => self.codex_item(&line["payload"]),
            "compacted" => {
                let history = line["payload"]["replacement_history"].as_array();
                history.into_iter().flatten().for_each(|item| self.codex_item(item));
            }
            _ if line.get("payload").is_none() => self.codex_item(line),
            _ => {}
        }
    }

    fn codex_item(&mut self, item: &Value) {
        match text(&item["type"]) {
            "message" => self.content(&item["content"], false),
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_call" | "tool_search_call" => {
                self.calls += 1
            }
            "function_call_output" | "custom_tool_call_output" => {
                let output = &item["output"];
                match output.get("type") {
                    Some(_) => self.result(&Value::Array(vec![output.clone()])),
                    None if output.is_object() => self.result(&output["content"]),
                    None => self.result(output),
                }
            }
            "image_generation_call" => self.images += 1,
            "tool_search_output" => self.results += 1,
            "tool_result" => {
                let result = &item["result"];
                self.result(if result.is_object() { &result["stdout"] } else { result });
                if result.is_object() {
                    self.content(&result["stderr"], true);
                }
            }
            _ => {}
        }
    }

    fn gemini(&mut self, message: &Value) {
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            self.calls += 1;
            for part in call["result"].as_array().into_iter().flatten() {
                let Some(response) = part.get("functionResponse") else { continue };
                self.results += 1;
                for member in response["response"].as_object().into_iter().flatten() {
                    self.result_chars += text(member.1).chars().count() as u64;
                }
            }
            if let Some(result) = call["result"].as_str() {
                self.results += 1;
                self.result_chars += result.chars().count() as u64;
            }
        }
        let parts = [&message["content"], &message["parts"]].into_iter().filter_map(Value::as_array);
        for part in parts.flatten() {
            self.images += u64::from(part.get("inlineData").is_some());
        }
    }

    fn opencode(&mut self, part: &Value) {
        match text(&part["type"]) {
            "tool" => {
                self.calls += 1;
                let state = &part["state"];
                let output = if state["status"] == "error" { &state["error"] } else { &state["output"] };
                if output.is_string() {
                    self.result(output);
                }
            }
            "file" if part["mime"] != "text/plain" => self.images += 1,
            _ => {}
        }
    }

    /// All files of a session.
    fn of(format: Format, transcript: &Transcript) -> Self {
        let mut count = Self::default();
        for path in transcript.paths() {
            let bytes = std::fs::read(path).unwrap();
            let whole: Option<Value> = serde_json::from_slice(&bytes).ok();
            let lines = bytes
                .split(|byte| *byte == b'\n')
                .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
            match format {
                Format::OpenCode => whole.iter().for_each(|part| count.opencode(part)),
                Format::GeminiCli => match whole
                    .as_ref()
                    .and_then(|whole| whole["messages"].as_array().or(whole["history"].as_array()))
                {
                    Some(messages) => messages.iter().for_each(|message| count.gemini(message)),
                    None => lines.for_each(|line| count.gemini(&line)),
                },
                Format::ClaudeCode => lines.for_each(|line| count.claude(&line)),
                Format::Codex => lines.for_each(|line| count.codex(&line)),
                _ => lines.for_each(|line| count.pi(&line)),
            }
        }
        count
    }
}

struct Nobody;

impl Observer for Nobody {
    fn text(&mut self, _: &Said<'_>) -> u64 {
        0
    }
}

/// Every session of the corpus, by its path below the folder.
fn transcripts() -> Vec<(String, Transcript)> {
    let files = corpus::transcripts().unwrap_or_default().into_iter();
    let is_session =
        |name: &str| !name.contains("/part/") && !name.contains("/message/") && !name.ends_with(".md");
    let files = files.filter(|file| is_session(&file.relative));
    files.filter_map(|file| Some((file.relative, Transcript::open(&file.path, None).ok()?))).collect()
}

#[test]
fn figures_agree_with_an_independent_count() {
    let mut formats: BTreeMap<Format, u64> = BTreeMap::new();
    for (name, transcript) in transcripts() {
        // Qwen writes a form of its own in Gemini's.
        if name.contains("qwen") {
            continue;
        }
        let read = weighed(&transcript, None, Tokenizer::O200k, &mut Nobody, &mut |_| {}).unwrap();
        let totals = Stats::of(&read.reading.history, &read.base64, Tokenizer::O200k).everywhere;
        let counted = Count {
            calls: totals.calls,
            results: totals.results,
            result_chars: totals.result_chars,
            images: totals.images,
        };
        assert_eq!(counted, Count::of(transcript.format(), &transcript), "{name}");
        *formats.entry(transcript.format()).or_default() += totals.results;
    }
    assert!(
        formats.is_empty() || formats.values().filter(|results| **results > 0).count() >= 5,
        "{formats:?}"
    );
}

#[test]
fn two_threads_count_what_one_counts() {
    for (name, transcript) in transcripts() {
        let mut weigher = Weigher::new(Tokenizer::O200k);
        let alone = transcript.read(None, &mut weigher, &mut |_| {}).unwrap();
        let both = weighed(&transcript, None, Tokenizer::O200k, &mut Nobody, &mut |_| {}).unwrap();
        assert_eq!(alone.history.items, both.reading.history.items, "{name}");
        assert_eq!(alone.history.results, both.reading.history.results, "{name}");
        assert_eq!(weigher.base64_items(), both.base64, "{name}");
    }
}

#[test]
fn sums_are_the_same_however_they_are_cut() {
    for (name, transcript) in transcripts() {
        let read = weighed(&transcript, None, Tokenizer::O200k, &mut Nobody, &mut |_| {}).unwrap();
        let history = &read.reading.history;
        let stats = Stats::of(history, &read.base64, Tokenizer::O200k);
        let all = stats.path.tokens;
        assert_eq!(stats.kinds.values().map(|kind| kind.tokens).sum::<u64>(), all, "{name}");
        assert_eq!(stats.ages.iter().map(|age| age.tokens).sum::<u64>(), all, "{name}");
        assert_eq!(stats.tools.values().map(|tool| tool.results).sum::<u64>(), stats.path.results, "{name}");
        assert_eq!(stats.tools.values().map(|tool| tool.calls).sum::<u64>(), stats.path.calls, "{name}");
        let last = stats.contexts.last().unwrap();
        assert_eq!(last.tokens, stats.read_tokens, "{name}");
        // Every record that is read is in one atom, and only in one.
        let atoms = Atoms::of_history(history);
        let mut nodes: Vec<u64> = atoms.all().iter().flat_map(|atom| atom.seqs.clone()).collect();
        nodes.sort_unstable();
        let read: Vec<u64> = (0..)
            .zip(&history.nodes)
            .filter(|(_, node)| node.is_read && node.kind != NodeKind::Silent && node.items.0 < node.items.1)
            .map(|(at, _)| at)
            .collect();
        assert_eq!(nodes, read, "{name}");
        let images = Atoms::metrics(atoms.all()).images;
        assert!(images.len() as u64 <= stats.images.count, "{name}");
    }
}

fn pi(lines: &[&str]) -> Vec<u8> {
    let mut session =
        r#"{"type":"session","id":"3fa2c1d0-1111","timestamp":"2026-01-02T03:04:05Z","cwd":"/w/shop"}"#
            .to_owned();
    for line in lines {
        session.push('\n');
        session.push_str(line);
    }
    session.push('\n');
    session.into_bytes()
}

/// A session in which a file is read twice, and a tool has a name that is markup.
fn small() -> Vec<u8> {
    let call = |id: &str, tool: &str| {
        format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"{tool}","arguments":{{"path":"src/main.rs"}}}}]}}}}"#
        )
    };
    let result = |id: &str, text: &str| {
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"{id}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        r#"{"type":"message","message":{"role":"user","content":"Why does it \u001b[2J fail?"}}"#.to_owned(),
        call("c1", "read"),
        result("c1", "fn main() { payment_4711(); }"),
        call("c2", "read"),
        result("c2", "fn main() { payment_4711(); }"),
        call("c3", "<b>\\u001b[2J"),
        result("c3", "<script>alert(1)</script>"),
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"It is payment_4711."}]}}"#.to_owned(),
    ];
    pi(&lines.each_ref().map(String::as_str))
}

#[test]
fn one_session_is_told_in_tables() {
    let desk = Desk::new();
    desk.write("small.jsonl", &small());
    let done = desk.run(&["session", "stats", "small.jsonl", "--policies"]);
    insta::assert_snapshot!(desk.shown(&done));
    let json = desk.run(&["session", "stats", "small.jsonl", "--json"]).ok().json();
    assert_eq!((json["path"]["calls"].as_u64(), json["path"]["results"].as_u64()), (Some(3), Some(3)));
    assert_eq!(json["repeats"]["readAgain"]["texts"], 1);
    assert_eq!(json["repeats"]["sameCall"]["texts"], 1);
    assert_eq!(json["tokenizer"], "o200k_base");
    assert!(json.get("policies").is_none());
}

#[test]
fn a_page_needs_nothing_and_is_no_markup_of_others() {
    let desk = Desk::new();
    desk.write("small.jsonl", &small());
    desk.run(&["session", "stats", "small.jsonl", "--html", "page.html"]).ok();
    let page = std::fs::read_to_string(desk.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for wrong in ["<script", "<b>", "http:", "https:", "\u{1b}", "@import", "url("] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    for right in
        ["<svg", "prefers-color-scheme: dark", "&lt;b&gt;", "head-tail", "role=\"img\"", "tabindex=\"0\""]
    {
        assert!(page.contains(right), "{right}");
    }
    for (tag, end) in [("<table>", "</table>"), ("<tr>", "</tr>"), ("<figure>", "</figure>"), ("<p", "</p>")]
    {
        assert_eq!(
            page.matches(tag).count(),
            page.matches(end).count() + usize::from(tag == "<p") * page.matches("<path").count(),
            "{tag}"
        );
    }
}

#[test]
fn folders_and_the_clients_own_are_added_up() {
    let desk = Desk::new();
    let done = desk.run(&["session", "stats"]);
    insta::assert_snapshot!("nothing", desk.shown(&done));
    desk.write(".pi/agent/sessions/x/2026-01-02T03-04-05-678Z_3fa2c1d0-1111.jsonl", &small());
    desk.write("folder/one.jsonl", &small());
    desk.write("folder/notes.json", b"{\"a\": 1}\n");
    desk.write("folder/two.jsonl", &small());
    let done = desk.run(&["session", "stats", "folder"]);
    insta::assert_snapshot!("folder", desk.shown(&done));
    let own = desk.run(&["session", "stats", "--json"]).ok().json();
    assert_eq!((own["sessions"].as_u64(), own["path"]["results"].as_u64()), (Some(1), Some(3)));
    assert_eq!(own["clients"][0]["client"], "pi");
    assert_eq!(own["medianResultShare"], Value::Null, "too small for medians");
    assert_eq!(own["policies"].as_array().unwrap().len(), 7);
    let both =
        desk.run(&["session", "stats", "folder/one.jsonl", "folder", "--json", "--no-policies"]).ok().json();
    assert_eq!(both["sessions"], 2, "each once");
    let none = desk.run(&["session", "stats", "--client", "codex", "--json"]).ok().json();
    assert_eq!(none["sessions"], 0);
}

#[test]
fn what_cannot_be_read_is_said() {
    let desk = Desk::new();
    desk.write("binary.jsonl", &[0, 159, 146, 150, 0, 1]);
    desk.write("empty.jsonl", b"");
    desk.write("other.json", b"{\"a\": 1}");
    desk.run(&["session", "stats", "missing"]).fails(2, &["no file \"missing\"", "recto session ls"]);
    desk.run(&["session", "stats", "empty.jsonl"]).fails(2, &["empty.jsonl is empty"]);
    for name in ["binary.jsonl", "other.json"] {
        desk.run(&["session", "stats", name]).fails(2, &[name, "no transcript", "--format"]);
    }
    desk.run(&["session", "stats", "other.json", "--format", "word"]).fails(2, &["unknown format"]);
    desk.run(&["session", "stats", ".", "--leaf", "x"]).fails(2, &["--leaf"]);
    desk.write("small.jsonl", &small());
    desk.run(&["session", "stats", "small.jsonl", "--leaf", "x"]).fails(2, &["no record", "\"x\""]);
    desk.run(&["session", "stats", "small.jsonl", "--html", "missing/page.html"]).fails(1, &["cannot write"]);
}

#[test]
fn images_and_base64_are_apart() {
    let desk = Desk::new();
    // A GIF of 320 by 240 pixels, as far as its header goes.
    let image = r#"{"type":"message","message":{"role":"user","content":[{"type":"image","data":"R0lGODlhQAHwAA==","mimeType":"image/gif"}]}}"#;
    let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk".repeat(8);
    let text = format!(r#"{{"type":"message","message":{{"role":"user","content":"{base64}"}}}}"#);
    let path = desk.write("images.jsonl", &pi(&[image, &text]));
    let json = desk.run(&["session", "stats", &path.display().to_string(), "--json"]).ok().json();
    assert_eq!(
        json["images"],
        serde_json::json!({ "count": 1, "bytes": 10, "pixels": 76_800, "tokens": 255, "withoutSize": 0 })
    );
    assert_eq!(
        (json["base64"]["texts"].as_u64(), json["base64"]["chars"].as_u64()),
        (Some(1), Some(base64.len() as u64))
    );
    let claude = ["session", "stats", "images.jsonl", "--tokenizer", "claude-estimate", "--json"];
    assert_ne!(desk.run(&claude).ok().json()["images"]["tokens"], 255);
    let said = desk.run(&["session", "stats", "images.jsonl"]).ok().out();
    assert!(
        said.contains("1 image, 10 B, 76,800 pixels") && said.contains("Base64 as text: 1 text"),
        "{said}"
    );
}

#[test]
fn instructions_in_a_header_are_counted_and_outlast_a_compaction() {
    let desk = Desk::new();
    let lines = [
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/w","base_instructions":{"text":"Be brief and true."}}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello there"}]}}"#,
        r#"{"timestamp":"t","type":"compacted","payload":{"message":"They said hello."}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}}"#,
    ];
    desk.write("rollout.jsonl", lines.join("\n").as_bytes());
    let json = desk.run(&["session", "stats", "rollout.jsonl", "--json"]).ok().json();
    assert_eq!(json["kinds"]["system"]["chars"], 18);
    let tokens = |kind: &str| json["kinds"][kind]["tokens"].as_u64().unwrap();
    assert_eq!(json["readTokens"].as_u64().unwrap(), tokens("system") + tokens("summary") + tokens("agent"));
    assert!(Path::new(json["session"].as_str().unwrap()).ends_with("rollout.jsonl"));
}
