//! Sources that are too large, and originals that are large.

use std::fs::File;

use crate::desk::{Desk, log, reference};

#[test]
fn four_gibibytes_are_refused_before_they_are_read() {
    let desk = Desk::new();
    let path = desk.path("huge");
    // Holes take no room.
    File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let words = ["huge has more than the limit of 4294967295 bytes (4 GiB)", "hint: split it"];
    let done = desk.run(&["compress", "huge"]);
    assert!(done.0.stdout.is_empty());
    done.fails(2, &words);
    desk.run(&["verify", "--source", "huge", "--map", "huge"]).fails(2, &words);
    let mut redirected = desk.command(&["compress"]);
    redirected.stdin(File::open(&path).unwrap());
    let done = crate::desk::Done(redirected.output().unwrap());
    done.fails(2, &["stdin has more than the limit of 4294967295 bytes"]);
}

#[test]
fn an_original_of_many_pieces_comes_back() {
    let desk = Desk::new();
    // More than two pieces of eight mebibytes, with a match in the last line.
    let mut text = log(400_000);
    text.push_str("the last line, without an end");
    assert!(text.len() > 17 << 20);
    desk.write("large.log", text.as_bytes());
    let name = reference(&desk.run(&["compress", "large.log", "--max-bytes", "900"]).ok().out());
    assert!(desk.run(&["expand", &name]).ok().0.stdout == text.as_bytes());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let part = desk.run(&["expand", &name, "--lines", "190000:200001"]).ok();
    assert!(part.0.stdout == lines[189_999..200_001].concat().as_bytes());
    assert_eq!(
        desk.run(&["expand", &name, "--grep", "refused|without", "--context", "1"]).ok().out(),
        format!(
            "200000-{}200001:{}200002-{}--\n400000-{}400001:{}\n",
            lines[199_999], lines[200_000], lines[200_001], lines[399_999], lines[400_000]
        )
    );
    let page = desk.run(&["expand", &name, "--page-bytes", "1000", "--cursor", "17000000"]).ok();
    assert!(text.as_bytes()[17_000_000..].starts_with(&page.0.stdout) && page.0.stdout.ends_with(b"\n"));
}
