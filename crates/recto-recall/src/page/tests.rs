use super::*;

#[test]
fn pages_end_with_lines_or_characters() {
    assert_eq!(page_end(b"one\ntwo\nthr"), 8);
    assert_eq!(page_end(b"no line here"), 12);
    assert_eq!(page_end(&"a\u{e9}".as_bytes()[..2]), 1);
    assert_eq!(page_end("a\u{e9}".as_bytes()), 3);
    assert_eq!(page_end(&"a\u{1f600}".as_bytes()[..4]), 1);
    assert_eq!(page_end(&[0x80; 9]), 9, "no text at all");
    assert_eq!(page_end(&"\u{1f600}".as_bytes()[..2]), 2, "a page is never empty");
}

#[test]
fn pieces_of_any_size_make_the_same_pages() {
    let text = "alpha\nbeta\ngamma\ndelta \u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\n".as_bytes();
    for piece_bytes in 1..12 {
        for limit in 1..40 {
            let (mut cursor, mut joined) = (0, Vec::new());
            loop {
                let mut taker = Taker::new(PageLimit::bytes(limit as u64));
                taker.skip = cursor;
                for piece in text.chunks(piece_bytes) {
                    if taker.take(piece).is_break() {
                        break;
                    }
                }
                let page = taker.page(cursor);
                assert!(page.bytes.len() <= limit && !page.bytes.is_empty());
                joined.extend_from_slice(&page.bytes);
                match page.next {
                    Some(next) => cursor = next,
                    None => break,
                }
            }
            assert_eq!(joined, text, "{piece_bytes} {limit}");
        }
    }
}

#[test]
fn texts_that_need_no_counting_are_within_the_limit() {
    for tokenizer in Tokenizer::ALL {
        for text in ["", "a", "~!", "\u{1f600}", "\u{e9}\u{4e2d}\n", "{\"a\":[1,2]}", "\t\t \n\n"] {
            let tokens = tokenizer.counter().count(text);
            for limit in 0..40 {
                let is_known = cannot_exceed(text.as_bytes(), limit, tokenizer);
                assert!(!is_known || tokens <= limit, "{text:?}: {tokens} > {limit}");
            }
        }
    }
    assert!(
        !cannot_exceed(b"\xff", 1, Tokenizer::O200k),
        "a replacement character may be more than one token"
    );
}
