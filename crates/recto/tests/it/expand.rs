use std::{io::Read, process::Stdio};

use crate::desk::{Desk, log, reference};

fn stored() -> (Desk, String, String) {
    let desk = Desk::new();
    let text = log(1_000);
    let view = desk.pipe(&["compress", "--max-bytes", "1000"], text.as_bytes()).ok().out();
    let name = reference(&view);
    (desk, text, name)
}

#[test]
fn parts_of_an_original() {
    let (desk, text, name) = stored();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(desk.run(&["expand", &name, "--lines", "3:5"]).ok().out(), lines[2..5].concat());
    assert_eq!(desk.run(&["expand", &name, "--lines", "999:"]).ok().out(), lines[998..].concat());
    assert_eq!(desk.run(&["expand", &name, "--lines", ":1"]).ok().out(), lines[0]);
    assert_eq!(desk.run(&["expand", &name, "--bytes", "10:42"]).ok().out(), text[10..42]);
    assert_eq!(
        desk.run(&["expand", &name, "--grep", "payment \\d+"]).ok().out(),
        format!("501:{}", lines[500])
    );
    let around = desk.run(&["expand", &name, "--grep", "PAYMENT", "-i", "-C", "1"]).ok().out();
    assert_eq!(around, format!("500-{}501:{}502-{}", lines[499], lines[500], lines[501]));
    desk.run(&["expand", &name, "--lines", "5000:"]).fails(2, &["there are 1000 lines"]);
    desk.run(&["expand", &name, "--lines", "0:4"]).fails(2, &["counted from 1"]);
    desk.run(&["expand", &name, "--bytes", "x"]).fails(2, &["A:B"]);
    desk.run(&["expand", &name, "--grep", "("]).fails(2, &["--grep"]);
}

/// All pages, joined, and how many there were.
fn pages(desk: &Desk, arguments: &[&str], page_bytes: &str) -> (Vec<u8>, usize) {
    let (mut whole, mut cursor, mut count) = (Vec::new(), "0".to_owned(), 0);
    loop {
        let paging = ["--page-bytes", page_bytes, "--cursor", &cursor];
        let done = desk.run(&[&["expand"], arguments, &paging].concat()).ok();
        assert!(done.0.stdout.len() <= page_bytes.parse().unwrap());
        whole.extend_from_slice(&done.0.stdout);
        count += 1;
        let errors = done.errors();
        let Some((_, next)) = errors.split_once("the next page: --cursor ") else { return (whole, count) };
        cursor = next.trim().to_owned();
    }
}

#[test]
fn pages_lose_nothing() {
    let (desk, text, name) = stored();
    assert_eq!(pages(&desk, &[&name], "20000"), (text.clone().into_bytes(), 3));
    let lines = text.split_inclusive('\n').take(400).skip(199).collect::<String>();
    assert_eq!(pages(&desk, &[&name, "--lines", "200:400"], "3000").0, lines.as_bytes());
    let found = desk.run(&["expand", &name, "--grep", "took 7", "-C", "2"]).ok().0.stdout;
    assert_eq!(pages(&desk, &[&name, "--grep", "took 7", "-C", "2"], "2000").0, found);
    desk.run(&["expand", &name, "--cursor", "9999999"]).fails(2, &["--cursor 9999999 lies outside"]);
    desk.run(&["expand", &name, "--page-bytes", "0"]).fails(2, &["--page-bytes"]);
    let rest = desk.run(&["expand", &name, "--cursor", "44"]).ok();
    assert_eq!(rest.out(), text[44..]);
}

#[test]
fn pages_end_with_lines_in_json_too() {
    let (desk, text, name) = stored();
    let json = desk.run(&["expand", &name, "--page-bytes", "100", "--json"]).ok().json();
    let first: String = text.split_inclusive('\n').take(2).collect();
    assert_eq!(json["text"].as_str(), Some(first.as_str()));
    assert_eq!(json["nextCursor"].as_u64(), Some(first.len() as u64));
    assert_eq!(
        (json["range"]["s"].as_u64(), json["range"]["e"].as_u64()),
        (Some(0), Some(first.len() as u64))
    );
    assert_eq!(json["original"]["bytes"].as_u64(), Some(text.len() as u64));
    let cursor = json["nextCursor"].to_string();
    let next = desk.run(&["expand", &name, "--page-bytes", "100", "--cursor", &cursor, "--json"]).ok().json();
    assert_eq!(next["range"]["s"], json["nextCursor"]);
    assert!(text[first.len()..].starts_with(next["text"].as_str().unwrap()));
}

