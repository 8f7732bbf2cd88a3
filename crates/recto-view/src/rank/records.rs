//! What goes with a field: enough of its record to tell whose it is.

use recto_outline::{Column, Kind, Outline, Role, UnitId, template};

/// A record of at most this many bytes is shown whole: its notes would cost as much as what they stand for.
const WHOLE_BYTES: usize = 320;
/// A longer field names nothing.
const LONGEST_NAME_BYTES: usize = 160;
/// A longer field is no message.
const LONGEST_TEXT_BYTES: usize = 400;
/// Fields looked at for a name: those of wide records come early.
const FIELDS_LOOKED_AT: usize = 40;
/// Keys that name a record, whatever else is in it. They only decide between fields that are equally distinct.
const NAMING_KEYS: [&[u8]; 12] = [
    b"name",
    b"id",
    b"key",
    b"title",
    b"path",
    b"file",
    b"filename",
    b"code",
    b"rule",
    b"test",
    b"check",
    b"slug",
];
/// Keys of the text that a record is about.
const TEXT_KEYS: [&[u8]; 9] =
    [b"message", b"title", b"description", b"summary", b"reason", b"text", b"error", b"err", b"msg"];

/// Adds `id` to `units`, with what names its record before it and the record's text behind it.
pub(super) fn bundle(outline: &Outline<'_>, id: UnitId, units: &mut Vec<UnitId>) {
    // What stands but once in a source needs no name to tell it from others.
    if column(outline, id).is_some_and(|column| column.records == 1) {
        units.push(id);
        units.extend(text_beside(outline, id));
    } else {
        with_name(outline, id, units);
    }
}

/// What the object says that a field stands in, if one of its fields is named as such: the `message` beside a `reason`.
fn text_beside(outline: &Outline<'_>, id: UnitId) -> Option<UnitId> {
    let parent = outline.unit(id).parent;
    if outline.unit(parent).kind != Kind::Object {
        return None;
    }
    let says = |field: &UnitId| {
        let key = key(outline.text(*field));
        *field != id
            && outline.is_leaf(*field)
            && outline.unit(*field).body.len() <= LONGEST_TEXT_BYTES
            && TEXT_KEYS.iter().any(|says| key.eq_ignore_ascii_case(says))
    };
    outline.children(parent).take(FIELDS_LOOKED_AT).find(says)
}

/// As [`bundle`], whether or not there is another such field.
pub(super) fn with_name(outline: &Outline<'_>, id: UnitId, units: &mut Vec<UnitId>) {
    let Some(record) = record_of(outline, id) else {
        units.push(id);
        return;
    };
    let about_record = about(outline, record);
    if outline.unit(record).body.len() <= WHOLE_BYTES {
        // Where not all of it fits, what it is taken for goes first.
        units.extend(about_record.name.filter(|name| *name != id));
        units.push(id);
        units.extend(
            leaves_of(outline, record).filter(|other| *other != id && about_record.name != Some(*other)),
        );
        return;
    }
    // What stands right beside the field says more of it than what stands further out.
    let parent = outline.unit(id).parent;
    let near = if parent == record { about_record } else { about(outline, parent) };
    let text = near.text.or(about_record.text);
    let is_short = |text: &UnitId| outline.unit(*text).body.len() <= LONGEST_TEXT_BYTES;
    let text = text.filter(|text| *text != id && about_record.name != Some(*text) && is_short(text));
    units.extend(about_record.name.filter(|name| *name != id));
    units.push(id);
    units.extend(text);
}

/// What the record of a field says, without what varies; none for one that says nothing.
pub(super) fn says(outline: &Outline<'_>, id: UnitId) -> Option<u64> {
    let record = record_of(outline, id)?;
    let parent = outline.unit(id).parent;
    let text = about(outline, parent).text.or_else(|| about(outline, record).text)?;
    Some(template(outline.text(text)))
}

/// The record that a field stands in.
pub(super) fn record_of(outline: &Outline<'_>, id: UnitId) -> Option<UnitId> {
    /// A field nested deeper is told apart by what is nearer.
    const LEVELS: usize = 8;
    if outline.unit(id).role == Role::Record {
        return None;
    }
    let record = outline.ancestors(id).take(LEVELS).find(|id| outline.unit(*id).role == Role::Record)?;
    matches!(outline.unit(record).kind, Kind::Object | Kind::Element).then_some(record)
}

