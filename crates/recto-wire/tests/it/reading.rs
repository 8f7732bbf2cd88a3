//! Short ways to ask what was read.

use recto_testkit::corpus::{CorpusFile, transcripts};
use recto_wire::{Format, Record, RecordKind, Slot, unquote};

/// The format of a corpus folder.
pub(crate) fn format_of(file: &CorpusFile) -> Option<Format> {
    match &*file.relative {
        "other/openclaw.jsonl" => Some(Format::Pi),
        "other/qwen.jsonl" => Some(Format::GeminiCli),
        "opencode/storage_v2/migration" => None,
        _ => Format::by_name(&file.kind),
    }
}

/// The files of the corpus with their formats.
pub(crate) fn files() -> Vec<(CorpusFile, Format)> {
    let files = transcripts().unwrap_or_default();
    files.into_iter().filter_map(|file| format_of(&file).map(|format| (file, format))).collect()
}

/// The records of a file and the bytes that their spans are into: a line each, or the document.
pub(crate) fn records(bytes: &[u8], name: &str, format: Format) -> Vec<(Vec<u8>, Record)> {
    if name.ends_with(".json") && format != Format::OpenCode {
        let records = format.document(bytes).unwrap();
        return records.into_iter().map(|record| (bytes.to_vec(), record)).collect();
    }
    let lines: Vec<&[u8]> =
        if format == Format::OpenCode { vec![bytes] } else { bytes.split(|byte| *byte == b'\n').collect() };
    lines.into_iter().map(|line| (line.to_vec(), format.line(line))).collect()
}

/// A record in a few words: its kind, then its pieces, texts in full.
pub(crate) fn tell(line: &[u8], record: &Record) -> Vec<String> {
    let text = |span: recto_wire::Span| unquote(span.of(line)).unwrap_or_default().into_owned();
    let mut told = vec![match record.kind {
        RecordKind::Message(role) => format!("{role:?}"),
        RecordKind::Boundary(_) => "Boundary".to_owned(),
        RecordKind::Rewind(to) => format!("Rewind {}", text(to)),
        kind => format!("{kind:?}"),
    }];
    for piece in &record.pieces {
        let inside = if piece.parent.is_some() { "- " } else { "" };
        let frozen = if piece.frozen { " (frozen)" } else { "" };
        let slot = match piece.slot {
            Slot::Text => format!("text {}", text(piece.raw)),
            Slot::ToolCall { id, name, arguments } => {
                let arguments = String::from_utf8_lossy(arguments.of(line)).into_owned();
                format!("call {} {} {arguments}", text(id), text(name))
            }
            Slot::ToolResult { call, is_error } => {
                format!("{} {}", if is_error { "error" } else { "result" }, text(call))
            }
            Slot::Image { media_type } => {
                format!("image {} {}", text(media_type), String::from_utf8_lossy(piece.raw.of(line)))
            }
            Slot::Message(role) => format!("message {role:?}"),
            slot => format!("{slot:?}").to_lowercase(),
        };
        told.push(format!("{inside}{slot}{frozen}"));
    }
    told
}

/// What [`tell`] says of one line.
#[track_caller]
pub(crate) fn assert_told(format: Format, line: &str, expected: &[&str]) {
    let record = crate::laws::check_line(format, line.as_bytes());
    assert_eq!(tell(line.as_bytes(), &record), expected, "{line}");
}
