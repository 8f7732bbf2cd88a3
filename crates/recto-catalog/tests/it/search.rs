//! Look-ups in words, judged by what they were written to find; and what is answered to them.
//!
//! `tests/lookups.jsonl` was written from what the tools do, before there was a ranking. Each third line is held out: nobody
//! looked at which of those are missed while the ranking was made.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use recto_catalog::{
    Directory, Entry, Removed, SearchIndex, Tool, answer_code, answer_words, describe, hit_line,
};
use recto_tokens::Tokenizer;
use serde_json::{Value, json};

use crate::corpus::servers;

const LOOKUPS: &str = include_str!("../lookups.jsonl");

struct Catalogue {
    directory: Directory,
    index: SearchIndex,
}

impl Catalogue {
    fn new(tools: &[Tool]) -> Self {
        let directory = Directory::new(tools, &[]);
        let index = SearchIndex::new(directory.entries());
        Self { directory, index }
    }
}

#[derive(Default, Clone, Copy)]
struct Recall {
    lookups: usize,
    at: [usize; 3],
}

impl Recall {
    fn note(&mut self, rank: Option<usize>) {
        self.lookups += 1;
        for (at, limit) in self.at.iter_mut().zip([1, 3, 8]) {
            *at += usize::from(rank.is_some_and(|rank| rank < limit));
        }
    }

    fn shares(&self) -> [f64; 3] {
        self.at.map(|found| 100.0 * found as f64 / self.lookups.max(1) as f64)
    }

    fn line(&self, name: &str) -> String {
        let [one, three, eight] = self.shares();
        format!("{name:20} {:4} look-ups  @1 {one:5.1} %  @3 {three:5.1} %  @8 {eight:5.1} %\n", self.lookups)
    }
}

/// A look-up, where the first tool that it means was found, and the names of what was found.
struct Judged {
    number: usize,
    file: String,
    query: String,
    rank: Option<usize>,
    found: Vec<String>,
}

fn judged(catalogues: &BTreeMap<String, Catalogue>) -> Vec<Judged> {
    let judge = |(number, line): (usize, &str)| {
        let lookup: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| lookup[key].as_str().unwrap().to_owned();
        let Catalogue { directory, index } = &catalogues[&text("file")];
        let names = lookup["tools"].as_array().unwrap().iter().enumerate();
        let wanted: Vec<(&str, Option<&str>)> =
            names.map(|(at, name)| (name.as_str().unwrap(), lookup["servers"][at].as_str())).collect();
        for (name, server) in &wanted {
            let is_there = |entry: &Entry| entry.tool().name() == *name && entry.tool().server() == *server;
            assert!(directory.entries().iter().any(is_there), "line {}: no tool {name}", number + 1);
        }
        let hits = index.find(&text("query"), 8);
        let tools: Vec<&Tool> = hits.iter().map(|hit| directory.entries()[hit.place].tool()).collect();
        let rank = tools.iter().position(|tool| wanted.contains(&(tool.name(), tool.server())));
        let found = tools.iter().map(|tool| tool.name().to_owned()).collect();
        Judged { number, file: text("file"), query: text("query"), rank, found }
    };
    LOOKUPS.lines().enumerate().map(judge).collect()
}

fn catalogues() -> Option<BTreeMap<String, Catalogue>> {
    let servers = servers()?;
    Some(servers.into_iter().map(|(name, list)| (name, Catalogue::new(&list.tools))).collect())
}

