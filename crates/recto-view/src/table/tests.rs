use super::{Laid, decode};

/// The text without its first line, which is always the same.
fn body(source: &str, is_lines: bool) -> Option<String> {
    let laid = Laid::of(source.as_bytes(), is_lines)?;
    let text = String::from_utf8(laid.text().to_vec()).unwrap();
    assert_eq!(decode(&text).unwrap().replace('\n', ""), source.replace('\n', ""), "{text}");
    Some(text.split_once('\n').unwrap().1.to_owned())
}

/// A JSON array of records, each made of its number.
fn array(count: usize, record: impl Fn(usize) -> String) -> String {
    let records: Vec<String> = (0..count).map(record).collect();
    format!("[{}]", records.join(","))
}

#[test]
fn keys_and_constants_stand_once() {
    let source =
        array(3, |n| format!(r#"{{"number":{n},"title":"t{n}","state":"open","draft":false,"tags":[]}}"#));
    let text = "[\nnumber\ttitle\tstate=open\tdraft=false\ttags=[]\n0\tt0\n1\tt1\n2\tt2\n]";
    assert_eq!(body(&source, false).as_deref(), Some(text));
}

#[test]
fn what_is_around_stays_json() {
    let source = format!(
        r#"{{"kind":"List","items":{},"end":[1]}}"#,
        array(4, |n| format!(r#"{{"identifier":{n},"value":{}}}"#, n * 7))
    );
    let text = "{\"kind\":\"List\",\"items\":[\nidentifier\tvalue\n0\t0\n1\t7\n2\t14\n3\t21\n],\"end\":[1]}";
    assert_eq!(body(&source, false).as_deref(), Some(text));
}

#[test]
fn nested_objects_are_columns_and_lists_are_tuples() {
    let source = array(4, |n| {
        let jobs = if n == 2 {
            "[]".to_owned()
        } else {
            array(2, |job| format!(r#"{{"name":"j{job}","passed":{}}}"#, job == n))
        };
        format!(r#"{{"user":{{"login":"u{n}","address":{{"city":"c{n}"}}}},"jobs":{jobs}}}"#)
    });
    let text = "[\nuser{login\taddress{city}}\tjobs\tjobs[name,passed]\n\
        u0\tc0\t\t[[\"j0\",true],[\"j1\",false]]\nu1\tc1\t\t[[\"j0\",false],[\"j1\",true]]\nu2\tc2\t[]\nu3\tc3\t\t[[\"j0\",false],[\"j1\",false]]\n]";
    assert_eq!(body(&source, false).as_deref(), Some(text));
}

#[test]
fn records_that_do_not_fit_stay_json() {
    let mut records: Vec<String> =
        (0..5).map(|n| format!(r#"{{"first key":{n},"second key":"s{n}"}}"#)).collect();
    records[1] = r#"{"second key":"s1","first key":1}"#.to_owned();
    records[3] = r#"{"first key":3,"first key":4}"#.to_owned();
    records.push("null".to_owned());
    records.push("{}".to_owned());
    let text = "first key\tsecond key\n0\ts0\n={\"second key\":\"s1\",\"first key\":1}\n2\ts2\n={\"first key\":3,\"first key\":4}\n4\ts4\n=null\n={}";
    assert_eq!(body(&records.join("\n"), true).as_deref(), Some(text));
}

#[test]
fn absent_members_are_empty_cells_and_strings_keep_what_they_need() {
    let source = [
        r#"{"name":"a","value":"1","note":"x"}"#,
        r#"{"name":"","note":" y"}"#,
        r#"{"name":"b c","value":1.0}"#,
        r#"{"name":"null","value":true}"#,
        r#"{"name":"\ud800","value":1e400}"#,
    ];
    let text = "name\tvalue\tnote\na\t\"1\"\tx\n\"\"\t\t\" y\"\nb c\t1.0\n\"null\"\ttrue\n\\ud800\t1e400";
    assert_eq!(body(&source.join("\n"), true).as_deref(), Some(text));
}

#[test]
fn what_all_texts_share_stands_in_the_header() {
    let source = array(4, |n| format!(r#"{{"url":"https://x.yz/{n}/edit","code":"{n}"}}"#));
    let text = "[\nurl:https://x.yz/*/edit\tcode:*\n0\t0\n1\t1\n2\t2\n3\t3\n]";
    assert_eq!(body(&source, false).as_deref(), Some(text));
    // Signs of the header itself are quoted.
    let source = array(4, |n| format!(r#"{{"url":"a=b,{{c}}/{n}","same":"x,y","other":{n}}}"#));
    let text = "[\nurl:\"a=b,{c}/*\"\tsame=\"x,y\"\tother\n0\t0\n1\t1\n2\t2\n3\t3\n]";
    assert_eq!(body(&source, false).as_deref(), Some(text));
}

#[test]
fn objects_with_data_for_keys_are_tables_too() {
    let members: Vec<String> =
        (0..4).map(|n| format!(r#""sku {n}":{{"colour":"c{n}","price":{n}}}"#)).collect();
    let source = format!("{{\"products\":{{{}}}}}", members.join(", "));
    let laid = Laid::of(source.as_bytes(), false).unwrap();
    let text = String::from_utf8(laid.text().to_vec()).unwrap();
    assert!(
        text.ends_with(
            "\n{\"products\":{\n*\tcolour\tprice\nsku 0\tc0\t0\nsku 1\tc1\t1\nsku 2\tc2\t2\nsku 3\tc3\t3\n}}"
        ),
        "{text}"
    );
    assert_eq!(decode(&text).unwrap(), source.replace(", ", ","));
}

#[test]
fn what_would_be_no_smaller_or_is_no_json_is_not_laid_out() {
    let wide = array(3, |n| {
        let members: Vec<String> = (0..200).map(|key| format!(r#""k{n}_{key}":{key}"#)).collect();
        format!("{{{}}}", members.join(","))
    });
    for source in [
        "[]",
        "{}",
        "1",
        r#"[{"a":1}]"#,
        "[1,2,3]",
        r#"[{"a":1},{"a":2}"#,
        r#"[{"a":1},{"a":2},]"#,
        r#"[{"a":x},{"a":y}]"#,
        "[{\"a\":\"\t\"},{\"a\":\"\t\"}]",
        &wide,
    ] {
        assert!(Laid::of(source.as_bytes(), false).is_none(), "{source}");
    }
    assert!(Laid::of(b"{\"long name\":1}", true).is_none(), "one value is no sequence of them");
}

#[test]
fn depth_and_width_cost_no_stack_and_no_quadratic_time() {
    let deep = format!("[{{\"a\":{}}}]", "[{\"a\":".repeat(60_000));
    assert!(Laid::of(deep.as_bytes(), false).is_none());
    let deep = array(50, |n| {
        format!("{{\"number\":{n},\"value\":{}{n}{}}}", "[{\"key\":".repeat(200), "}]".repeat(200))
    });
    assert!(Laid::of(deep.as_bytes(), false).is_some());
    let wide = array(3_000, |n| format!(r#"{{"number":{n},"k{n}":{n}}}"#));
    assert!(Laid::of(wide.as_bytes(), false).is_none(), "a key of its own in each record");
}

#[test]
fn decoding_keeps_notes_in_their_places() {
    let lines = "[recto: JSON lines as a tab-separated table, empty = absent]\nid\n1\n\u{2026} 7 rows #1 (say \"x\")\n9";
    assert_eq!(decode(lines).unwrap(), "{\"id\":1}\n\"\u{2026} 7 rows #1 (say \\\"x\\\")\"\n{\"id\":9}");
    let map = "[recto: JSON, arrays as tab-separated tables, empty = absent]\n{\n*\tid\na\t1\n\u{2026} 7 rows #1\n}";
    assert_eq!(decode(map).unwrap(), "{\"a\":{\"id\":1},\"\u{2026} 7 rows #1\":null}");
}