#[test]
fn refs_that_do_not_work_say_why() {
    let (desk, _, name) = stored();
    desk.run(&["expand", &format!("{name}#99")]).fails(2, &["no elision #99", "#1 to #"]);
    desk.run(&["expand", &format!("{name}#x")]).fails(2, &["no number"]);
    desk.run(&["expand", "r:000000000000000"]).fails(1, &["no ref r:000000000000000", "hint: searched"]);
    desk.run(&["expand", "nonsense"]).fails(2, &["nonsense"]);
    desk.run(&["expand"]).fails(2, &["REF"]);
    Desk::new().run(&["expand", &name]).fails(1, &["there is no archive", "--store PATH"]);
    // The first digits are enough while only one ref begins with them.
    desk.run(&["expand", &name[..9], "--lines", "1:1"]).ok();
}

#[test]
fn a_map_and_its_source_do_without_a_store() {
    let desk = Desk::new();
    let text = log(500);
    desk.write("a.log", text.as_bytes());
    let map = desk.run(&["compress", "a.log", "--no-store", "--max-bytes", "700", "--format", "map"]).ok();
    desk.write("a.map", &map.0.stdout);
    assert_eq!(desk.run(&["expand", "--source", "a.log", "--map", "a.map"]).ok().out(), text);
    let first = desk.run(&["expand", "--source", "a.log", "--map", "a.map", "--elision", "1"]).ok().out();
    assert!(!first.is_empty() && text.contains(&first));
    desk.run(&["expand", "--source", "a.log", "--map", "a.map", "--elision", "77"])
        .fails(2, &["no elision #77"]);
    desk.write("b.log", text.replace("4711", "4712").as_bytes());
    desk.run(&["expand", "--source", "b.log", "--map", "a.map"])
        .fails(1, &["not the source of the span map"]);
    assert!(!desk.store().exists());
}

#[test]
fn a_file_alone_is_looked_into() {
    let desk = Desk::new();
    let text = log(500);
    desk.write("a.log", text.as_bytes());
    let expand = |more: &[&str]| desk.run(&[&["expand", "--source", "a.log"], more].concat());
    assert_eq!(expand(&[]).ok().out(), text);
    let line = |number: usize| text.lines().nth(number - 1).unwrap();
    assert_eq!(expand(&["--lines", "41:41"]).ok().out().trim_end(), line(41));
    assert_eq!(expand(&["--bytes", "100:200"]).ok().out(), text[100..200]);
    let found = expand(&["--grep", "ERROR"]).ok().out();
    assert!(found.contains("payment 4711") && found.lines().count() == 1, "{found}");
    let page = expand(&["--page-bytes", "1000"]).ok();
    assert!(text.starts_with(&page.out()) && page.errors().contains("--cursor"), "{}", page.errors());
    // Just as by a ref.
    let name = reference(&desk.run(&["compress", "a.log", "--max-bytes", "700"]).ok().out());
    let json = expand(&["--lines", "3:9", "--json"]).ok().json();
    let stored = desk.run(&["expand", &name, "--lines", "3:9", "--json"]).ok().json();
    for key in ["original", "range", "text"] {
        assert_eq!(json[key], stored[key], "{key}");
    }
    assert_eq!(json.get("ref"), None);
    assert_eq!(desk.pipe(&["expand", "--source", "-", "--lines", "2"], b"a\nb\nc\n").ok().out(), "b\n");
    desk.write("bytes", b"\xff\x00\n");
    assert_eq!(desk.run(&["expand", "--source", "bytes"]).ok().0.stdout, b"\xff\x00\n");
    assert_eq!(desk.run(&["expand", "--source", "bytes", "--json"]).ok().json()["base64"], "/wAK");
    desk.write("empty", b"");
    assert_eq!(desk.run(&["expand", "--source", "empty"]).ok().out(), "");
    // An elision is a matter of a map.
    expand(&["--elision", "1"]).fails(2, &["--map"]);
    desk.run(&["expand", "--source", "none.log"]).fails(2, &["cannot open none.log"]);
    desk.run(&["expand", "--source", "."]).fails(2, &["is a folder"]);
    desk.run(&["expand"]).fails(2, &["REF"]);
    desk.run(&["expand", "--map", "a.map"]).fails(2, &["--source"]);
}

