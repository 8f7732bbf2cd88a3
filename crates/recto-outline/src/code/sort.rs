//! What a line of code is, by its first words and last signs.

use crate::code::{Language, language::yaml_key};

/// Sorts of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Blank,
    Import,
    Comment,
    /// `#[test]`, `@Override`: belongs to the definition below.
    Attribute,
    /// Begins a function, class, type or the like.
    Definition,
    /// Begins a table, a rule or a key with more below it; what is below is indented or not.
    Section,
    /// An item of a list, with more below it.
    Item,
    /// Only closes what was opened: `}`, `end`, `);`.
    Closing,
    Plain,
}

/// Words that may stand before the word that defines.
const MODIFIERS: [&[u8]; 28] = [
    b"pub",
    b"async",
    b"unsafe",
    b"export",
    b"default",
    b"public",
    b"private",
    b"protected",
    b"static",
    b"final",
    b"abstract",
    b"override",
    b"virtual",
    b"inline",
    b"extern",
    b"const",
    b"internal",
    b"sealed",
    b"partial",
    b"declare",
    b"readonly",
    b"open",
    b"data",
    b"suspend",
    b"constexpr",
    b"get",
    b"set",
    b"typedef",
];

/// Words that begin statements which look like definitions of methods.
const STATEMENTS: [&[u8]; 22] = [
    b"if",
    b"for",
    b"while",
    b"switch",
    b"match",
    b"else",
    b"return",
    b"catch",
    b"do",
    b"try",
    b"foreach",
    b"using",
    b"lock",
    b"synchronized",
    b"with",
    b"await",
    b"throw",
    b"new",
    b"case",
    b"super",
    b"assert",
    b"yield",
];

impl Sort {
    /// What a line is; `text` has no blanks around it.
    pub(super) fn of(text: &[u8], language: Language, is_nested: bool) -> Self {
        let Some(&first) = text.first() else { return Self::Blank };
        match first {
            b'}' | b')' | b']' => {
                return if text.len() < 8
                    && text.iter().all(|byte| matches!(byte, b'}' | b')' | b']' | b';' | b',' | b' '))
                {
                    Self::Closing
                } else {
                    Self::Plain
                };
            }
            b'/' if text.starts_with(b"//") || text.starts_with(b"/*") => return Self::Comment,
            b'<' if text.starts_with(b"<!--") => return Self::Comment,
            b'#' => return hash(text, language),
            b'-' if language == Language::Sql && text.starts_with(b"--") => return Self::Comment,
            b'"' | b'\'' if language == Language::Python => {
                let quotes = text.starts_with(b"\"\"\"") || text.starts_with(b"'''");
                return if quotes { Self::Comment } else { Self::Plain };
            }
            b'@' if matches!(language, Language::Python | Language::Java | Language::Script) => {
                return Self::Attribute;
            }
            b'[' if language == Language::Toml => return Self::Section,
            b'e' if text == b"end" => return Self::Closing,
            _ => {}
        }
        match language {
            Language::Yaml => yaml(text),
            Language::Toml => Self::Plain,
            Language::Css => {
                if text.ends_with(b"{") {
                    Self::Section
                } else if text.starts_with(b"@import") {
                    Self::Import
                } else {
                    Self::Plain
                }
            }
            Language::Sql => sql(text),
            Language::Shell => shell(text),
            _ if first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'<' | b'~' | b'*') => {
                worded(text, language, is_nested)
            }
            _ => Self::Plain,
        }
    }
}

fn hash(text: &[u8], language: Language) -> Sort {
    match language {
        Language::Rust | Language::Java if text.starts_with(b"#[") || text.starts_with(b"#![") => {
            Sort::Attribute
        }
        Language::C | Language::Java if text.starts_with(b"#include") || text.starts_with(b"#import") => {
            Sort::Import
        }
        Language::C | Language::Rust | Language::Css | Language::Script | Language::Java | Language::Php => {
            if language == Language::Css && text.ends_with(b"{") {
                Sort::Section
            } else {
                Sort::Plain
            }
        }
        _ => Sort::Comment,
    }
}

