//! What holds of every body in every form, whatever its bytes are. The fuzz target uses this file too.

use recto_wire::{Format, Piece, Record, RecordKind, Slot, Span, Splice, quote, unquote};

/// The forms of model APIs.
pub(crate) const APIS: [Format; 5] = [
    Format::AnthropicMessages,
    Format::OpenAiChat,
    Format::OpenAiResponses,
    Format::GeminiContents,
    Format::AiSdk,
];

/// Reads the bytes in a form and holds what is read to the laws; `chosen` picks the text that is replaced. Gives the records, none if
/// the bytes are not of the form.
pub(crate) fn check(format: Format, bytes: &[u8], chosen: usize) -> Vec<Record> {
    let Ok(records) = format.document(bytes) else { return Vec::new() };
    for record in &records {
        check_record(bytes, record);
    }
    check_replacement(format, bytes, &records, chosen);
    records
}

fn check_record(bytes: &[u8], record: &Record) {
    let whole = Span::new(0, bytes.len());
    assert!(lies_in(record.span, whole), "{record:?}");
    for text in [record.id, record.message, record.session, record.type_name] {
        assert!(is_string_or_nothing(bytes, text), "{record:?}");
    }
    let mut before = 0;
    for (index, piece) in record.pieces.iter().enumerate() {
        assert!(piece.raw.s >= before, "out of order: {piece:?} in {record:?}");
        before = piece.raw.s;
        assert!(
            lies_in(piece.block, record.span) && lies_in(piece.raw, piece.block),
            "{piece:?} in {record:?}"
        );
        if let Some(parent) = piece.parent {
            let parent = &record.pieces[parent as usize];
            assert!(
                (piece.parent.unwrap() as usize) < index && matches!(parent.slot, Slot::ToolResult { .. })
            );
            assert!(lies_in(piece.raw, parent.raw), "{piece:?} in {parent:?}");
            assert!(!parent.frozen || piece.frozen, "{piece:?} in {parent:?}");
        }
        check_slot(bytes, piece);
    }
    if let RecordKind::Tools = record.kind {
        assert!(
            record.pieces.iter().all(|piece| matches!(piece.slot, Slot::Tools | Slot::Tool)),
            "{record:?}"
        );
    }
}

fn check_slot(bytes: &[u8], piece: &Piece) {
    match piece.slot {
        Slot::Text => {
            assert!(is_string_or_nothing(bytes, piece.raw) && !piece.raw.is_empty());
            assert!(piece.frozen || unquote(piece.raw.of(bytes)).is_some(), "no text: {piece:?}");
        }
        Slot::ToolCall { id, name, arguments } => {
            assert!(is_string_or_nothing(bytes, id) && is_string_or_nothing(bytes, name));
            assert!([id, name, arguments].iter().all(|part| part.is_empty() || lies_in(*part, piece.block)));
        }
        Slot::ToolResult { call, .. } => assert!(is_string_or_nothing(bytes, call)),
        Slot::Image { media_type } => assert!(is_string_or_nothing(bytes, media_type)),
        _ => {}
    }
}

/// Another text in the place of one changes that one, and the body stays JSON of the same shape.
fn check_replacement(format: Format, bytes: &[u8], records: &[Record], chosen: usize) {
    let editable = |piece: &&Piece| matches!(piece.slot, Slot::Text) && !piece.frozen;
    let places: Vec<Span> =
        records.iter().flat_map(|record| &record.pieces).filter(editable).map(|piece| piece.raw).collect();
    let Some(at) = places.get(chosen % places.len().max(1)).copied() else { return };
    let with = quote("another \"text\"\n\u{e9}");
    let changed = Splice::new(vec![(at, with.clone())]).unwrap().apply(bytes).into_owned();
    assert_eq!(changed[..at.s as usize], bytes[..at.s as usize]);
    assert_eq!(changed[at.s as usize + with.len()..], bytes[at.e as usize..]);
    let after = format.document(&changed).expect("a text replaced by another leaves JSON");
    let outline = |records: &[Record], bytes: &[u8]| -> Vec<(String, Vec<u8>)> {
        let pieces = records.iter().flat_map(|record| &record.pieces);
        pieces
            .map(|piece| {
                let is_text = matches!(piece.slot, Slot::Text);
                let shown = if is_text { piece.raw.of(bytes).to_vec() } else { Vec::new() };
                let slot = format!("{:?}", piece.slot);
                let name = slot.split([' ', '{']).next().unwrap_or_default();
                (format!("{name} {:?} {}", piece.parent, piece.frozen), shown)
            })
            .collect()
    };
    let mut expected = outline(records, bytes);
    let pieces = records.iter().flat_map(|record| &record.pieces);
    for (text, piece) in expected.iter_mut().zip(pieces) {
        if matches!(piece.slot, Slot::Text) && piece.raw == at {
            text.1.clone_from(&with);
        }
    }
    assert_eq!(outline(&after, &changed), expected, "{}", String::from_utf8_lossy(bytes));
    if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() {
        serde_json::from_slice::<serde::de::IgnoredAny>(&changed).expect("what was JSON stays JSON");
    }
}

fn lies_in(inner: Span, outer: Span) -> bool {
    outer.s <= inner.s && inner.s <= inner.e && inner.e <= outer.e
}

fn is_string_or_nothing(bytes: &[u8], place: Span) -> bool {
    let raw = place.of(bytes);
    place.is_empty() || raw.len() >= 2 && raw.starts_with(b"\"") && raw.ends_with(b"\"")
}
