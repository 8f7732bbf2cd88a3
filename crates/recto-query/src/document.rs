//! The text that is asked: the source, or what wrappers quote in it as a JSON string.

use recto_outline::{DecodedString, Span};

/// Strings in strings deeper than this are not looked into.
pub(crate) const MOST_LAYERS: usize = 3;

/// A text, with the way back to the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer<'s> {
    pub(crate) text: &'s [u8],
    wrapping: Option<&'s Wrapping<'s>>,
}

/// A text inside a JSON string of another.
#[derive(Debug)]
pub(crate) struct Wrapping<'s> {
    decoded: DecodedString<'s>,
    /// Where the string's inside begins in the outer text.
    inside: usize,
    outer: Layer<'s>,
}

impl<'s> Layer<'s> {
    /// The source itself.
    pub(crate) fn source(text: &'s [u8]) -> Self {
        Self { text, wrapping: None }
    }

    /// The text of the JSON string in `string`, quotes included.
    pub(crate) fn open(self, string: Span) -> Wrapping<'s> {
        let bytes = string.of(self.text);
        let inside = string.s as usize + usize::from(bytes.first() == Some(&b'"'));
        Wrapping { decoded: DecodedString::new(crate::cell::inside(bytes)), inside, outer: self }
    }

    /// How deep the text is wrapped.
    pub(crate) fn depth(&self) -> usize {
        std::iter::successors(self.wrapping, |wrapping| wrapping.outer.wrapping).count()
    }

    /// The bytes of the source that a span stands for.
    pub(crate) fn origin(&self, span: Span) -> (usize, usize) {
        let mut found = (span.s, span.e);
        let mut layer = *self;
        while let Some(wrapping) = layer.wrapping {
            let translate = |at: u32| {
                let raw = wrapping.decoded.raw_offset(at) as usize + wrapping.inside;
                u32::try_from(raw).unwrap_or(u32::MAX)
            };
            found = (translate(found.0), translate(found.1));
            layer = wrapping.outer;
        }
        (found.0 as usize, found.1 as usize)
    }
}

impl Wrapping<'_> {
    /// The text inside.
    pub(crate) fn layer(&self) -> Layer<'_> {
        Layer { text: &self.decoded.text, wrapping: Some(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_source() {
        let source = br#"{"text": "{\"a\": \"[\\\"x\\\"]\"}"}"#;
        let layer = Layer::source(source);
        let outer = layer.open(Span::new(9, source.len() - 1));
        assert_eq!(outer.layer().text, br#"{"a": "[\"x\"]"}"#);
        let inner = outer.layer().open(Span::new(6, 15));
        assert_eq!(inner.layer().text, br#"["x"]"#);
        assert_eq!(inner.layer().depth(), 2);
        let (start, end) = inner.layer().origin(Span::new(2, 3));
        assert_eq!(&source[start..end], b"x");
    }
}
