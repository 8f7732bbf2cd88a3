/// Makes `[0,0,0,...]` of at least `min_bytes` bytes.
pub fn zeros(min_bytes: usize) -> Vec<u8> {
    let pairs = min_bytes.saturating_sub(1) / 2;
    let mut out = Vec::with_capacity(pairs * 2 + 3);
    out.push(b'[');
    out.extend_from_slice(&b"0,".repeat(pairs));
    out.extend_from_slice(b"0]");
    out
}

/// Makes `[[[...]]]`, `depth` arrays deep.
pub fn nested_arrays(depth: usize) -> Vec<u8> {
    let mut out = vec![b'['; depth];
    out.resize(depth * 2, b']');
    out
}

/// Makes `{"a":{"a":...{}...}}`, `depth` objects deep.
pub fn nested_objects(depth: usize) -> Vec<u8> {
    let mut out = b"{\"a\":".repeat(depth.saturating_sub(1));
    if depth > 0 {
        out.push(b'{');
    }
    out.resize(out.len() + depth, b'}');
    out
}
