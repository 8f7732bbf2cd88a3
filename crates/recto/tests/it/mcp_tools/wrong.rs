use serde_json::json;

use crate::{
    desk::{Desk, log, reference},
    mcp_tools::client::Client,
};

#[test]
fn errors_are_for_a_model_to_act_on() {
    let desk = Desk::new();
    let view = desk.pipe(&["compress", "--max-bytes", "900"], log(300).as_bytes()).ok().out();
    let name = reference(&view);
    let mut client = Client::new(&desk, &[]);
    let elsewhere = if name.ends_with('7') { "8" } else { "7" };
    let slip = format!("{}{elsewhere}", &name[..name.len() - 1]);
    let questions = [
        ("recto_expand", json!({})),
        ("recto_expand", json!({ "ref": 7 })),
        ("recto_expand", json!({ "ref": "nonsense" })),
        ("recto_expand", json!({ "ref": "r:12" })),
        ("recto_expand", json!({ "ref": "r:999999999999999" })),
        ("recto_expand", json!({ "ref": slip })),
        ("recto_expand", json!({ "ref": format!("{name}#99") })),
        ("recto_expand", json!({ "ref": format!("{name}#1"), "elision": 2 })),
        ("recto_expand", json!({ "ref": name, "lines": "40 to 80" })),
        ("recto_expand", json!({ "ref": name, "lines": [40, 80] })),
        ("recto_expand", json!({ "ref": name, "lines": "5000:" })),
        ("recto_expand", json!({ "ref": name, "lines": "1:2", "bytes": "1:2" })),
        ("recto_expand", json!({ "ref": name, "line": "1:2" })),
        ("recto_expand", json!({ "ref": name, "cursor": -4 })),
        ("recto_expand", json!({ "ref": name, "cursor": 9_999_999 })),
        ("recto_search", json!({ "ref": name })),
        ("recto_search", json!({ "ref": name, "pattern": "payment(" })),
        ("recto_search", json!({ "ref": name, "pattern": "(?<!a)b" })),
        ("recto_search", json!({ "ref": name, "pattern": "((a{1000}){1000}){1000}" })),
        ("recto_search", json!({ "ref": name, "pattern": "a", "ignore_case": "maybe" })),
        ("recto_query", json!({ "ref": name, "where": "level = 'ERROR'" })),
        ("recto_query", json!({ "ref": "r:999999999999999" })),
        ("recto_fetch", json!({ "ref": name })),
    ];
    let mut said = String::new();
    for (tool, arguments) in questions {
        let words = client.complaint(tool, &arguments);
        assert!(!words.contains(&desk.path("").display().to_string()), "{words}");
        said.push_str(&format!("{tool} {arguments}\n  {}\n", words.replace('\n', "\n  ")));
    }
    let (slip, name) = (slip.as_str(), name.as_str());
    let said = said.replace(name, "r:REF").replace(slip, "r:SLIP");
    insta::assert_snapshot!(said);
    client.end();
}

#[test]
fn binary_bytes_are_told_from_text() {
    let desk = Desk::new();
    let bytes: Vec<u8> = (0..40_000_u32).map(|at| ((at * 7919) >> 3) as u8).collect();
    let name = reference(&desk.pipe(&["compress", "--max-tokens", "60"], &bytes).ok().out());
    let mut client = Client::new(&desk, &[]);
    let said = client.complaint("recto_expand", &json!({ "ref": name }));
    assert!(
        said.starts_with("binary: byte ") && said.contains(&format!("`recto expand {name} > FILE`")),
        "{said}"
    );
    client.end();
}

#[test]
fn what_was_removed_says_why() {
    let desk = Desk::new();
    let name = reference(&desk.pipe(&["compress", "--max-bytes", "900"], log(300).as_bytes()).ok().out());
    let why = "removed on 2026-11-30 by rule max-age 30d";
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store.execute("UPDATE holdings SET gone = ?1 WHERE kind = 0", [why]).unwrap();
    let mut client = Client::new(&desk, &[]);
    for asked in [name.clone(), format!("{name}#1")] {
        let said = client.complaint("recto_search", &json!({ "ref": asked, "pattern": "a" }));
        assert!(said.contains("no longer kept") && said.contains(why), "{said}");
    }
    client.end();
}

#[test]
fn damage_and_foreign_files_name_no_path() {
    let desk = Desk::new();
    let path = desk
        .write("data/recto/recto.db", b"this is no database at all, but it is long enough to be looked at");
    let mut client = Client::new(&desk, &[]);
    let said = client.complaint("recto_expand", &json!({ "ref": "r:123456789012345" }));
    assert!(said.contains("cannot be read") && !said.contains(&path.display().to_string()), "{said}");
    client.end();
}
