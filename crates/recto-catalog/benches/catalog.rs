//! Reading and compiling the definitions of real servers. `cargo bench -p recto-catalog`.

use divan::Bencher;
use recto_catalog::{
    Directory, Level, MapStyle, MapTools, Options, SearchIndex, Surface, Tool, ToolList, Validator,
    answer_words, compile, decode_tools, encode_tools, flatten_schema, resolve, signature_line,
};
use serde_json::Value;

fn main() {
    divan::main();
}

fn definitions(server: &str) -> Option<Vec<u8>> {
    let files = recto_testkit::corpus::tools()?;
    files
        .iter()
        .find(|file| file.relative == format!("{server}.json"))
        .map(recto_testkit::corpus::CorpusFile::read)
}

/// From JSON to tools: what a client's own parser would take, and a digest of each.
#[divan::bench]
fn read_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    bencher.bench(|| ToolList::from_json(&json));
}

/// Codes for 344 tools.
#[divan::bench]
fn codes_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| Directory::new(&list.tools, &[]));
}

/// The valid arguments of one server's tools from the corpus, with the tools' codes.
fn calls(server: &str) -> Option<(Directory, Vec<(String, Value)>)> {
    let list = ToolList::from_json(&definitions(server)?).ok()?;
    let directory = Directory::new(&list.tools, &[]);
    let files = recto_testkit::corpus::tools()?;
    let rows = files.iter().find(|file| file.relative == "arguments.jsonl")?.read();
    let calls: Vec<(String, Value)> = String::from_utf8_lossy(&rows)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|row| row["server"] == server && row["valid"] == true)
        .filter_map(|row| Some((row["tool"].as_str()?.to_owned(), row["args"].clone())))
        .filter(|(code, _)| directory.get(code).is_some())
        .collect();
    // Built before anything is measured.
    directory.entries().iter().for_each(|entry| drop(entry.tool().check(&Value::Null)));
    Some((directory, calls))
}

/// Servers that the corpus has arguments for.
const SERVERS: [&str; 4] = ["github-toolsnaps", "gitlab-zereight", "postman", "playwright-all"];

/// One call after the other, resolved through the map and checked, validators built: the time of one call.
#[divan::bench(args = SERVERS)]
fn resolve_call(bencher: Bencher, server: &str) {
    let Some((directory, calls)) = calls(server) else { return };
    let surface = Surface::Map(MapTools::default());
    let next = std::cell::Cell::new(0);
    bencher
        .with_inputs(|| {
            let place = next.get();
            next.set((place + 1) % calls.len());
            let (code, arguments) = &calls[place];
            serde_json::json!({"f": code, "a": arguments})
        })
        .bench_local_values(|arguments| resolve(&directory, &surface, "t", arguments, &|_| String::new()));
}

/// The measure beside it: the same arguments parsed.
#[divan::bench(args = SERVERS)]
fn parse_arguments(bencher: Bencher, server: &str) {
    let Some((_, calls)) = calls(server) else { return };
    let next = std::cell::Cell::new(0);
    bencher
        .with_inputs(|| {
            let place = next.get();
            next.set((place + 1) % calls.len());
            let (code, arguments) = &calls[place];
            serde_json::json!({"f": code, "a": arguments}).to_string()
        })
        .bench_local_values(|text| serde_json::from_str::<Value>(&text).is_ok());
}

/// All validators of a server built: divide by its tools.
#[divan::bench(args = ["ms365", "github-toolsnaps", "gitlab-zereight", "postman"], sample_count = 5)]
fn build_validators(bencher: Bencher, server: &str) {
    let Some(json) = definitions(server) else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| -> Vec<Validator> {
        list.tools.iter().map(|tool| Validator::new(tool.input_schema())).collect()
    });
}

/// A call with a fault: what its error costs.
#[divan::bench]
fn resolve_wrong_call(bencher: Bencher) {
    let Some((directory, _)) = calls("github-toolsnaps") else { return };
    let surface = Surface::Map(MapTools::default());
    let arguments =
        serde_json::json!({"f": "list_issues", "a": {"owner": "o", "repository": "r", "perPage": 500}});
    bencher
        .with_inputs(|| arguments.clone())
        .bench_local_values(|arguments| resolve(&directory, &surface, "t", arguments, &|_| String::new()));
}

