//! Documents inside text: a JSON value between lines of something else, as agents' wrappers print it.

use crate::{
    Builder, Fuel, Kind, LINE_NOTES, OutlineError, Role, detect, json,
    lines::{Lines, add_line},
    parser::{Context, Parser},
};

/// A JSON value shorter than this is not worth a look inside.
const LEAST_BYTES: usize = 400;
/// Lines looked at for the beginning of a document.
const LINES_TRIED: usize = 200;
/// Beginnings tried: each may cost a scan of the rest.
const STARTS_TRIED: usize = 3;

/// Finds a JSON container that begins a line in the first lines of `source[start..end]` and is at least a quarter of it.
pub(crate) fn find(
    source: &[u8],
    start: usize,
    end: usize,
    fuel: &mut Fuel,
) -> Result<Option<(usize, usize)>, OutlineError> {
    if end - start < LEAST_BYTES {
        return Ok(None);
    }
    let mut tried = 0;
    for line in Lines::new(source, start, end).take(LINES_TRIED) {
        if !matches!(line.of(source).first(), Some(b'{' | b'[')) || line.start == start {
            continue;
        }
        let head = source.get(line.start..end.min(line.start + 4096)).unwrap_or_default();
        if !json::looks_like_json(head) {
            continue;
        }
        fuel.burn(end - line.start)?;
        if let Some(found) = json::container_end(source, line.start, end)
            && (found - line.start) >= LEAST_BYTES.max((end - start) / 4)
        {
            return Ok(Some((line.start, found)));
        }
        tried += 1;
        if tried == STARTS_TRIED {
            break;
        }
    }
    Ok(None)
}

/// Parses text with a JSON value at `[json_start, json_end)` in it: what stands before by its own format, then the value,
/// then the rest by lines.
pub(crate) fn parse(
    builder: &mut Builder<'_>,
    (start, json_start, json_end, end): (usize, usize, usize, usize),
    context: Context,
    fuel: &mut Fuel,
) -> Result<(), OutlineError> {
    let source = builder.source();
    // The newline before the value is its separator.
    let before = source.get(start..json_start).unwrap_or_default();
    let head_end =
        start + before.strip_suffix(b"\r\n").or(before.strip_suffix(b"\n")).unwrap_or(before).len();
    let head = source.get(start..head_end).unwrap_or_default();
    detect::parser_for(head).parse(builder, start, head_end, context, fuel)?;
    builder.open(head_end, json_start, Role::Frame, Kind::Embedded, LINE_NOTES);
    json::Json.parse(builder, json_start, json_end, context, fuel)?;
    builder.close(json_end);
    let mut lead = json_end;
    for line in Lines::new(source, json_end, end) {
        if line.end > line.start {
            add_line(builder, lead, line, Role::Line, Kind::Plain);
            lead = line.end;
        }
    }
    Ok(())
}
