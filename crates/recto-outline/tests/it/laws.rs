//! What every group of parsers is held to.

use std::time::Instant;

use recto_outline::{ContentType, Encoding};
use recto_testkit::corpus;

use crate::running::view::outline_of;

/// Calls `check` with each text of the corpus of at most 2 MiB.
pub(crate) fn each_text_of_the_corpus(mut check: impl FnMut(&[u8])) {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let bytes = file.read();
        if !matches!(Encoding::of(&bytes), Encoding::Utf16 | Encoding::Binary) && bytes.len() <= 2 << 20 {
            check(&bytes);
        }
    }
}

/// Checks that work grows with the source, not with its square: 400 kB of each piece, as each type.
pub(crate) fn assert_linear_time(pieces: &[&str], content_types: &[ContentType]) {
    for piece in pieces {
        let source = piece.repeat(400_000 / piece.len());
        for content_type in content_types {
            let begin = Instant::now();
            outline_of(source.as_bytes(), *content_type);
            let taken = begin.elapsed();
            assert!(taken.as_secs() < 5, "{content_type}, {piece:?}: {taken:?}");
        }
    }
}
