//! Logs: excerpts of what real tools print.

use recto_outline::{ContentType, Kind, Role, UnitId, detect};
use recto_testkit::corpus;

use crate::running::view::{assert_outline, outline_of};

#[test]
fn a_message_and_its_stack_trace_are_one_event() {
    assert_outline(
        "2026-01-02 03:04:05,678 ERROR [main] a.B: cannot start\n\
         java.lang.IllegalStateException: no pool\n\
         \tat a.B.start(B.java:12)\n\
         \tat a.B.main(B.java:3)\n\
         Caused by: java.io.IOException: closed\n\
         \t... 2 more\n\
         2026-01-02 03:04:06,001 INFO  [main] a.B: bye\n",
        ContentType::Log,
        "
        Record Failure 2026-01-02 03:04:05,678 …
          Line Failure 2026-01-02 03:04:05,678 ERROR [main] a.B: cannot start
          Line Failure java.lang.IllegalStateException: no pool
          Line Trace \tat a.B.start(B.java:12)
          Line Trace \tat a.B.main(B.java:3)
          Line Failure Caused by: java.io.IOException: closed
          Line Trace \t... 2 more
        Line Plain 2026-01-02 03:04:06,001 INFO  [main] a.B: bye
        ",
    );
}

#[test]
fn tracebacks_end_with_their_exception() {
    assert_outline(
        "before\n\
         Traceback (most recent call last):\n\
        \x20 File \"a.py\", line 3, in f\n\
        \x20   raise ValueError(x)\n\
         ValueError: no\n\
         after\n",
        ContentType::Log,
        "
        Line Plain before
        Block Trace Traceback (most recent c…
          Line Trace Traceback (most recent call last):
          Line Trace   File \"a.py\", line 3, in f
          Line Trace     raise ValueError(x)
          Line Failure ValueError: no
        Line Plain after
        ",
    );
}

#[test]
fn times_before_every_line_do_not_hide_what_belongs_together() {
    assert_outline(
        "2026-01-02T03:04:05.1Z ##[group]Run tests\n\
         2026-01-02T03:04:05.2Z cargo test\n\
         2026-01-02T03:04:05.3Z ##[endgroup]\n\
         2026-01-02T03:04:05.4Z Traceback (most recent call last):\n\
         2026-01-02T03:04:05.4Z   File \"a.py\", line 3, in f\n\
         2026-01-02T03:04:05.4Z KeyError: 'x'\n\
         2026-01-02T03:04:05.5Z \n\
         2026-01-02T03:04:05.6Z ##[error]Process completed with exit code 1.\n",
        ContentType::Log,
        "
        Block Section 2026-01-02T03:04:05.1Z #…
          Line Heading 2026-01-02T03:04:05.1Z ##[group]Run tests
          Line Plain 2026-01-02T03:04:05.2Z cargo test
          Line Boilerplate 2026-01-02T03:04:05.3Z ##[endgroup]
        Record Trace 2026-01-02T03:04:05.4Z T…
          Line Trace 2026-01-02T03:04:05.4Z Traceback (most recent call last):
          Line Trace 2026-01-02T03:04:05.4Z   File \"a.py\", line 3, in f
          Line Failure 2026-01-02T03:04:05.4Z KeyError: 'x'
        Line Blank 2026-01-02T03:04:05.5Z\x20
        Line Failure 2026-01-02T03:04:05.6Z ##[error]Process completed with exit …
        ",
    );
}

#[test]
fn a_failed_test_of_pytest_is_a_section() {
    assert_outline(
        "tests/a.py::test_ValueError PASSED [ 50%]\n\
         tests/a.py::test_b FAILED [100%]\n\
         =================================== FAILURES ===================================\n\
         ____________________________________ test_b ____________________________________\n\
         \n\
        \x20   def test_b():\n\
         >       assert 1 == 2\n\
         E       assert 1 == 2\n\
         E        +  where 1 = f()\n\
         \n\
         tests/a.py:7: AssertionError\n\
         =========================== short test summary info ============================\n\
         FAILED tests/a.py::test_b - assert 1 == 2\n\
         ========================= 1 failed, 1 passed in 0.12s ==========================\n",
        ContentType::Log,
        "
        Line Plain tests/a.py::test_ValueError PASSED [ 50%]
        Line Failure tests/a.py::test_b FAILED [100%]
        Line Heading =================================== FAILURES ===============…
        Block Failure ________________________…
          Line Failure ____________________________________ test_b ________________…
          Line Blank\x20
          Line Plain     def test_b():
          Line Failure >       assert 1 == 2
          Line Failure E       assert 1 == 2
          Line Plain E        +  where 1 = f()
          Line Blank\x20
          Line Trace tests/a.py:7: AssertionError
        Line Heading =========================== short test summary info ========…
        Line Failure FAILED tests/a.py::test_b - assert 1 == 2
        Line Summary ========================= 1 failed, 1 passed in 0.12s ======…
        ",
    );
}

#[test]
fn unittest_cargo_and_go_name_their_failures() {
    assert_outline(
        "======================================================================\n\
         FAIL: test_a (m.C)\n\
         ----------------------------------------------------------------------\n\
         Traceback (most recent call last):\n\
        \x20 File \"m.py\", line 3, in test_a\n\
         AssertionError: 1 != 2\n\
         \n\
         ----------------------------------------------------------------------\n\
         Ran 1 test in 0.001s\n\
         FAILED (failures=1)\n",
        ContentType::Log,
        "
        Line Boilerplate ============================================================…
        Block Failure FAIL: test_a (m.C)\\n-----…
          Line Failure FAIL: test_a (m.C)
          Line Boilerplate ------------------------------------------------------------…
          Block Trace Traceback (most recent c…
            Line Trace Traceback (most recent call last):
            Line Trace   File \"m.py\", line 3, in test_a
            Line Failure AssertionError: 1 != 2
          Line Blank\x20
          Line Boilerplate ------------------------------------------------------------…
        Line Summary Ran 1 test in 0.001s
        Line Summary FAILED (failures=1)
        ",
    );
    assert_outline(
        "test a::b ... FAILED\n\
         test a::error_is_kept ... ok\n\
         \n\
         failures:\n\
         \n\
         ---- a::b stdout ----\n\
         thread 'a::b' panicked at src/a.rs:3:9:\n\
         assertion `left == right` failed\n\
        \x20 left: 1\n\
         note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\
         \n\
         test result: FAILED. 1 passed; 1 failed\n",
        ContentType::Log,
        "
        Line Failure test a::b ... FAILED
        Line Plain test a::error_is_kept ... ok
        Line Blank\x20
        Line Heading failures:
        Line Blank\x20
        Block Failure ---- a::b stdout ----\\nth…
          Line Failure ---- a::b stdout ----
          Block Failure thread 'a::b' panicked a…
            Line Failure thread 'a::b' panicked at src/a.rs:3:9:
            Line Plain assertion `left == right` failed
            Line Plain   left: 1
            Line Plain note: run with `RUST_BACKTRACE=1` environment variable to di…
          Line Blank\x20
        Line Summary test result: FAILED. 1 passed; 1 failed
        ",
    );
    assert_outline(
        "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    a_test.go:7: got 1\nFAIL\nFAIL\ta/b\t0.012s\n",
        ContentType::Log,
        "
        Line Plain === RUN   TestA
        Block Failure --- FAIL: TestA (0.00s)\\n…
          Line Failure --- FAIL: TestA (0.00s)
          Line Plain     a_test.go:7: got 1
        Line Summary FAIL
        Line Failure FAIL\ta/b\t0.012s
        ",
    );
}

#[test]
fn jest_and_mocha_list_their_failures() {
    assert_outline(
        "FAIL src/a.test.js\n\
        \x20 ● a › fails\n\
         \n\
        \x20   expect(received).toBe(expected)\n\
         \n\
         Test Suites: 1 failed, 1 total\n",
        ContentType::Log,
        "
        Line Failure FAIL src/a.test.js
        Block Failure   ● a › fails\\n\\n    expec…
          Line Failure   ● a › fails
          Line Blank\x20
          Line Plain     expect(received).toBe(expected)
          Line Blank\x20
        Line Summary Test Suites: 1 failed, 1 total
        ",
    );
    assert_outline(
        "  2 passing (4ms)\n  1 failing\n\n  1) a b:\n     Error: no\n      at c (d.js:1:2)\n",
        ContentType::Log,
        "
        Line Summary   2 passing (4ms)
        Line Heading   1 failing
        Line Blank\x20
        Block Failure   1) a b:\\n     Error: no…
          Line Failure   1) a b:
          Block Failure      Error: no\\n      at …
            Line Failure      Error: no
            Line Trace       at c (d.js:1:2)
        ",
    );
}

