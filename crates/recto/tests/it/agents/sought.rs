//! A question whose answer a view leaves out, and a scripted model that finds it.

use std::sync::Arc;

use recto_testkit::upstream::{Request, Turn, first_mention};
use serde_json::json;

/// The source of a view.
#[derive(Clone)]
pub(super) struct Sought {
    source: Arc<str>,
}

/// A line that a view leaves out. The model knows how it begins, and is to say all of it.
pub(super) struct Line {
    pub(super) begin: String,
    pub(super) whole: String,
    /// From 1.
    pub(super) number: usize,
}

impl Sought {
    pub(super) fn in_source(source: &str) -> Self {
        Self { source: source.into() }
    }

    /// The first line of the second half that the view does not hold, and whose first half begins no other line.
    pub(super) fn line(&self, view: &str) -> Line {
        let lines: Vec<&str> = self.source.lines().collect();
        let found = lines.iter().enumerate().skip(lines.len() / 2).find_map(|(index, line)| {
            let is_plain =
                (40..400).contains(&line.len()) && line.bytes().all(|byte| (b' '..=b'~').contains(&byte));
            let begin = is_plain.then(|| line.split_at(line.len() * 2 / 3).0)?;
            let is_hidden = !view.contains(begin) && self.source.matches(begin).count() == 1;
            is_hidden.then(|| Line { begin: begin.to_owned(), whole: (*line).to_owned(), number: index + 1 })
        });
        found.unwrap_or_else(|| panic!("the view leaves nothing out: {view}"))
    }

    /// The model searches in what stands behind the ref of the last result's first note.
    pub(super) fn search(&self, request: &Request) -> Turn {
        let (view, reference) = last_view(request);
        let tool = request.tool_ending_with("recto_search").unwrap();
        Turn::call(tool, json!({ "ref": reference, "pattern": escaped(&self.line(&view).begin) }))
    }

    /// The model reads the line by its number.
    pub(super) fn expand(&self, request: &Request) -> Turn {
        let (view, reference) = last_view(request);
        let tool = request.tool_ending_with("recto_expand").unwrap();
        let number = self.line(&view).number;
        Turn::call(tool, json!({ "ref": reference, "lines": format!("{number}:{number}") }))
    }

    /// The model says the line that it was shown last.
    pub(super) fn say(&self, request: &Request) -> Turn {
        let results = request.tool_results();
        let [.., view, shown] = &results[..] else { panic!("two results are needed: {results:?}") };
        self.say_from(&view.text, &shown.text)
    }

    /// The model says the line, which it reads in what it is shown of it.
    pub(super) fn say_from(&self, view: &str, shown: &str) -> Turn {
        let begin = self.line(view).begin;
        let said = shown.lines().find_map(|one| one.find(&begin).and_then(|at| one.get(at..)));
        Turn::say(said.unwrap_or_else(|| panic!("it was not found: {shown}")))
    }
}

/// The last result, and the ref that its first note names.
pub(super) fn last_view(request: &Request) -> (String, String) {
    let view = request.last_tool_result().unwrap();
    let reference = reference(&view);
    (view, reference)
}

/// The ref that the first note of a view names.
#[track_caller]
pub(super) fn reference(view: &str) -> String {
    first_mention(view).unwrap_or_else(|| panic!("no ref in: {view}")).reference
}

/// A regular expression that matches a text of plain characters and nothing else.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if character.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}
