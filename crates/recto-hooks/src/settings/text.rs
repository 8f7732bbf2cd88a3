//! The text of a settings file around the values: blanks, commas, indentation.

use std::ops::Range;

use jsonc_parser::{Scanner, ScannerOptions, ast::Object, common::Ranged as _, tokens::Token};
use serde::Serialize;

/// How the file is laid out.
pub(super) struct Style {
    newline: &'static str,
    indent: String,
}

/// A container in the text, and where its children stand.
pub(super) struct Within<'t> {
    pub(super) text: &'t str,
    pub(super) whole: Range<usize>,
    pub(super) children: Vec<Range<usize>>,
}

impl Style {
    pub(super) fn of(text: &str, root: &Object<'_>) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let before = root.properties.first().and_then(|first| text.get(root.start() + 1..first.start()));
        let indent = before.and_then(|blanks| blanks.rsplit_once('\n')).map(|(_, indent)| indent);
        let indent = indent
            .filter(|indent| !indent.is_empty() && indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')));
        Self { newline, indent: indent.unwrap_or("  ").to_owned() }
    }

    /// A line end, and the blanks before a child at a depth.
    fn line(&self, depth: usize) -> String {
        format!("{}{}", self.newline, self.indent.repeat(depth))
    }

    /// A value whose lines but the first stand at a depth.
    pub(super) fn value(&self, depth: usize, value: &impl Serialize) -> String {
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        // Writing into memory cannot fail.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&out).replace('\n', &self.line(depth))
    }

    /// A new list at a depth, with one element.
    pub(super) fn array(&self, depth: usize, element: &impl Serialize) -> String {
        format!("[{}{}{}]", self.line(depth + 1), self.value(depth + 1, element), self.line(depth))
    }

    /// A new object at a depth.
    pub(super) fn object(&self, depth: usize, members: &[(&str, String)]) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{}\"{name}\": {value}", self.line(depth + 1)))
            .collect();
        format!("{{{}{}}}", members.join(","), self.line(depth))
    }
}

impl Within<'_> {
    /// Puts a child in behind the last one, or right behind the bracket.
    pub(super) fn insert(&self, style: &Style, depth: usize, child: &str) -> String {
        match self.children.last() {
            Some(last) => self.with(last.end..last.end, &format!(",{}{child}", style.line(depth))),
            None => self.with(self.inside()..self.inside(), child),
        }
    }

    /// The same in the outermost object, which is never taken out: so an empty one can be laid out well.
    pub(super) fn insert_at_root(&self, style: &Style, child: &str) -> String {
        if !self.children.is_empty() {
            return self.insert(style, 1, child);
        }
        let at = self.inside()..self.inside();
        if self.text.get(at.end..).is_some_and(|rest| rest.starts_with('}')) {
            self.with(at, &format!(" {child} "))
        } else {
            self.with(at, &format!("{}{child}", style.line(1)))
        }
    }

    /// Takes a child out, and with it what [`insert`](Self::insert) put before it. Comments around it stay.
    pub(super) fn remove(&self, child: usize) -> String {
        let Some(own) = self.children.get(child) else { return self.text.to_owned() };
        let before = child.checked_sub(1).and_then(|before| self.children.get(before));
        let from = before.map_or_else(|| self.inside(), |before| before.end);
        let gap = self.slice(from..own.start);
        if before.is_some() && gap.strip_prefix(',').is_some_and(is_blank) {
            return self.without([from..own.end, 0..0]);
        }
        let comma = self.comma_behind(own.end);
        if before.is_none() && is_blank(gap) {
            let is_padded =
                self.children.len() == 1 && gap == " " && self.slice(own.end..self.whole.end) == " }";
            let own = from..own.end + usize::from(is_padded);
            return self.without(joined(own, comma));
        }
        // A person's words stand before it. One comma goes with it, and its line if nothing else is on it.
        let comma = comma.or_else(|| self.comma_behind(from).filter(|comma| comma.end <= own.start));
        let end = comma.as_ref().filter(|comma| comma.start == own.end).map_or(own.end, |comma| comma.end);
        let is_line_end =
            self.slice(end..self.whole.end).trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        let own = own.start - if is_line_end { blanks_at_end(gap) } else { 0 }..own.end;
        self.without(joined(own, comma))
    }

    /// Whether the container was made for its only child: then blanks stand behind its bracket, and nobody wrote anything into it.
    pub(super) fn was_made(&self) -> bool {
        let [only] = &*self.children else { return false };
        let before = self.slice(self.inside()..only.start);
        let behind = self.slice(only.end..self.whole.end.saturating_sub(1)).replacen(',', "", 1);
        before.starts_with(['\n', '\r']) && is_blank(before) && is_blank(&behind)
    }

    /// The comma that follows with nothing but blanks and comments before it.
    fn comma_behind(&self, at: usize) -> Option<Range<usize>> {
        let mut scanner = Scanner::new(self.text.get(at..self.whole.end)?, &ScannerOptions::default());
        loop {
            match scanner.scan().ok()?? {
                Token::CommentLine(_) | Token::CommentBlock(_) => {}
                Token::Comma => return Some(at + scanner.token_start()..at + scanner.token_end()),
                _ => return None,
            }
        }
    }

    fn inside(&self) -> usize {
        self.whole.start + 1
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn with(&self, range: Range<usize>, new: &str) -> String {
        let mut text = self.text.to_owned();
        text.replace_range(range, new);
        text
    }

    /// The text without two parts of it.
    fn without(&self, mut parts: [Range<usize>; 2]) -> String {
        parts.sort_by_key(|part| part.start);
        let mut text = self.text.to_owned();
        for part in parts.into_iter().rev() {
            text.replace_range(part, "");
        }
        text
    }
}

/// A child's place and that of the comma that goes with it.
fn joined(own: Range<usize>, comma: Option<Range<usize>>) -> [Range<usize>; 2] {
    let nothing = own.end..own.end;
    [own, comma.unwrap_or(nothing)]
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\n', '\r']).is_empty()
}

/// How many bytes of blanks a text ends with.
fn blanks_at_end(text: &str) -> usize {
    text.len() - text.trim_end_matches([' ', '\t', '\n', '\r']).len()
}

/// How deep brackets are nested, up to the first place that is no JSON.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    while let Ok(Some(token)) = scanner.scan() {
        match token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}
