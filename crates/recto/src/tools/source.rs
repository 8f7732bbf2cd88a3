//! Definitions from a file, from stdin, or from a server that is asked.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
    time::Duration,
};

use clap::Args;
use recto_catalog::{CatalogError, ToolList};
use recto_gateway::{AskError, list_tools};

use crate::{
    failure::{Failure, Outcome},
    output, settings,
    usage::text::plain,
};

/// Servers whose tools make one catalogue.
#[derive(Debug, Args)]
pub(crate) struct Servers {
    /// The tools: files, `-`, `mcp:COMMAND`; of several servers `NAME=FILE` says what each is called
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    #[command(flatten)]
    patience: Patience,
}

/// Lists of tools, each by itself.
#[derive(Debug, Args)]
pub(crate) struct Lists {
    /// The tools: files, folders, `-`, `mcp:COMMAND`
    #[arg(required = true, value_name = "DIR|FILE")]
    files: Vec<String>,

    #[command(flatten)]
    patience: Patience,
}

#[derive(Debug, Args)]
pub(crate) struct Patience {
    /// How long a server has to tell its tools
    #[arg(long = "patience", display_order = 200, value_name = "D", value_parser = settings::duration, default_value = "2m")]
    pub(crate) limit: Duration,
}

impl Servers {
    /// Reads them together.
    pub(crate) fn read(&self) -> Outcome<ToolList> {
        read_together(&self.files, self.patience.limit)
    }

    /// Tells whether one of them is read from stdin.
    pub(crate) fn use_stdin(&self) -> bool {
        self.files.iter().any(|source| named(source).1 == "-")
    }
}

impl Lists {
    /// Reads each, with its name; those of a folder are its `.json` files.
    pub(crate) fn read(&self) -> Outcome<Vec<(String, ToolList)>> {
        read_all(&self.files, self.patience.limit)
    }
}

/// What stands before the command of a server.
const SERVER: &str = "mcp:";

/// Reads tools: of a file, of stdin (`-`), or of the server that `mcp:COMMAND` starts.
pub(crate) fn read(source: &str, patience: Duration) -> Outcome<ToolList> {
    let list = match source.strip_prefix(SERVER) {
        Some(command) => {
            let answer = list_tools(command, patience).map_err(asking)?;
            ToolList::from_value(answer)
        }
        None => {
            let json = bounded(source)?;
            ToolList::from_json(json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&json))
        }
    };
    let list = list.map_err(|error| wrong(source, &error))?;
    if !list.provider_tools.is_empty() {
        let few = output::count(list.provider_tools.len() as u64, "tool");
        output::complain(&format!(
            "{few} that a provider runs itself: passed on as they are, and not counted"
        ));
    }
    Ok(list)
}

/// The most bytes of definitions that are read: the largest known server has 3 MB.
const MAX_DEFINITION_BYTES: u64 = 256 << 20;

/// Reads a file, or stdin where the name is `-`.
fn bounded(source: &str) -> Outcome<Vec<u8>> {
    let path = Path::new(source);
    let mut bytes = Vec::new();
    if source == "-" {
        io::stdin().lock().take(MAX_DEFINITION_BYTES + 1).read_to_end(&mut bytes)
    } else {
        if path.is_dir() {
            return Err(Failure::usage(format!("{source} is a folder"))
                .hint("name a file of it; `recto tools stats` takes folders"));
        }
        let file = fs::File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
        file.take(MAX_DEFINITION_BYTES + 1).read_to_end(&mut bytes)
    }
    .map_err(|error| Failure::file(path, "read", &error))?;
    if bytes.len() as u64 > MAX_DEFINITION_BYTES {
        return Err(Failure::usage(format!(
            "{source} has more than {MAX_DEFINITION_BYTES} bytes: no list of tools is that long"
        )));
    }
    Ok(bytes)
}

