//! The text of a settings file around the values: blanks, commas, indentation.

use std::ops::Range;

use jsonc_parser::{ast::Object, common::Ranged as _};
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

    /// Takes a child out, and with it what [`insert`](Self::insert) put before it.
    pub(super) fn remove(&self, child: usize) -> String {
        let Some(own) = self.children.get(child) else { return self.text.to_owned() };
        if let Some(before) = child.checked_sub(1).and_then(|before| self.children.get(before)) {
            return self.with(before.end..own.end, "");
        }
        let behind = self.text.get(own.end..).unwrap_or_default();
        if self.children.len() > 1 {
            let comma = behind.find(',').map_or(own.end, |at| own.end + at + 1);
            return self.with(self.inside()..comma, "");
        }
        let is_padded = self.text.get(self.inside()..own.start) == Some(" ") && behind.starts_with(" }");
        self.with(self.inside()..own.end + usize::from(is_padded), "")
    }

    /// Whether the container was made for what is in it: then blanks stand behind its bracket.
    pub(super) fn was_made(&self) -> bool {
        self.text.get(self.inside()..).is_some_and(|rest| rest.starts_with(['\n', '\r']))
    }

    fn inside(&self) -> usize {
        self.whole.start + 1
    }

    fn with(&self, range: Range<usize>, new: &str) -> String {
        let mut text = self.text.to_owned();
        text.replace_range(range, new);
        text
    }
}

/// How deep brackets are nested, brackets in strings counted too.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}
