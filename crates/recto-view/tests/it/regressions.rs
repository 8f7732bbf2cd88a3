//! One test for each fault that was found, as small as it gets.

use recto_outline::{ContentType, Fuel, outline};
use recto_view::{Budget, MARK, Mode, Policy, Reason, Recall, Source, ViewError, look_alikes, view};

use crate::properties::{REFERENCE, check};

pub(crate) fn policy(mode: Mode, budget: Budget) -> Policy {
    Policy { mode, budget, ..Policy::default() }
}

fn first_note(text: &str, policy: &Policy) -> String {
    let shown = check(&"regression", &Source::new(text.as_bytes()), policy).expect("a view");
    shown.map.elisions.into_iter().find_map(|elision| elision.note).expect("a note")
}

/// Blanks at a line's end were part of the line and of the separator after it.
#[test]
fn blanks_at_the_end_of_json_lines_tile() {
    for text in ["{\"a\":1} \n{\"b\":2}", " \n{}", "x \n{}", "{\"a\": \n{}"] {
        let outlined = outline(text.as_bytes(), Some(ContentType::Jsonl), &mut Fuel::unlimited());
        assert_eq!(outlined.expect("an outline").check(), Ok(()), "{text:?}");
    }
    let text = "{\"number\":1,\"state\":\"ready\"} \n".repeat(20);
    check(&"blanks", &Source::new(text.as_bytes()), &policy(Mode::Exact, Budget::bytes(200)));
}

/// What a note on a line of its own counts; what it counts is said where it changes.
fn amount(note: &str) -> Option<u64> {
    note.split_once('\u{2026}')?.1.split_once(' ')?.0.parse().ok()
}

/// `\\n` in a JSON string is a backslash and a letter: `printf("a\n")` does not end a line.
#[test]
fn escaped_backslashes_end_no_line() {
    let code = "puts(\\\"a\\\\nb\\\\nc\\\");\\n".repeat(400);
    let text = format!("{{\"path\":\"main.c\",\"content\":\"{code}\"}}");
    let shown = check(&"code", &Source::new(text.as_bytes()), &policy(Mode::Marked, Budget::bytes(1_500)));
    let notes: Vec<String> =
        shown.expect("a view").map.elisions.into_iter().filter_map(|elision| elision.note).collect();
    let lines: u64 = notes.iter().filter_map(|note| amount(note)).sum();
    assert!(lines > 0 && lines <= 400, "{lines} lines of 400 left out: {notes:?}");
}

/// A blank line among the rows is no row.
#[test]
fn blank_lines_are_no_rows() {
    let rows: String = (0..60).map(|number| format!("{number},node-{number},ready\n")).collect();
    let note = first_note(&format!("id,name,state\n{rows}\n"), &policy(Mode::Marked, Budget::bytes(100)));
    assert!(!note.contains("61 rows"), "{note}");
}

/// The first unit left out gave its name to all the others.
#[test]
fn stray_lines_are_no_files() {
    let file = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-old\n+new\n";
    let text = format!("{file}{}", "a stray line, longer than most\n".repeat(12));
    let typed = Policy { content_type: Some(ContentType::Diff), ..policy(Mode::Marked, Budget::bytes(90)) };
    let note = first_note(&text, &typed);
    assert!(!note.contains("13 files"), "{note}");
}

/// A budget above the source's own size, reached with notes, gave one line or nothing, where smaller budgets gave a view.
#[test]
fn almost_all_of_a_damaged_source_is_shown() {
    let items: Vec<String> =
        (0..40).map(|number| format!("  {{\n    \"id\": {number},\n    \"tags\": []\n  }}")).collect();
    let mut bytes = vec![0xFF];
    bytes.extend_from_slice(format!("[\n{}\n]\n", items.join(",\n")).as_bytes());
    let source = Source::new(&bytes);
    for tokens in (100..1_200).step_by(25) {
        let shown =
            check(&"damaged", &source, &policy(Mode::Marked, Budget::tokens(tokens))).expect("a view");
        assert!(!shown.is_frameless, "nothing is shown within {tokens} tokens: {}", shown.text);
    }
}

