//! The laws of units, for these parsers on any bytes.

use proptest::prelude::*;
use recto_outline::{ContentType, Fuel, OutlineError, outline};
use recto_testkit::{Prng, strategies};

use super::view::{exact, outline_of};
use crate::laws::{assert_linear_time, each_text_of_the_corpus};

const RUNNING: [ContentType; 4] =
    [ContentType::Prose, ContentType::Chat, ContentType::Rag, ContentType::Markup];

/// Pieces of all the formats' syntax, to be strung together at random.
const SYNTAX: &[&str] = &[
    "# T\n",
    "T\n===\n",
    "T\n---\n",
    "- i\n",
    "  - i\n",
    "    code\n",
    "```\n",
    "> q\n",
    "|a|b|\n|-|-|\n|1|2|\n",
    "<!-- ",
    "-->",
    "\n",
    "\r\n",
    "\r",
    "One. Two! ",
    "今日は。",
    "[1] source: a.md\n",
    "User: ",
    "**A**: ",
    "[12:03] <n> ",
    "--- chunk 1 ---\n",
    "<document index=\"1\">\n",
    "</document>\n",
    "Source: x\n",
    "Content: y\n",
    "<a b=\"c\">",
    "</a>",
    "<p>",
    "<li>",
    "<td>",
    "<tr>",
    "<table>",
    "</table>",
    "<br/>",
    "<script>",
    "</script>",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "<?xml version=\"1.0\"?>",
    "<!DOCTYPE html>",
    "<pre>",
    "</pre>",
    "<h2>x</h2>",
    "'",
    "\"",
    "=",
    "\t",
    "[l]: t\n",
    "---\n",
    "<|im_start|>user\n",
    "12. x\n",
    "<nav>",
    "</nav>",
    "a",
    "ß",
    "🎈",
    "\0",
];

/// Checks the laws, that all units together are the whole source, and that any few of them can be rendered.
fn check(source: &[u8], content_type: ContentType) {
    let outline = outline_of(source, content_type);
    assert!(exact(&outline, |_| true) == source, "{content_type}: the whole is not the source");
    let mut chance = Prng::new(source.len() as u64);
    let some = exact(&outline, |_| chance.below(4) == 0);
    assert!(some.len() <= source.len());
    if std::str::from_utf8(source).is_ok() {
        assert!(std::str::from_utf8(&some).is_ok(), "{content_type}: a character is torn");
    }
}

#[test]
fn odd_sources() {
    let long = "x".repeat(2_000_000);
    let tags = "<a>".repeat(50_000);
    let items = (0..3_000).map(|depth| format!("{:depth$}- x\n", "")).collect::<String>();
    let sources: [&[u8]; 14] = [
        b"",
        b"\n",
        b"\r",
        b" \n\t\n\r\n \n",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBF# T",
        b"```",
        b"<",
        b"<!--",
        b"\0\0<\xFF\n\xFF. \xE3\x80",
        b"- ```\n  a\n```\n",
        long.as_bytes(),
        tags.as_bytes(),
        items.as_bytes(),
    ];
    for source in sources {
        for content_type in RUNNING {
            check(source, content_type);
        }
    }
}

/// Work must grow with the source, not with its square: these made earlier drafts of such parsers crawl.
#[test]
fn hostile_sources_take_linear_time() {
    let pieces = [
        "<!--",
        "<a '",
        "<![CDATA[",
        "<!x [>",
        "<b>",
        "</b>",
        "<script>",
        "&",
        "[l]:",
        "``` \n",
        "- ",
        "> ",
        "|\n|-|\n",
        "...",
        "(",
        "<?",
        "<p><td>",
        "a.) ",
    ];
    assert_linear_time(&pieces, &RUNNING);
}

#[test]
fn every_file_of_the_corpus_keeps_the_laws() {
    each_text_of_the_corpus(|bytes| {
        for content_type in RUNNING {
            check(bytes, content_type);
        }
    });
}

#[test]
fn fuel_is_burnt_before_the_work() {
    for content_type in RUNNING {
        let error = outline(b"Some text.\n", Some(content_type), &mut Fuel::new(10)).unwrap_err();
        assert_eq!(error, OutlineError::OutOfFuel { visited: 0 }, "{content_type}");
        assert!(outline(b"Some text.\n", Some(content_type), &mut Fuel::new(22)).is_ok(), "{content_type}");
    }
}

proptest! {
    #[test]
    fn hostile_bytes_keep_the_laws(bytes in strategies::hostile_bytes(600)) {
        for content_type in RUNNING {
            check(&bytes, content_type);
        }
    }

    #[test]
    fn broken_inputs_keep_the_laws(input in strategies::input(4_000)) {
        for content_type in RUNNING {
            check(&input.bytes, content_type);
        }
    }

    #[test]
    fn strings_of_syntax_keep_the_laws(pieces in prop::collection::vec(prop::sample::select(SYNTAX), 0..80)) {
        let source = pieces.concat();
        for content_type in RUNNING {
            check(source.as_bytes(), content_type);
        }
    }
}
