//! How each agent is told where its model is: files, environment, arguments.

use std::path::Path;

use serde_json::{Value, json};

use super::Agent;

/// A local MCP server that an agent starts.
#[derive(Clone, Debug)]
pub(super) struct McpServer {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
}

/// What is to be set up.
pub(super) struct Wanted<'a> {
    pub(super) url: &'a str,
    pub(super) model: Option<&'a str>,
    pub(super) prompt: &'a str,
    pub(super) mcp_servers: &'a [McpServer],
    pub(super) home: &'a Path,
}

/// Files below the home, variables and arguments that set an agent up. Arguments of the caller go before `last`.
#[derive(Debug, Default)]
pub(super) struct Setup {
    pub(super) files: Vec<(String, String)>,
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) first: Vec<String>,
    pub(super) last: Vec<String>,
}

/// A key that no provider knows.
const DUMMY_KEY: &str = "sk-test-dummy";

/// The model that agents are told of where they must be told of one.
const MODEL: &str = "fake-1";

impl Agent {
    pub(super) fn setup(self, wanted: &Wanted<'_>) -> Setup {
        match self {
            Self::Claude => claude(wanted),
            Self::Codex => codex(wanted),
            Self::Pi => pi(wanted),
            Self::OpenCode => opencode(wanted),
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn claude(wanted: &Wanted<'_>) -> Setup {
    let servers: serde_json::Map<String, Value> = wanted
        .mcp_servers
        .iter()
        .map(|server| {
            let value = json!({ "type": "stdio", "command": server.command, "args": server.arguments });
            (server.name.clone(), value)
        })
        .collect();
    let mut setup = Setup {
        variables: vec![
            ("ANTHROPIC_BASE_URL", wanted.url.to_owned()),
            ("ANTHROPIC_API_KEY", DUMMY_KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            // It refuses to skip permissions as root outside a sandbox.
            ("IS_SANDBOX", "1".to_owned()),
        ],
        first: words(&["-p", wanted.prompt, "--dangerously-skip-permissions", "--output-format", "json"]),
        ..Setup::default()
    };
    if let Some(model) = wanted.model {
        setup.first.extend(words(&["--model", model]));
    }
    if !servers.is_empty() {
        setup.files.push(("mcp.json".to_owned(), json!({ "mcpServers": servers }).to_string()));
        let path = wanted.home.join("mcp.json").to_string_lossy().into_owned();
        setup.first.extend(words(&["--strict-mcp-config", "--mcp-config", &path]));
    }
    setup
}

fn codex(wanted: &Wanted<'_>) -> Setup {
    // JSON strings are TOML's basic strings too.
    let quoted = |text: &str| Value::from(text).to_string();
    let mut config =
        format!("model = {}\nmodel_provider = \"local\"\n", quoted(wanted.model.unwrap_or(MODEL)));
    config += &format!(
        "[model_providers.local]\nname = \"local\"\nbase_url = {}\nenv_key = \"LOCAL_KEY\"\nwire_api = \"responses\"\n",
        quoted(&format!("{}/v1", wanted.url))
    );
    for server in wanted.mcp_servers {
        config += &format!(
            "[mcp_servers.{}]\ncommand = {}\nargs = {}\n",
            server.name,
            quoted(&server.command),
            json!(server.arguments)
        );
    }
    Setup {
        files: vec![(".codex/config.toml".to_owned(), config)],
        variables: vec![
            ("CODEX_HOME", wanted.home.join(".codex").to_string_lossy().into_owned()),
            ("LOCAL_KEY", DUMMY_KEY.to_owned()),
        ],
        first: words(&["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]),
        last: words(&[wanted.prompt]),
    }
}

fn pi(wanted: &Wanted<'_>) -> Setup {
    let model = wanted.model.unwrap_or(MODEL);
    let models = json!({ "providers": { "local": {
        "baseUrl": wanted.url,
        "api": "anthropic-messages",
        "apiKey": DUMMY_KEY,
        "models": [{
            "id": model,
            "name": model,
            "reasoning": false,
            "input": ["text"],
            "contextWindow": 200_000,
            "maxTokens": 8_192,
            "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 },
        }],
    } } });
    Setup {
        files: vec![(".pi/agent/models.json".to_owned(), models.to_string())],
        first: words(&["--provider", "local", "--model", model, "-p"]),
        last: words(&[wanted.prompt]),
        ..Setup::default()
    }
}

fn opencode(wanted: &Wanted<'_>) -> Setup {
    let model = wanted.model.unwrap_or(MODEL);
    let mut models = serde_json::Map::new();
    let limit = json!({ "context": 200_000, "output": 8_192 });
    models.insert(model.to_owned(), json!({ "name": model, "tool_call": true, "limit": limit }));
    let servers: serde_json::Map<String, Value> = wanted
        .mcp_servers
        .iter()
        .map(|server| {
            let mut command = vec![server.command.clone()];
            command.extend(server.arguments.iter().cloned());
            (server.name.clone(), json!({ "type": "local", "command": command, "enabled": true }))
        })
        .collect();
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        "permission": { "*": "allow", "external_directory": "allow" },
        "model": format!("local/{model}"),
        "small_model": format!("local/{model}"),
        "provider": { "local": {
            "npm": "@ai-sdk/anthropic",
            "name": "local",
            "options": { "baseURL": format!("{}/v1", wanted.url), "apiKey": DUMMY_KEY },
            "models": models,
        } },
        "mcp": servers,
    });
    Setup {
        files: vec![(".config/opencode/opencode.json".to_owned(), config.to_string())],
        variables: vec![
            ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
            // With a plug-in it asks npm for packages first, and waits a minute where there is no network.
            ("npm_config_fetch_retries", "0".to_owned()),
        ],
        first: words(&["run"]),
        last: words(&[wanted.prompt]),
    }
}