/// A note in an object has a form of its own.
#[test]
fn a_forged_member_is_a_look_alike() {
    assert_eq!(look_alikes("{\"\u{2026}#1\":\"4 members\"}".as_bytes()), 1);
}

/// What is too small for any of a document says what the document is, whatever blanks end it.
#[test]
fn too_small_a_budget_names_the_type() {
    let items: Vec<String> =
        (0..40).map(|number| format!("{{\"id\":{number},\"state\":\"ready\"}}")).collect();
    let text = format!("[\n{}\n]\n", items.join(",\n"));
    let note = first_note(&text, &policy(Mode::Marked, Budget::bytes(40)));
    assert!(note.starts_with("[recto: json, "), "{note}");
}

/// A string that is never closed runs on over real line ends, of which the notes counted none.
#[test]
fn strings_that_are_not_closed_state_bytes() {
    let rows: String = (0..40).map(|number| format!("row {number} of a text that is no JSON\n")).collect();
    let typed = Policy { content_type: Some(ContentType::Json), ..policy(Mode::Marked, Budget::bytes(400)) };
    let note = first_note(&format!("\"{rows}"), &typed);
    assert!(!note.contains(" line"), "{note}");
}

/// Two notes stood in two lines with nothing but blank lines between them.
#[test]
fn notes_do_not_stand_next_to_each_other() {
    let function =
        |number: u32| format!("fn name_{number}() {{\n{}}}\n\n", "    let a = call(1);\n".repeat(9));
    let code: String = (0..40).map(function).collect();
    let section = |number: u32| format!("## Part {number}\n\n{}\n", "- an item of the list\n".repeat(12));
    let prose: String = (0..30).map(section).collect();
    let failure = |number: u32| {
        let body = "        value = call(one, two)\n".repeat(8);
        format!(
            "____ test_{number} ____\n\n    def test_{number}():\n{body}\ntests/test_a.py:{number}: in test\n"
        )
    };
    let log: String = (0..30).map(failure).collect();
    for text in [code, prose, log] {
        for budget in (100..3_000).step_by(50).map(Budget::bytes) {
            let policy =
                Policy { query: Some("name_7 test_9 Part".to_owned()), ..policy(Mode::Marked, budget) };
            let shown = check(&"regression", &Source::new(text.as_bytes()), &policy).expect("a view").text;
            let lines: Vec<&str> = shown.lines().filter(|line| !line.trim().is_empty()).collect();
            let is_note =
                |line: &str| line.trim_start_matches("// ").trim_start_matches('[').starts_with(MARK);
            let pair = lines.windows(2).find(|pair| pair.iter().all(|line| is_note(line)));
            assert_eq!(pair, None, "{budget:?}:\n{shown}");
        }
    }
}

/// Rows with a blank line among them were called lines.
#[test]
fn rows_around_a_blank_line_are_rows() {
    let rows: String = (0..60)
        .map(|number| format!("{}{number},node-{number},ready\n", if number == 30 { "\n" } else { "" }))
        .collect();
    let note = first_note(&format!("id,name,state\n{rows}"), &policy(Mode::Marked, Budget::bytes(100)));
    assert!(note.contains(" rows #") && !note.contains("61 rows"), "{note}");
}

/// Whatever was cut without a note was said to be codes or invalid bytes.
#[test]
fn the_first_note_names_what_was_cut() {
    let line = |number: u32| format!("2024-05-01 10:00:00 INFO request {number} done\n");
    let coloured: String =
        (0..200).map(|number| line(number).replace("INFO", "\x1b[32mINFO\x1b[0m")).collect();
    let plain: String = (0..200).map(line).collect();
    let blanks = " ".repeat(60);
    let rows: String = (0..60).map(|number| format!("n-{number:<4} ok     {number:<4}{blanks}\n")).collect();
    let padded = format!("NAME   STATE  AGE{blanks}\n{rows}");
    let mut broken = plain.clone().into_bytes();
    broken[60] = 0xFF;
    let mut both = coloured.clone().into_bytes();
    both[60] = 0xFF;
    for (text, named, others) in [
        (coloured.into_bytes(), &["terminal codes"][..], &["blanks", "invalid"][..]),
        (padded.into_bytes(), &["blanks"], &["codes", "invalid"]),
        (broken, &["1 run of invalid bytes"], &["codes", "blanks"]),
        (both, &["terminal codes, 1 of invalid bytes"], &["blanks"]),
        (plain.into_bytes(), &[], &["cut", "codes", "blanks", "invalid"]),
    ] {
        let shown = check(&"cut", &Source::new(&text), &policy(Mode::Marked, Budget::bytes(900)));
        let notes = shown.expect("a view").map.elisions.into_iter().filter_map(|elision| elision.note);
        let first = notes.into_iter().find(|note| note.contains("(source whole, ")).expect("a first note");
        for words in named {
            assert!(first.contains(words), "{words}: {first}");
        }
        for words in others {
            assert!(!first.contains(words), "{words}: {first}");
        }
    }
}

