use recto_wire::{Record, RecordKind, Role, Slot, Span, unquote};

/// Bytes of the first prompt that are kept.
const MOST_TITLE_BYTES: usize = 400;

/// What a session says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its id.
    pub id: Option<String>,
    /// Its working folder.
    pub folder: Option<String>,
    /// The time of its first record, as the client writes it.
    pub first_time: Option<String>,
    /// The time of its last record.
    pub last_time: Option<String>,
    /// The beginning of the first thing that the person said.
    pub title: Option<String>,
}

impl About {
    pub(super) fn take(&mut self, record: &Record, bytes: &[u8]) {
        let text = |span: Span| {
            let raw = span.of(bytes);
            let text = unquote(raw).map(|text| text.into_owned());
            text.or_else(|| std::str::from_utf8(raw).ok().map(str::to_owned)).filter(|text| !text.is_empty())
        };
        if self.id.is_none() {
            self.id = text(record.session);
        }
        if self.folder.is_none() {
            self.folder = text(record.folder);
        }
        if !record.time.is_empty() {
            if self.first_time.is_none() {
                self.first_time = text(record.time);
            }
            self.last_time = text(record.time);
        }
        if self.title.is_none() && record.kind == RecordKind::Message(Role::User) && !record.is_side {
            let texts =
                record.pieces.iter().filter(|piece| piece.slot == Slot::Text && piece.parent.is_none());
            self.title = texts.filter_map(|piece| unquote(piece.raw.of(bytes))).find_map(|text| title(&text));
        }
    }
}

/// The beginning of a prompt, unless a client made it: those begin with a tag.
pub(super) fn title(text: &str) -> Option<String> {
    let text = text.trim_start();
    if text.is_empty()
        || text.starts_with('<')
        || text.starts_with("Caveat:")
        || text.starts_with("# AGENTS.md")
    {
        return None;
    }
    Some(text.get(..text.floor_char_boundary(MOST_TITLE_BYTES)).unwrap_or_default().to_owned())
}
