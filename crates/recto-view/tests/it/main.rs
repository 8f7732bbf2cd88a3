//! Integration tests of `recto-view`.