fn yaml(text: &[u8]) -> Sort {
    if text.starts_with(b"- ") || text == b"-" {
        return Sort::Item;
    }
    match yaml_key(text) {
        Some(key) => {
            let value = text.get(key + 1..).unwrap_or_default().trim_ascii_start();
            // A block of text or a mapping stands below.
            if value.is_empty() || matches!(value.first(), Some(b'|' | b'>' | b'&' | b'#')) {
                Sort::Section
            } else {
                Sort::Plain
            }
        }
        None => Sort::Plain,
    }
}

fn sql(text: &[u8]) -> Sort {
    let word = text.split(|byte| matches!(byte, b' ' | b'(')).next().unwrap_or_default();
    let defines = [&b"CREATE"[..], b"ALTER"].iter().any(|known| word.eq_ignore_ascii_case(known));
    if defines { Sort::Definition } else { Sort::Plain }
}

fn shell(text: &[u8]) -> Sort {
    if text.starts_with(b"source ") || text.starts_with(b". ") {
        return Sort::Import;
    }
    let name = text.strip_prefix(b"function ").unwrap_or(text);
    let bytes = name.iter().take_while(|byte| is_word(**byte) || matches!(byte, b'-' | b':' | b'.')).count();
    let after = name.get(bytes..).unwrap_or_default();
    let defines =
        after.starts_with(b"()") || name.len() < text.len() && after.trim_ascii_start().starts_with(b"{");
    if bytes > 0 && defines { Sort::Definition } else { Sort::Plain }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The word at the start of `text` and what follows it and its blanks.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let bytes = text.iter().take_while(|byte| is_word(**byte)).count();
    let (word, rest) = text.split_at_checked(bytes).unwrap_or((text, &[]));
    (word, rest.trim_ascii_start())
}

/// A line of a language of words.
fn worded(text: &[u8], language: Language, is_nested: bool) -> Sort {
    let (mut word, mut rest) = split_word(text);
    let mut modified = false;
    for _ in 0..6 {
        if !MODIFIERS.contains(&word)
            || rest.first().is_some_and(|byte| matches!(byte, b':' | b'=' | b'.' | b';'))
        {
            break;
        }
        if word == b"pub" && rest.first() == Some(&b'(') {
            let close = memchr::memchr(b')', rest).unwrap_or(0);
            rest = rest.get(close + 1..).unwrap_or_default().trim_ascii_start();
        }
        // `extern "C" fn`
        if word == b"extern" && rest.first() == Some(&b'"') {
            let close = rest.iter().skip(1).position(|byte| *byte == b'"').unwrap_or(0);
            rest = rest.get(close + 2..).unwrap_or_default().trim_ascii_start();
        }
        // `export * from`, `const name = ...`
        if rest.first() == Some(&b'*') && language == Language::Script {
            return Sort::Import;
        }
        if word == b"const" && matches!(language, Language::Script | Language::Php) {
            return function_value(rest);
        }
        modified = true;
        (word, rest) = split_word(rest);
    }
    if is_import(word, rest, language, text) {
        return Sort::Import;
    }
    if defines(word, rest, language) {
        return Sort::Definition;
    }
    if language == Language::Script {
        if matches!(word, b"let" | b"var") {
            return function_value(rest);
        }
        // Tests are named by strings.
        if matches!(word, b"describe" | b"it" | b"test" | b"suite")
            && matches!(rest.first(), Some(b'(' | b'.'))
            && text.ends_with(b"{")
        {
            return Sort::Definition;
        }
    }
    if matches!(language, Language::Rust | Language::Python | Language::Go | Language::Ruby) {
        return Sort::Plain;
    }
    method(text, word, rest, language, is_nested, modified)
}

