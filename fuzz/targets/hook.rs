//! Events and settings of agents: read without a panic, and all that is not replaced comes back byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        recto_fuzz::hook(text);
    }
});
