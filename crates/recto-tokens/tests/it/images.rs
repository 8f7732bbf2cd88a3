//! What images cost, and how large they say they are.

use proptest::prelude::*;
use recto_tokens::{Tokenizer, image_size, image_tokens};

const OPENAI: Tokenizer = Tokenizer::O200k;
const ANTHROPIC: Tokenizer = Tokenizer::ClaudeEstimate;
const GOOGLE: Tokenizer = Tokenizer::GeminiEstimate;

#[test]
fn published_examples_come_out() {
    // OpenAI's guide to images and vision.
    assert_eq!(image_tokens(OPENAI, 1024, 1024), 765);
    assert_eq!(image_tokens(OPENAI, 2048, 4096), 1105);
    // Anthropic's guide to vision.
    assert_eq!(image_tokens(ANTHROPIC, 200, 200), 54);
    assert_eq!(image_tokens(ANTHROPIC, 1000, 1000), 1334);
    assert_eq!(image_tokens(ANTHROPIC, 1092, 1092), 1590);
    // Gemini's guide to tokens gives a rule and no examples.
    assert_eq!(image_tokens(GOOGLE, 384, 384), 258);
    assert_eq!(image_tokens(GOOGLE, 385, 384), 258);
    assert_eq!(image_tokens(GOOGLE, 768, 768), 258);
    assert_eq!(image_tokens(GOOGLE, 769, 768), 516);
    assert_eq!(image_tokens(GOOGLE, 1920, 1080), 6 * 258);
}

/// Bills of GPT-4.1 that OpenAI's forum reports (thread 1281361, 2025), without the 8 tokens of the text beside the image: the
/// short side comes to 512.7 pixels in the first, to 512.5 and a little less in the second.
#[test]
fn sides_are_rounded_as_bills_show() {
    assert_eq!(image_tokens(OPENAI, 2049, 513), 1453 - 8);
    assert_eq!(image_tokens(OPENAI, 2050, 513), 773 - 8);
}

#[test]
fn small_images_are_not_scaled_up() {
    assert_eq!(image_tokens(OPENAI, 1, 1), 255);
    assert_eq!(image_tokens(OPENAI, 512, 512), 255);
    assert_eq!(image_tokens(ANTHROPIC, 1, 1), 1);
    assert_eq!(image_tokens(GOOGLE, 1, 1), 258);
}

#[test]
fn no_pixels_cost_nothing_and_the_largest_image_overflows_nothing() {
    for tokenizer in Tokenizer::ALL {
        for (width, height) in [(0, 0), (0, 1000), (1000, 0), (0, u32::MAX)] {
            assert_eq!(image_tokens(tokenizer, width, height), 0);
        }
    }
    assert_eq!(image_tokens(OPENAI, u32::MAX, u32::MAX), 765);
    assert_eq!(image_tokens(OPENAI, u32::MAX, 1), 85 + 4 * 170);
    assert_eq!(image_tokens(ANTHROPIC, u32::MAX, u32::MAX), 1600);
    assert_eq!(image_tokens(ANTHROPIC, u32::MAX, 1), 1);
    assert_eq!(image_tokens(GOOGLE, u32::MAX, u32::MAX), 258 * 5_592_406_u64.pow(2));
}

#[test]
fn headers_of_real_files_are_read() {
    let files: [(&str, &[u8], (u32, u32)); 11] = [
        ("palette.png", include_bytes!("../inputs/images/palette.png"), (320, 200)),
        ("baseline.jpg", include_bytes!("../inputs/images/baseline.jpg"), (321, 123)),
        ("progressive.jpg", include_bytes!("../inputs/images/progressive.jpg"), (70, 35)),
        ("still.gif", include_bytes!("../inputs/images/still.gif"), (33, 400)),
        ("lossy.webp", include_bytes!("../inputs/images/lossy.webp"), (40, 30)),
        ("lossless.webp", include_bytes!("../inputs/images/lossless.webp"), (401, 303)),
        ("extended.webp", include_bytes!("../inputs/images/extended.webp"), (77, 51)),
        ("still.avif", include_bytes!("../inputs/images/still.avif"), (37, 21)),
        // Its transparency and its tiles are items of their own, with sizes of their own.
        ("transparent.avif", include_bytes!("../inputs/images/transparent.avif"), (50, 64)),
        ("tiled.avif", include_bytes!("../inputs/images/tiled.avif"), (128, 64)),
        ("animated.avif", include_bytes!("../inputs/images/animated.avif"), (24, 18)),
    ];
    for (name, bytes, size) in files {
        assert_eq!(image_size(bytes), Some(size), "{name}");
        // A file that is cut says its size or nothing, never another size.
        for end in 0..bytes.len() {
            let found = image_size(&bytes[..end]);
            assert!(found.is_none_or(|found| found == size), "{name} cut after {end} bytes: {found:?}");
        }
    }
}

