//! How large and how deep arguments may be.

use serde_json::Value;

/// How many bytes the texts, names and values of one call may have together.
pub const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// How deep arguments may be nested: as deep as `serde_json` reads.
pub(super) const MAX_DEPTH: usize = 128;

/// Refuses arguments that are too large or too deep.
pub(super) fn check(arguments: &Value) -> Result<(), String> {
    let mut bytes = 0_usize;
    let mut open = vec![(arguments, 1_usize)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err(format!("The arguments are nested deeper than {MAX_DEPTH} levels: flatten them."));
        }
        bytes = bytes.saturating_add(match value {
            Value::String(text) => text.len(),
            _ => 1,
        });
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                for (name, member) in members {
                    bytes = bytes.saturating_add(name.len());
                    open.push((member, depth + 1));
                }
            }
            _ => {}
        }
        if bytes > MAX_ARGUMENT_BYTES {
            return Err(format!(
                "The arguments are larger than {} MiB: pass less, or pass a file's path where the tool takes one.",
                MAX_ARGUMENT_BYTES >> 20
            ));
        }
    }
    Ok(())
}

/// How deep a value is nested, 1 for a scalar, and how many values it has in all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) depth: usize,
    pub(super) values: usize,
}

impl Extent {
    pub(super) fn of(value: &Value) -> Self {
        let mut extent = Self { depth: 0, values: 0 };
        let mut open = vec![(value, 1)];
        while let Some((value, depth)) = open.pop() {
            extent.depth = extent.depth.max(depth);
            extent.values += 1;
            match value {
                Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
                _ => {}
            }
        }
        extent
    }
}
