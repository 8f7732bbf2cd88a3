//! Texts that the tests count: the corpus, generated ones, and hostile ones.

use proptest::prelude::*;

/// Lists the corpus's outputs as text, invalid bytes replaced; `None` where there is no corpus.
#[track_caller]
pub(crate) fn corpus() -> Option<Vec<(String, String)>> {
    let files = recto_testkit::corpus::outputs()?;
    assert!(files.len() > 200, "the corpus has only {} outputs", files.len());
    Some(
        files
            .iter()
            .map(|file| (file.relative.clone(), String::from_utf8_lossy(&file.read()).into_owned()))
            .collect(),
    )
}

/// Makes one hostile text of each kind, about `bytes` long.
pub(crate) fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let base64 = (0..bytes)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            alphabet[(state >> 58) as usize]
        })
        .collect();
    let mut texts = vec![("base64", base64)];
    for (name, unit) in [
        ("a", "a"),
        ("upper", "A"),
        ("ab", "ab"),
        ("spaces", " "),
        ("newlines", "\n"),
        ("crlf", "\r\n"),
        ("space-newline", " \n"),
        ("tabs", "\t"),
        ("digits", "7"),
        ("cjk", "漢字かな"),
        ("emoji", "😀👩\u{200d}🚀"),
        ("marks", "a\u{301}\u{302}"),
        ("quotes", "'"),
        ("slashes", "\\\\"),
        ("case", "aB"),
        ("titlecase", "ǅ漢"),
    ] {
        texts.push((name, unit.repeat(bytes / unit.len())));
    }
    texts
}

/// Generates text that looks like tool output, with odd characters between.
///
/// They are of Unicode 14 or before: which newer ones are letters depends on the Unicode tables of an implementation.
pub(crate) fn mixed() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[0-9]{1,8}",
        2 => "[ ]{1,4}",
        2 => "[\"{}\\[\\],:./_'-]{1,3}",
        1 => "[\r\n\t]{1,3}",
        1 => "[漢字、。かなカナ한글]{1,6}",
        2 => "\\p{Age=14.0}{1,4}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}