#[test]
fn a_jpeg_is_followed_over_padding_and_previews() {
    // A segment that holds a smaller image with a frame header of its own, and three bytes of padding before the marker.
    let preview = b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x02";
    let mut bytes = b"\xff\xd8\xff\xe1\x00\x0d".to_vec();
    bytes.extend_from_slice(preview);
    bytes.extend_from_slice(b"\xff\xff\xff\xff\xc2\x00\x0b\x08\x03\x00\x04\x00");
    assert_eq!(image_size(&bytes), Some((1024, 768)));
}

#[test]
fn what_states_no_size_has_none() {
    let nothing: [&[u8]; 9] = [
        b"",
        b"GIF89a",
        b"GIF89a\x00\x00\x10\x00",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIDAT\x00\x00\x00\x01\x00\x00\x00\x01",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x00\x00\x00\x00\x01",
        // The height stands behind the image.
        b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x00\x04\x00",
        // The image begins and there was no header; a segment shorter than its own length.
        b"\xff\xd8\xff\xda\x00\x08\xff\xc0\x00\x0b\x08\x03\x00\x04\x00",
        b"\xff\xd8\xff\xe0\x00\x01\xff\xc0\x00\x0b\x08\x03\x00\x04\x00",
        b"RIFF\x10\x00\x00\x00WAVEfmt \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    ];
    for bytes in nothing {
        assert_eq!(image_size(bytes), None, "{bytes:?}");
    }
}

/// Bytes behind the beginning of each format, as random bytes alone would hardly get past it.
fn broken_image() -> impl Strategy<Value = Vec<u8>> {
    let beginning = prop::sample::select(vec![
        &b""[..],
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR",
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\x00\x04ab\xff",
        b"GIF89a",
        b"RIFF\x00\x00\x00\x00WEBPVP8 ",
        b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f",
        b"RIFF\x00\x00\x00\x00WEBPVP8X",
        b"\x00\x00\x00\x10ftypavif\x00\x00\x00\x00",
        b"\x00\x00\x00\x10ftypavif\x00\x00\x00\x00\x00\x00\x00\x00meta\x00\x00\x00\x00\x00\x00\x00\x0epitm\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00iprp",
        b"\x00\x00\x00\x10ftypavif\x00\x00\x00\x00\x00\x00\x00\x01meta\x00\x00\x00\x00\x00\x00\x00",
    ]);
    (beginning, prop::collection::vec(any::<u8>(), 0..300))
        .prop_map(|(beginning, rest)| [beginning, &rest].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_give_pixels_or_none(bytes in broken_image()) {
        if let Some((width, height)) = image_size(&bytes) {
            prop_assert!(width > 0 && height > 0);
        }
    }

    #[test]
    fn a_turned_image_costs_the_same(width: u32, height: u32) {
        for tokenizer in Tokenizer::ALL {
            prop_assert_eq!(image_tokens(tokenizer, width, height), image_tokens(tokenizer, height, width));
        }
    }

    #[test]
    fn any_image_has_tokens_within_its_provider_s_bounds(width in 1..20_000_u32, height in 1..20_000_u32) {
        let openai = image_tokens(OPENAI, width, height);
        // A short side of 768 allows 2 tiles across, a long one of 2,048 allows 4.
        prop_assert!((255..=85 + 8 * 170).contains(&openai), "{}", openai);
        prop_assert!((1..=1600).contains(&image_tokens(ANTHROPIC, width, height)));
        prop_assert_eq!(image_tokens(GOOGLE, width, height) % 258, 0);
    }
}
