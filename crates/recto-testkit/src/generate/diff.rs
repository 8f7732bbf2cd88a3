use super::{
    plant::room_for,
    source::{CodeLines, path},
    write::{hex, number},
};
use crate::Prng;

/// A unified diff as git prints it: edits, new and deleted files, renames, mode changes, binary files, a lock file.
pub(super) fn diff(prng: &mut Prng, min_bytes: usize) -> Vec<u8> {
    let mut out = room_for(min_bytes);
    let mut files = 0;
    while out.len() < min_bytes {
        let mut name = Vec::new();
        path(&mut name, prng);
        files += 1;
        // The first files are edits, so that a small diff has hunks.
        match if files < 3 { 9 } else { prng.below(10) } {
            0 => new_file(&mut out, prng, &name),
            1 => deleted_file(&mut out, prng, &name),
            2 => renamed_file(&mut out, prng, &name),
            3 => {
                git_header(&mut out, &name, &name);
                out.extend_from_slice(b"old mode 100644\nnew mode 100755\n");
            }
            4 => {
                git_header(&mut out, b"assets/logo.png", b"assets/logo.png");
                index_line(&mut out, prng, Some("100644"));
                out.extend_from_slice(b"Binary files a/assets/logo.png and b/assets/logo.png differ\n");
            }
            5 => edited_file(&mut out, prng, b"Cargo.lock", 6),
            _ => {
                let hunks = prng.within(1..4);
                edited_file(&mut out, prng, &name, hunks);
            }
        }
    }
    out
}

fn edited_file(out: &mut Vec<u8>, prng: &mut Prng, name: &[u8], hunks: u64) {
    git_header(out, name, name);
    index_line(out, prng, Some("100644"));
    names(out, Some(name), Some(name));
    let mut old_line = 1 + prng.below(40);
    let mut new_line = old_line;
    for _ in 0..hunks {
        let (old_count, new_count) = hunk(out, prng, old_line, new_line);
        let skipped = prng.within(10..200);
        old_line += old_count + skipped;
        new_line += new_count + skipped;
    }
    if prng.chance(6) {
        out.extend_from_slice(b"\\ No newline at end of file\n");
    }
}

/// Writes a hunk whose header counts its lines, and returns the two counts.
fn hunk(out: &mut Vec<u8>, prng: &mut Prng, old_line: u64, new_line: u64) -> (u64, u64) {
    let mut body = Vec::with_capacity(2_048);
    let mut lines = CodeLines::default();
    let removed = prng.within(0..5);
    let added = prng.within(u64::from(removed == 0)..6);
    for (sign, count) in [(b' ', 3), (b'-', removed), (b'+', added), (b' ', 3)] {
        for _ in 0..count {
            body.push(sign);
            lines.write(&mut body, prng);
            body.push(b'\n');
        }
    }
    let counts = (6 + removed, 6 + added);
    hunk_header(out, (old_line, counts.0), (new_line, counts.1));
    out.extend_from_slice(b" fn keep_order(limit: usize)\n");
    out.extend_from_slice(&body);
    counts
}

fn hunk_header(out: &mut Vec<u8>, old: (u64, u64), new: (u64, u64)) {
    out.extend_from_slice(b"@@ -");
    number(out, old.0);
    out.push(b',');
    number(out, old.1);
    out.extend_from_slice(b" +");
    number(out, new.0);
    out.push(b',');
    number(out, new.1);
    out.extend_from_slice(b" @@");
}

fn new_file(out: &mut Vec<u8>, prng: &mut Prng, name: &[u8]) {
    git_header(out, name, name);
    out.extend_from_slice(b"new file mode 100644\n");
    index_line(out, prng, None);
    names(out, None, Some(name));
    let count = prng.within(4..30);
    hunk_header(out, (0, 0), (1, count));
    out.push(b'\n');
    signed_lines(out, prng, b'+', count);
}

fn deleted_file(out: &mut Vec<u8>, prng: &mut Prng, name: &[u8]) {
    git_header(out, name, name);
    out.extend_from_slice(b"deleted file mode 100644\n");
    index_line(out, prng, None);
    names(out, Some(name), None);
    let count = prng.within(4..30);
    hunk_header(out, (1, count), (0, 0));
    out.push(b'\n');
    signed_lines(out, prng, b'-', count);
}

fn renamed_file(out: &mut Vec<u8>, prng: &mut Prng, name: &[u8]) {
    let mut new_name = Vec::new();
    path(&mut new_name, prng);
    git_header(out, name, &new_name);
    out.extend_from_slice(b"similarity index 100%\nrename from ");
    out.extend_from_slice(name);
    out.extend_from_slice(b"\nrename to ");
    out.extend_from_slice(&new_name);
    out.push(b'\n');
}

fn signed_lines(out: &mut Vec<u8>, prng: &mut Prng, sign: u8, count: u64) {
    let mut lines = CodeLines::default();
    for _ in 0..count {
        out.push(sign);
        lines.write(out, prng);
        out.push(b'\n');
    }
}

fn git_header(out: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    out.extend_from_slice(b"diff --git a/");
    out.extend_from_slice(old);
    out.extend_from_slice(b" b/");
    out.extend_from_slice(new);
    out.push(b'\n');
}

fn index_line(out: &mut Vec<u8>, prng: &mut Prng, mode: Option<&str>) {
    out.extend_from_slice(b"index ");
    hex(out, prng.next_u64(), 7);
    out.extend_from_slice(b"..");
    hex(out, prng.next_u64(), 7);
    if let Some(mode) = mode {
        out.push(b' ');
        out.extend_from_slice(mode.as_bytes());
    }
    out.push(b'\n');
}

fn names(out: &mut Vec<u8>, old: Option<&[u8]>, new: Option<&[u8]>) {
    for (sign, side, name) in [("--- ", "a/", old), ("+++ ", "b/", new)] {
        out.extend_from_slice(sign.as_bytes());
        match name {
            Some(name) => {
                out.extend_from_slice(side.as_bytes());
                out.extend_from_slice(name);
            }
            None => out.extend_from_slice(b"/dev/null"),
        }
        out.push(b'\n');
    }
}
