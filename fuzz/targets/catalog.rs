//! Tool definitions in JSON and words to look for: whatever they are, what is compiled is short, comes back and keeps its place.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        recto_fuzz::catalog(text);
    }
});
