//! Logs of sessions: read, folded and pruned without a panic, and by the laws.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        recto_fuzz::session(text);
    }
});
