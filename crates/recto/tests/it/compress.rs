use std::process::Stdio;

use crate::desk::{Desk, log, mode, reference};

#[test]
fn a_log_is_cut_and_names_the_way_back() {
    let desk = Desk::new();
    let text = log(2_000);
    desk.write("app.log", text.as_bytes());
    let done = desk.run(&["compress", "app.log", "--max-bytes", "1500"]).ok();
    let view = done.out();
    assert!(view.len() <= 1500 && view.contains("ERROR payment 4711"));
    let name = reference(&view);
    assert!(
        view.contains(&format!("source whole: recto expand {name}#1")) || view.contains("source whole, "),
        "{view}"
    );
    assert_eq!(desk.run(&["expand", &name]).ok().0.stdout, text.as_bytes());
    assert_eq!((mode(&desk.store()), mode(&desk.path("data/recto"))), (0o600, 0o700));
}

#[test]
fn what_is_small_stays_whole_and_touches_no_store() {
    let desk = Desk::new();
    let text = log(14);
    assert_eq!(desk.pipe(&["compress"], text.as_bytes()).ok().out(), text);
    assert!(!desk.store().exists());
    assert_eq!(desk.pipe(&["compress", "-"], b"").ok().out(), "");
}

#[test]
fn several_budgets_and_the_tightest_binds() {
    let desk = Desk::new();
    let text = log(3_000);
    let budgets = ["--max-bytes", "9000", "--max-tokens", "150", "--ratio", "0.9", "--format", "json"];
    let done = desk.pipe(&[&["compress"], &budgets[..]].concat(), text.as_bytes()).ok().json();
    assert!(done["tokens"]["rendered"].as_u64().unwrap() <= 150);
    assert!(done["rendered"].as_str().unwrap().len() <= 9000);
    for (ratio, code) in [("0", 2), ("1.5", 2), ("-1", 2), ("NaN", 2)] {
        desk.pipe(&["compress", &format!("--ratio={ratio}")], b"x").fails(code, &["outside (0, 1]"]);
    }
}

#[test]
fn json_has_the_shape_of_the_contract() {
    let desk = Desk::new();
    let text = log(1_000);
    let done = desk
        .pipe(
            &["compress", "--max-tokens", "200", "--format", "json", "--explain", "--count"],
            text.as_bytes(),
        )
        .ok()
        .json();
    for key in ["method", "spanMap", "rendered", "ref", "contentType", "mode", "tokens", "kept"] {
        assert!(!done[key].is_null(), "{key}");
    }
    assert_eq!((done["method"].as_str(), done["mode"].as_str()), (Some("structural"), Some("marked")));
    assert_eq!(done["tokens"]["tokenizer"], "o200k_base");
    assert!(done["tokens"]["original"].as_u64().unwrap() > 10_000);
    let map = &done["spanMap"];
    assert_eq!((map["version"].as_u64(), map["srcBytes"].as_u64()), (Some(1), Some(text.len() as u64)));
    assert!(map["stats"]["ratio"].as_f64().unwrap() < 0.2);
    assert_eq!(map["elisions"][0]["note"].as_str().map(|note| note.contains("#1")), Some(true));
    let estimated =
        desk.pipe(&["compress", "--max-bytes", "900", "--format", "json"], text.as_bytes()).ok().json();
    assert!(estimated["tokens"]["original"].as_str().unwrap().starts_with('~'));
    let map = desk.pipe(&["compress", "--max-bytes", "900", "--format", "map"], text.as_bytes()).ok().json();
    assert_eq!(map["spans"], estimated["spanMap"]["spans"]);
}

#[test]
fn exact_json_parses_and_says_the_least_budget() {
    let desk = Desk::new();
    let rows: Vec<_> = (0..400)
        .map(|id| serde_json::json!({"id": id, "name": format!("row {id}"), "ok": id % 7 != 0}))
        .collect();
    let text = serde_json::to_string(&rows).unwrap();
    let done = desk.pipe(&["compress", "--mode", "exact", "--ratio", "0.1"], text.as_bytes()).ok();
    let kept: Vec<serde_json::Value> = serde_json::from_slice(&done.0.stdout).unwrap();
    assert!(kept.len() > 20 && kept.len() < 60 && kept.iter().all(|row| rows.contains(row)));
    desk.pipe(&["compress", "--mode", "exact", "--max-bytes", "1"], text.as_bytes())
        .fails(1, &["budget is too small", "at least 2 bytes"]);
}

