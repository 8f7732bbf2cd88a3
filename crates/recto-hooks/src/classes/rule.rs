//! One rule of the table, and when it holds.

use fast_glob::glob_match;
use serde::{Deserialize, Serialize};

use super::{Call, Class, shell::Line};

/// A rule: a class, and the conditions under which it is a result's. All conditions must hold; of the values of one any.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The class that it gives.
    pub class: Class,
    /// Globs of the tool's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Globs of a file that the call names; without a slash: of its last name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What a pipeline of the shell line begins with: a program and, behind blanks, arguments that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Whether the call asked for a part of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranged: Option<bool>,
    /// What the result begins with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Why, in words.
    #[serde(default)]
    pub why: String,
}

impl Rule {
    pub(super) fn holds(&self, call: &Call<'_>, line: &Line, text: &str) -> bool {
        let has_conditions = !(self.tools.is_empty()
            && self.paths.is_empty()
            && self.commands.is_empty()
            && self.texts.is_empty()
            && self.ranged.is_none());
        let any = |values: &[String], holds: &dyn Fn(&str) -> bool| {
            values.is_empty() || values.iter().any(|value| holds(value))
        };
        has_conditions
            && any(&self.tools, &|glob| glob_match(glob, &*call.tool))
            && self.ranged.is_none_or(|ranged| ranged == call.is_ranged)
            && any(&self.texts, &|start| unnumbered(text).starts_with(start))
            && self.holds_for_files(call, line)
    }

    /// Without commands a path is an argument of the call; with them it is a word of the very command that is meant.
    fn holds_for_files(&self, call: &Call<'_>, line: &Line) -> bool {
        if self.commands.is_empty() {
            return self.paths.is_empty() || call.paths.iter().any(|path| self.has_path(path));
        }
        let is_named = |words: &[String]| self.commands.iter().any(|command| starts_with(words, command));
        if self.class == Class::Recall {
            // All that is shown must be what was asked for.
            let mut others =
                line.starts().filter(|words| words.first().is_none_or(|name| name != "cd")).peekable();
            return others.peek().is_some() && others.all(is_named);
        }
        // What a variable stands for may be any word of the line.
        let named = |words: &[String]| {
            let words = words.get(1..).unwrap_or_default();
            words.iter().any(|word| self.has_path(word))
                || words.iter().any(|word| word.contains('$')) && line.words().any(|word| self.has_path(word))
        };
        line.candidates().any(|words| is_named(words) && (self.paths.is_empty() || named(words)))
    }

    fn has_path(&self, path: &str) -> bool {
        // Windows' and git's ways (`HEAD:src/main.rs`) to write one.
        let path = path.replace('\\', "/");
        let path = path.rsplit_once(':').map_or(&*path, |(_, behind)| behind);
        let name = path.rsplit('/').next().unwrap_or(path);
        let lower = name.to_lowercase();
        self.paths.iter().any(|glob| {
            if glob.contains('/') {
                glob_match(glob, path)
            } else {
                !name.is_empty() && (glob_match(glob, name) || glob_match(glob, &*lower))
            }
        })
    }
}

/// A text without the blanks and the line number before it.
fn unnumbered(text: &str) -> &str {
    let text = text.trim_start();
    match text.split_once('\t') {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// Whether a command is the program that a pattern names first, with all arguments that it names behind.
pub(super) fn starts_with(words: &[String], pattern: &str) -> bool {
    let mut pattern = pattern.split_whitespace();
    let (Some(program), Some(wanted)) = (words.first(), pattern.next()) else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut arguments = words.iter().skip(1);
    name.eq_ignore_ascii_case(wanted)
        && pattern.all(|wanted| match wanted.strip_prefix('-').filter(|flag| flag.chars().count() == 1) {
            // A flag may stand among others: `-An`.
            Some(flag) => words.iter().skip(1).any(|word| {
                word.strip_prefix('-')
                    .is_some_and(|flags| !flags.starts_with('-') && flags.len() <= 4 && flags.contains(flag))
            }),
            None => arguments.any(|word| word == wanted),
        })
}
