//! From a question to an answer.

use recto_outline::{ContentType, Encoding};

use crate::{
    Answer, Caps, Path, Query, QueryError,
    asked::Asked,
    document::{Layer, MOST_LAYERS},
    sources::{self, Chosen, Place},
};

/// Asks `source`.
///
/// `content_type` says what the source is where the caller knows it; else it is found out. The law of values, in every format: a value is
/// its text (a JSON string without quotes and escapes, a quoted cell of a CSV without quotes), null is the same as missing, and so is an
/// empty cell. A text that is a number in JSON's grammar compares as one, exactly. Of members of the same name the last counts.
///
/// Time grows with the source; sorting keeps at most twice `offset + limit` rows. Beside texts that wrappers quote, which are decoded
/// once, memory does not grow with the source but for tables in text (24 bytes for each 32) and groups.
///
/// # Errors
/// [`QueryError`], with the columns or places that there are instead.
///
/// ```
/// use recto_query::{Caps, Query, query};
/// let source = br#"[{"name": "api", "restarts": 7}, {"name": "web", "restarts": 0}, {"name": "db", "restarts": 12}]"#;
/// let asked = Query::from_json(br#"{"filter": "restarts > 5", "sort": "-restarts"}"#)?;
/// let answer = query(source, None, &asked, &Caps::default())?;
/// assert_eq!(answer.text, "rows 1-2 of 2 that match (3 records)\nname\trestarts\ndb\t12\napi\t7\n");
/// # Ok::<(), recto_query::QueryError>(())
/// ```
pub fn query(
    source: &[u8],
    content_type: Option<ContentType>,
    query: &Query,
    caps: &Caps,
) -> Result<Answer, QueryError> {
    if source.len() >= u32::MAX as usize {
        return Err(recto_outline::OutlineError::TooLarge { bytes: source.len() as u64 }.into());
    }
    let reason = match Encoding::of(source) {
        _ if source.trim_ascii().is_empty() => "the source is empty",
        Encoding::Binary => "the source is binary",
        Encoding::Utf16 => "the source is UTF-16: convert it to UTF-8 first",
        _ => "",
    };
    if !reason.is_empty() {
        return Err(QueryError::NoRecords { reason: reason.to_owned() });
    }
    let asked = Asked::new(query, caps)?;
    let path = query.path.as_deref().filter(|path| !path.trim().is_empty());
    let path = path.map(|path| Path::parse(path, "path")).transpose()?;
    descend(Layer::source(source), content_type, &Path::root(), path.as_ref(), &asked)
}

/// Finds the records, in strings if need be: at most [`MOST_LAYERS`] deep.
fn descend(
    layer: Layer<'_>,
    content_type: Option<ContentType>,
    above: &Path,
    path: Option<&Path>,
    asked: &Asked<'_>,
) -> Result<Answer, QueryError> {
    let may_unwrap = layer.depth() < MOST_LAYERS;
    match sources::find(layer.text, content_type, path, may_unwrap)? {
        Place::Here(chosen) => asked.answer(layer, with_path(*chosen, above)),
        Place::Inside { string, path, rest } => {
            let wrapping = layer.open(string);
            descend(wrapping.layer(), None, &above.join(&path), Some(&rest), asked)
        }
    }
}

/// Says where the records are, seen from the source.
fn with_path(mut chosen: Chosen, above: &Path) -> Chosen {
    if above.segments.is_empty() {
        return chosen;
    }
    let prefixed = |path: &str| match path {
        "" | "$" => above.to_string(),
        path if path.starts_with('[') => format!("{above}{path}"),
        path => format!("{above}.{path}"),
    };
    for other in &mut chosen.others {
        other.path = prefixed(&other.path);
    }
    chosen.path = prefixed(&chosen.path);
    chosen
}
