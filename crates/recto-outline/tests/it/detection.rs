//! Texts that could be taken for two things.

use recto_outline::{ContentType, detect};
use recto_testkit::corpus;

#[test]
fn json_does_not_go_on_with_words_behind_a_bracket() {
    for source in [" {}\"", " {}\"abc", "{}x", "[1] 12345", "{\"a\": 1} \"b\"", "[ok] 12 34"] {
        assert_eq!(detect(source.as_bytes()), ContentType::Unknown, "{source}");
    }
    // Values behind values, in one line or in lines, words between lines, what is cut short or nearly right.
    for (source, content_type) in [
        ("{}", ContentType::Json),
        ("{\"a\": 1}{\"b\": 2}", ContentType::Json),
        ("{\"a\": 1", ContentType::Json),
        ("{\"a\": 1,}", ContentType::Json),
        ("{\"a\": 1}\n{\"b\": 2}\n", ContentType::Jsonl),
        ("{\"a\": {\"b\": 1}}\n{\"b\": [2, 3]}\n{\"a\": 4}\nstopped\n", ContentType::Jsonl),
    ] {
        assert_eq!(detect(source.as_bytes()), content_type, "{source}");
    }
}

/// Failures quote code, and a report may begin anywhere: its output was cut.
#[test]
fn a_test_report_is_a_log_however_much_code_it_quotes() {
    let Some(files) = corpus::outputs() else { return };
    let file = files.iter().find(|file| file.relative.ends_with("requests.pytest-v.log")).unwrap();
    let bytes = file.read();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for begin in (0..lines.len() - 40).step_by(20) {
        let text = lines[begin..].concat();
        let head: Vec<_> = lines[begin..].iter().take(3).map(|line| String::from_utf8_lossy(line)).collect();
        assert_eq!(detect(&text), ContentType::Log, "from line {begin}: {head:?}");
    }
}

#[test]
fn compilers_that_set_the_colon_apart_print_logs() {
    let source = "\
Updating build tree...
Acmp.cpp
Adc.cpp
D:\\work\\Adc.c(121) : Warning[Pe177]: variable \"a\" was declared but never referenced
D:\\work\\Adc.c(158) : Error[Pe020]: identifier \"b\" is undefined
main.cpp
main.cpp(12) : error C2065: 'x' : undeclared identifier
";
    assert_eq!(detect(source.as_bytes()), ContentType::Log);
}
