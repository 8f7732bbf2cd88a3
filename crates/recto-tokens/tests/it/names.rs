//! Names, in and out.

use std::collections::BTreeSet;

use recto_tokens::{Tokenizer, TokenizerError};

#[test]
fn every_name_is_read_back() {
    for tokenizer in Tokenizer::ALL {
        for name in
            [tokenizer.name().to_owned(), tokenizer.short_name().to_owned(), tokenizer.name().to_uppercase()]
        {
            assert_eq!(name.parse(), Ok(tokenizer), "{name}");
        }
        assert_eq!(tokenizer.to_string(), tokenizer.name());
        assert_eq!(format!("{tokenizer:>14}").len(), 14);
        assert_eq!(tokenizer.counter().tokenizer(), tokenizer);
        assert_eq!(tokenizer.is_exact(), !tokenizer.name().contains('~'));
    }
    let names: BTreeSet<_> = Tokenizer::ALL.iter().map(|tokenizer| tokenizer.name()).collect();
    assert_eq!(names.len(), Tokenizer::ALL.len());
    assert_eq!(Tokenizer::default(), Tokenizer::ALL[0]);
}

#[test]
fn model_names_are_read() {
    for (model, tokenizer) in [
        ("gpt-5", Tokenizer::O200k),
        ("gpt-5.2-codex", Tokenizer::O200k),
        ("gpt-4o-mini-2024-07-18", Tokenizer::O200k),
        ("openai/gpt-4.1-mini", Tokenizer::O200k),
        ("o3-pro", Tokenizer::O200k),
        ("o4-mini", Tokenizer::O200k),
        ("openai.gpt-oss-120b-1:0", Tokenizer::O200k),
        ("ft:gpt-4o:org::id", Tokenizer::O200k),
        ("gpt-4", Tokenizer::Cl100k),
        ("gpt-4-turbo", Tokenizer::Cl100k),
        ("GPT-3.5-Turbo-16k", Tokenizer::Cl100k),
        ("gpt-35-turbo", Tokenizer::Cl100k),
        ("text-embedding-3-small", Tokenizer::Cl100k),
        ("claude-opus-4-5-20251101", Tokenizer::ClaudeEstimate),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", Tokenizer::ClaudeEstimate),
        ("anthropic/claude-3.7-sonnet", Tokenizer::ClaudeEstimate),
        ("models/gemini-2.5-pro", Tokenizer::GeminiEstimate),
        (" gemini-3-flash ", Tokenizer::GeminiEstimate),
    ] {
        assert_eq!(model.parse(), Ok(tokenizer), "{model}");
    }
}

#[test]
fn what_only_looks_like_a_model_is_refused() {
    for name in
        ["", "gpt", "gpt-6", "gpt-45", "o2", "o11", "claudette", "geminiscope", "llama-3", "é", "anthropic."]
    {
        assert_eq!(name.parse::<Tokenizer>(), Err(TokenizerError::Unknown { name: name.to_owned() }));
    }
}

#[test]
fn the_error_lists_what_is_known_and_stays_short() {
    let shown = "lama".parse::<Tokenizer>().unwrap_err().to_string();
    assert_eq!(
        shown,
        "unknown tokenizer or model \"lama\": use o200k (o200k_base), cl100k (cl100k_base), claude (claude~o200k), \
         gemini (gemini~o200k), or a model name such as gpt-5, gpt-4o, o3, gpt-4, gpt-3.5-turbo, claude-sonnet-4-5, \
         gemini-2.5-pro"
    );
    let long = "é\n".repeat(10_000).parse::<Tokenizer>().unwrap_err().to_string();
    assert!(long.len() < 500 && !long.contains('\n'), "{long}");
}
