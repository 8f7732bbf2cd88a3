//! Sources of every shape.

use recto_outline::ContentType;
use recto_query::{Answer, Caps, Query, query};

use crate::{ask, text};

/// As [`text`], of a source that is known to be CSV.
fn csv(source: &[u8], arguments: &str) -> Answer {
    let asked = Query::from_json(arguments.as_bytes()).unwrap();
    query(source, Some(ContentType::Csv), &asked, &Caps::default()).unwrap()
}

const PODS: &[u8] = br#"{"kind": "List", "items": [
  {"metadata": {"name": "api-7", "labels": {"app.kubernetes.io/name": "api"}}, "restarts": 12, "status": "Running", "ports": [80, 443]},
  {"metadata": {"name": "web-1"}, "restarts": 0, "status": "Pending", "ports": []},
  {"metadata": {"name": "db-0", "labels": {}}, "restarts": 9007199254740993, "status": "Failed", "note": "disk\tfull"}
], "tags": ["a", "b"]}"#;

#[test]
fn nested_columns_and_odd_keys() {
    assert_eq!(
        text(
            PODS,
            r#"{"columns": "metadata.name, metadata.labels[\"app.kubernetes.io/name\"], ports[1], ports", "limit": 2}"#
        ),
        "rows 1-2 of 3 that match (3 records)\n[records of path items]\n\
         metadata.name\tmetadata.labels[\"app.kubernetes.io/name\"]\tports[1]\tports\n\
         api-7\tapi\t443\t[80,443]\nweb-1\t\t\t[]\n[1 more: offset 2]\n"
    );
}

#[test]
fn large_numbers_are_exact() {
    let rows =
        |filter: &str| ask(PODS, &serde_json::json!({ "filter": filter }).to_string()).unwrap().matched;
    assert_eq!(rows("restarts == 9007199254740993"), 1);
    assert_eq!(rows("restarts == 9007199254740992"), 0);
    assert_eq!(rows("restarts > 9007199254740992"), 1);
}

