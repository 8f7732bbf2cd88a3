//! Bodies of model APIs: read without a panic, every range where it should be, and a text replaced changes nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| recto_fuzz::bodies(input));
