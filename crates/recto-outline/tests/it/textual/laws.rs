//! The laws of units, for these parsers on any bytes.

use proptest::{collection, prelude::*, sample};
use recto_outline::{ContentType, Fuel, OutlineError, detect, outline};
use recto_testkit::{Prng, strategies};

use crate::{
    laws::{assert_linear_time, each_text_of_the_corpus},
    running::view::{exact, outline_of},
};

const TEXTUAL: [ContentType; 4] =
    [ContentType::Log, ContentType::Diff, ContentType::Code, ContentType::Numbered];

/// Lines that these parsers know, for texts that are made of them in any order.
const LINES: [&str; 72] = [
    "",
    "    ",
    "}",
    ")",
    "]);",
    "2026-01-02T03:04:05.678Z ERROR a.b: no",
    "2026-01-02T03:04:05.678Z   File \"a.py\", line 3, in f",
    "[2026-01-02 03:04:05,678] INFO x",
    "\tat a.B.c(B.java:12)",
    "Caused by: a.B: c",
    "\t... 12 more",
    "Traceback (most recent call last):",
    "  File \"a.py\", line 3, in f",
    "ValueError: x",
    "goroutine 1 [running]:",
    "panic: x",
    "thread 'main' panicked at src/a.rs:1:2:",
    "note: run with `RUST_BACKTRACE=1`",
    "error[E0308]: mismatched types",
    "  --> src/a.rs:1:2",
    "12 | let a = 1;",
    "   |     ^",
    "a.c:1:2: error: b",
    "     ^~~",
    "=== RUN   TestA",
    "--- FAIL: TestA (0.00s)",
    "=================================== FAILURES ===================================",
    "__________________________________ test_a ____________________________________",
    ">       assert a",
    "E       assert 1",
    "===== 1 failed in 0.1s =====",
    "======",
    "------",
    "FAIL: test_a (b.C)",
    "---- a::b stdout ----",
    "failures:",
    "  ● a › b",
    "  1) a b",
    "  1 failing",
    "##[group]Run a",
    "##[endgroup]",
    "##[error]Process completed with exit code 1.",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title",
    "10%\r20%\r100%",
    "╷",
    "│ Error: a",
    "╵",
    "npm ERR! a",
    "commit 096fffdb79807d34b99985b38df0a3df7f6a86c7",
    "diff --git a/Cargo.lock b/Cargo.lock",
    "index 123..456 100644",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@ fn a() {",
    "@@@ -1,2 -1,2 +1,2 @@@",
    " context",
    "+added",
    "-removed",
    "\\ No newline at end of file",
    "5c5",
    "< a",
    "> b",
    "---",
    "fn a(",
    "pub struct A {",
    "    def f(self):",
    "\"\"\"",
    "/* a",
    "#[test]",
    "     1\tfn a() {",
    "2: }",
];

/// Checks the laws, that all units together are the whole source, and that any few of them can be rendered.
fn check(source: &[u8], content_type: ContentType) {
    let outline = outline_of(source, content_type);
    assert!(exact(&outline, |_| true) == source, "{content_type}: the whole is not the source");
    let mut chance = Prng::new(source.len() as u64);
    let some = exact(&outline, |_| chance.below(4) == 0);
    if std::str::from_utf8(source).is_ok() {
        assert!(std::str::from_utf8(&some).is_ok(), "{content_type}: a character is torn");
    }
}

#[test]
fn odd_sources() {
    let long = format!("+{}", "é".repeat(1_000_000));
    let redraws = "50%\r".repeat(300_000);
    let sources: [&[u8]; 16] = [
        b"",
        b"\n",
        b"\r",
        b"\r\r\n",
        b" \n\t\n\r\n \n",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBFfn a() {}",
        b"\x1b",
        b"\x1b[\x1b]\x1b_\x1b",
        b"a\rb\rc",
        b"\0\0\xFF\n\xFF\0\x1b[3\xFFm",
        b"@@ -1,4294967295 +1 @@\n",
        b"@@ -1 +1 @@",
        b"1:",
        long.as_bytes(),
        redraws.as_bytes(),
    ];
    for source in sources {
        for content_type in TEXTUAL {
            check(source, content_type);
            let _ = detect(source);
        }
    }
}

/// Work must grow with the source, not with its square.
#[test]
fn hostile_sources_take_linear_time() {
    let pieces = [
        "\x1b]",
        "\x1b[",
        "\x1b]\x07",
        "\r",
        "\r\x1b",
        "--- \n",
        "--- a\n+++ b\n",
        "Index: \n",
        "a:1:2: error: b\n",
        "error: x\n",
        "@@ -1,9 +1,9 @@\n",
        "fn a(\n",
        "def a(\n  ",
        "#[a(\n",
        "/*\n",
        "\"\"\"\n",
        "- \n",
        "[",
        "(",
        "1:fn a() {\n",
        "##[group]\n",
        "____ a ____\n",
        "2026-01-02 03:04:05 a\n b\n",
        "{\n",
    ];
    assert_linear_time(&pieces, &TEXTUAL);
}

#[test]
fn every_file_of_the_corpus_keeps_the_laws() {
    each_text_of_the_corpus(|bytes| {
        for content_type in TEXTUAL {
            check(bytes, content_type);
        }
    });
}

#[test]
fn fuel_is_burnt_before_the_work() {
    for content_type in TEXTUAL {
        let error = outline(b"a,b\n1,2\n", Some(content_type), &mut Fuel::new(7)).unwrap_err();
        assert_eq!(error, OutlineError::OutOfFuel { visited: 0 }, "{content_type}");
        assert!(outline(b"a,b\n1,2\n", Some(content_type), &mut Fuel::new(8)).is_ok(), "{content_type}");
    }
}

fn known_lines() -> impl Strategy<Value = String> {
    let line =
        (0_usize..3, sample::select(&LINES[..]), sample::select(&["\n", "\n", "\n", "\r\n", "\r"][..]))
            .prop_map(|(indent, line, end)| format!("{}{line}{end}", "    ".repeat(indent)));
    collection::vec(line, 0..60).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn hostile_bytes_keep_the_laws(bytes in strategies::hostile_bytes(600)) {
        for content_type in TEXTUAL {
            check(&bytes, content_type);
        }
    }

    #[test]
    fn broken_inputs_keep_the_laws(input in strategies::input(4_000)) {
        for content_type in TEXTUAL {
            check(&input.bytes, content_type);
        }
    }

    #[test]
    fn known_lines_in_any_order_keep_the_laws(text in known_lines()) {
        let _ = detect(text.as_bytes());
        for content_type in TEXTUAL {
            check(text.as_bytes(), content_type);
        }
    }
}