/// All units without children below `id`.
pub(super) fn leaves_of<'o>(outline: &'o Outline<'_>, id: UnitId) -> impl Iterator<Item = UnitId> + 'o {
    (id.0 + 1..outline.unit(id).end).map(UnitId).filter(|id| outline.is_leaf(*id))
}

/// The units of a record without children, those first that tell most of it: what differs from record to record before what many
/// records say, and what all say alike last.
pub(super) fn telling_first(outline: &Outline<'_>, record: UnitId) -> Vec<UnitId> {
    let mut leaves: Vec<UnitId> = leaves_of(outline, record).collect();
    leaves.sort_by_key(|id| {
        let Some(column) = column(outline, *id) else { return 0 };
        match column.values.len() {
            1 => 2,
            values if values * 2 > column.records as usize => 0,
            _ => u8::from(!column.is_distinct() && !column.holds_texts()),
        }
    });
    leaves
}

/// What tells whose a record is, and what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) name: Option<UnitId>,
    pub(super) text: Option<UnitId>,
}

/// Finds what names a record: a short field that is distinct in each, the first of several, rather one whose key says so.
pub(super) fn about(outline: &Outline<'_>, record: UnitId) -> About {
    let mut found = About::default();
    let (mut best_name, mut best_text) = (0, 0);
    // The fields of the record, and those of the objects in it (`metadata`).
    let inner = |id: UnitId| {
        let is_object = outline.unit(id).kind == Kind::Object && !outline.is_leaf(id);
        outline.children(id).take(if is_object { FIELDS_LOOKED_AT } else { 0 })
    };
    let fields = outline.children(record).take(FIELDS_LOOKED_AT);
    let direct = fields.flat_map(|id| std::iter::once((id, true)).chain(inner(id).map(|id| (id, false))));
    for (id, is_direct) in direct.filter(|(id, _)| outline.is_leaf(*id)) {
        let (name, text) = worth(outline, id);
        // What stands inside is about something inside, unless nothing else is distinct.
        let (name, text) = if is_direct { (4 * name, 4 * text) } else { (2 * name, text) };
        if name > best_name {
            (best_name, found.name) = (name, Some(id));
        }
        if text > best_text {
            (best_text, found.text) = (text, Some(id));
        }
    }
    found
}

/// How well a field names its record, and how well it says what it is about; 0 for not at all.
fn worth(outline: &Outline<'_>, id: UnitId) -> (u32, u32) {
    let unit = outline.unit(id);
    let length = unit.body.len();
    let text = outline.text(id);
    let key = key(text);
    let is_naming = NAMING_KEYS.iter().any(|naming| key.eq_ignore_ascii_case(naming));
    let Some(column) = column(outline, id) else {
        return (u32::from(length <= LONGEST_NAME_BYTES), 0);
    };
    // What all records say alike is about none of them.
    let is_text = column.holds_texts() && (column.records == 1 || column.values.len() != 1);
    let mut name = 0;
    if length <= LONGEST_NAME_BYTES {
        name = 2 + 8 * u32::from(column.is_distinct()) + 5 * u32::from(is_naming);
        name -= u32::from(column.numbers.is_some() && !is_naming);
        name += u32::from(column.closed_at > 0) * 2;
    }
    let says = TEXT_KEYS.iter().any(|says| key.eq_ignore_ascii_case(says));
    (name, 4 * u32::from(is_text) + 3 * u32::from(says))
}

/// The column that a field is a value of.
pub(super) fn column<'o>(outline: &'o Outline<'_>, id: UnitId) -> Option<&'o Column> {
    outline.column(id).and_then(|place| outline.columns.all().get(place))
}

/// The key of a JSON member, without its quotes; nothing for anything else.
pub(super) fn key(member: &[u8]) -> &[u8] {
    let Some(rest) = member.strip_prefix(b"\"") else { return b"" };
    let end = memchr::memchr(b'"', rest.get(..80).unwrap_or(rest)).unwrap_or(0);
    rest.get(..end).unwrap_or_default()
}
