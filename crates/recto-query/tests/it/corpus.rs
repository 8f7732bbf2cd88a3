//! Real outputs: what is answered, as snapshots; and the laws over all of them.

use recto_outline::ContentType;
use recto_query::{Caps, Query, query};
use recto_testkit::corpus;

use crate::laws;

/// Questions of people and models about real files.
const ASKED: &[(&str, &[&str])] = &[
    (
        "json/github-search-issues.json",
        &[
            r#"{"path": "[3].response.items", "columns": "number, title, user.login, labels[0].name", "filter": "state == \"open\"", "sort": "-number", "limit": 5}"#,
        ],
    ),
    (
        "json/k8s-events-failed-mount.json",
        &[
            r#"{"group": "reason, type", "columns": "sum(count), max(lastTimestamp)"}"#,
            r#"{"filter": "type == \"Warning\" and message contains \"mount\"", "columns": "involvedObject.name, count, message", "sort": "-count", "limit": 3}"#,
        ],
    ),
    (
        "json/k8s-nodes.json",
        &[
            r#"{"columns": "metadata.name, status.capacity.cpu, metadata.labels[\"kubernetes.io/arch\"]", "filter": "status.capacity.cpu >= 4"}"#,
        ],
    ),
    (
        "json/ruff-moto.sarif.json",
        &[
            r#"{"group": "ruleId", "limit": 5}"#,
            r#"{"path": "runs[0].tool.driver.rules", "columns": "id, shortDescription.text", "limit": 3}"#,
        ],
    ),
    (
        "json/ruff-moto.json",
        &[
            r#"{"group": "code", "columns": "min(location.row), max(location.row), avg(location.row)", "limit": 5}"#,
        ],
    ),
    ("json/npm-ls.json", &[r#"{"columns": "@key, version", "sort": "@key"}"#]),
    (
        "json/pandas-sales-bigint-inf.json",
        &[
            r#"{"filter": "`Order ID` > 9000000000000000000 or ratio == \"Infinity\"", "columns": "Country, Order ID, ratio", "limit": 5}"#,
        ],
    ),
    (
        "json/terraform-0.14-plan.json",
        &[
            r#"{"path": "resource_changes", "columns": "address, change.actions", "filter": "change.actions contains \"delete\" or change.actions contains \"create\"", "limit": 5}"#,
        ],
    ),
    ("json/jts-y_object_duplicated_key_and_value.json", &["{}"]),
    ("json/jts-n_structure_100000_opening_arrays.json", &["{}"]),
    (
        "jsonl/go-test-json.jsonl",
        &[
            r#"{"group": "Action"}"#,
            r#"{"filter": "Action in (\"fail\", \"skip\") and Elapsed >= 0", "columns": "Package, Test, Elapsed", "sort": "-Elapsed"}"#,
        ],
    ),
    (
        "jsonl/tf-plan.jsonl",
        &[r#"{"filter": "change exists", "columns": "change.action, change.resource.addr", "limit": 4}"#],
    ),
    (
        "csv/538-bechdel-movies.csv",
        &[
            r#"{"filter": "year >= 2010 and clean_test == \"ok\" and budget > 150000000", "columns": "title, year, budget", "sort": "-budget", "limit": 5}"#,
            r#"{"group": "clean_test", "columns": "avg(budget), min(year), max(title)"}"#,
        ],
    ),
    (
        "csv/538-star-wars-survey.csv",
        &[r#"{"columns": "RespondentID, Gender, c4", "filter": "c4 starts with \"Star Wars\"", "limit": 3}"#],
    ),
    (
        "csv/538-raw-polls-2014.tsv",
        &[
            r#"{"filter": "race ~ \"_Sen-G_\" and error > 30", "columns": "race, pollster, error", "sort": "-error, race", "limit": 5}"#,
        ],
    ),
    ("csv/jc-cities.csv", &[r#"{"filter": "LatD >= 48", "sort": "State, City", "limit": 5}"#]),
    (
        "mdtable/public-apis-readme.md",
        &[r#"{"filter": "HTTPS == \"No\""}"#, r#"{"path": "table[26]", "group": "Auth"}"#],
    ),
    ("mdtable/dorny-jest.md", &[r#"{"filter": "Failed exists", "limit": 5}"#]),
    (
        "texttable/ps-axu-ubuntu.txt",
        &[
            r#"{"sort": "-%MEM", "columns": "PID, %MEM, COMMAND", "limit": 3}"#,
            r#"{"group": "USER", "columns": "sum(RSS)", "sort": "-sum(RSS)", "limit": 3}"#,
        ],
    ),
    (
        "texttable/psql-settings.txt",
        &[r#"{"filter": "unit == \"ms\" and setting > 1000", "columns": "name, setting"}"#],
    ),
    (
        "texttable/dpkg-l-ubuntu.txt",
        &[r#"{"filter": "Name starts with \"python3-a\"", "columns": "Name, Version"}"#],
    ),
    ("texttable/wc-l-gson.txt", &[r#"{"sort": "-c1", "limit": 3}"#]),
    (
        "toolout/tau-airline-0013-search_onestop_flight.txt",
        &[r#"{"filter": "prices.economy < 200", "columns": "flight_number, prices.economy"}"#],
    ),
];

#[test]
fn real_outputs_are_answered() {
    let Some(files) = corpus::outputs() else { return };
    for (relative, questions) in ASKED {
        let file = files.iter().find(|file| file.relative == *relative);
        let source = file.unwrap_or_else(|| panic!("{relative} is not in the corpus")).read();
        let mut shown = String::new();
        for arguments in *questions {
            let answer = Query::from_json(arguments.as_bytes())
                .and_then(|asked| query(&source, None, &asked, &Caps::bytes(4_000)));
            let text = answer.map_or_else(|error| format!("{error}\n"), |answer| answer.text);
            shown.push_str(&format!("{arguments}\n{text}\n"));
        }
        insta::assert_snapshot!(relative.replace(['/', '.'], "_"), shown);
    }
}

#[test]
fn all_outputs_keep_the_laws() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let source = file.read();
        // Pages are asked for again and again: of the largest files, their beginnings do.
        let source = source.get(..12_000).unwrap_or(&source);
        for arguments in [
            r#"{"limit": 40}"#,
            r#"{"columns": "$", "filter": "$ contains \"e\"", "sort": "-$", "limit": 500}"#,
            r#"{"group": "$", "limit": 20}"#,
            r#"{"format": "json", "limit": 30}"#,
        ] {
            let asked = Query::from_json(arguments.as_bytes()).unwrap();
            laws::check(source, None, &asked, &Caps::bytes(8_000));
        }
    }
}

#[test]
fn most_outputs_that_look_like_records_are_records() {
    let Some(files) = corpus::outputs() else { return };
    for file in files.iter().filter(|file| matches!(file.kind.as_str(), "csv" | "jsonl" | "mdtable")) {
        let source = file.read();
        let answer = query(&source, None, &Query::default(), &Caps::default()).unwrap();
        assert!(answer.records > 1, "{}: {}", file.relative, answer.text);
        let is_lines = answer.notes.iter().any(|note| note.starts_with("no table"));
        let is_prose = recto_outline::detect(&source) == ContentType::Prose;
        assert!(!is_lines || is_prose, "{}: read as lines", file.relative);
    }
}
