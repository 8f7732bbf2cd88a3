//! Any bytes, taken for what they look like or for a given type, come to an outline that keeps its laws.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recto_outline::{ContentType, Fuel, outline};

const TYPES: [ContentType; 15] = [
    ContentType::Json,
    ContentType::Jsonl,
    ContentType::Csv,
    ContentType::MarkdownTable,
    ContentType::Diff,
    ContentType::Log,
    ContentType::Search,
    ContentType::Listing,
    ContentType::Code,
    ContentType::Markup,
    ContentType::Numbered,
    ContentType::Prose,
    ContentType::Rag,
    ContentType::Chat,
    ContentType::Unknown,
];

fuzz_target!(|input: &[u8]| {
    let Some((&selector, source)) = input.split_first() else { return };
    // Printable selectors leave the type to detection, so that a plain text file is a useful seed.
    let content_type = TYPES.get(usize::from(selector)).copied();
    let outline =
        outline(source, content_type, &mut Fuel::unlimited()).expect("unlimited fuel, small source");
    if let Err(broken) = outline.check() {
        panic!("{:?}: {broken}", outline.content_type);
    }
});