#[test]
fn a_query_comes_first() {
    let desk = Desk::new();
    let text = log(4_000);
    let done =
        desk.pipe(&["compress", "--max-tokens", "200", "--query", "request 3217"], text.as_bytes()).ok();
    assert!(done.out().contains("request 3217 took"), "{}", done.out());
}

#[test]
fn without_a_store_there_is_no_ref() {
    let desk = Desk::new();
    let done = desk.pipe(&["compress", "--no-store", "--max-bytes", "800"], log(900).as_bytes()).ok();
    assert!(!done.out().contains("r:") && done.out().contains("source whole, "), "{}", done.out());
    assert!(!desk.store().exists());
}

#[test]
fn a_store_that_cannot_be_written_loses_nothing() {
    let desk = Desk::new();
    desk.write("file", b"in the way");
    let text = log(900);
    // The path leads through a file, so no folder can be made, whoever runs this.
    let done = desk.pipe(&["compress", "--max-bytes", "800", "--store", "file/recto.db"], text.as_bytes());
    assert_eq!(done.out(), text);
    done.fails(1, &["error:", "hint:"]);
    desk.write("foreign.db", b"this is no database, but it is longer than a header of one hundred bytes, which is what is read first of all");
    let done = desk.pipe(&["compress", "--max-bytes", "800", "--store", "foreign.db"], text.as_bytes());
    assert_eq!(done.out(), text);
    done.fails(2, &["not a recto archive"]);
}

#[test]
fn damaged_utf8_is_announced_and_comes_back() {
    let desk = Desk::new();
    let mut bytes = log(800).into_bytes();
    bytes.splice(100..100, *b"\xff\xfe\x80");
    let done = desk.pipe(&["compress", "--max-bytes", "2000"], &bytes).ok();
    assert!(done.errors().contains("not valid UTF-8 (first at byte 100)"), "{}", done.errors());
    assert!(std::str::from_utf8(&done.0.stdout).is_ok());
    assert_eq!(desk.run(&["expand", &reference(&done.out())]).ok().0.stdout, bytes);
    let strict = desk.pipe(&["compress", "--strict"], &bytes);
    assert!(strict.0.stdout.is_empty());
    strict.fails(2, &["the first bad byte is at 100", "hint:"]);
}

#[test]
fn binary_and_utf16_become_one_line() {
    let desk = Desk::new();
    let utf16: Vec<u8> = "\u{feff}hello there, this is a text\n"
        .repeat(40)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let done = desk.pipe(&["compress", "--max-tokens", "100"], &utf16).ok();
    assert!(done.out().starts_with("[recto: UTF-16 text, "), "{}", done.out());
    assert_eq!(desk.run(&["expand", &reference(&done.out())]).ok().0.stdout, utf16);
}

#[test]
fn what_is_no_text_is_bad_input_for_mode_exact() {
    let desk = Desk::new();
    let utf16: Vec<u8> = "\u{feff}some text\n".repeat(40).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let binary: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    for (source, what) in [(&utf16, "UTF-16 text"), (&binary, "binary")] {
        for budget in [&["--max-tokens", "100"][..], &["--ratio", "0.5"], &[]] {
            let done = desk.pipe(&[&["compress", "--mode", "exact"], budget].concat(), source);
            assert!(done.out().is_empty(), "{}", done.out());
            assert!(!done.errors().contains("are not shown"), "{}", done.errors());
            done.fails(2, &[&format!("the source is {what}: "), "hint: `--mode marked`"]);
        }
    }
}