/// A budget that had room for the ref, but not for what the source is and how large, showed nothing.
#[test]
fn the_ref_is_the_last_to_go() {
    let text =
        format!("[{}{{\"id\":0}}]", "{\"id\":1,\"state\":\"ready\",\"note\":\"all is well\"},".repeat(200));
    let shown = |tokens: u64| {
        let policy = Policy { recall: Recall::Shell, ..policy(Mode::Marked, Budget::tokens(tokens)) };
        check(&"a line", &Source::new(text.as_bytes()), &policy).expect("a view").text
    };
    let way = format!("recto expand {REFERENCE}");
    assert_eq!(shown(24), format!("[recto: json, 9.2 kB, {way}]"));
    assert_eq!(shown(20), format!("[recto: json, {way}]"));
    assert_eq!(shown(15), format!("[recto: {way}]"));
    assert_eq!(shown(8), "");
}

/// Packages whose descriptions have such words were shown before all others, as errors.
#[test]
fn words_in_the_rows_of_a_listing_are_errors_where_something_else_says_so() {
    let mut rows: Vec<String> = (0..90)
        .map(|number| {
            format!("ii    package-{number:<3}  1.{number:<6} tools for work with texts, volume {number}\n")
        })
        .collect();
    let text = "ii    libasan6     12.2.0   a fast memory error detector\n";
    let state = "fail  libbsd0      0.11.7   could not be set up: timed out\n";
    let message = "error: no more room\n";
    rows.splice(40..40, [text, state, message].map(str::to_owned));
    let listing = format!("STATE NAME         VERSION  DESCRIPTION\n{}", rows.concat());
    let policy = policy(Mode::Marked, Budget::bytes(2_000));
    let made = view(&Source::new(listing.as_bytes()), &policy, None, &mut Fuel::unlimited()).expect("a view");
    assert_eq!(made.map().map(|map| map.content_type.as_str()), Some("listing"));
    let reason = |row: &str| {
        let start = listing.find(row).expect("a row") as u64;
        made.kept.iter().find(|kept| kept.span.s == start).expect("a kept row").reason
    };
    // Like no other text it is all the same.
    assert_eq!([text, state, message].map(reason), [Reason::Rare, Reason::ErrorClass, Reason::ErrorClass]);
}

/// A frame that is far too much for a budget is refused before its parts are counted, and in the same words.
#[test]
fn far_and_near_frames_are_refused_alike() {
    let diff: String = (0..400)
        .map(|number| {
            format!("--- a/f{number}.rs\n+++ b/f{number}.rs\n@@ -1,2 +1,2 @@\n fn f()\n-    1\n+    2\n")
        })
        .collect();
    let source = Source::new(diff.as_bytes());
    let made = |tokens: u64| {
        view(&source, &policy(Mode::Exact, Budget::tokens(tokens)), None, &mut Fuel::unlimited())
    };
    let least = |tokens: u64| match made(tokens) {
        Err(ViewError::BudgetTooSmall { least, unit: "tokens", content_type: "diff" }) => least,
        other => panic!("{tokens}: {other:?}"),
    };
    let far = least(20);
    assert!(far > 4_000, "{far}");
    assert_eq!([least(0), least(far / 2), least(far - 1)], [far; 3]);
    assert!(made(far).is_ok());
}

