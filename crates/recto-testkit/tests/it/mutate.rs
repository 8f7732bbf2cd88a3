use recto_testkit::{
    Prng,
    mutate::{Change, INVALID_UTF8, Mutation},
};

fn changed(text: &str, at_per_mille: u16, change: Change) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    Mutation { at_per_mille, change }.apply(&mut bytes);
    bytes
}

#[test]
fn each_change_does_what_it_says() {
    assert_eq!(changed("abcd", 500, Change::Truncate), b"ab");
    assert_eq!(changed("abcd", 500, Change::Behead), b"cd");
    assert_eq!(changed("abcd", 0, Change::FlipBit(0)), b"`bcd");
    assert_eq!(changed("ab", 500, Change::InvalidUtf8(0)), b"a\xffb");
    assert_eq!(changed("ab", 1_000, Change::Nul), b"ab\0");
    assert_eq!(changed("ab", 500, Change::LoneSurrogateEscape), b"a\\ud83db");
    assert_eq!(changed("ab", 500, Change::AnsiColour), b"a\x1b[31mred\x1b[0mb");
    assert_eq!(changed("ab", 500, Change::Punctuation(0)), b"a\"b");
    assert_eq!(changed("ab", 0, Change::Repeat), b"abab");
    assert_eq!(changed("abcdefghijklmnopqrst", 100, Change::Delete), b"abst");
    assert_eq!(changed("a\nb\nc\n", 500, Change::CarriageReturns), b"a\nb\rc\r");
    assert_eq!(changed("a\nb\nc\n", 500, Change::CrLf), b"a\nb\r\nc\r\n");
    assert_eq!(changed("ab", 1_000, Change::ByteOrderMark), b"\xef\xbb\xbfab");
    assert_eq!(changed("a", 0, Change::Utf16), b"\xff\xfea\0");
}

#[test]
fn invalid_sequences_are_invalid() {
    assert!(INVALID_UTF8.iter().all(|sequence| std::str::from_utf8(sequence).is_err()));
}

#[test]
fn any_mutation_can_strike_any_input() {
    let mut prng = Prng::new(11);
    let mut reached = [false; Change::EACH.len()];
    for length in 0..200 {
        for _ in 0..40 {
            let mutation = Mutation::random(&mut prng);
            mutation.apply(&mut vec![b'x'; length % 9]);
            let same = |one: &Change| std::mem::discriminant(one) == std::mem::discriminant(&mutation.change);
            reached[Change::EACH.iter().position(same).unwrap()] = true;
        }
    }
    assert!(reached.iter().all(|&reached| reached));
    for change in Change::EACH {
        changed("", u16::MAX, change);
    }
}
