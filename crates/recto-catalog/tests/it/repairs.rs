//! Malformed calls as models were seen to write them, each with what becomes of it.
//!
//! Where a call was reported in public, the report is named (`owner/repository#number`).

use recto_catalog::{
    Directory, MapTools, NamespaceTools, Operation, Outcome, Question, Removed, Surface, Tool, resolve,
};
use serde_json::{Value, json};

/// What was seen where, how tools are offered, the call's name and arguments as JSON, and what becomes of it.
type Shape = (&'static str, Level, &'static str, &'static str, &'static str);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Direct,
    Namespaces,
    Map,
}

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    ("PrefectHQ/fastmcp#932", Level::Direct, "list_issues", r#""{\"owner\": \"o\", \"repo\": \"r\"}""#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were JSON as text; they were read."#),
    ("InternLM/lmdeploy#3058, text within text", Level::Direct, "list_issues", r#""\"{\\\"owner\\\": \\\"o\\\", \\\"repo\\\": \\\"r\\\"}\"""#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were JSON as text; they were read."#),
    ("openai/openai-agents-js#664, sigoden/aichat#1217", Level::Direct, "ping", r#""""#,
        "ping {} <- No arguments were passed; none are needed."),
    ("langchain-ai/langchain#34242", Level::Direct, "ping", "null",
        "ping {} <- No arguments were passed; none are needed."),
    ("mastra-ai/mastra#10728: nothing where something is needed", Level::Direct, "list_issues", "null",
        "error: list_issues: Missing: owner (string), repo (string)."),
    ("langchain-ai/langchain#33012, earendil-works/pi#8858", Level::Direct, "list_issues", r#""```json\n{\"owner\": \"o\", \"repo\": \"r\"}\n```""#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were JSON as text; they were read."#),
    ("NousResearch/hermes-agent#79333: words behind the JSON", Level::Direct, "list_issues", r#""{\"owner\": \"o\", \"repo\": \"r\"} I will list them.""#,
        "error: list_issues: The arguments are text that is not JSON: pass an object with owner, repo, state, labels, perPage, draft, since."),
    ("openai/openai-agents-python#3135", Level::Direct, "list_issues", r#"[{"owner": "o", "repo": "r"}]"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments stood in an array; they were taken out."#),
    ("openai/openai-agents-python#3135: which of two?", Level::Direct, "list_issues", r#"[{"owner": "o", "repo": "r"}, {"owner": "o", "repo": "r"}]"#,
        "error: list_issues: The arguments are an array of 2: pass an object with owner, repo, state, labels, perPage, draft, since."),
    ("openclaw/openclaw#142304, sgl-project/sglang#38450", Level::Direct, "list_issues", r#"{"arguments": {"owner": "o", "repo": "r"}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were wrapped in "arguments"; they were taken out."#),
    ("vllm-project/vllm#41531: wrapped, and as text", Level::Direct, "list_issues", r#"{"arguments": "{\"owner\": \"o\", \"repo\": \"r\"}"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- arguments was JSON as text; it was read. The arguments were wrapped in "arguments"; they were taken out."#),
    ("openclaw/openclaw#142304: deeper on each retry", Level::Direct, "list_issues", r#"{"arguments": {"arguments": {"owner": "o", "repo": "r"}}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were wrapped in "arguments"; they were taken out. The arguments were wrapped in "arguments"; they were taken out."#),
    ("ollama/ollama#17486", Level::Direct, "list_issues", r#"{"name": "list_issues", "arguments": {"owner": "o", "repo": "r"}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were wrapped in "arguments"; they were taken out."#),
    ("ollama/ollama#17486: beside another tool's name", Level::Direct, "list_issues", r#"{"name": "create_issue", "arguments": {"owner": "o", "repo": "r"}}"#,
        r#"error: list_issues: "name", "arguments" are no arguments: leave them out. Missing: owner (string), repo (string). It takes owner, repo, state, labels, perPage, draft, since."#),
    ("AstrBotDevs/AstrBot#10076: a wrapper's name that the tool declares", Level::Direct, "execute", r#"{"input": {"input": {"x": 1}}}"#,
        r#"execute {"input":{"input":{"x":1}}}"#),
    ("VibiumDev/vibium#85, microsoft/azure-devops-mcp#1037", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "perPage": "20"}"#,
        r#"list_issues {"owner":"o","repo":"r","perPage":20} <- perPage was a number as text; it was made a number."#),
    ("a text that is more than a number", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "perPage": "20 per page"}"#,
        r#"error: list_issues: perPage must be an integer; you passed "20 per page"."#),
    ("anthropics/claude-code#29104, homeassistant-ai/ha-mcp#218", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "draft": "true"}"#,
        r#"list_issues {"owner":"o","repo":"r","draft":true} <- draft was true or false as text; it was made a boolean."#),
    ("anthropics/claude-code#91803", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "draft": "True"}"#,
        r#"error: list_issues: draft must be a boolean or null; you passed "True": pass true."#),
    ("redhat-data-and-ai/template-agent#249, anthropics/claude-code#32662", Level::Direct, "create_issue", r#"{"owner": "o", "repo": "r", "title": "t", "fields": "{\"priority\": 1}"}"#,
        r#"create_issue {"owner":"o","repo":"r","title":"t","fields":{"priority":1}} <- fields was JSON as text; it was read."#),
    ("GongRzhe/Gmail-MCP-Server#96, punkpeye/mcp-remote#319", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": "[\"bug\", \"ui\"]"}"#,
        r#"list_issues {"owner":"o","repo":"r","labels":["bug","ui"]} <- labels was JSON as text; it was read."#),
    ("NousResearch/hermes-agent#19717", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": "bug"}"#,
        r#"list_issues {"owner":"o","repo":"r","labels":["bug"]} <- labels takes an array; the one value was put into one."#),
    ("one of two words, or both?", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": "help wanted"}"#,
        r#"error: list_issues: labels must be an array of string; you passed "help wanted": pass ["help wanted"]."#),
    ("an empty text for an array", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": ""}"#,
        r#"error: list_issues: labels must be an array of string; you passed "": pass [], or leave it out where it may be absent."#),
    ("a member twice, in JSON as text", Level::Direct, "list_issues", r#""{\"owner\": \"o\", \"repo\": \"r\", \"repo\": \"s\"}""#,
        r#"error: list_issues: "repo" is passed twice, with different values: pass it once."#),
    ("a number that no parser keeps", Level::Map, "t", r#"{"f": "list_issues", "a": "{\"owner\": \"o\", \"repo\": \"r\", \"perPage\": 99999999999999999999}"}"#,
        "error: list_issues: 99999999999999999999 is too large to be passed on as it is: whole numbers reach from -9223372036854775808 to 18446744073709551615; pass it as a string where the tool takes one."),
    ("kunwarVivek/mcp-github-project-manager#17: one or several?", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": "bug, ui"}"#,
        r#"error: list_issues: labels must be an array of string; you passed "bug, ui": pass each item as its own string in an array."#),
    ("NousResearch/hermes-agent#99290", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "labels": {"item": "bug"}}"#,
        r#"error: list_issues: labels must be an array of string; you passed an object {"item"}."#),
    ("lmstudio-ai/lmstudio-bug-tracker#1626, agentscope-ai/QwenPaw#6839: what was written is lost", Level::Direct, "create_issue", r#"{"owner": "o", "repo": "r", "title": 1.000001}"#,
        r#"error: create_issue: title must be a string; you passed 1.000001: pass "1.000001"."#),
    ("mastra-ai/mastra#12396, ZenRows/zenrows-mcp#23", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "state": null, "since": null}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- state was null, which it cannot be; it was left out. since was null, which it cannot be; it was left out."#),
    ("null for what must be there", Level::Direct, "list_issues", r#"{"owner": "o", "repo": null}"#,
        "error: list_issues: repo must be a string; you passed null: pass a value, or leave it out where it may be absent."),
    ("anthropics/claude-code#95239", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "state": "null"}"#,
        r#"error: list_issues: state must be one of "open", "closed", "all"; you passed "null"."#),
    ("a near value", Level::Direct, "list_issues", r#"{"owner": "o", "repo": "r", "state": "OPEN"}"#,
        r#"error: list_issues: state must be one of "open", "closed", "all"; you passed "OPEN": pass "open"."#),
    ("an invented name", Level::Direct, "search-a_search", r#"{"query": "rust"}"#,
        r#"error: search-a_search: You passed "query"; did you mean "q"? Rename it. It takes q."#),
    ("dcdpr/jp#290: several faults", Level::Direct, "list_issues", r#"{"repository": "r", "perPage": 500, "verbose": true}"#,
        r#"error: list_issues: You passed "repository"; did you mean "repo"? Rename it. "verbose" is no argument: leave it out. Missing: owner (string). It takes owner, repo, state, labels, perPage, draft, since. perPage must be at most 100; you passed 500."#),
    ("RooCodeInc/Roo-Code#10642, anthropics/claude-code#80065", Level::Direct, "list-issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "list-issues" was read as "list_issues"."#),
    ("onyx-dot-app/onyx#6832", Level::Direct, "ListIssues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "ListIssues" was read as "list_issues"."#),
    ("sgl-project/sglang#9606: Kimi's ids as names", Level::Direct, "functions.list_issues:0", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "functions.list_issues:0" was read as "list_issues"."#),
    ("Gemini's notation", Level::Direct, "default_api.list_issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "default_api.list_issues" was read as "list_issues"."#),
    ("NousResearch/hermes-agent#24411", Level::Direct, "tool:list_issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "tool:list_issues" was read as "list_issues"."#),
    ("NousResearch/hermes-agent#82876: the server's raw name", Level::Direct, "mcp__search-a__search", r#"{"q": "rust"}"#,
        r#"search-a_search {"q":"rust"} <- "mcp__search-a__search" was read as "search-a_search"."#),
    ("fiberplane/mcp-lite#114", Level::Direct, "search-a/search", r#"{"q": "rust"}"#,
        r#"search-a_search {"q":"rust"} <- "search-a/search" was read as "search-a_search"."#),
    ("a server that is not the tool's", Level::Direct, "gitlab.list_issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"error: No tool is called "gitlab.list_issues". Nearest: "list_issues". Call one of the tools that are offered."#),
    ("crmne/ruby_llm#445: the name without its server", Level::Direct, "search", r#"{"q": "rust"}"#,
        r#"error: "search" may be any of "search-a_search", "search-b_search": write the one that you mean."#),
    ("livekit/agents#6085", Level::Direct, "list_issue_comments", r#"{"owner": "o", "repo": "r"}"#,
        r#"error: No tool is called "list_issue_comments". Nearest: "list_issues". Call one of the tools that are offered."#),
    ("a tool that was removed", Level::Direct, "old-tool", "{}",
        r#"error for good: "old_tool" was removed and cannot be called any more: use another tool."#),
    ("openclaw/openclaw#96461, stacklok/toolhive#5891", Level::Map, "t", r#"{"f": "list_issues", "owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- Arguments stood beside "a" instead of in it; they were moved."#),
    ("PKUfudawei/dsh-capability-menu#4", Level::Map, "t", r#"{"f": "list_issues", "a": "{\"owner\": \"o\", \"repo\": \"r\"}"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were JSON as text; they were read."#),
    ("PKUfudawei/dsh-capability-menu#4: the whole call as text in its own member", Level::Map, "t", r#"{"a": "{\"f\": \"list_issues\", \"a\": {\"owner\": \"o\", \"repo\": \"r\"}}"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "t" was called through itself; once is enough."#),
    ("PKUfudawei/dsh-capability-menu#10", Level::Map, "t", r#"{"f": "list_issues", "a": {"f": "list_issues", "a": {"owner": "o", "repo": "r"}}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- The arguments were wrapped in "a"; they were taken out."#),
    ("stacklok/toolhive#5891: the name inside the arguments", Level::Map, "t", r#"{"a": {"tool_name": "list_issues", "owner": "o", "repo": "r"}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "t" was called through itself; once is enough. "tool_name" was read as "f". Arguments stood beside "a" instead of in it; they were moved."#),
    ("stacklok/toolhive#5891: called through itself", Level::Map, "t", r#"{"f": "t", "a": {"f": "list_issues", "a": {"owner": "o", "repo": "r"}}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "t" was called through itself; once is enough."#),
    ("openclaw/openclaw#96127: `name` for `f`, `args` for `a`", Level::Map, "t", r#"{"name": "list_issues", "args": {"owner": "o", "repo": "r"}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "name" was read as "f". "args" was read as "a"."#),
    ("garrytan/gbrain#4922: nothing but the name", Level::Map, "t", r#"{"f": "ping"}"#,
        "ping {} <- No arguments were passed; none are needed."),
    ("NousResearch/hermes-agent#76650: paths as names", Level::Map, "t", r#"{"f": "list_issues", "a.owner": "o", "a.repo": "r"}"#,
        r#"error: list_issues: You passed "a.owner"; did you mean "owner"? Rename it. You passed "a.repo"; did you mean "repo"? Rename it. It takes owner, repo, state, labels, perPage, draft, since."#),
    ("half beside, half inside", Level::Map, "t", r#"{"f": "list_issues", "a": {"owner": "o"}, "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- Arguments stood beside "a" instead of in it; they were moved."#),
    ("a reason beside", Level::Map, "t", r#"{"f": "list_issues", "a": {"owner": "o", "repo": "r"}, "reason": "to see"}"#,
        r#"error: list_issues: "reason" stands beside "a" in t: put all arguments of the tool into "a"."#),
    ("a code as the tool's name", Level::Map, "list_issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "list_issues" is called through "t"; it was."#),
    ("a code as the tool's name, with the envelope", Level::Map, "mcp__files__list_issues", r#"{"f": "list_issues", "a": {"owner": "o", "repo": "r"}}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "mcp__files__list_issues" was read as "list_issues". "list_issues" is called through "t"; it was. The arguments were wrapped in "a"; they were taken out."#),
    ("the call written into the name", Level::Map, "t", r#"{"f": "list_issues(owner=\"o\", repo=\"r\")"}"#,
        r#"error: "list_issues(owner=\"o\", repo=\"r\")" is a call, not a name: pass only "list_issues" as the name, and the arguments as an object."#),
    ("the call as a text", Level::Map, "t", r#""list_issues""#,
        r#"error: t got text that is not JSON: write t {"f": name, "a": {arguments}}."#),
    ("no name", Level::Map, "t", r#"{"owner": "o"}"#,
        r#"error: t does not say which tool to call: write t {"f": name, "a": {arguments}}."#),
    ("Lexus2016/hermes-agent-evolution#1170", Level::Map, "t", r#"{"f": "ping", "a": ""}"#,
        "ping {} <- No arguments were passed; none are needed."),
    ("nicobailon/pi-mcp-adapter#363: a look-up as text in another member", Level::Map, "q", r#"{"args": "{\"search\": \"list issues\"}"}"#,
        r#"q: Words("list issues")"#),
    ("a look-up as a bare text", Level::Map, "q", r#""who changed this line""#,
        r#"q: Words("who changed this line")"#),
    ("a look-up through the caller", Level::Map, "t", r#"{"f": "q", "a": {"s": "issues"}}"#,
        r#"q: Words("issues")"#),
    ("an operation under another name, flat", Level::Namespaces, "github", r#"{"operation": "list_issues", "owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "operation" was read as "op". Arguments stood beside "args" instead of in it; they were moved."#),
    ("an operation by its code's other writing", Level::Namespaces, "github", r#"{"op": "listIssues", "args": "{\"owner\": \"o\", \"repo\": \"r\"}"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "listIssues" was read as "list_issues". The arguments were JSON as text; they were read."#),
    ("an operation of another namespace", Level::Namespaces, "github", r#"{"op": "execute", "args": {}}"#,
        r#"error: "execute" is no operation of "github", but of "other": call "other" with it."#),
    ("an operation as the tool's name", Level::Namespaces, "list_issues", r#"{"owner": "o", "repo": "r"}"#,
        r#"list_issues {"owner":"o","repo":"r"} <- "list_issues" is called through "github"; it was."#),
    ("no operation", Level::Namespaces, "github", r#"{"owner": "o", "repo": "r"}"#,
        r#"error: github does not say which tool to call: write github {"op": name, "args": {arguments}}. Its operations: "create_issue", "list_issues"."#),
    ("what an operation takes", Level::Namespaces, "describe_op", r#""listIssues""#,
        r#"describe_op: Code("list_issues")"#),
    ("a number", Level::Direct, "list_issues", "7",
        "error: list_issues: The arguments are a number: pass an object with owner, repo, state, labels, perPage, draft, since."),
];

/// A few tools, two of which have the same name on different servers, and one that was removed.
pub(crate) fn directory() -> Directory {
    let owner_and_repo = json!({"owner": {"type": "string"}, "repo": {"type": "string"}});
    let with = |more: Value, required: Value| {
        let mut properties = owner_and_repo.clone();
        for (name, schema) in more.as_object().into_iter().flatten() {
            properties[name] = schema.clone();
        }
        json!({"type": "object", "properties": properties, "required": required})
    };
    let list = with(
        json!({
            "state": {"type": "string", "enum": ["open", "closed", "all"]},
            "labels": {"type": "array", "items": {"type": "string"}},
            "perPage": {"type": "integer", "minimum": 1, "maximum": 100},
            "draft": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
            "since": {"type": "string", "format": "date-time"},
        }),
        json!(["owner", "repo"]),
    );
    let create = with(
        json!({"title": {"type": "string"}, "fields": {"type": "object"}}),
        json!(["owner", "repo", "title"]),
    );
    let search = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]});
    let execute =
        json!({"type": "object", "properties": {"input": {"type": "object"}}, "required": ["input"]});
    let nothing = json!({"type": "object", "properties": {}});
    let tool = |name: &str, schema: &Value, server: Option<&str>| {
        let tool = Tool::new(name, "", schema.clone()).unwrap();
        server.map_or(tool.clone(), |server| tool.on_server(server))
    };
    let tools = [
        tool("list_issues", &list, Some("files")),
        tool("create_issue", &create, None),
        tool("execute", &execute, None),
        tool("ping", &nothing, None),
        tool("search", &search, Some("search-a")),
        tool("search", &search, Some("search-b")),
    ];
    let removed = |code: &str, server: Option<&str>| Removed {
        code: code.to_owned(),
        name: code.to_owned(),
        server: server.map(str::to_owned),
    };
    Directory::new(&tools, &[removed("old_tool", None)])
}

fn surface(level: Level, directory: &Directory) -> Surface {
    match level {
        Level::Direct => Surface::Direct,
        Level::Map => Surface::Map(MapTools::default()),
        Level::Namespaces => {
            let operation = |code: &str| Operation { name: code.to_owned(), code: code.to_owned() };
            let codes = directory.entries().iter().map(|entry| entry.code());
            let (issues, rest): (Vec<&str>, Vec<&str>) =
                codes.partition(|code| code.ends_with("issues") || code.ends_with("issue"));
            let offered = [("github", issues), ("other", rest)]
                .map(|(name, codes)| (name.to_owned(), codes.into_iter().map(operation).collect()));
            Surface::Namespaces(NamespaceTools {
                offered: offered.into(),
                describe: "describe_op".to_owned(),
                ..NamespaceTools::default()
            })
        }
    }
}

/// The tools as each level offers them.
pub(crate) fn surfaces(directory: &Directory) -> [Surface; 3] {
    [Level::Direct, Level::Namespaces, Level::Map].map(|level| surface(level, directory))
}

fn answer(question: Question) -> String {
    format!("{question:?}")
}

fn told(outcome: Outcome) -> String {
    match outcome {
        Outcome::Call { code, arguments, repairs, .. } => {
            let repairs: Vec<String> = repairs.iter().map(ToString::to_string).collect();
            let arrow = if repairs.is_empty() { "" } else { " <- " };
            format!("{code} {arguments}{arrow}{}", repairs.join(" "))
        }
        Outcome::Meta { name, result } => format!("{name}: {result}"),
        Outcome::Error { message, recoverable, .. } => {
            format!("error{}: {message}", if recoverable { "" } else { " for good" })
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_malformed_call_has_its_outcome() {
    let directory = directory();
    let mut wrong = Vec::new();
    for (place, (seen, level, name, arguments, expected)) in SHAPES.iter().enumerate() {
        let arguments = serde_json::from_str(arguments).unwrap();
        let outcome = told(resolve(&directory, &surface(*level, &directory), name, arguments, &answer));
        if outcome != *expected {
            wrong.push(format!("@@{place} {outcome}\n   {seen}\n   expected {expected}"));
        }
    }
    assert!(SHAPES.len() >= 40);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), SHAPES.len(), wrong.join("\n"));
}
