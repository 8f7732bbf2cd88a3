//! Files as agents' read tools print them.

use recto_outline::{ContentType, detect};
use recto_testkit::corpus;

use crate::running::view::assert_outline;

#[test]
fn numbered_code_has_the_blocks_of_the_code() {
    assert_outline(
        "[File: a.py (9 lines total)]\n(2 more lines above)\n3:import os\n4:\n5:def f(x):\n6:    # why\n7:    return x\n8:\n9:g = f(1)\n",
        ContentType::Numbered,
        "
        Frame Heading [File: a.py (9 lines total)]
        Line Plain (2 more lines above)
        Line Import 3:import os
        Line Blank 4:
        Block Definition 5:def f(x):\\n6:    # why\\n…
          Frame Heading 5:def f(x):
          Line Comment 6:    # why
          Line Plain 7:    return x
        Line Blank 8:
        Line Plain 9:g = f(1)
        ",
    );
    assert_outline(
        "     1\tpub struct A {\n     2\t    b: u8,\n     3\t}\n     4\t\n     5\timpl A {\n     6\t    fn c() {\n     7\t        d();\n     8\t    }\n     9\t}\n",
        ContentType::Numbered,
        "
        Block Definition      1\tpub struct A {\\n  …
          Frame Heading      1\tpub struct A {
          Line Plain      2\t    b: u8,
        Line Blank      4\t
        Block Definition      5\timpl A {\\n     6\t …
          Frame Heading      5\timpl A {
          Block Definition      6\t    fn c() {\\n    …
            Frame Heading      6\t    fn c() {
            Line Plain      7\t        d();
        ",
    );
}

#[test]
fn numbered_text_has_headings() {
    assert_outline(
        " 1→# Title\n 2→\n 3→Some text, and more of it.\n 9→## Part\n",
        ContentType::Numbered,
        "
        Line Heading  1→# Title
        Line Blank  2→
        Line Plain  3→Some text, and more of it.
        Line Heading  9→## Part
        ",
    );
}

#[test]
fn a_fragment_may_begin_inside_a_text() {
    assert_outline(
        "[File: a.py (20 lines total)]\n7:    the end of what it does.\n8:    \"\"\"\n9:    return 1\n10:\n11:def g():\n12:    return 2\n",
        ContentType::Numbered,
        "
        Frame Heading [File: a.py (20 lines total)]
        Line Plain 7:    the end of what it does.
        Line Comment 8:    \"\"\"
        Line Plain 9:    return 1
        Line Blank 10:
        Block Definition 11:def g():\\n12:    retur…
          Frame Heading 11:def g():
          Line Plain 12:    return 2
        ",
    );
}

#[test]
fn the_numbered_files_of_the_corpus_are_seen() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let numbered =
            ["-open", "-edit"].iter().any(|tool| file.relative.contains(tool)) && file.kind == "toolout";
        let kind = detect(&file.read());
        assert_eq!(kind == ContentType::Numbered, numbered, "{} is {kind}", file.relative);
    }
}
