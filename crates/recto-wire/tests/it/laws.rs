//! What holds for every record that any reader makes of any bytes. The fuzz target uses this file too.

use recto_wire::{Format, Piece, Record, RecordKind, Slot, Span, Splice, quote, unquote};

/// Texts that are replaced in one record, at most: each costs one more reading of it.
const MOST_REPLACED: usize = 6;

/// Reads the bytes as a line and as a document of every format, and holds all records to the laws.
pub(crate) fn check_all(source: &[u8]) {
    let _ = Format::detect(source);
    for format in Format::ALL {
        check_line(format, source);
        // Bodies of model APIs have no session, and laws of their own.
        let is_client = matches!(format, Format::GeminiCli | Format::OpenCode);
        if let Some(records) = is_client.then(|| format.document(source)).and_then(Result::ok) {
            check_document(format, source, &records);
        }
    }
}

/// Reads a line and holds its record to the laws.
pub(crate) fn check_line(format: Format, line: &[u8]) -> Record {
    let record = format.line(line);
    assert_eq!(record.span, Span::new(0, line.len()), "{format:?}");
    check_record(format, line, &record);
    if line.len() < 1 << 18 {
        check_replacing(line, &record, |changed| format.line(changed));
    }
    record
}

/// Holds the records of a document to the laws.
pub(crate) fn check_document(format: Format, source: &[u8], records: &[Record]) {
    assert_eq!(records[0].kind, RecordKind::Session, "{format:?}");
    let mut end = 0;
    for (at, record) in records.iter().enumerate() {
        check_record(format, source, record);
        if at > 0 {
            assert!(record.span.s >= end, "{format:?}: records overlap");
            end = record.span.e;
        }
        check_replacing(source, record, |changed| {
            let records = format.document(changed).expect("a text was replaced");
            records[at].clone()
        });
    }
}

fn check_record(format: Format, source: &[u8], record: &Record) {
    let is_inside = |outer: Span, inner: Span| {
        inner.is_empty() || outer.s <= inner.s && inner.s < inner.e && inner.e <= outer.e
    };
    assert!(record.span.e as usize <= source.len());
    for span in [record.id, record.message, record.time, record.session, record.folder, record.type_name] {
        assert!(is_inside(record.span, span), "{format:?}: {record:?}");
    }
    let mut block_start = 0;
    for (at, piece) in record.pieces.iter().enumerate() {
        let say = || format!("{format:?}: piece {at} of {}", String::from_utf8_lossy(source));
        assert!(!piece.raw.is_empty() && is_inside(piece.block, piece.raw), "{}", say());
        assert!(is_inside(record.span, piece.block) && piece.block.s >= block_start, "{}", say());
        block_start = piece.block.s;
        if let Some(parent) = piece.parent {
            assert!((parent as usize) < at, "{}", say());
            let parent = &record.pieces[parent as usize];
            assert!(matches!(parent.slot, Slot::ToolResult { .. } | Slot::Message(_)), "{}", say());
            assert!(is_inside(parent.block, piece.block), "{}", say());
            assert!(piece.frozen || !parent.frozen, "{}", say());
        }
        match piece.slot {
            Slot::Text if !piece.frozen => assert!(unquote(piece.raw.of(source)).is_some(), "{}", say()),
            Slot::ToolCall { id, name, arguments } => {
                assert!([id, name, arguments].iter().all(|span| is_inside(piece.block, *span)), "{}", say());
            }
            Slot::ToolResult { call, .. } => assert!(is_inside(record.span, call), "{}", say()),
            _ => {}
        }
    }
    let unchanged = Splice::new(Vec::new()).expect("no changes");
    assert!(unchanged.is_identity() && &*unchanged.apply(source) == source);
}

/// Another text in the place of one: nothing else changes, in bytes or in what is read.
fn check_replacing(source: &[u8], record: &Record, read: impl Fn(&[u8]) -> Record) {
    let is_text = |piece: &&Piece| matches!(piece.slot, Slot::Text) && !piece.frozen;
    let texts: Vec<Piece> = record.pieces.iter().filter(is_text).copied().collect();
    // JSON that other readers refuse (bytes that are not UTF-8 in the client's own members) may be refused after, too.
    let was_valid = texts.is_empty() || serde_json::from_slice::<serde_json::Value>(source).is_ok();
    let step = texts.len().div_ceil(MOST_REPLACED).max(1);
    for piece in texts.iter().step_by(step) {
        let other = "another \"text\"\n\u{1f600}\\";
        let splice = Splice::new(vec![(piece.raw, quote(other))]).expect("one change");
        let changed = splice.apply(source);
        assert_eq!(changed[..piece.raw.s as usize], source[..piece.raw.s as usize]);
        assert!(changed.ends_with(&source[piece.raw.e as usize..]));
        if was_valid {
            assert!(serde_json::from_slice::<serde_json::Value>(&changed).is_ok());
        }
        let again = read(&changed);
        assert_eq!(again.pieces.len(), record.pieces.len());
        for (old, new) in record.pieces.iter().zip(&again.pieces) {
            assert_eq!(std::mem::discriminant(&old.slot), std::mem::discriminant(&new.slot));
            if matches!(old.slot, Slot::Text) && old.raw == piece.raw {
                assert_eq!(unquote(new.raw.of(&changed)).as_deref(), Some(other));
            } else if matches!(old.slot, Slot::Text) {
                assert_eq!(old.raw.of(source), new.raw.of(&changed));
            }
        }
    }
}