#[test]
fn diagnostics_keep_their_snippets() {
    assert_outline(
        "error[E0609]: no field `a`\n\
        \x20--> src/a.rs:366:44\n\
        \x20  |\n\
         366 |     self.a\n\
        \x20  |          ^ unknown field\n\
         \n\
         a/B.java:19: error: package c does not exist\n\
         import c.D;\n\
        \x20        ^\n\
         a.ts(28,2): error TS2739: Type 'E' is missing\n\
        \x20 Types of property 'f'\n\
         error: could not compile `a` (lib) due to 1 previous error\n",
        ContentType::Log,
        "
        Block Failure error[E0609]: no field `…
          Line Failure error[E0609]: no field `a`
          Line Plain  --> src/a.rs:366:44
          Line Plain    |
          Line Plain 366 |     self.a
          Line Plain    |          ^ unknown field
        Line Blank\x20
        Block Failure a/B.java:19: error: pack…
          Line Failure a/B.java:19: error: package c does not exist
          Line Plain import c.D;
          Line Plain          ^
        Block Failure a.ts(28,2): error TS2739…
          Line Failure a.ts(28,2): error TS2739: Type 'E' is missing
          Line Plain   Types of property 'f'
        Line Summary error: could not compile `a` (lib) due to 1 previous error
        ",
    );
}

#[test]
fn each_line_of_a_message_may_have_a_level() {
    assert_outline(
        "npm ERR! code 2\nnpm ERR! path /a\n(Core pid=1) ERROR 06-19 12:57:13 [core.py:12] failed\n(Core pid=1) ERROR 06-19 12:57:13 [core.py:12]   more of it\n",
        ContentType::Log,
        "
        Block Failure npm ERR! code 2\\nnpm ERR!…
          Line Failure npm ERR! code 2
          Line Plain npm ERR! path /a
        Record Failure (Core pid=1) ERROR 06-19…
          Line Failure (Core pid=1) ERROR 06-19 12:57:13 [core.py:12] failed
          Line Plain (Core pid=1) ERROR 06-19 12:57:13 [core.py:12]   more of it
        ",
    );
}

#[test]
fn goroutines_are_traces() {
    assert_outline(
        "panic: assignment to entry in nil map\n\ngoroutine 34 [running]:\nmain.w(0x0?)\n\t/p.go:3 +0x7f\nexit status 2\n",
        ContentType::Log,
        "
        Line Failure panic: assignment to entry in nil map
        Line Blank\x20
        Block Trace goroutine 34 [running]:\\n…
          Line Trace goroutine 34 [running]:
          Line Trace main.w(0x0?)
          Line Trace \t/p.go:3 +0x7f
          Line Summary exit status 2
        ",
    );
}

#[test]
fn what_is_redrawn_does_not_matter() {
    assert_outline(
        "fetch\n 10%\r 50%\r100% done\nnext\r\n",
        ContentType::Log,
        "
        Line Plain fetch
        Line Plain  10%\r 50%\r100% done
          Text Boilerplate  10%\r 50%
          Text Piece 100% done
        Line Plain next
        ",
    );
}

#[test]
fn colours_are_silent_and_hide_no_level() {
    let source = b"\x1b[1m[\x1b[31mERROR\x1b[m] no\x1b[m\nok\n";
    let outline = outline_of(source, ContentType::Log);
    let silent: Vec<_> = outline.silent.iter().map(|span| span.of(source)).collect();
    assert_eq!(silent, [&b"\x1b[1m"[..], b"\x1b[31m", b"\x1b[m", b"\x1b[m"]);
    assert_eq!(outline.units[1].kind, Kind::Failure);
}

#[test]
fn commits_of_git_log_are_events() {
    assert_outline(
        "commit 096fffdb79807d34b99985b38df0a3df7f6a86c7\nAuthor: A <a@example.com>\n\n    use stat\n\n 2 files changed, 1 insertion(+)\n\n\
         commit 728d882ed007b3c8b785018874a0eb06e1143b66\nAuthor: A <a@example.com>\n\n    add docs\n",
        ContentType::Log,
        "
        Record Section commit 096fffdb79807d34b…
          Line Plain commit 096fffdb79807d34b99985b38df0a3df7f6a86c7
          Line Plain Author: A <a@example.com>
          Line Blank\x20
          Line Heading     use stat
          Line Blank\x20
          Line Plain  2 files changed, 1 insertion(+)
        Line Blank\x20
        Record Section commit 728d882ed007b3c8b…
          Line Plain commit 728d882ed007b3c8b785018874a0eb06e1143b66
          Line Plain Author: A <a@example.com>
          Line Blank\x20
          Line Heading     add docs
        ",
    );
}

#[test]
fn the_answers_about_the_corpus_stand_in_failures_and_summaries() {
    let Some(files) = corpus::outputs() else { return };
    for (file, answer, kind) in [
        ("log/requests.pytest-v.log", "12 failed, 607 passed, 15 skipped", Kind::Summary),
        ("log/requests.pytest-v.log", "E       requests.exceptions.InvalidSchema: Missing", Kind::Failure),
        ("log/postgres-server.log", "ERROR:  division by zero", Kind::Failure),
        ("log/node-stack.log", "Error: connect ECONNREFUSED 127.0.0.1:1", Kind::Failure),
        (
            "log/java-gc-classload-trace.log",
            "Caused by: java.lang.IllegalStateException: db pool",
            Kind::Failure,
        ),
        ("log/go-panic-goroutines.log", "panic: assignment to entry in nil map", Kind::Failure),
        ("log/go-panic-goroutines.log", "exit status 2", Kind::Summary),
        ("log/python-trace-importtime.log", "ConnectionRefusedError: [Errno 111] Connection", Kind::Failure),
        ("log/ripgrep.cargo-build-errors-color.log", "literal_separatr", Kind::Failure),
        ("log/gha-unittest-failed.log", "1 failed, 1107 deselected, 2 rerun in 1.66s", Kind::Summary),
        ("log/gha-pytorch-error1.log", "##[error]Process completed with exit code 1.", Kind::Failure),
        ("log/jenkins-issue14383.log", "FATAL: [IMPDBSTR0023]", Kind::Failure),
        ("log/go-test-v-strings.log", "ok  \tstrings", Kind::Summary),
        ("log/tf-apply.txt", "Apply complete! Resources: 20 added", Kind::Summary),
        ("toolout/pi-large-session-0061-bash.txt", "Command exited with code 2", Kind::Summary),
        ("toolout/pi-large-session-0063-bash.txt", "chat-simple.ts(93,18): error TS2554", Kind::Failure),
        ("toolout/pi-before-compaction-0137-bash.txt", "agent-session.ts:205:2 parse", Kind::Failure),
    ] {
        let bytes = files.iter().find(|known| known.relative == file).unwrap().read();
        let outline = outline_of(&bytes, ContentType::Log);
        let found = outline.units.iter().enumerate().skip(1).any(|(index, unit)| {
            let id = UnitId(index as u32);
            let text = outline.text(id);
            unit.kind == kind
                && unit.role == Role::Line
                && text.windows(answer.len()).any(|window| window == answer.as_bytes())
        });
        assert!(found, "{file}: {answer}");
    }
}

#[test]
fn logs_of_the_corpus_are_seen() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let kind = detect(&file.read());
        let is_log = kind == ContentType::Log;
        match file.kind.as_str() {
            "log" => assert!(is_log, "{} is {kind}", file.relative),
            "toolout" => {}
            _ => assert!(!is_log, "{} is {kind}", file.relative),
        }
    }
}

#[test]
fn lines_of_pairs_are_a_log() {
    let line =
        |level: &str, number: usize| format!("level={level} msg=\"request served\" status=200 ms={number}\n");
    let log: String =
        (0..12).map(|number| line(if number == 7 { "error" } else { "info" }, number)).collect();
    assert_eq!(detect(log.as_bytes()), ContentType::Log);
    // Settings are pairs too, one a line.
    assert_eq!(detect(b"HOME=/root\nPATH=/bin\nLANG=C\nTERM=xterm\nUSER=root\n"), ContentType::Unknown);
}
