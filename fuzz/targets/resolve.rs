//! Tools, a name and arguments in JSON: whatever they are, only a named tool is called with valid arguments.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        recto_fuzz::resolve(text);
    }
});
