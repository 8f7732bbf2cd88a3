//! What a line of code is, by its first words and last signs.

use crate::{Comment, lines::Lines};

/// Sorts of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineSort {
    Blank,
    Import,
    Comment,
    /// Begins a function, class, type or the like.
    Definition,
    /// Only closes what was opened: `}`, `end`, `);`.
    Closing,
    Plain,
}

/// Words that may stand before the word that defines.
const MODIFIERS: [&[u8]; 22] = [
    b"pub", b"pub(crate)", b"pub(super)", b"async", b"unsafe", b"export", b"default", b"public", b"private", b"protected", b"static", b"final",
    b"abstract", b"override", b"virtual", b"inline", b"extern", b"const", b"internal", b"sealed", b"partial", b"declare",
];
/// Words that define.
const DEFINING: [&[u8]; 19] = [
    b"fn", b"def", b"class", b"func", b"function", b"struct", b"enum", b"trait", b"impl", b"interface", b"mod", b"module", b"namespace", b"union",
    b"macro_rules!", b"type", b"object", b"protocol", b"extension",
];
const IMPORTING: [&[u8]; 8] = [b"use", b"import", b"from", b"package", b"#include", b"require", b"using", b"#import"];

/// What a line is.
pub(crate) fn sort_of(text: &[u8]) -> LineSort {
    let text = text.trim_ascii();
    let Some(&first) = text.first() else { return LineSort::Blank };
    match first {
        b'}' | b')' | b']' if text.iter().all(|byte| matches!(byte, b'}' | b')' | b']' | b';' | b',' | b' ')) => return LineSort::Closing,
        b'/' if text.starts_with(b"//") || text.starts_with(b"/*") => return LineSort::Comment,
        b'*' => return LineSort::Comment,
        b'#' if !text.starts_with(b"#include") && !text.starts_with(b"#import") => return LineSort::Comment,
        b'-' if text.starts_with(b"-- ") => return LineSort::Comment,
        b'"' if text.starts_with(b"\"\"\"") => return LineSort::Comment,
        _ => {}
    }
    if text == b"end" {
        return LineSort::Closing;
    }
    let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let mut word = words.next().unwrap_or_default();
    let mut modified = false;
    for _ in 0..4 {
        if !MODIFIERS.contains(&word) {
            break;
        }
        modified = true;
        word = words.next().unwrap_or_default();
    }
    let next = words.next().unwrap_or_default();
    if IMPORTING.contains(&word) && !next.is_empty() && next.first() != Some(&b'=') {
        return LineSort::Import;
    }
    // `impl<T>` and `function(` are the words and more.
    let bare = word.split(|byte| matches!(byte, b'<' | b'(')).next().unwrap_or_default();
    let begins_name = next.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'(' | b'[' | b'<' | b'*' | b'&' | b'$' | b'`'));
    let is_sentence = text.ends_with(b".") && !text.contains(&b'(');
    if DEFINING.contains(&bare) && begins_name && !is_sentence {
        return LineSort::Definition;
    }
    // Java, C#, C++: `public int size() {`; C: `static int size(void) {`.
    let opens = text.ends_with(b"{") && text.contains(&b'(') && !text.contains(&b'=');
    let calls = [&b"if"[..], b"for", b"while", b"switch", b"match", b"else", b"}", b"return", b"catch", b"do", b"try"];
    if opens && !calls.iter().any(|call| bare == *call || text.starts_with(b"}")) && (modified || is_name(bare) && is_name(next.split(|byte| *byte == b'(').next().unwrap_or_default())) {
        return LineSort::Definition;
    }
    LineSort::Plain
}

fn is_name(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'*' | b'&' | b'<' | b'>' | b'.'))
}