#[test]
fn binary_originals_come_back_as_base64_in_json() {
    let desk = Desk::new();
    let bytes: Vec<u8> = (0..40_000_u32).map(|at| ((at * 7919) >> 3) as u8).collect();
    let view = desk.pipe(&["compress", "--max-tokens", "60"], &bytes).ok().out();
    let name = reference(&view);
    assert_eq!(desk.run(&["expand", &name]).ok().0.stdout, bytes);
    let json = desk.run(&["expand", &name, "--bytes", "0:2", "--json"]).ok().json();
    assert_eq!((json["base64"].as_str(), json["text"].as_str()), (Some("AN0="), None));
}

#[test]
fn what_was_just_stored_is_not_removed() {
    let (desk, text, name) = stored();
    // Nothing is removed in its first ten minutes.
    desk.run(&["gc", "--max-age", "0s"]).ok();
    assert_eq!(desk.run(&["expand", &name]).ok().out(), text);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let desk = Desk::new();
    let text = log(100_000);
    let view = desk.pipe(&["compress", "--max-bytes", "1000"], text.as_bytes()).ok().out();
    let name = reference(&view);
    for arguments in [&[][..], &["--grep", "request"], &["--json"], &["--page-bytes", "3000000"]] {
        let mut command = desk.command(&[&["expand", &name], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let done = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success() && !errors.contains("error"), "{arguments:?}: {errors}");
    }
}

#[test]
fn a_pattern_is_searched_in_bytes() {
    let desk = Desk::new();
    let mut bytes = log(600).into_bytes();
    bytes.splice(0..0, *b"caf\xe9 one\r\n\xff\xfe two\r\n");
    let view = desk.pipe(&["compress", "--max-bytes", "1000"], &bytes).ok().out();
    let name = reference(&view);
    let found = |pattern: &str| desk.run(&["expand", &name, "--grep", pattern]).ok();
    assert_eq!(found("one$|two$").0.stdout, b"1:caf\xe9 one\r\n2:\xff\xfe two\r\n");
    assert_eq!(found(r"(?-u:\xff)").0.stdout, b"2:\xff\xfe two\r\n");
    let none = found("three");
    assert_eq!((none.out().as_str(), none.errors().as_str()), ("", "no line matches\n"));
    let json = desk.run(&["expand", &name, "--grep", "two", "--json"]).ok().json();
    assert_eq!(json["base64"].as_str(), Some("Mjr//iB0d28NCg=="));
    assert_eq!(json["original"]["sha256"], recto::archive::Digest::of(&bytes).to_string());
}

/// The note of an object tells of several omissions at once: they come back in one piece, with what is shown between them.
#[test]
fn the_omissions_of_an_object_in_a_row() {
    let desk = Desk::new();
    let members: Vec<String> =
        (0..40).map(|n| format!("\"member {n}\": \"{}\"", "x".repeat(60 + n))).collect();
    let text = format!(
        "{{\n  {},\n  \"status\": \"failed\",\n  {}\n}}\n",
        members[..20].join(",\n  "),
        members[20..].join(",\n  ")
    );
    let view = desk.pipe(&["compress", "--max-bytes", "300"], text.as_bytes()).ok().out();
    let name = reference(&view);
    let note = format!("\"\u{2026}#1-2\":\"38 members (source whole: recto expand {name}#1-2)\"");
    assert!(view.contains(&note) && view.contains("\"status\": \"failed\""), "{view}");
    let between = desk.run(&["expand", &format!("{name}#1-2")]).ok().out();
    assert!(text.contains(&between) && between.contains("status"), "{between}");
    assert!(between.contains("\"member 1\"") && between.contains("\"member 38\""), "{between}");
    for (ordinal, inside, outside) in [("1", "member 19", "status"), ("2", "member 20", "status")] {
        let part = desk.run(&["expand", &format!("{name}#{ordinal}")]).ok().out();
        assert!(part.contains(inside) && !part.contains(outside), "{part}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&desk.run(&["expand", &format!("{name}#1-2"), "--json"]).ok().out()).unwrap();
    assert_eq!(report["elision"], "1-2");
    desk.run(&["expand", &format!("{name}#2-1")]).fails(2, &["\"2-1\" is no number of an elision"]);
    desk.run(&["expand", &format!("{name}#1-3")]).fails(2, &["there is no elision #3"]);
}
