//! Source code of several languages.

use recto_outline::{Comment, ContentType, Kind, NoteSyntax, Role, UnitId, detect};
use recto_testkit::corpus;

use crate::running::view::{assert_outline, exact, outline_of};

#[test]
fn rust_nests_and_keeps_its_comments() {
    assert_outline(
        "\
use std::{
    io,
};

/// A thing.
#[derive(Debug)]
pub struct A {
    b: u8,
}

impl A {
    /// Says it.
    pub fn c(
        &self,
    ) -> u8
    where
        Self: Sized,
    {
        self.b // so

    }

    fn d() {}
}

const E: u8 = 1;
",
        ContentType::Code,
        "
        Line Import use std::{
        Line Import     io,
        Line Import };
        Line Blank\x20
        Block Definition /// A thing.\\n#[derive(De…
          Line Comment /// A thing.
          Line Import #[derive(Debug)]
          Frame Heading pub struct A {
          Line Plain     b: u8,
        Line Blank\x20
        Block Definition impl A {\\n    /// Says it…
          Frame Heading impl A {
          Block Definition     /// Says it.\\n    pub…
            Line Comment     /// Says it.
            Frame Heading     pub fn c(\\n        &self,\\n    ) -> u8\\n    where\\n        S…
            Line Plain         self.b // so
            Line Blank\x20
          Line Blank\x20
          Line Definition     fn d() {}
        Line Blank\x20
        Line Plain const E: u8 = 1;
        ",
    );
}

#[test]
fn python_nests_by_indentation() {
    assert_outline(
        "\
import os
from a import (
    b,
)


class C(D):
    \"\"\"Does it.

    def not_a_definition():
    \"\"\"

    @property
    def e(self):
        if x:
            return 1
        # the end of e

    # about f
    def f(self): ...


g = C()
",
        ContentType::Code,
        "
        Line Import import os
        Line Import from a import (
        Line Import     b,
        Line Import )
        Line Blank\x20
        Line Blank\x20
        Block Definition class C(D):\\n    \"\"\"Does …
          Frame Heading class C(D):
          Line Comment     \"\"\"Does it.
          Line Blank\x20
          Line Comment     def not_a_definition():
          Line Comment     \"\"\"
          Line Blank\x20
          Block Definition     @property\\n    def e(…
            Line Import     @property
            Frame Heading     def e(self):
            Line Plain         if x:
            Line Plain             return 1
            Line Comment         # the end of e
          Line Blank\x20
          Line Comment     # about f
          Line Definition     def f(self): ...
        Line Blank\x20
        Line Blank\x20
        Line Plain g = C()
        ",
    );
}

#[test]
fn scripts_have_methods_and_tests() {
    assert_outline(
        "\
import { a } from \"b\";

export class C extends D {
\tprivate e = 1;
\tconstructor(f: number) {
\t\tsuper();
\t}
}

export const g = async (h) => {
  this.on(\"x\", () => {
    i();
  });
};

describe(\"j\", () => {
  it(\"k\", () => {
    expect(l).toBe(1);
  });
});
",
        ContentType::Code,
        "
        Line Import import { a } from \"b\";
        Line Blank\x20
        Block Definition export class C extends D…
          Frame Heading export class C extends D {
          Line Plain \tprivate e = 1;
          Block Definition \tconstructor(f: number) …
            Frame Heading \tconstructor(f: number) {
            Line Plain \t\tsuper();
        Line Blank\x20
        Block Definition export const g = async (…
          Frame Heading export const g = async (h) => {
          Line Plain   this.on(\"x\", () => {
          Line Plain     i();
          Line Plain   });
        Line Blank\x20
        Block Definition describe(\"j\", () => {\\n  …
          Frame Heading describe(\"j\", () => {
          Block Definition   it(\"k\", () => {\\n    ex…
            Frame Heading   it(\"k\", () => {
            Line Plain     expect(l).toBe(1);
        ",
    );
}

#[test]
fn braces_may_stand_on_a_line_of_their_own() {
    assert_outline(
        "#include <stdio.h>\n\nstatic int a(int b,\n             int c)\n{\n    return b->d;\n}\n\nint e(void);\n",
        ContentType::Code,
        "
        Line Import #include <stdio.h>
        Line Blank\x20
        Block Definition static int a(int b,\\n    …
          Frame Heading static int a(int b,\\n             int c)\\n{
          Line Plain     return b->d;
        Line Blank\x20
        Line Plain int e(void);
        ",
    );
}

#[test]
fn configuration_has_sections() {
    assert_outline(
        "a: 1\nb:\n- c: 2\n  d: 3\n- e\nf:\n  g: h\n",
        ContentType::Code,
        "
        Line Plain a: 1
        Block Section b:\\n- c: 2\\n  d: 3\\n- e
          Frame Heading b:
          Record Object - c: 2\\n  d: 3
            Frame Heading - c: 2
            Line Plain   d: 3
          Line Plain - e
        Block Section f:\\n  g: h
          Frame Heading f:
          Line Plain   g: h
        ",
    );
    assert_outline(
        "[a]\nb = 1\n\n# about c\n[c]\nd = [\n  1,\n]\n",
        ContentType::Code,
        "
        Block Section [a]\\nb = 1
          Frame Heading [a]
          Line Plain b = 1
        Line Blank\x20
        Block Section # about c\\n[c]\\nd = [\\n  1,…
          Line Comment # about c
          Frame Heading [c]
          Line Plain d = [
          Line Plain   1,
          Line Plain ]
        ",
    );
}

#[test]
fn a_definition_without_its_body_is_whole() {
    let source = b"fn a() {\n    b();\n}\n\nfn c() {\n    d();\n    e();\n}\n";
    let outline = outline_of(source, ContentType::Code);
    let view = exact(&outline, |unit| outline.text(unit) == b"    d();");
    assert_eq!(String::from_utf8(view).unwrap(), "fn c() {\n    d();\n}\n");
    assert_eq!(outline.units[0].notes, NoteSyntax::Line(Comment::Slashes));
}

#[test]
fn notes_are_written_as_comments() {
    for (source, comment) in [
        ("import os\n\ndef f():\n    return self.x\n", Comment::Hash),
        ("SELECT a,\nFROM b;\nCREATE TABLE c (\n  d int\n);\n", Comment::Dashes),
        ("no code at all\n", Comment::Brackets),
    ] {
        let outline = outline_of(source.as_bytes(), ContentType::Code);
        assert_eq!(outline.units[0].notes, NoteSyntax::Line(comment), "{source}");
    }
}

/// Every Rust file of this crate: each function's name stands in a heading or a definition, so that none is lost in a body.
#[test]
fn every_function_of_this_crate_is_a_definition() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut unread = vec![std::path::PathBuf::from(folder)];
    let mut functions = 0;
    while let Some(path) = unread.pop() {
        if path.is_dir() {
            unread.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = std::fs::read(&path).unwrap();
        let outline = outline_of(&source, ContentType::Code);
        assert_eq!(detect(&source), ContentType::Code, "{}", path.display());
        for (index, unit) in outline.units.iter().enumerate() {
            let id = UnitId(index as u32);
            if !outline.is_leaf(id) || matches!(unit.kind, Kind::Comment | Kind::Blank) {
                continue;
            }
            let text = String::from_utf8_lossy(outline.text(id)).into_owned();
            let words = text.trim_start();
            // Strings that quote code stand in tests.
            if ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn "]
                .iter()
                .any(|start| words.starts_with(start))
                && !words.contains('"')
                && !words.contains('\\')
            {
                functions += 1;
                let named =
                    matches!((unit.role, unit.kind), (Role::Frame, Kind::Heading) | (_, Kind::Definition));
                assert!(named, "{}: {unit:?} {text}", path.display());
            }
        }
    }
    assert!(functions > 300, "{functions}");
}

#[test]
fn code_is_told_from_other_texts() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let bytes = file.read();
        if detect(&bytes) == ContentType::Code {
            // Files that an agent read, and what a decompiler printed.
            assert!(
                file.kind == "toolout"
                    && (file.relative.contains("-read") || file.relative.contains("-bash"))
                    || file.relative.contains("decompile"),
                "{}",
                file.relative
            );
        }
    }
}
