//! What is wrong is named, with what there is instead.

use recto_query::{Caps, Query, QueryError, query};

use crate::text;

const SOURCE: &[u8] =
    br#"{"items": [{"name": "a", "status": "Running", "metadata": {"labels": {"app": "x"}}, "odd key": 1}, {"name": "b", "status": "Failed"}], "log": [{"m": 1}, {"m": 2}]}"#;

#[test]
fn errors_teach() {
    let mut shown = String::new();
    for arguments in [
        r#"{"filter": "state == \"Running\""}"#,
        r#"{"filter": "Status == \"Running\""}"#,
        r#"{"filter": "status == Running"}"#,
        r#"{"filter": "app == \"x\""}"#,
        r#"{"columns": "name, odd"}"#,
        r#"{"columns": "name status"}"#,
        r#"{"columns": "`name"}"#,
        r#"{"sort": "-names"}"#,
        r#"{"group": "stat"}"#,
        r#"{"group": "status", "columns": "name"}"#,
        r#"{"group": "status", "columns": "sum(size)"}"#,
        r#"{"group": "status", "columns": "sum(name"}"#,
        r#"{"group": "status", "sort": "name"}"#,
        r#"{"path": "item"}"#,
        r#"{"path": "items[0].name"}"#,
        r#"{"path": "items["}"#,
    ] {
        shown.push_str(&format!("{arguments}\n{}\n", text(SOURCE, arguments)));
    }
    for (source, arguments) in [
        (&b""[..], "{}"),
        (b"\xFF\xFEa\0b\0", "{}"),
        (b"id,name\n1,a\n2,b\n3,c\n", r#"{"filter": "names == \"a\""}"#),
        (b"id,name\n1,a\n2,b\n3,c\n", r#"{"path": "items"}"#),
        (b"{\"a\": 1}\n{\"a\": 2}\n", r#"{"path": "items", "filter": "a > 1"}"#),
        (b"some words\nand more words\n", r#"{"filter": "name == \"a\""}"#),
    ] {
        shown.push_str(&format!(
            "{:?} {arguments}\n{}\n",
            String::from_utf8_lossy(source),
            text(source, arguments)
        ));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn no_records_have_no_unknown_columns() {
    let answer = text(br#"{"total": 0, "items": []}"#, r#"{"filter": "status == \"x\"", "sort": "name"}"#);
    assert_eq!(answer, "rows 0-0 of 0 that match (0 records)\n[records of path items]\n");
}

#[test]
fn too_many_groups_are_an_error() {
    let source: String = (0..100).map(|n| format!("{{\"a\": {n}}}\n")).collect();
    let mut caps = Caps::default();
    caps.max_groups = 10;
    let asked = Query { group: vec!["a".to_owned()], ..Query::default() };
    let error = query(source.as_bytes(), None, &asked, &caps).unwrap_err();
    assert!(matches!(error, QueryError::TooManyGroups { limit: 10, .. }), "{error}");
}

#[test]
fn names_without_end_do_not_fill_an_error() {
    let names: Vec<String> = (0..2_000).map(|n| format!("\"{}{n}\": 1", "k".repeat(90))).collect();
    let source = format!("[{{{}}}, {{\"a\": 1}}]", names.join(", "));
    let error = text(source.as_bytes(), r#"{"filter": "zzz > 1"}"#);
    assert!(error.len() < 2_000 && error.contains(" more"), "{error}");
}
