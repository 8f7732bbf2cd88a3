//! One line a tool.

use super::{
    parameters::{Detail, Writer, parameters_of},
    safe,
};
use crate::{directory::Entry, sentence::first_sentence, signature::Member};

/// What a line may cost by the reckoning of [`cost`], which is near the tokens of o200k and mostly above them.
const MAX_COST: usize = 90;

/// What a sentence may cost.
const MAX_SENTENCE_COST: usize = 40;

/// How parameters are written, from all of their types to their names.
const DETAILS: [Option<Detail>; 4] = [
    Some(Detail { depth: 2, choices: 8, schemas: 40 }),
    Some(Detail { depth: 1, choices: 4, schemas: 40 }),
    Some(Detail { depth: 0, choices: 3, schemas: 100 }),
    None,
];

/// Returns one line about a tool: `code(a,b?:int) — What it does.`
///
/// It costs at most about 100 tokens: types, values of enums and at last optional parameters give way (`+3` stands for three
/// that are not named).
#[must_use]
pub fn hit_line(entry: &Entry) -> String {
    let tool = entry.tool();
    let sentence = sentence(tool.description(), MAX_SENTENCE_COST);
    let mut line = safe::name(entry.code()).into_owned();
    let room = MAX_COST.saturating_sub(cost(&line) + cost(&sentence) + 2);
    let parameters = parameters_of(tool.input_schema());
    let written = DETAILS.iter().find_map(|detail| {
        let text = written(&parameters, tool.input_schema(), *detail);
        (cost(&text) <= room).then_some(text)
    });
    line.push_str(&written.unwrap_or_else(|| names(&parameters, room)));
    if !sentence.is_empty() {
        line.push_str(" — ");
        line.push_str(&sentence);
    }
    line
}

fn written(parameters: &[Member<'_>], schema: &serde_json::Value, detail: Option<Detail>) -> String {
    let mut writer = detail.map(|detail| Writer::new(schema, detail));
    let parameters = parameters.iter().take(200).map(|parameter| match &mut writer {
        Some(writer) => writer.parameter(parameter, 0),
        None => name(parameter),
    });
    format!("({})", parameters.collect::<Vec<_>>().join(","))
}

/// As many names as there is room for; at least the first.
fn names(parameters: &[Member<'_>], room: usize) -> String {
    let mut text = String::from("(");
    let mut spent = 4;
    for (at, parameter) in parameters.iter().enumerate() {
        let name = name(parameter);
        spent += cost(&name) + 1;
        if spent > room && at > 0 {
            text.push_str(&format!(",+{}", parameters.len() - at));
            break;
        }
        if at > 0 {
            text.push(',');
        }
        text.push_str(&name);
    }
    text.push(')');
    text
}

fn name(parameter: &Member<'_>) -> String {
    let mut name = safe::line(&safe::name(parameter.name), 40);
    if !parameter.is_required {
        name.push('?');
    }
    name
}

/// The first sentence, cut between words where it costs more.
fn sentence(description: &str, max_cost: usize) -> String {
    let whole = safe::line(first_sentence(description), 240);
    let mut sentence = String::new();
    let mut spent = 0;
    for word in whole.split_inclusive([' ', '、', '，', '；', '。']) {
        spent += cost(word);
        if spent > max_cost {
            // One that has no spaces is cut anywhere.
            if sentence.is_empty() {
                sentence.extend(word.chars().take(max_cost / 2));
            }
            let end = sentence.trim_end_matches([' ', ',', ';', ':', '(', '，', '、']).len();
            sentence.truncate(end);
            sentence.push('…');
            break;
        }
        sentence.push_str(word);
    }
    sentence
}

/// Reckons what a text costs in tokens, without a tokenizer: a word is one token for each 8 letters, digits are one for three,
/// signs and letters of other scripts one each.
pub(super) fn cost(text: &str) -> usize {
    let mut cost = 0;
    let mut run = 0;
    let mut before = ' ';
    for c in text.chars() {
        let is_letter = c.is_ascii_alphabetic();
        if is_letter || c.is_ascii_digit() {
            let continues = if is_letter {
                before.is_ascii_alphabetic() && !(before.is_ascii_lowercase() && c.is_ascii_uppercase())
            } else {
                before.is_ascii_digit()
            };
            run = if continues { run + 1 } else { 1 };
            let length = if is_letter { 8 } else { 3 };
            if run % length == 1 {
                cost += 1;
            }
        } else if c != ' ' {
            cost += 1;
        }
        before = c;
    }
    cost
}