/// A flipped bit in the line before it took the names of a renamed file out of its head, and mode `exact` dropped them.
#[test]
fn a_damaged_line_in_a_files_head_hides_no_name() {
    for damaged in ["rimilarity index 74%", "similarity index 74%\nsename from src/a.rs"] {
        let rename = format!(
            "diff --git a/src/a.rs b/src/b.rs\n{damaged}\nrename from src/a.rs\nrename to src/b.rs\n"
        );
        let change =
            "diff --git a/c.rs b/c.rs\nindex 1..2 100644\n--- a/c.rs\n+++ b/c.rs\n@@ -1,40 +1,40 @@\n";
        let lines: String =
            (0..40).map(|n| format!("-    let old_{n} = {n};\n+    let new_{n} = {n};\n")).collect();
        let text = format!("{rename}{change}{lines}");
        let shown = check(&"rename", &Source::new(text.as_bytes()), &policy(Mode::Exact, Budget::bytes(500)))
            .expect("a view");
        assert!(shown.text.contains("rename from src/a.rs\nrename to src/b.rs\n"), "{}", shown.text);
    }
}

/// Lines about a test's progress filled small views, though the list at the end says the same and more; tests whose names differ
/// in a number were one.
#[test]
fn failed_tests_are_listed_once_each() {
    let progress: String = (0..60)
        .map(|n| {
            format!(
                "tests/test_a.py::test_{}[case{n}] {} [ {n}%]\n",
                n % 7,
                if n % 10 == 3 { "FAILED" } else { "PASSED" }
            )
        })
        .collect();
    let block = |n: u32, reason: &str| {
        format!(
            "_______________ test_{}[case{n}] _______________\n\nvalue = {n}\n\n    def test(value):\n>       check(value)\nE       {reason}\n\ntests/test_a.py:{n}: Failed\n",
            n % 7
        )
    };
    let blocks: String = (0..60)
        .filter(|n| n % 10 == 3)
        .map(|n| block(n, if n == 43 { "ValueError: no such case" } else { "AssertionError: check failed" }))
        .collect();
    let listed: String = (0..60)
        .filter(|n| n % 10 == 3)
        .map(|n| format!("FAILED tests/test_a.py::test_{}[case{n}] - failed\n", n % 7))
        .collect();
    let text = format!(
        "============ test session starts ============\n{progress}================ FAILURES ================\n{blocks}\
         =========== short test summary info ============\n{listed}======== 6 failed, 54 passed in 1.20s ========\n"
    );
    let typed = Policy { content_type: Some(ContentType::Log), ..policy(Mode::Marked, Budget::bytes(1_000)) };
    let shown = check(&"pytest", &Source::new(text.as_bytes()), &typed).expect("a view").text;
    assert!(shown.contains("6 failed, 54 passed"), "{shown}");
    assert!(
        shown.contains("ValueError: no such case") && shown.contains("AssertionError: check failed"),
        "{shown}"
    );
    for line in listed.lines() {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    // One stands among the first lines.
    assert!(shown.matches("] FAILED [").count() <= 1, "{shown}");
}

/// A reason without the message beside it left the reader to ask.
#[test]
fn the_message_stands_beside_its_reason() {
    let filler: Vec<String> = (0..80).map(|n| format!("\"setting {n}\": \"value {n}\"")).collect();
    let text = format!(
        "{{\"spec\": {{{}}}, \"status\": {{\"phase\": \"Pending\", \"conditions\": [{{\"type\": \"PodScheduled\", \"status\": \"False\", \
         \"lastProbeTime\": null, \"reason\": \"Unschedulable\", \"lastTransitionTime\": \"2024-05-01T10:00:00Z\", \
         \"message\": \"0/1 nodes are available: 1 node(s) didn't match Pod's node affinity.\"}}]}}}}",
        filler.join(", ")
    );
    let shown = check(&"pod", &Source::new(text.as_bytes()), &policy(Mode::Marked, Budget::bytes(700)))
        .expect("a view");
    assert!(
        shown.text.contains("Unschedulable") && shown.text.contains("didn't match Pod's node affinity"),
        "{}",
        shown.text
    );
}
