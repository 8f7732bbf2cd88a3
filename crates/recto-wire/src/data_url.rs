use recto_outline::Span;

/// The parts of a `data:` URL that holds base64, as image parts of some APIs have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataUrl {
    /// Its media type, without quotes; empty if it is not said.
    pub media_type: Span,
    /// The base64 text, without quotes.
    pub payload: Span,
}

impl DataUrl {
    /// Takes the URL at `raw` apart, a JSON string of `source` with its quotes. `None` if it is no such URL.
    ///
    /// ```
    /// use recto_wire::{DataUrl, Span};
    /// let source = br#"{"url":"data:image/png;base64,iVBORw0="}"#;
    /// let url = DataUrl::parse(source, Span { s: 7, e: 39 }).unwrap();
    /// assert_eq!(url.media_type.of(source), b"image/png");
    /// assert_eq!(url.payload.of(source), b"iVBORw0=");
    /// assert_eq!(DataUrl::parse(br#""https://example.com""#, Span { s: 0, e: 21 }), None);
    /// ```
    #[must_use]
    pub fn parse(source: &[u8], raw: Span) -> Option<Self> {
        let text = raw.of(source).strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        let head = text.get(..5)?;
        if !head.eq_ignore_ascii_case(b"data:") {
            return None;
        }
        let comma = memchr::memchr(b',', text)?;
        let described = text.get(5..comma)?.strip_suffix(b";base64")?;
        let media_bytes = memchr::memchr(b';', described).unwrap_or(described.len());
        let start = raw.s as usize + 1;
        Some(Self {
            media_type: Span::new(start + 5, start + 5 + media_bytes),
            payload: Span::new(start + comma + 1, start + text.len()),
        })
    }
}
