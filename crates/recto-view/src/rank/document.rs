//! Fields that say something of a document as a whole: the totals beside its records, the settings around them.

use recto_outline::{ContentType, Kind, Outline, Role, UnitId};

use super::{
    Leaves,
    records::{column, key},
};

/// Longer fields are left to the others.
const LONGEST_BYTES: usize = 240;
/// So many fields.
const MOST: usize = 64;

/// Keys of what matters most of a document, wherever it stands.
const KEYS: [&[u8]; 12] = [
    b"status",
    b"phase",
    b"state",
    b"result",
    b"reason",
    b"message",
    b"error",
    b"summary",
    b"total",
    b"count",
    b"outcome",
    b"conclusion",
];

/// Finds them: of JSON the short fields that stand in no record, or that no other record has, the outermost first; of tables the
/// lines that are no rows.
pub(super) fn find(outline: &Outline<'_>, leaves: &Leaves) -> Vec<UnitId> {
    match outline.content_type {
        ContentType::Json | ContentType::Jsonl | ContentType::Markup | ContentType::Unknown => {
            fields(outline, leaves)
        }
        ContentType::MarkdownTable | ContentType::Listing => {
            let is_summary = |id: &&UnitId| {
                let unit = outline.unit(**id);
                !matches!(unit.kind, Kind::Row | Kind::Header) && unit.role != Role::Record
            };
            leaves.shown.iter().filter(is_summary).take(MOST).copied().collect()
        }
        _ => Vec::new(),
    }
}

fn fields(outline: &Outline<'_>, leaves: &Leaves) -> Vec<UnitId> {
    /// Fields of one object that no other has.
    const MOST_ALONE: usize = 4;
    let mut found: Vec<(bool, usize, UnitId)> = Vec::new();
    let mut alone = (UnitId::ROOT, 0);
    for &id in &leaves.shown {
        let unit = outline.unit(id);
        if unit.role != Role::Field || unit.body.len() > LONGEST_BYTES || is_empty(outline.text(id)) {
            continue;
        }
        let column = column(outline, id);
        // A value that many share, or an object, counts if it stands in no record.
        if column.is_some_and(|column| column.records > 1) {
            continue;
        }
        let (mut depth, mut is_in_record) = (2, false);
        for parent in outline.ancestors(id).take(16) {
            depth += 1;
            is_in_record |= outline.unit(parent).role == Role::Record && !is_only_child(outline, parent);
        }
        if is_in_record {
            // Many fields that one record alone has are the rule in it.
            let parent = outline.unit(id).parent;
            alone = if alone.0 == parent { (parent, alone.1 + 1) } else { (parent, 1) };
            if alone.1 > MOST_ALONE {
                continue;
            }
        }
        if column.is_some() || !is_in_record {
            let key = key(outline.text(id));
            let is_key = KEYS.iter().any(|known| key.eq_ignore_ascii_case(known));
            found.push((is_in_record, depth - 2 * usize::from(is_key), id));
            if found.len() >= 64 * MOST {
                break;
            }
        }
    }
    found.sort_unstable();
    found.truncate(MOST);
    found.into_iter().map(|(_, _, id)| id).collect()
}

/// Says whether a field is an empty list, object or text, or null.
pub(super) fn is_empty(field: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'[' | b']' | b'{' | b'}' | b'"') || byte.is_ascii_whitespace();
    let behind = field.get(key(field).len() + 2..).unwrap_or_default().trim_ascii_start();
    let value = behind.strip_prefix(b":").unwrap_or(field);
    value.iter().all(is_sign) || value.trim_ascii() == b"null"
}

/// Says whether a unit stands alone: a list of one is no list of records.
fn is_only_child(outline: &Outline<'_>, id: UnitId) -> bool {
    let unit = outline.unit(id);
    id.0 == unit.parent.0 + 1 && unit.end == outline.unit(unit.parent).end
}
