//! A query in JSON, a NUL, and any bytes to ask.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| recto_fuzz::query(input));