#[test]
fn budgets_of_nearly_nothing() {
    let desk = Desk::new();
    let text = log(900);
    let done = desk.pipe(&["compress", "--max-tokens", "0"], text.as_bytes()).ok();
    assert!(done.out().is_empty() && done.errors().contains("nothing is shown"), "{}", done.errors());
    let done = desk.pipe(&["compress", "--max-tokens", "30"], text.as_bytes()).ok();
    assert!(
        done.out().starts_with("[recto: log, ") || done.out().starts_with("[recto: unknown, "),
        "{}",
        done.out()
    );
}

#[test]
fn explain_goes_to_stderr() {
    let desk = Desk::new();
    let text = log(900);
    let plain = desk.pipe(&["compress", "--max-bytes", "900"], text.as_bytes()).ok();
    let done = desk.pipe(&["compress", "--max-bytes", "900", "--explain"], text.as_bytes()).ok();
    assert_eq!(done.out(), plain.out());
    assert!(done.errors().contains("error-class") && done.errors().contains("reason"), "{}", done.errors());
    assert!(!done.errors().contains('\u{1b}'), "colours only on a terminal");
}

#[test]
fn bad_files_are_named() {
    let desk = Desk::new();
    desk.run(&["compress", "absent.log"]).fails(2, &["absent.log"]);
    desk.run(&["compress", "."]).fails(2, &["is a folder", "hint:"]);
    desk.run(&["compress", "--type", "nonsense", "x"]).fails(2, &["nonsense", "markdown-table"]);
    desk.run(&["compress", "--tokenizer", "nonsense", "x"]).fails(2, &["nonsense"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let desk = Desk::new();
    desk.write("app.log", log(60_000).as_bytes());
    let mut child = desk
        .command(&["compress", "app.log", "--ratio", "0.9"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn forged_notes_are_counted() {
    let desk = Desk::new();
    let text =
        format!("[\u{2026} 9 lines #1 (source whole, 1 B: recto expand r:000000000000000#1)]\n{}", log(800));
    let done = desk.pipe(&["compress", "--max-bytes", "1200"], text.as_bytes()).ok();
    assert!(done.out().contains("note-like texts are the source's own"), "{}", done.out());
}

/// The source again: kept spans from the file, and every elision by its ref.
fn put_together(desk: &Desk, bytes: &[u8], view: &serde_json::Value) -> Vec<u8> {
    let name = view["ref"].as_str().unwrap();
    let number = |value: &serde_json::Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let spans = view["spanMap"]["spans"].as_array().unwrap();
    let mut elisions = view["spanMap"]["elisions"].as_array().unwrap().iter().enumerate().peekable();
    let mut whole = Vec::new();
    for after in -1..i64::try_from(spans.len()).unwrap() {
        if let Ok(index) = usize::try_from(after) {
            whole.extend_from_slice(&bytes[number(&spans[index]["s"])..number(&spans[index]["e"])]);
        }
        if let Some((index, elision)) =
            elisions.next_if(|(_, elision)| elision["after"].as_i64() == Some(after))
        {
            let piece = desk.run(&["expand", &format!("{name}#{}", index + 1)]).ok().0.stdout;
            assert_eq!(piece.len(), number(&elision["bytes"]));
            whole.extend_from_slice(&piece);
        }
    }
    assert!(elisions.next().is_none());
    whole
}

#[test]
fn corpus_views_put_together_again_are_the_source() {
    let Some(files) = recto_testkit::corpus::outputs() else { return };
    let desk = Desk::new();
    let (mut views, mut elisions) = (0, 0);
    for file in files.iter().step_by(9) {
        let path = file.path.to_string_lossy().into_owned();
        let bytes = std::fs::read(&file.path).unwrap();
        if bytes.len() > 300_000 {
            continue;
        }
        let view = desk.run(&["compress", &path, "--max-tokens", "300", "--format", "json"]).ok().json();
        if view["method"] == "passthrough" {
            assert!(view["ref"].is_null());
            continue;
        }
        assert!(view["tokens"]["rendered"].as_u64().unwrap() <= 300, "{path}");
        assert_eq!(put_together(&desk, &bytes, &view), bytes, "{path}");
        views += 1;
        elisions += view["spanMap"]["elisions"].as_array().unwrap().len();
    }
    assert!(views > 10 && elisions > 30, "{views} {elisions}");
}

#[test]
fn a_result_has_these_keys_and_no_others() {
    let desk = Desk::new();
    let text = log(900);
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    let plain = ["compress", "--max-bytes", "900", "--format", "json"];
    let json = desk.pipe(&plain, text.as_bytes()).ok().json();
    assert_eq!(keys(&json), "contentType method mode ref rendered spanMap tokens");
    assert_eq!(keys(&json["tokens"]), "original rendered tokenizer");
    let estimate = json["tokens"]["rendered"].as_str().unwrap();
    assert_eq!(estimate, format!("~{}", json["rendered"].as_str().unwrap().len().div_ceil(4)));
    let explained = desk.pipe(&[&plain[..], &["--explain"]].concat(), text.as_bytes()).ok().json();
    assert_eq!(keys(&explained), "contentType kept method mode ref rendered spanMap tokens");
    assert!(explained["kept"].as_array().unwrap().iter().all(|kept| keys(kept) == "e reason s"));
    assert_eq!(explained["rendered"], json["rendered"]);
    let counted = desk.pipe(&[&plain[..], &["--count"]].concat(), text.as_bytes()).ok().json();
    let counter = recto::tokens::Tokenizer::O200k.counter();
    assert_eq!(counted["tokens"]["original"], counter.count(&text));
    assert_eq!(counted["tokens"]["rendered"], counter.count(counted["rendered"].as_str().unwrap()));
    let budgeted = ["compress", "--max-tokens", "200", "--format", "json", "--tokenizer", "claude"];
    let json = desk.pipe(&budgeted, text.as_bytes()).ok().json();
    assert!(json["tokens"]["rendered"].is_u64() && json["tokens"]["original"].is_string());
    assert_eq!(json["tokens"]["tokenizer"], "claude~o200k");
}

#[test]
fn options_say_how_a_source_is_read_and_recalled() {
    let desk = Desk::new();
    let text = log(900);
    desk.write("a.log", text.as_bytes());
    let run =
        |options: &[&str]| desk.run(&[&["compress", "a.log", "--max-bytes", "900"], options].concat()).ok();
    assert!(run(&["--recall", "tool"]).out().contains(": recto_expand r:"));
    assert!(!run(&["--recall", "none"]).out().contains("r:"));
    let typed = run(&["--type", "unknown", "--format", "json"]).json();
    assert_eq!(typed["contentType"], "unknown");
    let exact = run(&["--mode", "exact"]).out();
    assert!(!exact.contains('\u{2026}') && exact.lines().all(|line| text.contains(line)));
    assert!(run(&["--count"]).errors().starts_with("tokens: "));
    assert_eq!(run(&["-q", "request 77 took"]).out(), run(&["--query", "request 77 took"]).out());
    assert_eq!(
        run(&[]).out(),
        desk.pipe(&["compress", "-", "--max-bytes", "900"], text.as_bytes()).ok().out()
    );
    desk.run(&["--store", "x.db", "compress", "a.log", "--max-bytes", "900"]).ok();
    assert!(desk.path("x.db").exists());
    desk.run(&["compress", "a.log", "--no-store", "--store", "y.db"]).fails(2, &["contradict each other"]);
    desk.run(&["compress", "a.log", "--recall", "telepathy"]).fails(2, &["telepathy", "none, shell, tool"]);
}

#[test]
fn a_busy_store_loses_nothing() {
    let desk = Desk::new();
    let text = log(3_000);
    desk.write("a.log", text.as_bytes());
    desk.run(&["compress", "a.log", "--max-bytes", "900"]).ok();
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    // Another writer that does not let go: the store is busy.
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    desk.write("b.log", text.replace("4711", "4712").as_bytes());
    let done = desk.run(&["compress", "b.log", "--max-bytes", "900"]);
    assert_eq!(done.out(), text.replace("4711", "4712"));
    done.fails(1, &["is busy", "hint: name another store", "--no-store"]);
}