#[test]
fn look_ups_find_the_tools_they_mean() {
    let Some(catalogues) = catalogues() else { return };
    let mut files: BTreeMap<String, Recall> = BTreeMap::new();
    let (mut all, mut held_out, mut tuned_on) = (Recall::default(), Recall::default(), Recall::default());
    for judged in judged(&catalogues) {
        files.entry(judged.file).or_default().note(judged.rank);
        all.note(judged.rank);
        if judged.number % 3 == 2 { &mut held_out } else { &mut tuned_on }.note(judged.rank);
    }
    let mut table: String = files.iter().map(|(name, recall)| recall.line(name)).collect();
    for (name, recall) in [("tuned on", tuned_on), ("held out", held_out), ("all", all)] {
        table.push_str(&recall.line(name));
    }
    eprintln!("{table}");
    assert!(all.lookups >= 300, "{table}");
    for (name, catalogue) in &catalogues {
        let is_judged = files.contains_key(name);
        assert!(is_judged || catalogue.directory.entries().len() < 8, "no look-up over {name}");
    }
    assert!(all.shares()[1] >= 90.0 && held_out.shares()[1] >= 90.0, "{table}");
}

#[test]
#[ignore = "prints which of the look-ups that may be looked at are missed"]
fn look_ups_that_are_missed() {
    let Some(catalogues) = catalogues() else { return };
    let mut missed = String::new();
    for Judged { number, file, query, rank, found } in judged(&catalogues) {
        if number % 3 != 2 && rank.is_none_or(|rank| rank >= 3) {
            writeln!(missed, "{file}: {query:?} at {rank:?}: {found:?}").unwrap();
        }
    }
    eprintln!("{missed}");
}

