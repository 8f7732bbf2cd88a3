//! Transcripts: read without a panic as every format, and all that is not replaced comes back byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    recto_fuzz::wire(bytes);
});