#[test]
fn escapes_stay_as_they_are() {
    let answer = text(PODS, r#"{"filter": "note exists", "columns": "note"}"#);
    assert!(answer.ends_with("note\ndisk\\tfull\n"), "{answer}");
    let found = text(PODS, r#"{"filter": "note contains \"disk\\tfull\"", "columns": "note"}"#);
    assert_eq!(found, answer);
}

#[test]
fn other_places_are_named_and_asked() {
    let source = br#"{"data": {"rows": [{"a": 1}, {"a": 2}, {"a": 3}]}, "errors": [{"code": 5}, {"code": 6}], "tags": ["x", "y"]}"#;
    let answer = ask(source, "{}").unwrap();
    assert_eq!((answer.path.as_str(), answer.records), ("data.rows", 3));
    assert!(answer.text.contains("[records of path data.rows; other paths: errors (2)]"), "{}", answer.text);
    assert_eq!(ask(source, r#"{"path": "errors"}"#).unwrap().records, 2);
    assert_eq!(ask(source, r#"{"path": "data"}"#).unwrap().path, "data.rows");
    let tags = text(source, r#"{"path": "tags", "filter": "value == \"y\""}"#);
    assert!(tags.ends_with("value\ny\n"), "{tags}");
}

#[test]
fn maps_of_records_have_their_keys() {
    let source =
        br#"{"a-1": {"v": 1, "k": "x"}, "a-2": {"v": 2}, "b-1": {"v": 3}, "b-2": {"v": 4}, "b-3": {"v": 5}}"#;
    assert_eq!(
        text(source, r#"{"filter": "@key starts with \"b\" and v > 3", "sort": "-@key"}"#),
        "rows 1-2 of 2 that match (5 records)\n@key\tv\nb-3\t5\nb-2\t4\n"
    );
}

#[test]
fn rows_that_are_lists_and_scalars() {
    let rows = br#"{"columns": ["id", "name"], "rows": [[1, "a"], [2, "b"], [3, "c"]]}"#;
    let answer = text(rows, r#"{"filter": "[0] >= 2", "sort": "-[0]"}"#);
    assert!(answer.ends_with("[0]\t[1]\n3\tc\n2\tb\n"), "{answer}");
    assert!(text(b"[3, 1, 2]", r#"{"sort": "value"}"#).ends_with("value\n1\n2\n3\n"));
    let one = text(br#"{"id": 7, "name": "x"}"#, "{}");
    assert_eq!(one, "rows 1-1 of 1 that match (1 records)\nid\tname\n7\tx\n");
}

#[test]
fn of_members_of_one_name_the_last_counts() {
    let source = br#"[{"a": 1, "a": {"b": 2}, "x": 1}, {"a": {"b": 5}, "a": {"c": 6}, "x": 2}, {"a": 5, "\u0061": 7, "x": 3}]"#;
    let answer = text(source, r#"{"columns": "a, a.b, a.c"}"#);
    assert!(answer.ends_with("a\ta.b\ta.c\n{\"b\":2}\t2\t\n{\"c\":6}\t\t6\n7\t\t\n"), "{answer}");
}

#[test]
fn truncated_json_gives_the_records_before_the_cut() {
    let source = br#"{"items": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "na"#;
    let answer = ask(source, "{}").unwrap();
    assert_eq!(answer.records, 2);
    assert!(answer.text.contains("[the source ends in the middle"), "{}", answer.text);
    let numbers = text(b"[10, 20, 3", "{}");
    assert!(numbers.ends_with("value\n10\n20\n"), "{numbers}");
    let lines = ask(b"{\"a\": 1}\n{\"a\": 2}\nnot json\n{\"a\": 3", "{}").unwrap();
    assert_eq!(lines.records, 2);
    assert!(lines.text.contains("[2 lines are no JSON values in whole, and no records]"), "{}", lines.text);
}

#[test]
fn results_in_wrappers_are_looked_into() {
    let inner = r#"{"items": [{"id": 1, "name": "a\"b"}, {"id": 2, "name": "c"}]}"#;
    let wrapped =
        serde_json::json!({ "content": [{ "type": "text", "text": inner }], "isError": false }).to_string();
    let answer = ask(wrapped.as_bytes(), "{}").unwrap();
    assert_eq!(answer.path, "content[0].text.items");
    assert!(answer.text.ends_with("id\tname\n1\ta\\\"b\n2\tc\n"), "{}", answer.text);
    assert_eq!(ask(wrapped.as_bytes(), r#"{"path": "content[0].text.items"}"#).unwrap().text, answer.text);
    let csv =
        serde_json::json!({ "content": [{ "type": "text", "text": "id,name\n1,\"a, b\"\n2,c\n3,d\n" }] })
            .to_string();
    let answer = text(csv.as_bytes(), r#"{"filter": "name == \"a, b\""}"#);
    assert!(answer.ends_with("id\tname\n1\t\"a, b\"\n"), "{answer}");
}

#[test]
fn marks_say_where_the_whole_is_in_the_source() {
    let long = "x".repeat(500);
    let inner = format!(r#"[{{"id": 1, "text": "a\n{long}"}}, {{"id": 2, "text": "b"}}]"#);
    let wrapped = serde_json::json!({ "content": [{ "type": "text", "text": inner }] }).to_string();
    for source in [inner.clone(), wrapped] {
        let answer = text(source.as_bytes(), "{}");
        let mark = answer.split("\u{2026}[cut, ").nth(1).unwrap_or_else(|| panic!("{answer}"));
        let range = mark.split("bytes: bytes ").nth(1).unwrap().split(']').next().unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let bytes = &source[start.parse().unwrap()..end.parse().unwrap()];
        assert!(bytes.ends_with(&format!("{long}\"")) || bytes.ends_with(&format!("{long}\\\"")), "{bytes}");
    }
}

#[test]
fn csv_as_it_comes() {
    let source =
        b"id,name,name,,note\n1,\"a \"\"q\"\"\",x,5,\"two\nlines\"\n2,b,y,6,\n\n3,c,z\n4,d,w,7,n,extra\n";
    assert_eq!(
        csv(source, "{}").text,
        "rows 1-4 of 4 that match (4 records)\nid\tname\tname.2\tc4\tnote\tc6\n\
         1\t\"a \"\"q\"\"\"\tx\t5\t\"two\\nlines\"\u{2026}[not exact: bytes 35-46]\t\n\
         2\tb\ty\t6\t\t\n3\tc\tz\t\t\t\n4\td\tw\t7\tn\textra\n"
    );
    let matched = |filter: &str| csv(source, &serde_json::json!({ "filter": filter }).to_string()).matched;
    assert_eq!(matched("name == \"a \\\"q\\\"\""), 1);
    assert_eq!(matched("note contains \"two\\nlines\""), 1);
    assert_eq!(matched("note is null"), 2);
    assert_eq!(matched("c6 exists and c4 > 6"), 1);
    assert_eq!(matched("`name.2` in (\"x\", \"z\")"), 2);
    let json = csv(source, r#"{"limit": 1, "format": "json"}"#).text;
    assert!(json.contains(r#"{"id":1,"name":"a \"q\"","name.2":"x","c4":5,"note":"two\nlines"}"#), "{json}");
}

#[test]
fn csv_without_a_header() {
    let source = b"1,20.5,a\n2,30.5,b\n3,40.5,c\n4,50.5,d\n5,60.5,e\n";
    assert_eq!(
        csv(source, r#"{"filter": "c2 > 40", "limit": 1}"#).text,
        "rows 1-1 of 3 that match (5 records)\nc1\tc2\tc3\n3\t40.5\tc\n[2 more: offset 1]\n"
    );
}

#[test]
fn carriage_returns_and_byte_order_marks() {
    let source = b"\xEF\xBB\xBFid\tname\r\n1\ta\r\n2\tb\r\n3\tc\r\n";
    let answer = query(source, Some(ContentType::Csv), &Query::default(), &Caps::default()).unwrap();
    assert_eq!(answer.text, "rows 1-3 of 3 that match (3 records)\nid\tname\n1\ta\n2\tb\n3\tc\n");
}

#[test]
fn markdown_tables() {
    let source = b"# Ports\n\n| name | port |\n|---|---:|\n| a \\| b | 80 |\n| c | 443 |\n\n| x | y |\n|---|---|\n| 1 | 2 |\n";
    let answer = text(source, r#"{"filter": "port > 100"}"#);
    assert_eq!(
        answer,
        "rows 1-1 of 1 that match (2 records)\n[records of path table[0]; other paths: table[1] (1)]\nname\tport\nc\t443\n"
    );
    assert!(text(source, r#"{"path": "table[1]"}"#).ends_with("x\ty\n1\t2\n"));
}

#[test]
fn lines_where_there_is_no_table() {
    let answer =
        text(b"one two three.\nfour error five.\n\nsix.\n", r#"{"filter": "text contains \"error\""}"#);
    assert!(answer.starts_with("rows 1-1 of 1 that match (3 records)\n[no table was found"), "{answer}");
    assert!(answer.ends_with("text\nfour error five.\n"), "{answer}");
}

#[test]
fn groups_count_and_work_out() {
    let source = br#"[{"s": "a", "n": 1.5, "t": "2024-01-02"}, {"s": "b", "n": 2}, {"s": "a", "n": 1, "t": "2024-01-01"}, {"n": "x"}, {"s": null, "n": 4}]"#;
    assert_eq!(
        text(source, r#"{"group": "s", "columns": "sum(n), avg(n), min(n), max(t), count(n)"}"#),
        "groups 1-3 of 3, over the 5 that match (5 records)\n\
         s\tcount\tsum(n)\tavg(n)\tmin(n)\tmax(t)\tcount(n)\n\
         a\t2\t2.5\t1.25\t1\t2024-01-02\t2\n\t2\t4\t4\t4\t\t2\nb\t1\t2\t2\t2\t\t1\n"
    );
    assert!(text(source, r#"{"group": "s", "sort": "s"}"#).ends_with("s\tcount\na\t2\nb\t1\n\t2\n"));
    assert!(text(source, r#"{"columns": "avg(n), count"}"#).ends_with("count\tavg(n)\n5\t2.125\n"));
    assert!(
        text(source, r#"{"group": "s", "filter": "s exists", "sort": "count, -s", "limit": 1}"#)
            .ends_with("s\tcount\nb\t1\n[1 more: offset 1]\n")
    );
}

#[test]
fn long_rows_are_cut_with_a_word_and_pages_follow() {
    let wide: Vec<String> = (0..3)
        .map(|row| {
            let cells: Vec<String> =
                (0..200).map(|at| format!("\"column_{at}\": \"{}\"", "y".repeat(row * 40 + 10))).collect();
            format!("{{{}}}", cells.join(", "))
        })
        .collect();
    let source = format!("[{}]", wide.join(",\n"));
    for max_bytes in [0, 2_000, 30_000] {
        let asked = Query::default();
        let answer = crate::laws::check(source.as_bytes(), None, &asked, &Caps::bytes(max_bytes)).unwrap();
        assert_eq!(answer.next_offset.is_some(), answer.rows < 3);
        assert!(answer.text.contains("columns"), "{}", answer.text);
    }
}

#[test]
fn limits_are_told() {
    let source = format!("[{}]", (0..3_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    let answer = ask(source.as_bytes(), r#"{"limit": 5000}"#).unwrap();
    assert_eq!((answer.rows, answer.next_offset), (1_000, Some(1_000)));
    assert!(answer.text.contains("[limit 5000 is more than an answer may have: 1000]"));
    let none = ask(source.as_bytes(), r#"{"limit": 0, "filter": "value < 7"}"#).unwrap();
    assert_eq!(none.text, "rows 0-0 of 7 that match (3000 records)\n[7 more: offset 0]\n");
    let behind = ask(source.as_bytes(), r#"{"offset": 5000}"#).unwrap();
    assert!(behind.text.contains("[offset 5000 is behind the last row]"));
}
