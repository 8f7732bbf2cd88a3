//! Prose: Markdown and plain text.

use recto_outline::{ContentType, Layout, detect};
use recto_testkit::corpus;

use super::view::{assert_outline, exact, outline_of};

/// Of the Rust book, "What Is Ownership?" (MIT OR Apache-2.0), shortened.
const BOOK: &str = "\
## What Is Ownership?

_Ownership_ is a set of rules that govern how a Rust program manages memory.
All programs have to manage the way they use a computer’s memory while running.
Some languages have garbage collection that regularly looks for no-longer-used
memory as the program runs; in other languages, the programmer must explicitly
allocate and free the memory. Rust uses a third approach.

### Ownership Rules

- Each value in Rust has an _owner_.
- There can only be one owner at a time.
  - Nested: when the owner goes out of scope, the value will be dropped.

```rust
{                      // s is not valid here, since it's not yet declared

    let s = \"hello\";   // s is valid from this point forward
}                      // this scope is now over, and s is no longer valid
```

### Memory
";

#[test]
fn headings_open_sections_over_paragraphs_items_and_code() {
    assert_outline(
        BOOK,
        ContentType::Prose,
        r#"
        Block Section ## What Is Ownership?\n\n_…
          Frame Heading ## What Is Ownership?
          Block Paragraph _Ownership_ is a set of …
            Text Sentence _Ownership_ is a set of rules that govern how a Rust program…
            Text Sentence All programs have to manage the way they use a computer’s me…
            Text Sentence Some languages have garbage collection that regularly looks …
            Text Sentence Rust uses a third approach.
          Block Section ### Ownership Rules\n\n- E…
            Frame Heading ### Ownership Rules
            Record Paragraph - Each value in Rust has…
              Text Sentence Each value in Rust has an _owner_.
            Record Paragraph - There can only be one …
              Text Sentence There can only be one owner at a time.
              Record Paragraph   - Nested: when the own…
                Text Sentence Nested: when the owner goes out of scope, the value will be …
            Block Embedded ```rust\n{               …
              Line Plain {                      // s is not valid here, since it's no…
              Line Plain     let s = "hello";   // s is valid from this point forward
              Line Plain }                      // this scope is now over, and s is n…
          Block Section ### Memory
            Frame Heading ### Memory
    "#,
    );
}

#[test]
fn underlines_make_headings_and_quotes_are_lines() {
    let source = "\
Release History
===============

2.34.2 (2026-05-14)
-------------------
> quoted text, that goes on for a while so that it is not small
> and a second line of it

1. First, with a sentence that is long enough. And a second one that follows it.

   A paragraph of the item.
2. Second

***
Below the break.
";
    assert_outline(
        source,
        ContentType::Prose,
        r#"
        Block Section Release History\n========…
          Frame Heading Release History\n===============
          Block Section 2.34.2 (2026-05-14)\n----…
            Frame Heading 2.34.2 (2026-05-14)\n-------------------
            Block Paragraph > quoted text, that goes…
              Line Plain > quoted text, that goes on for a while so that it is not sm…
              Line Plain > and a second line of it
            Record Paragraph 1. First, with a sentenc…
              Text Sentence First, with a sentence that is long enough.
              Text Sentence And a second one that follows it.
              Block Paragraph    A paragraph of the item.
            Record Paragraph 2. Second
            Line Blank ***
            Block Paragraph Below the break.
    "#,
    );
}

#[test]
fn tables_keep_their_header_and_delimiter_row() {
    let source = "Before.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter.\n";
    assert_outline(
        source,
        ContentType::Prose,
        r#"
        Block Paragraph Before.
        Block Embedded | a | b |\n|---|---|\n| 1 …
          Frame Header | a | b |
          Frame Header |---|---|
          Record Row | 1 | 2 |
          Record Row | 3 | 4 |
        Block Paragraph After.
    "#,
    );
    let outline = outline_of(source.as_bytes(), ContentType::Prose);
    assert_eq!(outline.tables[0].layout, Layout::Pipes);
    assert_eq!(outline.tables[0].header.unwrap().of(source.as_bytes()), b"| a | b |");
    let last = exact(&outline, |id| outline.text(id) == b"| 3 | 4 |");
    assert_eq!(String::from_utf8(last).unwrap(), "| a | b |\n|---|---|\n| 3 | 4 |\n");
}

#[test]
fn front_matter_comments_definitions_and_tags_are_told_apart() {
    let source = "\
---
title: Guide
layout: page
---
<!-- a comment
over two lines -->
<div class=\"note\">

# Guide
See [the docs][docs].

[docs]: https://example.org/docs
";
    assert_outline(
        source,
        ContentType::Prose,
        r#"
        Block Embedded ---\ntitle: Guide\nlayout:…
          Line Plain title: Guide
          Line Plain layout: page
        Line Comment <!-- a comment\nover two lines -->
        Line Boilerplate <div class="note">
        Block Section # Guide\nSee [the docs][d…
          Frame Heading # Guide
          Block Paragraph See [the docs][docs].
          Line Boilerplate [docs]: https://example.org/docs
    "#,
    );
}

#[test]
fn plain_text_has_capital_headings_and_key_lines() {
    let source = "\
From: ada@example.org
To: grace@example.org
Subject: The engine

NAME
       grep - print lines that match patterns

DESCRIPTION
       grep searches for patterns in each file. Typically patterns should be quoted when grep is used.
";
    assert_outline(
        source,
        ContentType::Prose,
        r#"
        Block Paragraph From: ada@example.org\nTo…
          Line Plain From: ada@example.org
          Line Plain To: grace@example.org
          Line Plain Subject: The engine
        Block Section NAME\n       grep - print…
          Frame Heading NAME
          Block Paragraph        grep - print lines that match patterns
        Block Section DESCRIPTION\n       grep …
          Frame Heading DESCRIPTION
          Block Paragraph        grep searches for…
            Text Sentence        grep searches for patterns in each file.
            Text Sentence Typically patterns should be quoted when grep is used.
    "#,
    );
}

#[test]
fn unclosed_code_is_code_to_the_end_and_an_item_ends_its_own() {
    assert_outline(
        "- x\n  ```\n  a long line of code in here\n- the next item\n\n```\ncode that never ends\n# no heading\n",
        ContentType::Prose,
        r#"
        Record Paragraph - x\n  ```\n  a long line …
          Text Sentence x
          Block Embedded   ```\n  a long line of c…
            Line Plain   a long line of code in here
        Record Paragraph - the next item
        Block Embedded ```\ncode that never ends…
          Line Plain code that never ends
          Line Plain # no heading
    "#,
    );
}

