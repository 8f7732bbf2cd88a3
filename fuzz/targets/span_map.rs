//! A span map from anywhere, against any source.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| recto_fuzz::span_map(input));
