//! The pruner's settings from JSON.

use std::collections::BTreeSet;

use recto_tokens::Tokenizer;

use super::config::{Boundary, PruneConfig, Strategy, Unit};
use crate::error::SessionError;
use crate::json;

const KEYS: &str = "thresholdChars, headChars, tailChars, thresholdTokens, headTokens, tailTokens, boundary, strategy, tokenizer";

/// Budgets as they are read: threshold, head and tail.
type Budgets = [Option<u64>; 3];

/// What was read so far.
#[derive(Default)]
struct Settings {
    chars: Budgets,
    tokens: Budgets,
    boundary: Boundary,
    strategy: Strategy,
    tokenizer: Tokenizer,
}

pub(super) fn config(text: &str) -> Result<PruneConfig, SessionError> {
    let object =
        json::checked(text).map_err(|source| SessionError::NotJson { what: "the settings", source })?;
    if !object.starts_with('{') {
        return Err(SessionError::field("settings", "a JSON object", Some(object)));
    }
    let (mut settings, mut seen) = (Settings::default(), BTreeSet::new());
    for member in json::members(object) {
        let key = object.get(member.key).map(json::decode).unwrap_or_default().into_owned();
        let value = object.get(member.value).unwrap_or_default();
        settings.set(&key, value)?;
        if !seen.insert(camel_case(&key)) {
            return Err(refused(&key, "stands twice: keep one".to_owned()));
        }
    }
    settings.finish()
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), SessionError> {
        let budget = match camel_case(key).as_str() {
            "thresholdChars" => &mut self.chars[0],
            "headChars" => &mut self.chars[1],
            "tailChars" => &mut self.chars[2],
            "thresholdTokens" => &mut self.tokens[0],
            "headTokens" => &mut self.tokens[1],
            "tailTokens" => &mut self.tokens[2],
            "boundary" => {
                self.boundary = match json::string(value).as_deref() {
                    Some("codePoint") => Boundary::CodePoint,
                    Some("grapheme") => Boundary::Grapheme,
                    _ => return Err(refused(key, format!("must be codePoint or grapheme, and is {value}"))),
                };
                return Ok(());
            }
            "strategy" => {
                self.strategy = match json::string(value).as_deref() {
                    Some("headTail") => Strategy::HeadTail,
                    Some("view") => Strategy::View,
                    _ => return Err(refused(key, format!("must be headTail or view, and is {value}"))),
                };
                return Ok(());
            }
            "tokenizer" => {
                let name = json::string(value)
                    .ok_or_else(|| refused(key, format!("must be a string, and is {value}")))?;
                self.tokenizer = name
                    .parse()
                    .map_err(|error: recto_tokens::TokenizerError| refused(key, error.to_string()))?;
                return Ok(());
            }
            _ => return Err(refused(key, format!("unknown key; the keys are {KEYS}"))),
        };
        let number = json::integer(value);
        let law = || refused(key, format!("must be an integer of at least 0, and is {value}"));
        *budget = Some(number.ok_or_else(law)?);
        Ok(())
    }

    fn finish(self) -> Result<PruneConfig, SessionError> {
        let named = |budgets: &Budgets| budgets.iter().any(Option::is_some);
        let (unit, given, chars_each) = match (named(&self.chars), named(&self.tokens)) {
            (true, true) => {
                let law = "budgets are in code points or in tokens, not in both: remove those of one unit";
                return Err(refused("thresholdChars, thresholdTokens and their like", law.to_owned()));
            }
            (_, false) => (Unit::Chars, self.chars, 1),
            (false, true) => (Unit::Tokens, self.tokens, PruneConfig::CHARS_PER_TOKEN),
        };
        let [threshold, head, tail] = given;
        let or_default = |budget: Option<u64>, chars: u64| budget.unwrap_or(chars / chars_each);
        let budgets = [
            or_default(threshold, PruneConfig::THRESHOLD_CHARS),
            or_default(head, PruneConfig::HEAD_CHARS),
            or_default(tail, PruneConfig::TAIL_CHARS),
        ];
        PruneConfig::unchecked(unit, budgets)
            .with_boundary(self.boundary)
            .with_strategy(self.strategy)
            .with_tokenizer(self.tokenizer)
    }
}

fn refused(key: &str, law: String) -> SessionError {
    SessionError::Config { key: key.to_owned(), law }
}

/// `threshold_chars` as `thresholdChars`.
fn camel_case(key: &str) -> String {
    let mut words = key.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    camel
}