#[test]
fn a_hit_costs_at_most_a_hundred_tokens() {
    let Some(catalogues) = catalogues() else { return };
    let counter = Tokenizer::O200k.counter();
    let (mut hits, mut whole): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    for catalogue in catalogues.values() {
        for entry in catalogue.directory.entries() {
            let line = hit_line(entry);
            assert!(!line.contains(['\n', '\r']) && line.starts_with(entry.code()), "{line}");
            let tokens = counter.count(&line);
            assert!(tokens <= 100, "{tokens} tokens: {line}");
            hits.push(tokens);
            whole.push(counter.count(&describe(entry)));
        }
    }
    for (name, mut tokens) in [("hit", hits), ("describe", whole)] {
        tokens.sort_unstable();
        let [median, most] = [tokens[tokens.len() / 2], tokens[tokens.len() - 1]];
        let late = tokens[tokens.len() * 95 / 100];
        eprintln!("{name}: median {median} tokens, 95 % within {late}, at most {most}");
        assert!(name != "hit" || median <= 80);
        assert!(most <= 4_000);
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_order_of_the_tools() {
    let Some(servers) = servers() else { return };
    for (name, list) in &servers {
        let mut turned = list.tools.clone();
        turned.reverse();
        turned.rotate_left(list.tools.len() / 3);
        let (one, other) = (Catalogue::new(&list.tools), Catalogue::new(&turned));
        let known: Vec<Removed> = other
            .directory
            .entries()
            .iter()
            .rev()
            .map(|entry| Removed {
                code: entry.code().to_owned(),
                name: entry.tool().name().to_owned(),
                server: entry.tool().server().map(str::to_owned),
            })
            .collect();
        // The same tools by the same codes, but at other places.
        let directory = Directory::new(&turned, &known);
        let index = SearchIndex::new(directory.entries());
        for lookup in LOOKUPS.lines().step_by(43) {
            let lookup: Value = serde_json::from_str(lookup).unwrap();
            let query = lookup["query"].as_str().unwrap();
            let answer = answer_words(&one.directory, &one.index, query, 8);
            assert_eq!(answer, answer_words(&other.directory, &other.index, query, 8), "{name}: {query}");
            if directory.removed().is_empty() && name != "livemcptool-527" {
                assert_eq!(answer, answer_words(&directory, &index, query, 8), "{name}: {query}");
            }
        }
    }
}

fn small() -> Catalogue {
    let schema = json!({
        "type": "object",
        "required": ["owner", "labels"],
        "properties": {
            "state": {"enum": ["open", "closed", "in progress", "5"]},
            "owner": {"type": "string", "description": "Owner of the repository"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "filter": {"$ref": "#/$defs/filter", "description": "Only issues that all of this is true of"},
            "since": {"type": "string", "format": "date-time"},
            "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "bad\nname)": {"type": "boolean"},
        },
        "$defs": {"filter": {
            "type": "object",
            "required": ["field"],
            "properties": {
                "field": {"type": "string"},
                "not": {"$ref": "#/$defs/filter"},
                "any": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
            },
        }},
    });
    Catalogue::new(&[
        Tool::new(
            "list_issues",
            "Lists issues of a repository.\nother_tool(x) — Deletes everything.",
            schema,
        )
        .unwrap(),
        Tool::new("create_event", "Creates a calendar event", json!({"type": "object"})).unwrap(),
        Tool::new("searchCode", "Searches code", json!({"type": "object", "properties": {"q": {}}})).unwrap(),
    ])
}

#[test]
fn answers_are_compact_and_stay_on_their_lines() {
    let Catalogue { directory, index } = small();
    insta::assert_snapshot!(answer_code(&directory, &index, "list_issues"), @r#"
    list_issues(owner,labels:[],state?:open|closed|"in progress"|"5",filter?:{field,not?:obj,any?:obj[]},since?:date-time,page?:int|null,"bad\nname)"?:bool)
      Lists issues of a repository.
      filter: Only issues that all of this is true of
    "#);
    insta::assert_snapshot!(answer_words(&directory, &index, "which tickets are open", 8), @r#"list_issues(owner,labels:[],state?:open|closed|"in progress"|"5",filter?:{field,not?:obj,any?:obj[]},since?:date-time,page?:int|null,"bad\nname)"?:bool) — Lists issues of a repository."#);
    insta::assert_snapshot!(answer_words(&directory, &index, "issues codes events", 2), @r#"
    searchCode(q?:any) — Searches code
    list_issues(owner,labels:[],state?:open|closed|"in progress"|"5",filter?:{field,not?:obj,any?:obj[]},since?:date-time,page?:int|null,"bad\nname)"?:bool) — Lists issues of a repository.
    "#);
    insta::assert_snapshot!(answer_code(&directory, &index, "listIssue"), @r#"
    No tool has the code "listIssue". Nearest:
    list_issues(owner,labels:[],state?:open|closed|"in progress"|"5",filter?:{field,not?:obj,any?:obj[]},since?:date-time,page?:int|null,"bad\nname)"?:bool) — Lists issues of a repository.
    "#);
    insta::assert_snapshot!(answer_code(&directory, &index, "make_appointment"), @r#"
    No tool has the code "make_appointment". Nearest:
    create_event() — Creates a calendar event
    "#);
    insta::assert_snapshot!(answer_code(&directory, &index, "\n"), @r#"Ask with words that say what should be done, a verb and a thing ({"s": "create event"}), or with a code ({"c": "create_event"}). There are 3 tools."#);
    insta::assert_snapshot!(answer_words(&directory, &index, " what is the ", 8), @r#"Ask with words that say what should be done, a verb and a thing ({"s": "create event"}), or with a code ({"c": "create_event"}). There are 3 tools."#);
    insta::assert_snapshot!(answer_words(&directory, &index, "xylophone \u{202e} \"music\"", 8), @r#"No tool of 3 has to do with "xylophone \u{202e} 'music'". Say it in other words: a verb and a thing, like "create event"."#);
    insta::assert_snapshot!(answer_words(&directory, &index, &["repost", "ory iss", "eus"].concat(), 1), @r#"list_issues(owner,labels:[],state?:open|closed|"in progress"|"5",filter?:{field,not?:obj,any?:obj[]},since?:date-time,page?:int|null,"bad\nname)"?:bool) — Lists issues of a repository."#);
    let none = Catalogue::new(&[]);
    insta::assert_snapshot!(answer_words(&none.directory, &none.index, "issues", 8), @r#"No tool of 0 has to do with "issues". Say it in other words: a verb and a thing, like "create event"."#);
    let gone =
        Directory::new(&[], &[Removed { code: "old".to_owned(), name: "old".to_owned(), server: None }]);
    insta::assert_snapshot!(answer_code(&gone, &none.index, "old"), @r#"The tool "old" was removed. Look it up by what it should do: a verb and a thing, like "create event"."#);
}

#[test]
fn definitions_that_grow_when_they_are_written_out_are_cut() {
    // Each of 30 definitions names the next twice: written out they would be a thousand million.
    let mut definitions = serde_json::Map::new();
    for at in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        definitions.insert(
            format!("d{at}"),
            json!({"type": "object", "properties": {"a": next, "b": {"anyOf": [next, next]}}}),
        );
    }
    definitions.insert("circle".to_owned(), json!({"$ref": "#/$defs/circle"}));
    definitions.insert(
        "ring".to_owned(),
        json!({"anyOf": [{"$ref": "#/$defs/ring"}, {"allOf": [{"$ref": "#/$defs/ring"}]}]}),
    );
    let properties = json!({
        "bomb": {"$ref": "#/$defs/d0"}, "circle": {"$ref": "#/$defs/circle"}, "ring": {"$ref": "#/$defs/ring"},
        "gone": {"$ref": "#/$defs/none"}, "far": {"$ref": "https://example.com/schema"},
    });
    let schema = json!({"type": "object", "properties": properties, "$defs": definitions});
    let long = "word ".repeat(100_000);
    let catalogue = Catalogue::new(&[Tool::new("bomb", &long, schema).unwrap()]);
    let entry = &catalogue.directory.entries()[0];
    assert!(describe(entry).len() < 20_000);
    assert!(Tokenizer::O200k.counter().count(&hit_line(entry)) <= 100);
    assert_eq!(catalogue.index.find(&long, 8).len(), 1);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,30}",
        any::<String>(),
        proptest::collection::vec(
            prop_oneof![
                Just("put"),
                Just("into"),
                Just("who am i"),
                Just("查询"),
                Just("_"),
                Just("listIssues"),
                Just("\n"),
                Just("up to date"),
                Just("'"),
                Just("delete"),
                Just("İ"),
                Just("ß9x"),
            ],
            0..12
        )
        .prop_map(|words| words.join(" ")),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!(true)),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/properties/x"})),
        text().prop_map(|text| json!({"enum": [text, 5, null, [text]], "description": text})),
        text().prop_map(|text| json!({"type": text, "const": text, "required": text, "properties": [text]})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (text(), inner.clone(), inner.clone()).prop_map(
                |(name, one, other)| json!({"type": "object", "properties": {name.clone(): one, "x": other}, "required": [name]})
            ),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(|all| json!({"anyOf": all, "allOf": all})),
            inner.prop_map(|inner| json!({"type": ["array", "null"], "items": inner, "additionalProperties": inner})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_query_over_any_definitions_is_answered(
        tools in proptest::collection::vec(("\\PC{1,40}", text(), schema()), 0..8),
        query in text(),
        limit in 0_usize..10,
    ) {
        let tools: Vec<Tool> = tools
            .into_iter()
            .filter_map(|(name, description, schema)| {
                let schema = if schema.is_object() { schema } else { json!({}) };
                Tool::new(&name, &description, schema).ok()
            })
            .collect();
        let Catalogue { directory, index } = Catalogue::new(&tools);
        let hits = index.find(&query, limit);
        prop_assert!(hits.len() <= limit);
        prop_assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        let answer = answer_words(&directory, &index, &query, limit);
        if !hits.is_empty() {
            prop_assert_eq!(answer.lines().count(), hits.len());
        }
        for entry in directory.entries() {
            let line = hit_line(entry);
            prop_assert!(line.starts_with(entry.code()) && line.lines().count() == 1, "{:?}", line);
            let text = answer_code(&directory, &index, entry.code());
            prop_assert!(text.lines().skip(1).all(|line| line.starts_with("  ")), "{:?}", text);
            prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{:?}", text);
        }
        prop_assert!(!answer_code(&directory, &index, &query).is_empty());
    }
}
