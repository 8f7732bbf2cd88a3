//! Which tokenizer a model uses, by the model's name.
//!
//! OpenAI's rows follow the table in its own `tiktoken` (`tiktoken/model.py`).

use crate::tokenizer::Tokenizer;

/// What an error message shows as examples of known names.
pub(crate) const EXAMPLES: &str =
    "gpt-5, gpt-4o, o3, gpt-4, gpt-3.5-turbo, claude-sonnet-4-5, gemini-2.5-pro";

/// Beginnings of model names, a longer one before any that it begins with.
const FAMILIES: [(&str, Tokenizer); 22] = [
    ("gpt-5", Tokenizer::O200k),
    ("gpt-4.5", Tokenizer::O200k),
    ("gpt-4.1", Tokenizer::O200k),
    ("gpt-4o", Tokenizer::O200k),
    ("gpt-oss", Tokenizer::O200k),
    ("gpt-realtime", Tokenizer::O200k),
    ("gpt-audio", Tokenizer::O200k),
    ("chatgpt-4o", Tokenizer::O200k),
    ("codex-mini", Tokenizer::O200k),
    ("o1", Tokenizer::O200k),
    ("o3", Tokenizer::O200k),
    ("o4-mini", Tokenizer::O200k),
    ("gpt-4", Tokenizer::Cl100k),
    ("gpt-3.5", Tokenizer::Cl100k),
    ("gpt-35-turbo", Tokenizer::Cl100k),
    ("text-embedding-3-small", Tokenizer::Cl100k),
    ("text-embedding-3-large", Tokenizer::Cl100k),
    ("text-embedding-ada-002", Tokenizer::Cl100k),
    ("davinci-002", Tokenizer::Cl100k),
    ("babbage-002", Tokenizer::Cl100k),
    ("claude", Tokenizer::ClaudeEstimate),
    ("gemini", Tokenizer::GeminiEstimate),
];

/// Finds the tokenizer of a model; a family's name must end where a version or a variant can begin.
pub(crate) fn tokenizer_of(model: &str) -> Option<Tokenizer> {
    let bare = without_provider(model.trim());
    FAMILIES.iter().find(|(family, _)| begins_with_family(bare, family)).map(|&(_, tokenizer)| tokenizer)
}

/// Drops what gateways and clouds put before the model: paths, `ft:`, and Bedrock's `us.anthropic.`.
fn without_provider(model: &str) -> &str {
    let after_path = model.rsplit('/').next().unwrap_or(model);
    let after_tuning = after_path.strip_prefix("ft:").unwrap_or(after_path);
    match after_tuning.split_once("anthropic.") {
        Some((_, bare)) => bare,
        None => after_tuning.strip_prefix("openai.").unwrap_or(after_tuning),
    }
}

fn begins_with_family(model: &str, family: &str) -> bool {
    let Some((head, rest)) = model.split_at_checked(family.len()) else { return false };
    head.eq_ignore_ascii_case(family) && !rest.starts_with(|next: char| next.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_beginning_stands_before_any_that_it_begins_with() {
        for (place, (family, _)) in FAMILIES.iter().enumerate() {
            for (earlier, _) in &FAMILIES[..place] {
                assert!(!begins_with_family(family, earlier), "{family} is hidden by {earlier}");
            }
        }
    }

    #[test]
    fn every_example_is_known() {
        for example in EXAMPLES.split(", ") {
            assert!(tokenizer_of(example).is_some(), "{example}");
        }
    }

    #[test]
    fn openai_rows_agree_with_the_tokenizer_library() {
        for (family, tokenizer) in FAMILIES.iter().filter(|(_, tokenizer)| tokenizer.is_exact()) {
            if let Some(theirs) = tiktoken::model_to_encoding(family) {
                // The harmony vocabulary differs from its base in special tokens only.
                assert_eq!(theirs.replace("harmony", "base"), tokenizer.name(), "{family}");
            }
        }
    }
}