fn is_import(word: &[u8], rest: &[u8], language: Language, text: &[u8]) -> bool {
    if rest.is_empty() || matches!(rest.first(), Some(b'=' | b'.' | b':')) {
        return false;
    }
    match language {
        Language::Rust => word == b"use" || word == b"mod" && text.ends_with(b";") || word == b"extern",
        Language::Python => {
            word == b"import" || word == b"from" && crate::words::find(rest, b"import").is_some()
        }
        Language::Script => {
            word == b"import" && rest.first() != Some(&b'(')
                || matches!(word, b"const" | b"var") && crate::words::find(rest, b"= require(").is_some()
        }
        Language::Go => matches!(word, b"import" | b"package"),
        Language::Java => matches!(word, b"import" | b"package") || word == b"using" && text.ends_with(b";"),
        Language::C => word == b"using",
        Language::Ruby => matches!(word, b"require" | b"require_relative" | b"include" | b"extend"),
        Language::Php => matches!(word, b"use" | b"namespace" | b"require" | b"include" | b"require_once"),
        _ => matches!(word, b"import" | b"use" | b"using") && text.ends_with(b";"),
    }
}

fn defines(word: &[u8], rest: &[u8], language: Language) -> bool {
    let name =
        rest.first().is_some_and(|byte| is_word(*byte) || matches!(byte, b'(' | b'<' | b'*' | b'\'' | b'['));
    let plain = |known: &[&[u8]]| name && known.contains(&word) && rest.first() != Some(&b'(');
    match language {
        Language::Rust => {
            plain(&[b"fn", b"struct", b"enum", b"trait", b"mod", b"union", b"type"])
                || word == b"impl" && name
                || word == b"macro_rules" && rest.starts_with(b"!")
        }
        Language::Python => plain(&[b"def", b"class"]),
        Language::Script => {
            plain(&[b"class", b"interface", b"enum", b"namespace", b"module"])
                || word == b"function"
                || plain(&[b"type"]) && memchr::memchr(b'=', rest).is_some()
        }
        Language::Go => {
            word == b"func" && name
                || plain(&[b"type"])
                || matches!(word, b"const" | b"var" | b"type") && rest.starts_with(b"(")
        }
        Language::Java => plain(&[
            b"class",
            b"interface",
            b"enum",
            b"record",
            b"struct",
            b"namespace",
            b"fun",
            b"object",
            b"trait",
            b"func",
            b"protocol",
            b"extension",
            b"def",
        ]),
        Language::C => {
            plain(&[b"struct", b"class", b"union", b"enum", b"namespace"])
                && !rest.ends_with(b";")
                && !rest.iter().any(|byte| matches!(byte, b'(' | b'='))
        }
        Language::Ruby => plain(&[b"def", b"class", b"module"]),
        Language::Php => plain(&[b"function", b"class", b"interface", b"trait", b"enum"]),
        _ => plain(&[b"fn", b"def", b"class", b"func", b"function", b"struct", b"enum", b"interface"]),
    }
}

/// `name = (...) => {` and `name = function (...) {`; `rest` begins with the name.
fn function_value(rest: &[u8]) -> Sort {
    let Some(at) = memchr::memchr(b'=', rest) else { return Sort::Plain };
    let value = rest.get(at + 1..).unwrap_or_default().trim_ascii_start();
    if value.starts_with(b"require(") {
        return Sort::Import;
    }
    let value = value.strip_prefix(b"async").map_or(value, <[u8]>::trim_ascii_start);
    let arrow = value.first() == Some(&b'(')
        && (value.ends_with(b"{") || value.ends_with(b"=>") || value.ends_with(b"("))
        || value.ends_with(b"=> {");
    if arrow || value.starts_with(b"function") { Sort::Definition } else { Sort::Plain }
}