#[test]
fn wide_stops_end_sentences() {
    assert_outline(
        "今日は良い天気です。散歩に行きましょう！それとも家で本を読みますか？",
        ContentType::Prose,
        r#"
        Block Paragraph 今日は良い天気です。散歩に行きましょう！それとも…
          Text Sentence 今日は良い天気です。
          Text Sentence 散歩に行きましょう！
          Text Sentence それとも家で本を読みますか？
    "#,
    );
}

#[test]
fn prose_is_told_from_what_only_has_words() {
    for (source, is_prose) in [
        (BOOK, true),
        ("# A title\n\nSome words and a [link](https://example.org).\n", true),
        ("#!/bin/sh\n# Build everything\nset -e\nmake all\n# Then test it\nmake test\n", false),
        ("# comment of a settings file\nkey = value\nother = 3\n# another comment\nlast = 4\n", false),
        (
            "2024-05-01 10:00:00 INFO The server is now starting up.\n2024-05-01 10:00:01 INFO All is well.\n",
            false,
        ),
        ("name: x\nversion: 1\nlines:\n  - a\n  - b\n", false),
        (
            "The first line of a letter has words in it.\nThe second has some too, as letters do.\n\nAda\n",
            true,
        ),
    ] {
        assert_eq!(detect(source.as_bytes()) == ContentType::Prose, is_prose, "{source}");
    }
}

#[test]
fn the_prose_of_the_corpus_is_seen() {
    let Some(files) = corpus::outputs() else { return };
    // A transcript is among it.
    let prose = |file: &&corpus::CorpusFile| file.kind == "prose" && !file.relative.contains("aider-chat");
    for file in files.iter().filter(prose) {
        assert_eq!(detect(&file.read()), ContentType::Prose, "{}", file.relative);
    }
}
