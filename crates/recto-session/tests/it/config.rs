use recto_session::{Boundary, PruneConfig, Strategy, Unit};
use recto_tokens::Tokenizer;

#[test]
fn what_is_not_named_keeps_its_default() {
    let config = PruneConfig::from_json("{}").unwrap();
    assert_eq!(config, PruneConfig::default());
    assert_eq!((config.threshold(), config.head(), config.tail()), (8192, 4096, 1024));
    assert_eq!(
        (config.unit(), config.boundary(), config.strategy()),
        (Unit::Chars, Boundary::CodePoint, Strategy::HeadTail)
    );
    let tokens = PruneConfig::from_json(r#"{"headTokens":100,"tokenizer":"claude"}"#).unwrap();
    assert_eq!(
        (tokens.unit(), tokens.threshold(), tokens.head(), tokens.tail()),
        (Unit::Tokens, 2048, 100, 256)
    );
    assert_eq!(tokens.tokenizer(), Tokenizer::ClaudeEstimate);
    let all =
        r#"{"threshold_chars":100,"head_chars":0,"tailChars":61,"boundary":"grapheme","strategy":"view"}"#;
    let all = PruneConfig::from_json(all).unwrap();
    assert_eq!((all.threshold(), all.head(), all.tail()), (100, 0, 61));
    assert_eq!((all.boundary(), all.strategy()), (Boundary::Grapheme, Strategy::View));
}

#[test]
fn an_error_names_the_key_and_the_law() {
    let cases = [
        (r#"{"thresholdChars":0}"#, "thresholdChars: must be at least 1, and is 0"),
        (r#"{"thresholdChars":-5}"#, "thresholdChars: must be an integer of at least 0, and is -5"),
        (r#"{"headChars":1.5}"#, "headChars: must be an integer of at least 0, and is 1.5"),
        (r#"{"headChars":10.0}"#, "headChars: must be an integer of at least 0, and is 10.0"),
        (r#"{"tailChars":"10"}"#, r#"tailChars: must be an integer of at least 0, and is "10""#),
        (r#"{"tailChars":true}"#, "tailChars: must be an integer of at least 0, and is true"),
        (r#"{"tailChars":null}"#, "tailChars: must be an integer of at least 0, and is null"),
        (r#"{"tailChars":1,"tail_chars":1}"#, "tail_chars: stands twice: keep one"),
        (r#"{"boundary":"word"}"#, r#"boundary: must be codePoint or grapheme, and is "word""#),
        (r#"{"strategy":1}"#, "strategy: must be headTail or view, and is 1"),
        (
            r#"{"thresholdChars":99,"headChars":40,"tailChars":21}"#,
            "thresholdChars: must be at least headChars (40) + the marker (39) + tailChars (21) = 100, and is 99",
        ),
        (
            r#"{"headChars":18446744073709551615,"tailChars":18446744073709551615}"#,
            "thresholdChars: must be at least headChars (18446744073709551615) + the marker (39) + tailChars (18446744073709551615) = 36893488147419103269, and is 8192",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(PruneConfig::from_json(text).unwrap_err().to_string(), message);
    }
    let unknown = PruneConfig::from_json(r#"{"treshold":1}"#).unwrap_err().to_string(); // spelling: on purpose
    assert!(unknown.starts_with("treshold: unknown key; the keys are thresholdChars, "), "{unknown}"); // spelling: on purpose
    let both = PruneConfig::from_json(r#"{"headTokens":1,"tailChars":1}"#).unwrap_err().to_string();
    assert!(both.contains("in code points or in tokens, not in both"), "{both}");
    let tokenizer = PruneConfig::from_json(r#"{"tokenizer":"none-such"}"#).unwrap_err().to_string();
    assert!(tokenizer.starts_with(r#"tokenizer: unknown tokenizer or model "none-such""#), "{tokenizer}");
    assert!(PruneConfig::from_json("[]").is_err() && PruneConfig::from_json("{").is_err());
    assert!(PruneConfig::chars(100, 40, 21).is_ok() && PruneConfig::chars(100, 40, 22).is_err());
    assert!(PruneConfig::tokens(Tokenizer::O200k, 10, 10, 0).is_err());
}
