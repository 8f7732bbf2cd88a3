use crate::desk::{Desk, log};

/// A folder with a log and two questions on it, one of them with a query.
fn corpus(desk: &Desk) {
    desk.write("corpus/log/bank.log", log(900).as_bytes());
    desk.write("corpus/log/tiny.log", b"all is well\n");
    let question = |file: &str, answer: &str, rest: &str| {
        format!(r#"{{"file":"{file}","question":"Which?","answer_substring":"{answer}"{rest}}}"#)
    };
    let lines = [
        question("log/bank.log", "payment 4711 refused", r#","kind":"error","query_terms":["refused"]"#),
        question(
            "log/bank.log",
            "request 77 took",
            r#","kind":"lookup","needs_query":true,"query_terms":["request","77"]"#,
        ),
        question("log/tiny.log", "all is well", ""),
    ];
    desk.write("corpus/questions.jsonl", (lines.join("\n") + "\n").as_bytes());
}

#[test]
fn the_board_is_a_table_of_what_is_kept() {
    let desk = Desk::new();
    corpus(&desk);
    let out = desk.run(&["eval", "corpus", "--methods", "recto,head", "--budgets", "10%,400"]).ok().out();
    for words in [
        "2 questions on 1 file,",
        "Left out: 1 question on 1 file outside the sizes asked for",
        "no query, the 1 question that needs none",
        "with the query, the 2 questions that have one",
        "over budget",
        "log templates of corpus",
    ] {
        assert!(out.contains(words), "{words:?} is not in:\n{out}");
    }
    assert!(!out.contains("grep"), "{out}");
}

#[test]
fn json_holds_every_share_and_is_the_same_each_time() {
    let desk = Desk::new();
    corpus(&desk);
    let run = || {
        let arguments =
            ["eval", "corpus", "--budgets", "5%,25%,400", "--failures", "--json", "--peer", "all=cat"];
        let mut report = desk.run(&arguments).ok().json();
        report["peakMemoryBytes"].take();
        for set in report["sets"].as_array_mut().unwrap() {
            set["costs"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|cost| drop(cost["bytesPerSecond"].take()));
        }
        report
    };
    let report = run();
    assert_eq!(report, run());
    assert_eq!((&report["version"], &report["tokenizer"]), (&1.into(), &"o200k_base".into()));
    let set = &report["sets"][0];
    assert_eq!(
        (&set["questions"], &set["questionsWithoutQuery"], &set["files"]),
        (&2.into(), &1.into(), &1.into())
    );
    let find = |method: &str, condition: &str, budget: &str| {
        let lines = set["retention"].as_array().unwrap();
        let is_wanted = |line: &&serde_json::Value| {
            line["method"] == method
                && line["condition"] == condition
                && line["budget"] == budget
                && line["questions"] == "all"
        };
        lines.iter().find(is_wanted).unwrap_or_else(|| panic!("{method} {condition} {budget}")).clone()
    };
    for method in ["recto", "head", "tail", "head+tail", "random", "grep", "bm25", "all"] {
        for budget in ["5%", "25%", "400"] {
            let line = find(method, "query", budget);
            assert_eq!((&line["items"], &line["feasible"]), (&2.into(), &2.into()));
        }
    }
    assert_eq!(find("all", "query", "5%")["retention"], 1.0);
    assert_eq!(find("grep", "noQuery", "5%")["retention"], 0.5);
    assert_eq!(find("recto", "query", "25%")["retention"], 1.0);
    let cost = |method: &str| {
        let costs = set["costs"].as_array().unwrap();
        costs.iter().find(|cost| cost["method"] == method && cost["budget"].is_null()).unwrap()
    };
    // Three budgets, and of the log's 20,000 tokens or so even 25 % are not all.
    assert_eq!((&cost("all")["outputs"], &cost("all")["overBudget"]), (&3.into(), &3.into()));
    assert_eq!(cost("recto")["overBudget"], 0);
    assert!(set["lost"].is_array() && set["classes"].as_array().is_some_and(|classes| !classes.is_empty()));
}

#[test]
fn bad_input_is_named() {
    let desk = Desk::new();
    desk.run(&["eval"]).fails(2, &["nothing to score", "questions.jsonl"]);
    desk.run(&["eval", "nowhere"]).fails(2, &["nowhere has no questions.jsonl"]);
    desk.write("empty/questions.jsonl", b"\n");
    desk.run(&["eval", "empty"]).fails(2, &["nothing to score"]);
    corpus(&desk);
    desk.run(&["eval", "corpus", "--sizes", "1MB-2MB"]).fails(2, &["nothing to score (2 sources outside"]);
    let good = std::fs::read_to_string(desk.path("corpus/questions.jsonl")).unwrap();
    for (line, words) in [
        ("{\"file\": 7}", "questions.jsonl:4: not a question"),
        ("no json", "questions.jsonl:4: not a question"),
        (r#"{"file":"a","question":"?"}"#, "answer_substring"),
        (
            r#"{"file":"a","question":"?","answer_substring":""}"#,
            "questions.jsonl:4: the answer_substring is empty",
        ),
        (
            r#"{"file":"gone.log","question":"?","answer_substring":"x"}"#,
            "questions.jsonl:4: cannot read gone.log",
        ),
    ] {
        desk.write("corpus/questions.jsonl", format!("{good}{line}\n").as_bytes());
        desk.run(&["eval", "corpus"]).fails(2, &[words]);
    }
    // An answer that is not there is no reason to stop.
    let stray = r#"{"file":"log/bank.log","question":"?","answer_substring":"no such thing"}"#;
    desk.write("corpus/questions.jsonl", format!("{good}{stray}\n").as_bytes());
    let out = desk.run(&["eval", "corpus", "--methods", "head"]).ok().out();
    assert!(out.contains("question 4 is left out: its answer is not in log/bank.log"), "{out}");
}

#[test]
fn bad_usage_is_told() {
    let desk = Desk::new();
    corpus(&desk);
    for (arguments, words) in [
        (["--budgets", "0"], "no budget"),
        (["--budgets", "0%"], "no budget"),
        (["--budgets", "many"], "no budget"),
        (["--methods", "telepathy"], "no method \"telepathy\""),
        (["--peer", "cat"], "is no peer"),
        (["--peer", "head=cat"], "two methods are called head"),
        (["--sizes", "9-3"], "no range"),
        (["--count", "3"], "--generated"),
        (["--threads", "0"], "0"),
    ] {
        desk.run(&["eval", "corpus", arguments[0], arguments[1]]).fails(2, &[words]);
    }
    desk.run(&["eval", "--generated", "--count", "0"]).fails(2, &["nothing to score"]);
    desk.run(&["eval", "--transcripts", "nowhere"]).fails(2, &["nowhere"]);
}

#[test]
fn a_peer_that_fails_or_hangs_is_counted_and_ends_in_failure() {
    let desk = Desk::new();
    corpus(&desk);
    let run = |peer: &str, timeout: &str| {
        let base = ["eval", "corpus", "--methods", "head", "--budgets", "400", "--peer-timeout", timeout];
        desk.run(&[&base[..], &["--peer", peer]].concat())
    };
    let failed = run("broken=echo no paper >&2; exit 3", "60s").fails(1, &["broken failed every time"]);
    assert!(
        failed.out().contains("broken failed 1 time") && failed.out().contains("no paper"),
        "{}",
        failed.out()
    );
    let hung = run("asleep=sleep 60", "200ms").fails(1, &["asleep failed every time"]);
    assert!(hung.out().contains("not done in 0.2 s"), "{}", hung.out());
    // One that works for some sources is a result.
    let some = run("some=if [ -n {query} ]; then cat; else exit 1; fi", "60s").ok();
    assert!(some.out().contains("some failed 1 time"), "{}", some.out());
}

#[test]
fn the_page_is_written() {
    let desk = Desk::new();
    corpus(&desk);
    desk.run(&["eval", "corpus", "--methods", "recto,tail", "--html", "board.html", "--failures"]).ok();
    let page = std::fs::read_to_string(desk.path("board.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.ends_with("</html>\n"));
    desk.run(&["eval", "corpus", "--methods", "tail", "--html", "no/such/folder.html"])
        .fails(1, &["cannot write"]);
}

#[test]
fn generated_sources_and_sessions_are_scored() {
    let desk = Desk::new();
    let arguments = [
        "eval",
        "--generated",
        "--count",
        "28",
        "--sizes",
        "2kB-9kB",
        "--budgets",
        "25%",
        "--methods",
        "recto,grep",
        "--seed",
        "3",
    ];
    let out = desk.run(&arguments).ok().out();
    for words in ["seed 3, 28 sources", "named row, typo", "absent fact", "log templates of generated"] {
        assert!(out.contains(words), "{words:?} is not in:\n{out}");
    }
    let session = format!(
        "{}\n{}\n",
        serde_json::json!({"role": "tool", "content": log(300)}),
        serde_json::json!({"role": "assistant", "content": "the bank refused payment 4711"})
    );
    desk.write("sessions/one.jsonl", session.as_bytes());
    let out = desk.run(&["eval", "--transcripts", "sessions", "--methods", "recto,grep"]).ok().out();
    assert!(out.contains("1 reference to 1 tool result, in 1 session"), "{out}");
    desk.write("none/one.jsonl", b"{}\n");
    desk.run(&["eval", "--transcripts", "none"]).fails(2, &["nothing to score"]);
}

#[test]
fn it_has_help_with_examples() {
    let help = Desk::new().run(&["eval", "--help"]).ok().out();
    assert!(help.contains("Examples:") && help.contains("recto eval"), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 140), "{help}");
}
