//! Which family of languages a text is of: enough to know its comments and the words that define.

use crate::Comment;

/// Lines looked at, comments not counted.
const LINES: usize = 100;
/// Bytes of them looked at, however long they are.
const BYTES: usize = 32_768;
/// After so many lines none of which looks like code, no more are looked at.
const HOPELESS_LINES: usize = 12;

/// A family of languages that look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// No language known.
    Unknown,
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
    /// Java, C#, Kotlin, Scala, Swift.
    Java,
    /// C and C++.
    C,
    Shell,
    Sql,
    Yaml,
    /// TOML, and configuration files with `[sections]`.
    Toml,
    Css,
    Ruby,
    Php,
}

const KNOWN: [Language; 13] = [
    Language::Rust,
    Language::Python,
    Language::Script,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Shell,
    Language::Sql,
    Language::Yaml,
    Language::Toml,
    Language::Css,
    Language::Ruby,
    Language::Php,
];

impl Language {
    /// The language of a file by the end of its name.
    pub(crate) fn of_path(path: &[u8]) -> Option<Self> {
        let dot = memchr::memrchr(b'.', path)?;
        Some(match path.get(dot + 1..)? {
            b"rs" => Self::Rust,
            b"py" | b"pyi" => Self::Python,
            b"js" | b"ts" | b"jsx" | b"tsx" | b"mjs" | b"cjs" => Self::Script,
            b"go" => Self::Go,
            b"java" | b"cs" | b"kt" | b"scala" | b"swift" => Self::Java,
            b"c" | b"h" | b"cc" | b"cpp" | b"hpp" => Self::C,
            b"sh" | b"bash" => Self::Shell,
            b"sql" => Self::Sql,
            b"yaml" | b"yml" => Self::Yaml,
            b"toml" | b"ini" | b"cfg" => Self::Toml,
            b"css" | b"scss" | b"less" => Self::Css,
            b"rb" => Self::Ruby,
            b"php" => Self::Php,
            _ => return None,
        })
    }

    /// How its comments are written.
    pub(crate) fn comment(self) -> Comment {
        match self {
            Self::Python | Self::Shell | Self::Yaml | Self::Toml | Self::Ruby => Comment::Hash,
            Self::Sql => Comment::Dashes,
            Self::Unknown => Comment::Brackets,
            Self::Rust | Self::Script | Self::Go | Self::Java | Self::C | Self::Css | Self::Php => {
                Comment::Slashes
            }
        }
    }

    /// Whether blocks stand between braces, and a definition's head ends with one.
    pub(super) fn has_braces(self) -> bool {
        matches!(
            self,
            Self::Rust
                | Self::Script
                | Self::Go
                | Self::Java
                | Self::C
                | Self::Css
                | Self::Php
                | Self::Unknown
        )
    }

