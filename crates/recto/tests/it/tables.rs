use recto::view::decode;

use crate::desk::{Desk, reference};

const HEAD: &str = "[recto: JSON, arrays as tab-separated tables, empty = absent]\n";

/// Runs of a build, one of which failed.
fn runs(count: usize) -> String {
    let records: Vec<String> = (0..count)
        .map(|n| {
            let conclusion = if n == 7 { "failure" } else { "success" };
            format!(
                r#"  {{"number": {n}, "branch": "main", "conclusion": "{conclusion}", "minutes": {}}}"#,
                n % 9
            )
        })
        .collect();
    format!("[\n{}\n]\n", records.join(",\n"))
}

#[test]
fn a_whole_table_touches_no_store_and_reads_back() {
    let desk = Desk::new();
    let text = runs(40);
    let table = desk.pipe(&["compress", "--mode", "table"], text.as_bytes()).ok().out();
    assert!(
        table.starts_with(&format!("{HEAD}[\nnumber\tbranch=main\tconclusion\tminutes\n0\tsuccess\t0\n")),
        "{table}"
    );
    assert_eq!(decode(&table).unwrap(), text.replace([' ', '\n'], ""));
    assert!(!desk.store().exists());
    assert_eq!(desk.pipe(&["compress", "--mode", "auto"], text.as_bytes()).ok().out(), table);
    // What is no table is shown as ever.
    let log = crate::desk::log(14);
    assert_eq!(desk.pipe(&["compress", "--mode", "table"], log.as_bytes()).ok().out(), log);
}

#[test]
fn what_a_table_leaves_out_can_be_had_by_its_number() {
    let desk = Desk::new();
    let text = runs(300);
    desk.write("runs.json", text.as_bytes());
    let table = desk.run(&["compress", "runs.json", "--mode", "table", "--max-bytes", "700"]).ok().out();
    assert!(table.len() <= 700 && table.contains("\n7\tfailure\t7\n"), "{table}");
    let name = reference(&table);
    assert_eq!(table.matches(&name).count(), 1);
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
    let notes: Vec<&str> = table.lines().filter(|line| line.starts_with('\u{2026}')).collect();
    assert!(!notes.is_empty());
    for (index, note) in notes.iter().enumerate() {
        let amount = note.trim_start_matches(['\u{2026}', ' ']).split(' ').next().unwrap();
        let rows: usize = amount.parse().unwrap();
        let left_out = desk.run(&["expand", &format!("{name}#{}", index + 1)]).ok().out();
        assert_eq!(left_out.matches("\"number\"").count(), rows, "{note}");
    }
}

#[test]
fn json_names_the_layout_and_its_map_belongs_to_the_source() {
    let desk = Desk::new();
    desk.write("runs.json", runs(300).as_bytes());
    let arguments = ["compress", "runs.json", "--mode", "table", "--max-bytes", "700", "--explain"];
    let report = desk.run(&[&arguments[..], &["--format", "json"]].concat()).ok().json();
    assert_eq!((&report["method"], &report["mode"]), (&"table".into(), &"table".into()));
    assert!(report["rendered"].as_str().unwrap().starts_with(HEAD));
    let layout = &report["layout"];
    let constant = &layout["shapes"][0]["columns"][1]["constant"];
    assert_eq!((&layout["tables"][0]["rows"], constant), (&300.into(), &"\"main\"".into()));
    assert!(report["kept"].as_array().unwrap().iter().any(|kept| kept["reason"] == "error-class"));
    let map = desk.run(&[&arguments[..], &["--format", "map"]].concat()).ok();
    desk.write("map.json", &map.0.stdout);
    desk.run(&["verify", "--source", "runs.json", "--map", "map.json"]).ok();
    // A whole result holds its map.
    desk.write("result.json", report.to_string().as_bytes());
    desk.run(&["verify", "--source", "runs.json", "--map", "result.json"]).ok();
    let elision =
        desk.run(&["expand", "--source", "runs.json", "--map", "result.json", "--elision", "1"]).ok().out();
    assert!(elision.contains("\"number\": "), "{elision}");
}

#[test]
fn commands_are_shown_as_tables_when_asked() {
    let desk = Desk::new();
    desk.write("runs.json", runs(40).as_bytes());
    let table = desk.run(&["run", "--mode", "table", "--", "cat", "runs.json"]).ok().out();
    assert!(table.starts_with(HEAD), "{table}");
    assert_eq!(desk.run(&["run", "--", "cat", "runs.json"]).ok().out(), runs(40), "the default is `marked`");
    desk.run(&["run", "--mode", "exact", "--", "true"]).fails(125, &["marked, table or auto"]);
    desk.write("config/recto/config.toml", b"[compress]\nmode = \"auto\"\n");
    assert_eq!(desk.run(&["run", "--", "cat", "runs.json"]).ok().out(), table);
}

#[test]
fn layouts_are_counted_beside_peers() {
    let desk = Desk::new();
    desk.write("outputs/json/runs.json", runs(60).as_bytes());
    desk.write("outputs/plain.json", br#"{"a": 1}"#);
    desk.write("outputs/broken.json", b"{\"a\": ");
    let report = desk.run(&["eval", "--layouts", "outputs", "--peer", "same=cat", "--json"]).ok().json();
    let files = report["files"].as_array().unwrap();
    assert_eq!((&files[0]["file"], files.len()), (&"json/runs.json".into(), 2));
    assert_eq!(files[0]["peers"][0], files[0]["compact"], "a peer reads JSON without blanks");
    assert!(files[0]["table"].as_u64() < files[0]["compact"].as_u64());
    assert!(files[1]["table"].is_null());
    assert_eq!(report["unreadable"][0], "broken.json");
    let text = desk.run(&["eval", "--layouts", "outputs", "--peer", "same=cat"]).ok().out();
    assert!(text.contains("1 record-shaped file, 1 as tables"), "{text}");
    desk.run(&["eval", "--layouts", "nowhere"]).fails(2, &["nowhere"]);
}
