//! Formats are told apart by what stands in a file.

use recto_testkit::corpus::transcripts;
use recto_wire::{Format, Layout};

use crate::reading;

#[test]
fn every_file_is_of_its_folder() {
    for file in transcripts().unwrap_or_default() {
        let bytes = file.read();
        let expected = reading::format_of(&file);
        assert_eq!(Format::detect(&bytes), expected, "{}", file.relative);
        // Some whole lines are enough where there are lines.
        if file.relative.ends_with(".jsonl") {
            let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').take(6).collect();
            assert_eq!(Format::detect(&lines.concat()), expected, "{}", file.relative);
        }
    }
}

#[test]
fn names_lead_back() {
    for format in Format::ALL {
        assert_eq!(Format::by_name(format.name()), Some(format));
        assert!(format.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        let _: Layout = format.layout();
    }
    assert_eq!(Format::by_name("Claude Code"), None);
}

#[test]
fn what_is_of_no_client_is_none() {
    for other in [
        "",
        "\n \n",
        "{}",
        "[]",
        "[1, 2]",
        "plain words",
        r#"{"messages": []}"#,
        r#"{"level":"info","time":"2026-01-01","type":"message"}"#,
        r#"{"type":"text","id":"a","text":"no part"}"#,
    ] {
        assert_eq!(Format::detect(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn the_first_lines_may_be_damaged() {
    let line = br#"{"type":"response_item","payload":{"type":"reasoning","summary":[]}}"#;
    let file = [&b"{\"timestamp\":\"2026-01\n\n"[..], line].concat();
    assert_eq!(Format::detect(&file), Some(Format::Codex));
}

#[test]
fn documents_of_lines_are_refused_with_the_reason() {
    let error = Format::Pi.document(b"{}").unwrap_err().to_string();
    assert!(error.contains("pi") && error.contains("lines"), "{error}");
    assert!(Format::GeminiCli.document(b"{\"a\":1}").is_err());
    assert!(Format::OpenCode.document(b"{\"info\":{},\"messages\":[]}").is_err());
    assert!(Format::GeminiCli.document(b"{\"messages\":").is_err());
}