    /// Whether a line could hardly be of another language.
    fn is_sign(self, text: &[u8]) -> bool {
        let starts = |words: &[&[u8]]| words.iter().any(|word| text.starts_with(word));
        let ends = |words: &[&[u8]]| words.iter().any(|word| text.ends_with(word));
        let has = |word: &[u8]| crate::words::find(text.get(..160).unwrap_or(text), word).is_some();
        match self {
            Self::Unknown => false,
            Self::Rust => {
                starts(&[b"fn ", b"pub fn ", b"pub(", b"impl ", b"impl<", b"let mut ", b"#[", b"#!["])
                    || starts(&[
                        b"pub struct ",
                        b"pub enum ",
                        b"pub mod ",
                        b"pub use ",
                        b"pub trait ",
                        b"///",
                        b"//!",
                    ])
                    || starts(&[b"use ", b"mod "]) && ends(&[b";"]) && !has(b"\\")
                    || starts(&[b"let "]) && ends(&[b";", b"{"])
                    || starts(&[b"match ", b"if let ", b"loop {"]) && ends(&[b"{"])
                    || has(b" => ") && has(b"::")
            }
            Self::Python => {
                (starts(&[b"def ", b"async def ", b"class "]) && ends(&[b":", b"(", b","]))
                    || starts(&[b"from "]) && has(b" import ")
                    || starts(&[b"import "]) && !ends(&[b";", b"'", b"\""])
                    || starts(&[b"elif ", b"except", b"with ", b"if ", b"for ", b"while ", b"try:", b"else:"])
                        && ends(&[b":"])
                    || starts(&[
                        b"raise ",
                        b"self.",
                        b"\"\"\"",
                        b"@property",
                        b"@pytest",
                        b"return self",
                        b"yield ",
                    ])
                    || ends(&[b" = None", b" = True", b" = False"])
            }
            Self::Script => {
                starts(&[b"const ", b"let ", b"var "]) && has(b" = ")
                    || starts(&[b"export ", b"async function", b"function ", b"function(", b"await "])
                    || starts(&[b"interface ", b"type "]) && ends(&[b"{"])
                    || starts(&[b"import "]) && ends(&[b"\";", b"';", b"\"", b"'", b"{"])
                    || ends(&[b"=> {", b"});", b"})"])
                    || has(b"== ") && (has(b" === ") || has(b" !== "))
                    || starts(&[b"this.", b"const {"])
                    || has(b"?: ")
            }
            Self::Go => {
                starts(&[b"func ", b"package ", b"import ("]) && !ends(&[b";"])
                    || starts(&[b"type "]) && ends(&[b"struct {", b"interface {"])
                    || has(b" := ")
                    || starts(&[b"if err != nil", b"defer ", b"go func", b"chan "])
            }
            Self::Java => {
                starts(&[b"package ", b"import ", b"using "]) && ends(&[b";"]) && !has(b"\"") && !has(b"'")
                    || starts(&[b"public ", b"private ", b"protected ", b"internal "]) && !ends(&[b":"])
                    || starts(&[
                        b"@Override",
                        b"@Test",
                        b"@Autowired",
                        b"namespace ",
                        b"override fun ",
                        b"fun ",
                    ])
                    || starts(&[b"val ", b"final ", b"struct ", b"extension ", b"override "])
                        && has(b" ")
                        && ends(&[b"{", b";", b")"])
                    || ends(&[b");"]) && has(b" new ")
            }
            Self::C => {
                starts(&[
                    b"#include",
                    b"#define ",
                    b"#ifdef",
                    b"#ifndef",
                    b"#endif",
                    b"#if ",
                    b"typedef ",
                    b"template<",
                ]) || starts(&[
                    b"int ",
                    b"void ",
                    b"char ",
                    b"static ",
                    b"struct ",
                    b"unsigned ",
                    b"size_t ",
                    b"bool ",
                ]) && ends(&[b";", b"{", b")", b","])
                    || ends(&[b";", b"{"]) && has(b"std::")
                    || ends(&[b";"]) && has(b"->") && !text.starts_with(b"$")
            }
            Self::Shell => {
                starts(&[
                    b"#!/bin/",
                    b"#!/usr/bin/env bash",
                    b"#!/usr/bin/env sh",
                    b"export ",
                    b"echo ",
                    b"set -",
                    b"if [",
                ]) && !ends(&[b";", b"{"])
                    || [&b"fi"[..], b"done", b"esac", b"then", b"do"].contains(&text)
                    || ends(&[b"; then", b"; do", b"() {"])
                    || starts(&[b"local ", b"case "]) && has(b"$")
            }
            Self::Sql => {
                const WORDS: [&[u8]; 16] = [
                    b"SELECT ",
                    b"CREATE ",
                    b"INSERT INTO",
                    b"UPDATE ",
                    b"ALTER TABLE",
                    b"DROP ",
                    b"DELETE FROM",
                    b"FROM ",
                    b"WHERE ",
                    b"LEFT JOIN",
                    b"JOIN ",
                    b"GROUP BY",
                    b"ORDER BY",
                    b"VALUES",
                    b"SELECT",
                    b"COMMENT ON",
                ];
                WORDS
                    .iter()
                    .any(|word| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
                    && (text.first().is_some_and(u8::is_ascii_uppercase) || ends(&[b";", b",", b"("]))
            }
            Self::Yaml => yaml_key(text).is_some() || text == b"---",
            Self::Toml => is_section(text) || key_value(text),
            Self::Css => {
                (starts(&[b".", b"#", b"@media", b":root", b"body", b"html", b"a:"]) && ends(&[b"{", b","]))
                    || ends(&[b";"])
                        && has(b": ")
                        && text.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'-')
                        && !has(b"(\"")
                        && !has(b" = ")
            }
            Self::Ruby => {
                text == b"end"
                    || starts(&[b"require '", b"require_relative", b"attr_", b"module "])
                    || starts(&[b"def "]) && !ends(&[b":", b"(", b",", b"{"])
                    || ends(&[b" do", b"|"]) && has(b" do")
                    || starts(&[b"class "]) && has(b" < ")
            }
            Self::Php => {
                starts(&[b"<?php", b"namespace App", b"use App\\", b"public function ", b"private function "])
                    || starts(&[b"$"]) && ends(&[b";", b"{", b"("])
                    || has(b"$this->")
            }
        }
    }
}

