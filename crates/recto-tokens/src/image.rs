//! What an image costs, by its dimensions.

mod avif;
mod size;

pub use self::size::image_size;

use crate::tokenizer::Tokenizer;

/// Counts the tokens that a provider bills for an image of `width` by `height` pixels, by the rule it has published.
///
/// The tokenizer stands for the provider: OpenAI for the two exact ones, Anthropic and Google for the two estimates. An image
/// without pixels costs nothing. Width and height may be swapped, so how a photo is rotated does not matter.
///
/// - **OpenAI**, as published in its guide to images and vision, 2024, for GPT-4o at high detail: scaled down to fit into 2,048
///   by 2,048, then until the short side is 768 at most, then 85 tokens and 170 for each tile of 512 by 512 begun. Sides
///   are rounded to the nearest pixel after scaling, as its bills show. Small images are not scaled up.
/// - **Anthropic**, as published in its guide to vision, 2025: scaled down until the long side is 1,568 at most and the image
///   has about 1,600 tokens at most; width times height divided by 750, rounded up.
/// - **Google**, as published in Gemini's guide to tokens, 2025: 258 up to 384 by 384, else 258 for each tile of 768 by 768 begun.
///
/// Which models of a provider have other rules is in the crate's documentation.
///
/// ```
/// use recto_tokens::{Tokenizer, image_tokens};
///
/// assert_eq!(image_tokens(Tokenizer::O200k, 1024, 1024), 765);
/// assert_eq!(image_tokens(Tokenizer::ClaudeEstimate, 1000, 1000), 1334);
/// assert_eq!(image_tokens(Tokenizer::GeminiEstimate, 1000, 1000), 1032);
/// ```
#[must_use]
pub fn image_tokens(tokenizer: Tokenizer, width: u32, height: u32) -> u64 {
    if width == 0 || height == 0 {
        return 0;
    }
    let (long, short) = (u64::from(width.max(height)), u64::from(width.min(height)));
    match tokenizer {
        Tokenizer::O200k | Tokenizer::Cl100k => openai(long, short),
        Tokenizer::ClaudeEstimate => anthropic(long, short),
        Tokenizer::GeminiEstimate => google(long, short),
    }
}

fn openai(long: u64, short: u64) -> u64 {
    const LONG_PIXELS: u64 = 2048;
    const SHORT_PIXELS: u64 = 768;
    const TILE_PIXELS: u64 = 512;
    let (long, short) =
        if long > LONG_PIXELS { (LONG_PIXELS, scaled(short, LONG_PIXELS, long)) } else { (long, short) };
    let (long, short) =
        if short > SHORT_PIXELS { (scaled(long, SHORT_PIXELS, short), SHORT_PIXELS) } else { (long, short) };
    85 + 170 * long.div_ceil(TILE_PIXELS) * short.div_ceil(TILE_PIXELS)
}

/// A side after scaling by `to / from`, to the nearest pixel; a side never vanishes.
fn scaled(side: u64, to: u64, from: u64) -> u64 {
    ((side * to + from / 2) / from).max(1)
}

fn anthropic(long: u64, short: u64) -> u64 {
    const LONG_PIXELS: u64 = 1568;
    const PIXELS_PER_TOKEN: u64 = 750;
    const MOST_TOKENS: u64 = 1600;
    let tokens = if long > LONG_PIXELS {
        // Both sides shrink by the same share, so the area is short * 1568 / long * 1568.
        (short * LONG_PIXELS * LONG_PIXELS).div_ceil(long * PIXELS_PER_TOKEN)
    } else {
        (long * short).div_ceil(PIXELS_PER_TOKEN)
    };
    tokens.min(MOST_TOKENS)
}

fn google(long: u64, short: u64) -> u64 {
    const SMALL_PIXELS: u64 = 384;
    const TILE_PIXELS: u64 = 768;
    const TILE_TOKENS: u64 = 258;
    if long <= SMALL_PIXELS {
        return TILE_TOKENS;
    }
    TILE_TOKENS * long.div_ceil(TILE_PIXELS) * short.div_ceil(TILE_PIXELS)
}
