//! What is known of an image without looking at it.

use std::borrow::Cow;

use recto_tokens::image_size;

use super::base64::{decoded_bytes, decoded_prefix};
use crate::block::Block;
use crate::json;

/// How much of an image is decoded to find its size, in steps: most headers are in the first, a photo's preview and profile in the others.
const HEADER_STEPS_BYTES: [usize; 3] = [1 << 10, 64 << 10, 512 << 10];

/// What is known of an image: facts, which are never made into tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageFacts {
    /// Which image of the atom, or of the atoms summed up, counted from 0.
    pub index: usize,
    /// Its media type as stated; `application/octet-stream` if none is.
    pub mime_type: Box<str>,
    /// The bytes of the image, decoded; 0 if its Base64 does not decode.
    pub payload_bytes: u64,
    /// Width and height in pixels, if its header says them.
    pub size: Option<(u32, u32)>,
}

impl ImageFacts {
    /// Reads the facts of an image in Base64. Only so much of it is decoded as its header takes.
    ///
    /// ```
    /// use recto_session::ImageFacts;
    ///
    /// let facts = ImageFacts::of(Some("image/gif"), "R0lGODlhQAHwAA==");
    /// assert_eq!((facts.payload_bytes, facts.size), (10, Some((320, 240))));
    /// assert_eq!(ImageFacts::of(None, "?").payload_bytes, 0);
    /// ```
    #[must_use]
    pub fn of(mime_type: Option<&str>, base64: &str) -> Self {
        let decoded = decoded_bytes(base64);
        let size = decoded.and_then(|_| {
            HEADER_STEPS_BYTES.iter().find_map(|bytes| image_size(&decoded_prefix(base64, *bytes)))
        });
        Self {
            index: 0,
            mime_type: mime_type.filter(|name| !name.is_empty()).unwrap_or("application/octet-stream").into(),
            payload_bytes: decoded.unwrap_or(0),
            size,
        }
    }

    /// Writes the facts down: `{"index":0,"mimeType":"image/gif","payloadBytes":10,"width":320,"height":240}`.
    pub(super) fn to_json(&self) -> String {
        let mut json = format!(
            r#"{{"index":{},"mimeType":{},"payloadBytes":{}"#,
            self.index,
            json::quoted(&self.mime_type),
            self.payload_bytes
        );
        if let Some((width, height)) = self.size {
            json.push_str(&format!(r#","width":{width},"height":{height}"#));
        }
        json.push('}');
        json
    }
}

/// An image block's media type and Base64; `None` of any other block.
///
/// The form is `{"type":"image","data":...,"mimeType":...}`; data may be a data URL, which says its type itself.
pub(super) fn payload<'a>(block: &'a Block<'_>) -> Option<(Option<Cow<'a, str>>, Cow<'a, str>)> {
    if block.kind()? != "image" {
        return None;
    }
    let text = |name| json::value(block.json(), name).and_then(json::string);
    let stated = text("mimeType");
    let data = text("data").unwrap_or_default();
    let Some(url) = data.strip_prefix("data:") else { return Some((stated, data)) };
    let (head, base64) = url.split_once(',').unwrap_or((url, ""));
    let own = head.split(';').next().unwrap_or_default().to_owned();
    let base64 = base64.to_owned();
    Some((stated.or(Some(Cow::Owned(own))), Cow::Owned(base64)))
}