/// Methods and functions without a word that says so: `int size() {`, `render(a: B): C {`.
fn method(
    text: &[u8],
    word: &[u8],
    rest: &[u8],
    language: Language,
    is_nested: bool,
    modified: bool,
) -> Sort {
    let ends_open = text.ends_with(b"{");
    // The brace may stand on the next line, or more parameters.
    let goes_on = matches!(text.last(), Some(b',' | b'('));
    let may_open = ends_open
        || (goes_on || text.ends_with(b")"))
            && matches!(language, Language::C | Language::Java | Language::Php);
    if !may_open || STATEMENTS.contains(&word) {
        return Sort::Plain;
    }
    let Some(open) = memchr::memchr(b'(', text) else { return Sort::Plain };
    let head = text.get(..open).unwrap_or_default();
    let call = !head.iter().all(|byte| {
        is_word(*byte)
            || matches!(
                byte,
                b' ' | b'<' | b'>' | b',' | b'*' | b'&' | b':' | b'~' | b'[' | b']' | b'?' | b'#'
            )
    });
    if call || memchr::memchr2(b'=', b';', head).is_some() || goes_on == (parentheses(text) == 0) {
        return Sort::Plain;
    }
    // A call's arguments end with a function: `this.on("x", () => {`.
    if text.ends_with(b"=> {") {
        return Sort::Plain;
    }
    let named_directly = rest.first() == Some(&b'(');
    let fits = match language {
        Language::Script => is_nested && (named_directly || modified || head.contains(&b'<')),
        Language::Java => {
            is_nested
                && (ends_open || modified)
                && (!named_directly || modified || word.first().is_some_and(u8::is_ascii_uppercase))
        }
        Language::C => {
            !named_directly || ends_open && !is_nested || crate::words::find(head, b"::").is_some()
        }
        _ => !named_directly && ends_open,
    };
    if fits { Sort::Definition } else { Sort::Plain }
}

/// How many more parentheses and brackets a line opens than it closes; strings are not told from code.
pub(super) fn parentheses(text: &[u8]) -> i32 {
    text.iter()
        .map(|byte| match byte {
            b'(' | b'[' => 1,
            b')' | b']' => -1,
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_of_lines() {
        use Language::{C, Css, Go, Java, Php, Python, Ruby, Rust, Script, Shell, Sql, Toml, Yaml};
        use Sort::{Attribute, Blank, Closing, Comment, Definition, Import, Item, Plain, Section};
        for (language, text, sort) in [
            (Rust, "pub(crate) fn view(source: &[u8]) -> View {", Definition),
            (Rust, "impl<T> Trait for Name<T> {", Definition),
            (Rust, "const fn a() {", Definition),
            (Rust, "const A: usize = 4;", Plain),
            (Rust, "#[test]", Attribute),
            (Rust, "mod line;", Import),
            (Rust, "type_of(a);", Plain),
            (Rust, "function(a) {", Plain),
            (Python, "async def main(self):", Definition),
            (Python, "class TestCase(unittest.TestCase):", Definition),
            (Python, "from os import path", Import),
            (Python, "# a comment", Comment),
            (Python, "\"\"\"A docstring.", Comment),
            (Python, "for x in items:", Plain),
            (Python, "type = 3", Plain),
            (Script, "export default function App() {", Definition),
            (Script, "export const run = async (a: string) => {", Definition),
            (Script, "render(a: B): C {", Definition),
            (Script, "private async handle(event: Event): Promise<void> {", Definition),
            (Script, "this.on(\"x\", () => {", Plain),
            (Script, "if (a) {", Plain),
            (Script, "} else if (b) {", Plain),
            (Script, "describe(\"a\", () => {", Definition),
            (Script, "import { a } from \"b\";", Import),
            (Script, "const fs = require(\"fs\");", Import),
            (Script, "type: \"text\",", Plain),
            (Java, "public static void main(String[] args) {", Definition),
            (Java, "synchronized (this) {", Plain),
            (Java, "return foo(bar) {", Plain),
            (C, "static int size(void) {", Definition),
            (C, "foo(a, b);", Plain),
            (C, "#include <stdio.h>", Import),
            (C, "#define A 1", Plain),
            (Go, "func (s *Server) Run() error {", Definition),
            (Php, "public function a(): int", Definition),
            (Ruby, "def a", Definition),
            (Ruby, "end", Closing),
            (Shell, "run() {", Definition),
            (Shell, "function run {", Definition),
            (Sql, "create table a (", Definition),
            (Sql, "-- a", Comment),
            (Yaml, "key:", Section),
            (Yaml, "- name: a", Item),
            (Yaml, "key: a", Plain),
            (Toml, "[a.b]", Section),
            (Css, ".a > .b {", Section),
            (Script, "});", Closing),
            (Script, "", Blank),
        ] {
            assert_eq!(Sort::of(text.as_bytes(), language, true), sort, "{language:?} {text}");
        }
    }
}