/// The whole catalogue of 344 tools, from parsed tools, at each level.
#[divan::bench(args = [Level::Passthrough, Level::Native, Level::Namespaces, Level::Map])]
fn compile_ms365(bencher: Bencher, level: Level) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| compile(&list.tools, &Options::at(level)));
}

/// The same with whole signatures in the map.
#[divan::bench]
fn compile_ms365_signatures(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    let options = Options { map_style: Some(MapStyle::Signature), ..Options::at(Level::Map) };
    bencher.bench(|| compile(&list.tools, &options));
}

/// A budget of 4,000 tokens: every tool weighed in every way, with its tokens counted.
#[divan::bench]
fn compile_ms365_budget(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    let options = Options::within(4_000);
    bencher.bench(|| compile(&list.tools, &options));
}

/// A copy of the definitions as text, for scale.
#[divan::bench]
fn copy_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    bencher.bench(|| json.clone());
}

/// Schemas of 344 tools made small.
#[divan::bench]
fn flatten_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| {
        list.tools.iter().map(|tool| flatten_schema(tool.input_schema(), false)).collect::<Vec<_>>()
    });
}

/// A line for each of 344 tools.
#[divan::bench]
fn signatures_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| list.tools.iter().map(|tool| signature_line(tool, None)).collect::<Vec<_>>());
}

/// 344 definitions with what they share written once.
#[divan::bench]
fn encode_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let list = ToolList::from_json(&json).unwrap_or_default();
    bencher.bench(|| encode_tools(&list.tools));
}

/// The same, read back.
#[divan::bench]
fn decode_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let encoded = encode_tools(&ToolList::from_json(&json).unwrap_or_default().tools);
    bencher.bench(|| decode_tools(&encoded));
}

/// All tools of the corpus, and some of them again on another server: 2,000.
fn two_thousand() -> Option<Directory> {
    let files = recto_testkit::corpus::tools()?;
    let mut tools: Vec<Tool> = Vec::new();
    for file in files.iter().filter(|file| file.relative.ends_with(".json")) {
        let list = ToolList::from_json(&file.read()).unwrap_or_default();
        let server = |tool: &Tool| tool.server().unwrap_or(&file.relative).to_owned();
        tools.extend(list.tools.iter().map(|tool| tool.on_server(&server(tool))));
    }
    let more: Vec<Tool> =
        tools.iter().take(2_000 - tools.len().min(2_000)).map(|tool| tool.on_server("again")).collect();
    tools.extend(more);
    Some(Directory::new(&tools, &[]))
}

/// The index of 2,000 tools.
#[divan::bench(sample_count = 10)]
fn index_2000(bencher: Bencher) {
    let Some(directory) = two_thousand() else { return };
    bencher.bench(|| SearchIndex::new(directory.entries()));
}

/// The index of 344 tools with long definitions.
#[divan::bench(sample_count = 10)]
fn index_ms365(bencher: Bencher) {
    let Some(json) = definitions("ms365") else { return };
    let directory = Directory::new(&ToolList::from_json(&json).unwrap_or_default().tools, &[]);
    bencher.bench(|| SearchIndex::new(directory.entries()));
}

const QUERIES: [&str; 4] = [
    "who changed this line last",
    "put a mail into another folder and tell somebody about it when all is done",
    "repositoryx listx filex userx messagex projectx",
    "get list create update delete the file user message issue project",
];

/// One look-up among 2,000 tools.
#[divan::bench(args = QUERIES)]
fn find_2000(bencher: Bencher, query: &str) {
    let Some(directory) = two_thousand() else { return };
    let index = SearchIndex::new(directory.entries());
    bencher.bench(|| index.find(query, 8));
}

/// One look-up among 2,000 tools, with the text that a model reads.
#[divan::bench(args = QUERIES)]
fn answer_2000(bencher: Bencher, query: &str) {
    let Some(directory) = two_thousand() else { return };
    let index = SearchIndex::new(directory.entries());
    bencher.bench(|| answer_words(&directory, &index, query, 8));
}