/// What a text may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub(super) language: Language,
    /// Lines that are not blank.
    lines: usize,
    /// Lines that are signs of the language.
    signs: usize,
    /// Other lines that look like code.
    like: usize,
    /// Lines that are sentences.
    sentences: usize,
    /// Lines that name a section: `[section]`.
    sections: usize,
}

/// Guesses the language of lines.
pub(super) fn guess<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Guess {
    let mut points = [0_usize; KNOWN.len()];
    let mut guess =
        Guess { language: Language::Unknown, lines: 0, signs: 0, like: 0, sentences: 0, sections: 0 };
    let mut bytes = 0;
    let mut comment = Comments { slashes: false, quotes: false, head: true };
    for line in lines {
        let text = line.trim_ascii();
        bytes += line.len();
        if text.is_empty() || comment.has(text) {
            continue;
        }
        guess.lines += 1;
        guess.sections += usize::from(is_section(text));
        let mut any = false;
        for (known, points) in KNOWN.iter().zip(&mut points) {
            let sign = known.is_sign(text);
            *points += usize::from(sign);
            // A key and a value are signs of no program.
            any |= sign && !matches!(known, Language::Yaml | Language::Toml);
        }
        guess.sentences += usize::from(!any && is_sentence(text));
        guess.like += usize::from(any || looks_like_code(text));
        let hopeless =
            guess.lines == HOPELESS_LINES && guess.like < 2 && points.iter().all(|points| *points < 6);
        if hopeless || guess.lines >= LINES || bytes > BYTES {
            break;
        }
    }
    for (known, points) in KNOWN.into_iter().zip(points) {
        // Keys stand in every language's tables: they are the language only where nearly all is keys.
        let (enough, weight) = match known {
            Language::Yaml => (points * 10 >= guess.lines * 8 && points > 2, 3),
            Language::Toml if guess.sections > 0 => (points * 2 >= guess.lines && points > 2, 3),
            Language::Toml => (points * 10 >= guess.lines * 9 && points > 2, 3),
            _ => (points > 0, 1),
        };
        let best = if matches!(guess.language, Language::Yaml | Language::Toml) {
            guess.signs / 3
        } else {
            guess.signs
        };
        if enough && points / weight > best {
            guess.language = known;
            guess.signs = points;
        }
    }
    guess
}

impl Guess {
    /// How sure it is that this is code: 0 to 100.
    pub(super) fn sure(&self) -> u8 {
        let Self { language, lines, signs, like, sentences, sections } = *self;
        if lines < 3 || signs < 2 || sentences * 5 > lines * 2 {
            return 0;
        }
        // Many a listing is made of keys, too.
        match language {
            Language::Yaml => return u8::from(lines > 4 && signs * 20 >= lines * 17) * 46,
            Language::Toml => return u8::from(sections > 0 && (signs + like) * 10 >= lines * 8) * 56,
            _ => {}
        }
        match (like * 100 / lines, signs * 100 / lines) {
            (60.., 8..) => 72,
            (75.., 2..) | (45.., 12..) => 60,
            (35.., 20..) => 50,
            _ => 0,
        }
    }
}

/// Tells lines of comments, which say nothing of a language.
#[derive(Debug)]
struct Comments {
    /// Inside `/* */`.
    slashes: bool,
    /// Inside three quotes.
    quotes: bool,
    /// Whether the line before may have a text below it.
    head: bool,
}

impl Comments {
    fn has(&mut self, text: &[u8]) -> bool {
        let has = |words: &[u8]| crate::words::find(text, words).is_some();
        if self.slashes {
            self.slashes = !has(b"*/");
            return true;
        }
        let quoted = self.quotes;
        // Quotes alone in the middle of a text end one whose beginning is not here.
        let is_due = quoted || self.head || text.len() > 3;
        if is_due && memchr::memmem::find_iter(text, b"\"\"\"").count() % 2 == 1 {
            self.quotes = !quoted;
        }
        self.head = text.ends_with(b":");
        if quoted {
            return true;
        }
        if text.starts_with(b"/*") {
            self.slashes = !has(b"*/");
            return true;
        }
        text.starts_with(b"//") && !text.starts_with(b"///") && !text.starts_with(b"//!")
            || text.starts_with(b"# ") && text.len() > 2
    }
}

