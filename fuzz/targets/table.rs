//! Any bytes as JSON and as JSON lines in mode `table`, and as the text of a table.
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &[u8]| recto_fuzz::tables(source));