/// Reads the tools of one source or of several servers. Of several each tool is its server's, which `NAME=SOURCE` names, else the
/// source itself.
fn read_together(sources: &[String], patience: Duration) -> Outcome<ToolList> {
    if sources.iter().filter(|source| named(source).1 == "-").count() > 1 {
        return Err(Failure::usage("stdin can be read once: name a file for the other tools"));
    }
    let mut all = ToolList::default();
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        let (name, place) = named(source);
        let list = read(place, patience)?;
        let server = match name {
            Some(name) => Some(name.to_owned()),
            None if sources.len() > 1 => Some(short_name(place)),
            None => None,
        };
        if let Some(server) = &server {
            if names.contains(server) {
                return Err(Failure::usage(format!("two servers are called {:?}", plain(server)))
                    .hint("name them: `files=mcp:COMMAND notes=tools.json`"));
            }
            names.push(server.clone());
        }
        all.tools.extend(list.tools.into_iter().map(|tool| match &server {
            Some(server) if tool.server().is_none() => tool.on_server(server),
            _ => tool,
        }));
        all.provider_tools.extend(list.provider_tools);
    }
    Ok(all)
}

/// Takes the name off `NAME=SOURCE`.
fn named(source: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    };
    match source.split_once('=') {
        Some((name, place)) if is_name(name) && !Path::new(source).exists() => (Some(name), place),
        _ => (None, source),
    }
}

/// Reads the tools of files and of all `.json` files of folders; those of a folder that hold none are passed over.
fn read_all(sources: &[String], patience: Duration) -> Outcome<Vec<(String, ToolList)>> {
    let mut lists = Vec::new();
    for source in sources {
        if !Path::new(source).is_dir() {
            lists.push((short_name(source), read(source, patience)?));
            continue;
        }
        let folder =
            fs::read_dir(source).map_err(|error| Failure::file(Path::new(source), "read", &error))?;
        let mut paths: Vec<_> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        for path in paths {
            let name = path.display().to_string();
            match ToolList::from_json(&bounded(&name)?) {
                Ok(list) => lists.push((short_name(&name), list)),
                Err(error) => {
                    output::complain(&format!("{name} is passed over: {}", plain(&error.to_string())))
                }
            }
        }
    }
    if lists.is_empty() {
        return Err(Failure::usage(format!("no tools in {}", sources.join(", ")))
            .hint("name files that hold a tools/list answer"));
    }
    Ok(lists)
}

/// What a list of tools is called in tables: a file's name without its ending, or what a command starts.
fn short_name(source: &str) -> String {
    match source.strip_prefix(SERVER) {
        Some(command) => {
            // What starts a server is not what it is called.
            let starters = ["npx", "bunx", "uvx", "node", "python", "python3", "docker", "run", "exec", "sh"];
            let mut words =
                command.split_whitespace().filter(|word| !word.starts_with('-') && !starters.contains(word));
            let name = words.next().unwrap_or(command);
            let last = name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name);
            // A package's scope says more than its name often does.
            if name.starts_with('@') { name.to_owned() } else { last.to_owned() }
        }
        None => {
            let stem = Path::new(source).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            stem.unwrap_or_else(|| source.to_owned())
        }
    }
}

fn asking(error: AskError) -> Failure {
    let hint = match &error {
        AskError::Start { .. } => "recto starts servers with /bin/sh",
        AskError::Slow { .. } => "give it more time with `--patience 5m`",
        _ => {
            "the command must speak MCP on stdin and stdout, as in `mcp:npx -y @modelcontextprotocol/server-filesystem .`"
        }
    };
    Failure::job(plain_lines(&error.to_string())).hint(hint)
}

/// A text of several lines without what a terminal would obey.
fn plain_lines(text: &str) -> String {
    text.lines().map(|line| plain(line).into_owned()).collect::<Vec<_>>().join("\n")
}

fn wrong(source: &str, error: &CatalogError) -> Failure {
    let failure = Failure::usage(format!("{source}: {}", plain(&error.to_string())));
    match error {
        CatalogError::NotJson { .. } => {
            failure.hint("save a server's answer with `recto tools compile mcp:COMMAND --level 0 --json`")
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn lists_have_short_names() {
        for (source, name) in [
            ("mcp:npx -y @playwright/mcp", "@playwright/mcp"),
            ("mcp:node_modules/.bin/mcp-server-memory", "mcp-server-memory"),
            ("mcp:uvx mcp-server-git --repository .", "mcp-server-git"),
            ("servers/github.json", "github"),
            ("-", "-"),
            ("mcp:", ""),
        ] {
            assert_eq!(short_name(source), name, "{source}");
        }
    }
}