/// `key:`, `key: value`, `- key: value`.
pub(super) fn yaml_key(text: &[u8]) -> Option<usize> {
    let dashes = if text.starts_with(b"- ") { 2 } else { 0 };
    if text == b"-" || (dashes > 0 && !text.contains(&b':') && text.len() < 80) {
        return Some(text.len());
    }
    let key = text.get(dashes..)?;
    let bytes = key
        .iter()
        .take(64)
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'"' | b'\'')
        })
        .count();
    (bytes > 0 && key.get(bytes) == Some(&b':') && matches!(key.get(bytes + 1), None | Some(b' ')))
        .then_some(dashes + bytes)
}

/// `[section]` and `[[table]]`.
fn is_section(text: &[u8]) -> bool {
    text.first() == Some(&b'[')
        && text.last() == Some(&b']')
        && text.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'[')
        && !text.contains(&b',')
}

/// `key = value` and `key=value` of configuration files.
fn key_value(text: &[u8]) -> bool {
    let key = text
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'"'))
        .count();
    let after = text.get(key..).unwrap_or_default().trim_ascii_start();
    key > 0 && after.first() == Some(&b'=') && after.get(1) != Some(&b'=') && !text.ends_with(b";")
}

/// A sentence: many words, the last of them before a full stop.
fn is_sentence(text: &[u8]) -> bool {
    matches!(text.last(), Some(b'.' | b'!' | b'?' | b':' | b','))
        && text.iter().filter(|byte| **byte == b' ').count() > 5
        && !text.iter().any(|byte| matches!(byte, b'{' | b';' | b'='))
}

/// Whether a line that is no sign of a language still has the look of code.
fn looks_like_code(text: &[u8]) -> bool {
    if text.len() > 200 {
        return false;
    }
    let ends: [&[u8]; 12] = [b";", b"{", b"}", b"},", b");", b"(", b"[", b"),", b"=>", b"],", b"]", b")"];
    let quoted = text.first() == Some(&b'"') && matches!(text.last(), Some(b',' | b'"'));
    ends.iter().any(|end| text.ends_with(end)) && !is_sentence(text)
        || quoted
        || text.ends_with(b",")
            && (yaml_key(text).is_some() || matches!(text.iter().rev().nth(1), Some(b'"' | b'\'' | b'`')))
        || text.starts_with(b"* ")
        || text.starts_with(b"# ") && text.len() > 20 && !text.first().is_some_and(u8::is_ascii_uppercase)
        || text.starts_with(b"return")
        || crate::words::find(text, b" = ").is_some_and(|at| text.get(..at).is_some_and(is_target))
}

/// What stands left of a `=`.
fn is_target(left: &[u8]) -> bool {
    !left.is_empty()
        && left.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']' | b' ' | b':')
        })
        && left.iter().filter(|byte| **byte == b' ').count() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Language {
        guess(text.as_bytes().split(|byte| *byte == b'\n')).language
    }

    #[test]
    fn tells_languages_apart() {
        for (text, expected) in [
            ("use std::io;\n\npub fn a(b: u8) -> u8 {\n    let mut c = b;\n    c\n}\n", Language::Rust),
            ("import os\n\ndef f(self):\n    if x:\n        return self.y\n", Language::Python),
            ("import a from \"b\";\nexport const c = () => {\n  this.d();\n};\n", Language::Script),
            ("package main\n\nfunc main() {\n\tx := 1\n}\n", Language::Go),
            ("package a.b;\n\npublic class C {\n    private int d;\n    @Override\n}\n", Language::Java),
            ("#include <stdio.h>\nint main(void) {\n  return a->b;\n}\n", Language::C),
            ("#!/bin/sh\nset -e\nif [ -f a ]; then\n  echo b\nfi\n", Language::Shell),
            ("CREATE TABLE a (\n  id int\n);\nSELECT * FROM a;\n", Language::Sql),
            ("a: 1\nb:\n  - c: 2\n  - d: 3\n", Language::Yaml),
            ("[a]\nb = 1\nc = \"d\"\n", Language::Toml),
            ("body {\n  color: red;\n  margin: 0;\n}\n.a {\n  top: 1px;\n}\n", Language::Css),
            ("class A < B\n  def c\n    1\n  end\nend\n", Language::Ruby),
            ("<?php\n$a = 1;\npublic function b() {\n  $this->c();\n}\n", Language::Php),
        ] {
            assert_eq!(language(text), expected, "{text}");
        }
    }

    #[test]
    fn prose_and_lists_are_no_code() {
        for text in [
            "This is a text.\nIt has sentences, and they end with stops.\nFor example: this one.\nAnd that one.\n",
            "- one\n- two\n- three\n- four\n",
            "Name: a\nWe are: here\nand some text without any key\nmore\n",
        ] {
            assert_eq!(guess(text.as_bytes().split(|byte| *byte == b'\n')).sure(), 0, "{text}");
        }
    }
}