/// Says whether a line that is no definition and no import has the look of code.
pub(crate) fn looks_like_code(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let ends: [&[u8]; 9] = [b";", b"{", b"}", b"},", b");", b"(", b"[", b"),", b"=>"];
    let begins: [&[u8]; 14] = [
        b"let ", b"return", b"if ", b"for ", b"while ", b"const ", b"var ", b"else", b"elif ", b"self.", b"this.", b"match ", b"raise ", b"await ",
    ];
    if text.len() > 200 {
        return false;
    }
    ends.iter().any(|end| text.ends_with(end))
        || (begins.iter().any(|begin| text.starts_with(begin)) && (text.ends_with(b":") || text.contains(&b'(') || text.contains(&b'=')))
        || is_assignment(text)
}

/// `name = value`, `self.name = value`, `name: Type = value`.
fn is_assignment(text: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(text, b" = ") else { return false };
    let left = text.get(..at).unwrap_or_default();
    !left.is_empty() && left.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']' | b':' | b' ')) && !left.contains(&b':')
        && left.iter().filter(|byte| **byte == b' ').count() <= 1
}

/// Columns before the first letter; a tab is as wide as four blanks.
pub(crate) fn indent(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).map(|byte| if *byte == b'\t' { 4 } else { 1 }).sum()
}

/// Says whether a line at a definition's own indentation still belongs to its head: `) -> u32 {`, `where`, `{`.
pub(crate) fn continues_head(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text == b"{" || text == b"where" || (matches!(text.first(), Some(b')' | b']')) && (text.ends_with(b"{") || text.ends_with(b":")))
}

/// The comment style of the code: by the lines that are comments, else by the signs at the ends of lines.
pub(crate) fn comment_style(source: &[u8]) -> Comment {
    let (mut hash, mut slashes, mut dashes, mut signs) = (0, 0, 0, 0);
    for line in Lines::new(source, 0, source.len().min(16_384)).take(300) {
        let text = line.of(source).trim_ascii();
        match text.first() {
            Some(b'#') if !text.starts_with(b"#[") && !text.starts_with(b"#include") => hash += 1,
            Some(b'/') if text.starts_with(b"//") => slashes += 1,
            Some(b'-') if text.starts_with(b"-- ") => dashes += 1,
            _ => signs += usize::from(matches!(text.last(), Some(b';' | b'{' | b'}'))),
        }
    }
    if dashes > hash && dashes > slashes {
        Comment::Dashes
    } else if hash > slashes || (slashes == 0 && signs < 3) {
        Comment::Hash
    } else {
        Comment::Slashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_of_lines() {
        use LineSort::{Blank, Closing, Comment, Definition, Import, Plain};
        let known: [(&str, LineSort); 20] = [
            ("pub(crate) fn view(source: &[u8]) -> View {", Definition),
            ("impl<T> Trait for Name<T> {", Definition),
            ("    async def main(self):", Definition),
            ("class TestCase(unittest.TestCase):", Definition),
            ("export default function App() {", Definition),
            ("public static void main(String[] args) {", Definition),
            ("static int size(void) {", Definition),
            ("func (s *Server) Run() error {", Definition),
            ("if (a) {", Plain),
            ("} else if (b) {", Plain),
            ("for x in items:", Plain),
            ("use std::io;", Import),
            ("from os import path", Import),
            ("#include <stdio.h>", Import),
            ("// a comment", Comment),
            ("# a comment", Comment),
            ("});", Closing),
            ("    }", Closing),
            ("   ", Blank),
            ("The class of errors that matters.", Plain),
        ];
        for (text, sort) in known {
            assert_eq!(sort_of(text.as_bytes()), sort, "{text}");
        }
    }

    #[test]
    fn the_style_of_comments() {
        assert_eq!(comment_style(b"import os\n\ndef f():\n    return 1\n"), Comment::Hash);
        assert_eq!(comment_style(b"fn f() {\n    1;\n}\n"), Comment::Slashes);
        assert_eq!(comment_style(b"-- tables\nSELECT 1;\n"), Comment::Dashes);
    }
}
