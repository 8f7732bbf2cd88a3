//! Integration tests of `recto-outline`.
