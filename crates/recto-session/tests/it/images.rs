//! Real files, as Base64: each format's size is read from the beginning alone.

use recto_session::ImageFacts;

/// Encodes for these tests; the crate itself only reads.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            let index = (bits >> (18 - 6 * digit)) as usize & 63;
            text.push(if is_padding { '=' } else { char::from(DIGITS[index]) });
        }
    }
    text
}

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../../recto-tokens/tests/inputs/images/", $name)).as_slice())
    };
}

#[test]
fn sizes_of_real_files_are_read_from_base64() {
    let files = [
        (file!("palette.png"), (320, 200)),
        (file!("baseline.jpg"), (321, 123)),
        (file!("progressive.jpg"), (70, 35)),
        (file!("still.gif"), (33, 400)),
        (file!("lossy.webp"), (40, 30)),
        (file!("lossless.webp"), (401, 303)),
        (file!("extended.webp"), (77, 51)),
        (file!("still.avif"), (37, 21)),
        (file!("transparent.avif"), (50, 64)),
        (file!("tiled.avif"), (128, 64)),
        (file!("animated.avif"), (24, 18)),
    ];
    for ((name, bytes), size) in files {
        let facts = ImageFacts::of(None, &base64(bytes));
        assert_eq!((facts.size, facts.payload_bytes), (Some(size), bytes.len() as u64), "{name}");
        // What stands behind it changes nothing.
        let large = [bytes, &vec![0; 300_000]].concat();
        let facts = ImageFacts::of(None, &base64(&large));
        assert_eq!((facts.size, facts.payload_bytes), (Some(size), large.len() as u64), "{name}");
    }
}

#[test]
fn a_photo_s_size_behind_a_preview_and_a_profile_is_found() {
    let (_, photo) = file!("baseline.jpg");
    let segment = |marker: u8| [&[0xff, marker, 0xff, 0xff], vec![0xd8; 0xfffd].as_slice()].concat();
    let large = [&photo[..2], &segment(0xe1), &segment(0xe2), &segment(0xe2), &photo[2..]].concat();
    assert_eq!(ImageFacts::of(None, &base64(&large)).size, Some((321, 123)));
}
