//! Integration tests of the `recto` binary.
