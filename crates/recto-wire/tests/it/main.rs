//! Integration tests of `recto-wire`.
