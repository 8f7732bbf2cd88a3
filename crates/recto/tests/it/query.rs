//! `recto query`: the records of files, refs and pipes.

use crate::desk::{Desk, reference};

fn pods() -> String {
    let rows = (0..400).map(|n| {
        let phase = if n % 57 == 3 { "Evicted" } else { "Running" };
        format!("{{\"name\":\"api-{n}\",\"phase\":\"{phase}\",\"restarts\":{}}}", n % 7)
    });
    format!("{{\"items\":[{}]}}", rows.collect::<Vec<_>>().join(",\n"))
}

#[test]
fn records_of_a_file_a_ref_and_a_pipe() {
    let desk = Desk::new();
    let text = pods();
    let path = desk.write("pods.json", text.as_bytes()).display().to_string();
    let view = desk.run(&["compress", &path, "--max-bytes", "900"]).ok().out();
    let name = reference(&view);
    let question =
        ["--filter", "phase != \"Running\"", "--columns", "name,restarts", "--sort", "-restarts,name"];
    fn asked<'t>(source: &'t str, question: &[&'t str]) -> Vec<&'t str> {
        [&["query", source][..], question].concat()
    }
    let of_file = desk.run(&asked(&path, &question)).ok().out();
    assert!(
        of_file.contains("7") && of_file.contains("api-3\t") && of_file.contains("name\trestarts"),
        "{of_file}"
    );
    assert_eq!(desk.run(&asked(&name, &question)).ok().out(), of_file);
    assert_eq!(desk.pipe(&asked("-", &question), text.as_bytes()).ok().out(), of_file);
    let counts = desk.run(&["query", &name, "--group", "phase", "--json"]).ok().json();
    assert_eq!((counts["records"].as_u64(), counts["groups"].as_u64()), (Some(400), Some(2)));
    assert_eq!(counts["rows"].as_array().unwrap().len(), 2);
    assert_eq!(counts["rows"][0]["phase"], "Running", "{counts}");
}

#[test]
fn wrong_questions_say_what_would_be_right() {
    let desk = Desk::new();
    let path = desk.write("pods.json", pods().as_bytes()).display().to_string();
    desk.run(&["query", &path, "--filter", "phas = \"Running\""]).fails(2, &["phase"]);
    desk.run(&["query", &path, "--filter", "phase ="]).fails(2, &["phase ="]);
    desk.run(&["query", "nowhere.json"]).fails(2, &["nowhere.json"]);
    desk.run(&["query", "r:123456789012345"]).fails(1, &["there is no archive"]);
    let prose = desk.write("a.txt", b"no records here, only words");
    let lines = desk.run(&["query", &prose.display().to_string()]).ok().out();
    assert!(lines.contains("the records are lines"), "{lines}");
}
