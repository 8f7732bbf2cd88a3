//! Integration tests of the `recto` binary: each runs it in folders of its own.

mod sandbox;
